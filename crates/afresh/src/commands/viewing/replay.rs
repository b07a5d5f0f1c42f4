//! `afresh replay [RUN]`: a recorded run again, in the terminal; `--check` proves that its records are true.

use std::thread;
use std::time::{Duration, Instant};

use afresh_app::context::AppContext;
use afresh_app::dashboard::text::live::LiveOverview;
use afresh_app::error::AppError;
use afresh_app::logs::replay_check::{ReplayCheck, check_replay};
use afresh_app::logs::run_replay::RunReplay;
use afresh_app::session::runs::select;
use afresh_engine::session::RecordedRun;
use afresh_engine::{RecordedEvent, Reporter};

use crate::exit::Exit;
use crate::reporters::json_events::JsonEventReporter;
use crate::reporters::progress::{ProgressReporter, QuestionDisplay};
use crate::terminal::completion;
use crate::terminal::live::region::RegionSize;
use crate::terminal::output::{Output, count};
use crate::terminal::signals;

/// Longer pauses are cut to this: the moments in which nothing happened are of no interest.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// The live region is painted this often.
const TICK: Duration = Duration::from_millis(100);

/// Show a recorded run again, as it went
///
/// In a terminal, the run plays with its live region; pauses of more than two seconds are cut. Elsewhere, and with
/// `--speed max`, every line is printed at once. `afresh serve` has the same with a slider. `--check` plays nothing: it
/// proves that the records lead to the same state, schedule and trees.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run; by default, the last one
    #[arg(add = completion::runs())]
    run: Option<String>,
    /// How many times faster than it went, or `max`
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = parse_speed)]
    speed: PlaySpeed,
    /// Start with the first attempt at this task
    #[arg(long, value_name = "TASK", add = completion::tasks())]
    from: Option<String>,
    /// Compare the records with the state, with the rules of the scheduler and with the commits; exit code 1 if
    /// anything differs
    #[arg(long, conflicts_with_all = ["speed", "from"])]
    check: bool,
}

/// How fast a run is played.
#[derive(Debug, Clone, Copy, PartialEq)]
enum PlaySpeed {
    Factor(f64),
    Max,
}

fn parse_speed(text: &str) -> Result<PlaySpeed, String> {
    if text == "max" {
        return Ok(PlaySpeed::Max);
    }
    let factor = text.trim_end_matches('x').parse::<f64>().ok();
    let usable = factor.filter(|factor| factor.is_finite() && (0.01..=10_000.0).contains(factor));
    usable
        .map(PlaySpeed::Factor)
        .ok_or_else(|| "a number from 0.01 to 10000, such as 0.5 or 10, or `max`".to_owned())
}

pub(crate) fn replay(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let repository = context.repository()?;
    let found = select::find_run(&repository, args.run.as_deref())?;
    if args.check {
        return Ok(report_check(&check_replay(&repository, &found)?, output));
    }
    play(args, context, &found, output)
}

fn report_check(check: &ReplayCheck, output: &Output) -> Exit {
    if output.json {
        output.document(check);
    } else {
        for problem in &check.problems {
            let place = problem.seq.map_or(String::new(), |seq| format!("record {seq}: "));
            output.data(&format!("{place}{}", problem.message));
        }
        let verdict = if check.ok {
            "the records lead to the same state, schedule and trees".to_owned()
        } else {
            count(check.problems.len(), "difference")
        };
        output.data(&format!(
            "{}: {}, {} of workers, {}: {verdict}",
            check.run,
            count(check.records, "record"),
            count(check.starts, "start"),
            count(check.merges, "merge"),
        ));
        output.data(&format!("digest {}", check.digest));
    }
    if check.ok { Exit::Done } else { Exit::Incomplete }
}

fn play(
    args: &Args,
    context: &AppContext,
    found: &RecordedRun,
    output: &Output,
) -> Result<Exit, AppError> {
    let start = match &args.from {
        Some(task) => first_record_of(task, found)?,
        None => 0,
    };
    let is_live = output.shows_live_region(context.environment.text("TERM"));
    let speed = if is_live { args.speed } else { PlaySpeed::Max };
    let mut playback = Playback::new(found, speed, output);
    playback.replay.go_to(start)?;
    if is_live && args.speed != PlaySpeed::Max {
        let region = output.region();
        signals::leave_terminal_when_stopped(region.clone())
            .map_err(|error| AppError::bug("signals", error.to_string()))?;
        region.start(output.is_colored());
    }
    let played = playback.play();
    output.region().finish();
    played?;
    if !output.json {
        let (id, played) = (found.run.id(), count(playback.replay.position() - start, "record"));
        output.note(&format!("played {played} of run {id}; `afresh report {id}` summarizes it"));
    }
    Ok(Exit::Done)
}

/// The position before the first attempt at this task.
fn first_record_of(task: &str, found: &RecordedRun) -> Result<usize, AppError> {
    let id = select::find_task(&found.run, task)?;
    let mut replay = RunReplay::new(found);
    while let Some(step) = replay.step()? {
        let has_started = step.run.state_of(&id).is_some_and(|state| state.retries.last_number > 0);
        if has_started {
            return Ok(replay.position() - 1);
        }
    }
    Err(AppError::incomplete("replay", format!("{id} was never started")))
}

/// A run that is being played.
struct Playback<'a> {
    replay: RunReplay,
    speed: PlaySpeed,
    progress: ProgressReporter,
    output: &'a Output,
    started_ms: i64,
}

impl<'a> Playback<'a> {
    fn new(found: &RecordedRun, speed: PlaySpeed, output: &'a Output) -> Self {
        let started_ms = found.records.first().map_or(0, |record| record.wall_ms);
        let progress = ProgressReporter::new(output.clone(), QuestionDisplay::ShownHere);
        Self { replay: RunReplay::new(found), speed, progress, output, started_ms }
    }

    fn play(&mut self) -> Result<(), AppError> {
        let mut before = self.replay.next_record().map(|record| record.wall_ms);
        while let Some(next) = self.replay.next_record().map(|record| record.wall_ms) {
            self.wait(before.unwrap_or(next), next);
            before = Some(next);
            let Some(step) = self.replay.step()? else { return Ok(()) };
            let since = u64::try_from(next.saturating_sub(self.started_ms)).unwrap_or(0);
            self.progress.show_recorded_time(Duration::from_millis(since));
            let seq = step.record.seq;
            let recorded =
                RecordedEvent { seq, wall_ms: next, at: None, event: &step.event, run: step.run };
            if self.output.json {
                JsonEventReporter { output: self.output.clone() }.event_recorded(&recorded);
            } else {
                self.progress.event_recorded(&recorded);
            }
        }
        Ok(())
    }

    /// Waits as long as the run did, at the speed that is wanted; the clocks of the live region go on.
    fn wait(&self, from_ms: i64, to_ms: i64) {
        let PlaySpeed::Factor(factor) = self.speed else { return };
        let span = Duration::from_millis(u64::try_from(to_ms.saturating_sub(from_ms)).unwrap_or(0));
        let pause = span.div_f64(factor).min(LONGEST_PAUSE);
        let started = Instant::now();
        while let Some(left) = pause.checked_sub(started.elapsed()).filter(|left| !left.is_zero()) {
            let share = started.elapsed().as_secs_f64() / pause.as_secs_f64();
            let passed = span.mul_f64(share.clamp(0.0, 1.0)).as_millis();
            self.paint(from_ms.saturating_add(i64::try_from(passed).unwrap_or(0)));
            thread::sleep(left.min(TICK));
        }
        self.paint(to_ms);
    }

    fn paint(&self, now_ms: i64) {
        let (Some(run), Some(size)) = (self.replay.run(), RegionSize::measure()) else { return };
        let mut facts = self.replay.facts();
        facts.now_ms = now_ms;
        let overview = LiveOverview::new(run, self.replay.history(), &facts);
        self.output.region().show(overview.lines(size.columns - 1, size.rows));
    }
}
