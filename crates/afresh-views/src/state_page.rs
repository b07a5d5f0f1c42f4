//! The state of a run as Markdown: `STATE.md` in the state directory.

use std::fmt::Write as _;

use afresh_app::dashboard::data::needs_you::sort_questions;
use afresh_app::text::count;
use afresh_app::text::markdown::{code, text};
use afresh_core::Run;
use afresh_core::run::TaskStage;
use afresh_core::status::{RunStatus, TaskPhase};

pub fn render(run: &Run) -> String {
    let mut status = RunStatus::from_run(run);
    sort_questions(run, &mut status.questions);
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
        let (title, attempts) = (text(&task.title), task.attempts);
        let state = match &task.by_hand {
            Some(by) => format!("{} by hand ({})", task.state, text(by)),
            None => task.state.to_string(),
        };
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
