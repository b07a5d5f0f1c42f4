//! Type and scope of the commits of a PLAN.md: `feat(02-01)`, `test(03)`.
//!
//! The formats ask their workers for `{type}({plan}): {task}`. The type follows from the files that a task lists.

use afresh_core::commit::CommitLabel;
use afresh_core::plan::TaskDraft;
use afresh_core::scope::looks_like_test;

use super::order::plan_set::PlanMember;

const DOCUMENT_SUFFIXES: &[&str] = &[".md", ".mdx", ".rst", ".adoc", ".txt"];
const SETTINGS_SUFFIXES: &[&str] = &[".json", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".lock"];

/// None for a plan without a number.
pub(crate) fn commit_label(member: &PlanMember, task: &TaskDraft) -> Option<CommitLabel> {
    let number = member.number.as_ref().filter(|_| task.done_before.is_none())?;
    let mut phase = number.phase.iter();
    let first = phase.next().map(|first| format!("{first:02}"));
    let phase: Vec<String> = first.into_iter().chain(phase.map(ToString::to_string)).collect();
    let plan = format!("{:02}", number.plan);
    let scope = if phase.is_empty() { plan } else { format!("{}-{plan}", phase.join(".")) };
    CommitLabel::new(infer_type(task), Some(&scope))
}

fn infer_type(task: &TaskDraft) -> &'static str {
    let steps = task.steps.iter().flat_map(|step| &step.files);
    let paths: Vec<String> =
        task.files.iter().chain(steps).map(|file| file.path.to_lowercase()).collect();
    let all = |is_of_kind: &dyn Fn(&str) -> bool| {
        !paths.is_empty() && paths.iter().all(|path| is_of_kind(path))
    };
    let ends = |path: &str, suffixes: &[&str]| suffixes.iter().any(|it| path.ends_with(it));
    if all(&|path| looks_like_test(path)) {
        "test"
    } else if all(&|path| ends(path, DOCUMENT_SUFFIXES)) {
        "docs"
    } else if all(&|path| ends(path, SETTINGS_SUFFIXES)) {
        "chore"
    } else {
        "feat"
    }
}
