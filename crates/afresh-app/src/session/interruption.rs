//! An interrupted wave, and the ways to continue (ST-05).

use afresh_core::Run;
use afresh_core::input::ResumeMode;
use afresh_core::run::TaskStage;
use afresh_core::run::settings::Schedule;

/// The ways to continue other than as usual, each with a description.
pub const RESUME_CHOICES: [(ResumeMode, &str); 3] = [
    (ResumeMode::Failed, "failed: retry only what failed"),
    (
        ResumeMode::Wave,
        "wave: move the branch back to before the wave (its tip is kept) and redo all of it",
    ),
    (ResumeMode::Abort, "abort: end the run; everything is kept"),
];

/// The earliest wave in which a task failed or was cut off.
#[derive(Debug, PartialEq, Eq)]
pub struct InterruptedWave {
    wave: u32,
    done: usize,
    failed: usize,
    cut_off: usize,
}

impl InterruptedWave {
    /// Only runs that are scheduled by waves have one.
    pub fn find(run: &Run) -> Option<Self> {
        if run.settings().schedule != Schedule::Waves {
            return None;
        }
        let open = run.indexed_tasks().filter(|(_, _, state)| !state.is_done());
        let wave = open.map(|(at, ..)| run.plan().wave(at)).min()?;
        let mut found = Self { wave, done: 0, failed: 0, cut_off: 0 };
        for (at, _, state) in run.indexed_tasks() {
            if run.plan().wave(at) != wave {
                continue;
            }
            match &state.stage {
                TaskStage::Done { .. } => found.done += 1,
                TaskStage::Failed { .. } => found.failed += 1,
                TaskStage::Skipped { .. } if state.retries.last_number > 0 => found.failed += 1,
                TaskStage::Starting(work) | TaskStage::Running(work) if work.by_hand.is_none() => {
                    found.cut_off += 1;
                }
                _ => {}
            }
        }
        (found.failed + found.cut_off > 0).then_some(found)
    }

    pub fn question(&self) -> String {
        let Self { wave, done, failed, cut_off } = self;
        format!("wave {wave} was interrupted: {done} done, {failed} failed, {cut_off} cut off")
    }
}
