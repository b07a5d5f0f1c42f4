//! A wave that was interrupted, and how it can be taken up (ST-05).

use afresh_core::Run;
use afresh_core::input::ResumeMode;
use afresh_core::run::TaskStage;
use afresh_core::settings::Schedule;

/// The ways, beside going on as usual; each with its words in [`CHOICES`].
pub(crate) const WAYS: [ResumeMode; 3] = [ResumeMode::Failed, ResumeMode::Wave, ResumeMode::Abort];

pub(crate) const CHOICES: [&str; 3] = [
    "failed: only what failed is tried again",
    "wave: the branch goes back to before the wave (its tip is kept), and all of it is done again",
    "abort: the run is given up; everything is kept",
];

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Interruption {
    wave: u32,
    done: usize,
    failed: usize,
    lost: usize,
}

impl Interruption {
    pub(crate) fn question(&self) -> String {
        let Self { wave, done, failed, lost } = self;
        format!("wave {wave} was interrupted: {done} done, {failed} failed, {lost} cut off")
    }
}

/// The earliest wave of a run by waves in which something failed or was cut off.
pub(crate) fn of(run: &Run) -> Option<Interruption> {
    if run.settings().schedule != Schedule::Waves {
        return None;
    }
    let open = run.tasks().enumerate().filter(|(_, (_, state))| !state.is_done());
    let wave = open.map(|(at, _)| run.plan().wave(at)).min()?;
    let mut found = Interruption { wave, done: 0, failed: 0, lost: 0 };
    for (at, (_, state)) in run.tasks().enumerate() {
        if run.plan().wave(at) != wave {
            continue;
        }
        match &state.stage {
            TaskStage::Done { .. } => found.done += 1,
            TaskStage::Failed { .. } => found.failed += 1,
            TaskStage::Skipped { .. } if state.attempts > 0 => found.failed += 1,
            TaskStage::Starting(_) | TaskStage::Running(_) => found.lost += 1,
            _ => {}
        }
    }
    (found.failed + found.lost > 0).then_some(found)
}
