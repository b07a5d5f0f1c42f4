//! `STATE.md` in the state directory: the progress of the run.
//!
//! Derived from the journal and never read back. It follows the run within seconds, and is current when
//! afresh exits.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use afresh_core::run::TaskStage;
use afresh_core::status::{RunStatus, TaskPhase};
use afresh_core::{Event, Run};
use afresh_engine::{RecordedEvent, Reporter};

use crate::terminal::output::count;
use afresh_app::text::markdown::{code, text};

/// So that a plan of ten thousand tasks is not rewritten for every event.
const PAUSE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct StatePageReporter {
    file: PathBuf,
    written: Option<Instant>,
}

impl StatePageReporter {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self { file, written: None }
    }

    fn write(&mut self, run: &Run) {
        self.written = Some(Instant::now());
        // The journal has everything, so a page that cannot be written is no error.
        let draft = self.file.with_extension("md.new");
        let _ =
            std::fs::write(&draft, render(run)).and_then(|()| std::fs::rename(&draft, &self.file));
    }
}

impl Reporter for StatePageReporter {
    fn event_recorded(&mut self, seen: &RecordedEvent<'_>) {
        let telling = matches!(
            seen.event,
            Event::Merged { .. }
                | Event::TaskFailed { .. }
                | Event::TaskSkipped { .. }
                | Event::QuestionAsked { .. }
                | Event::QuestionAnswered { .. }
                | Event::HaltRequested { .. }
        );
        if telling && self.written.is_none_or(|at| at.elapsed() >= PAUSE) {
            self.write(seen.run);
        }
    }

    fn drive_ended(&mut self, run: &Run) {
        self.write(run);
    }
}

fn render(run: &Run) -> String {
    let status = RunStatus::from_run(run);
    let mut page = format!("# {}: {}\n\n", text(&run.plan().name), status.state.word());
    let done = status.counts.get(&TaskPhase::Done).copied().unwrap_or(0);
    let _ = writeln!(page, "- run {}, branch {}", code(run.id().as_str()), code(run.branch()));
    let _ = writeln!(page, "- {done} of {} done", count(run.plan().len(), "task"));
    if let Some(halt) = &status.halt {
        let _ = writeln!(page, "- halted by {}: {}", text(&halt.by), text(&halt.reason));
    }
    warnings(&mut page, run);
    if !status.questions.is_empty() {
        page.push_str("\n## Open questions\n\n");
        for question in &status.questions {
            let first = question.text.lines().next().unwrap_or_default();
            let command = format!("afresh decide {} ANSWER", question.id);
            let _ = writeln!(page, "- {} {}: {}", question.id, code(&command), text(first));
        }
    }
    page.push_str(
        "\n## Tasks\n\n| task | | state | attempts | |\n| --- | --- | --- | --- | --- |\n",
    );
    for task in &status.tasks {
        let why = task.error.as_deref().map(text).unwrap_or_default();
        let (title, state, attempts) = (text(&task.title), task.state, task.attempts);
        let _ = writeln!(page, "| {} | {title} | {state} | {attempts} | {why} |", task.id);
    }
    page
}

/// Tasks that ran without something they need (HU-03).
fn warnings(page: &mut String, run: &Run) {
    let ignored = run
        .tasks()
        .filter(|(_, state)| matches!(state.stage, TaskStage::Skipped { ignored: true, .. }));
    for (task, _) in ignored {
        let _ = writeln!(
            page,
            "- **warning**: {} was ignored; tasks that need it ran without it",
            task.id
        );
    }
}
