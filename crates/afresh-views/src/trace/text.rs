//! A trace as text, gaps first.

use std::fmt::Write as _;

use afresh_app::text::count;
use afresh_core::plan::RequirementLink;
use afresh_core::printable::line as safe;
use afresh_core::status::trace::{
    RequirementState, RequirementTrace, TracedCheck, TracedRequirement, TracedTask,
};

use super::{describe_check, short};

/// The most characters of a requirement's text in a list.
const MAX_TEXT: usize = 100;

/// All requirements: what is wrong first, the rest in one line each.
pub fn list(trace: &RequirementTrace) -> String {
    let mut text = head(trace);
    let mut last = None;
    for requirement in &trace.requirements {
        let group = requirement.state.is_gap();
        if last != Some(group) {
            text.push_str(if group { "\ngaps\n" } else { "\nwithout gaps\n" });
            last = Some(group);
        }
        line(&mut text, requirement);
        if group {
            let _ = writeln!(text, "  {:12}  {}", "", safe(&requirement.reason));
        } else if requirement.state == RequirementState::Proved {
            proofs(&mut text, trace, requirement);
        }
    }
    if !trace.orphans.is_empty() {
        let ids: Vec<&str> = trace.orphans.iter().map(afresh_core::ids::TaskId::as_str).collect();
        let _ = writeln!(text, "\ntasks that cite no requirement: {}", ids.join(", "));
    }
    text
}

fn head(trace: &RequirementTrace) -> String {
    let of = match &trace.run {
        Some(run) => format!("run {run} of {}", safe(&trace.plan)),
        None => format!("{}, not run yet", safe(&trace.plan)),
    };
    if trace.requirements.is_empty() {
        return format!(
            "{of}: its documents state no requirements\n  a plan of the native format names \
             its specification with `spec = \"FILE\"`, and its tasks cite ids with `requirements = [\"ID\"]`\n"
        );
    }
    let number = count(trace.requirements.len(), "requirement");
    format!("{of}: {number}: {}\n", trace.describe_counts())
}

fn line(text: &mut String, requirement: &TracedRequirement) {
    let words: String = safe(&requirement.text).chars().take(MAX_TEXT).collect();
    let id = safe(requirement.id.as_str());
    let _ = writeln!(text, "  {:12}  {id}  {words}{}", requirement.state, place(requirement));
}

/// `  (spec.md:12)`
fn place(requirement: &TracedRequirement) -> String {
    match requirement.line {
        0 => format!("  ({})", safe(&requirement.file)),
        line => format!("  ({}:{line})", safe(&requirement.file)),
    }
}

/// One line for each task that proves a requirement; for all tasks together, only how many.
fn proofs(text: &mut String, trace: &RequirementTrace, requirement: &TracedRequirement) {
    if requirement.link == RequirementLink::WholePlan {
        let _ = writeln!(text, "  {:12}  {}", "", safe(&requirement.reason));
        return;
    }
    for task in trace.work.iter().filter(|task| requirement.tasks.contains(&task.id)) {
        let mut proving =
            requirement.checks.iter().filter(|check| check.task == task.id && check.proves);
        let Some(first) = proving.next() else { continue };
        let more = match proving.count() {
            0 => String::new(),
            more => format!(", and {} more", count(more, "check")),
        };
        let (landed, command) = (landed(task), safe(&first.command));
        let _ = writeln!(text, "  {:12}  {}{landed}: `{command}`{more}", "", task.id);
    }
}

/// ` in 1234567890`
fn landed(task: &TracedTask) -> String {
    task.commit
        .as_ref()
        .map_or_else(String::new, |commit| format!(" in {}", short(commit.as_str())))
}

/// One requirement and its parts, with everything that is known.
pub fn requirement(trace: &RequirementTrace) -> String {
    let mut text = String::new();
    for requirement in &trace.requirements {
        if !text.is_empty() {
            text.push('\n');
        }
        let id = safe(requirement.id.as_str());
        let _ = writeln!(text, "{id} is {}: {}", requirement.state, safe(&requirement.reason));
        let _ = writeln!(text, "  {}{}", safe(&requirement.text), place(requirement));
        if let Some(parent) = &requirement.parent {
            let _ = writeln!(text, "  part of {}", safe(parent.as_str()));
        }
        if requirement.link == RequirementLink::WholePlan {
            text.push_str("  no task cites it: all tasks together serve it\n");
        }
        for id in &requirement.tasks {
            let own = requirement.checks.iter().filter(|check| check.task == *id);
            let task = trace.work.iter().find(|task| task.id == *id);
            task_lines(&mut text, id.as_str(), task, own);
        }
        if requirement.more_tasks > 0 {
            let _ = writeln!(text, "  and {}", count(requirement.more_tasks, "more task"));
        }
    }
    text
}

fn task_lines<'a>(
    text: &mut String,
    id: &str,
    task: Option<&TracedTask>,
    checks: impl Iterator<Item = &'a TracedCheck>,
) {
    let title = task.map(|task| safe(&task.title)).unwrap_or_default();
    let state = task.and_then(|task| task.state).map_or("planned", |state| state.word());
    let _ = writeln!(text, "  {id}  {title}: {state}");
    if let Some((commit, tree)) =
        task.and_then(|task| Some((task.commit.as_ref()?, task.tree.as_ref()?)))
    {
        let attempt = task.and_then(|task| task.attempt.as_deref()).unwrap_or_default();
        let (commit, tree) = (short(commit.as_str()), short(tree.as_str()));
        let _ =
            writeln!(text, "      landed in {commit}, tree {tree}, receipt of attempt {attempt}");
    }
    for check in checks {
        let _ = writeln!(text, "      `{}`: {}", safe(&check.command), describe_check(check));
    }
}

/// A task, and the requirements that it serves.
pub fn task(trace: &RequirementTrace) -> String {
    let mut text = String::new();
    let Some(task) = trace.work.first() else { return text };
    let checks = trace.requirements.first().map(|one| one.checks.as_slice()).unwrap_or_default();
    task_lines(&mut text, task.id.as_str(), Some(task), checks.iter());
    if trace.requirements.is_empty() {
        text.push_str("it serves no requirement\n");
        return text;
    }
    let _ = writeln!(text, "it serves {}:", count(trace.requirements.len(), "requirement"));
    for requirement in &trace.requirements {
        line(&mut text, requirement);
    }
    text
}
