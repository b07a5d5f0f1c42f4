//! Reports tasks whose criteria are prose (FO-04).
//!
//! A check is a command; sentences are never run. The worker gets them, and the run adds the checks of
//! the repository.

use afresh_core::plan::TaskDraft;

use crate::draft::DraftPlan;
use afresh_formats::findings::Severity;
use afresh_formats::reading::SourceSpan;

/// The most tasks that a message names.
const MAX_NAMED: usize = 10;
/// The most characters of each name.
const MAX_ID_CHARS: usize = 80;

/// Reports tasks with criteria in prose and without a command that checks them.
pub fn label<'t>(
    drafted: &mut DraftPlan,
    span: &SourceSpan,
    tasks: impl IntoIterator<Item = &'t str>,
) {
    let tasks: Vec<&str> = tasks.into_iter().collect();
    if tasks.is_empty() {
        return;
    }
    // Before validation, an id may be a text of any length.
    let short = |task: &&str| task.chars().take(MAX_ID_CHARS).collect::<String>();
    let mut named = tasks.iter().take(MAX_NAMED).map(short).collect::<Vec<_>>().join(", ");
    if tasks.len() > MAX_NAMED {
        named = format!("{named} and {} more", tasks.len() - MAX_NAMED);
    }
    let message = format!("no command checks {named}: the criteria are prose");
    let found = drafted.find(span, "checks-are-prose", message);
    found.severity = Severity::Warning;
    found.hint = Some(
        "the worker gets them; the build, test and lint commands of the repository are run instead"
            .to_owned(),
    );
}

/// Reports all open tasks without a check, at the position of the first.
pub fn label_unjudged(drafted: &mut DraftPlan) {
    let unjudged =
        drafted.tasks.iter().filter(|task| task.fault.is_none() && !is_judged(&task.draft));
    let (ids, spans): (Vec<String>, Vec<SourceSpan>) =
        unjudged.map(|task| (task.draft.id.clone(), task.places.whole.clone())).unzip();
    if let Some(first) = spans.first() {
        label(drafted, first, ids.iter().map(String::as_str));
    }
}

fn is_judged(draft: &TaskDraft) -> bool {
    let steps = draft.steps.iter().any(|step| !step.checks.is_empty());
    let needs_none = draft.checkpoint.is_some() || draft.done_before.is_some();
    steps || needs_none || !draft.checks.is_empty()
}
