//! A trace as Markdown, for a pull request: gaps first.

use std::fmt::Write as _;

use afresh_app::text::count;
use afresh_app::text::markdown::{code, text};
use afresh_core::plan::RequirementLink;
use afresh_core::status::trace::{RequirementState, RequirementTrace, TracedRequirement};

use super::{describe_check, short};

/// The most rows of one table: reviews are read by people.
const MAX_ROWS: usize = 500;
/// The most checks in one row.
const MAX_CHECKS: usize = 5;

pub fn render(trace: &RequirementTrace) -> String {
    let mut page = format!("## Requirements of {}\n\n", text(&trace.plan));
    if trace.requirements.is_empty() {
        page.push_str("The documents of the plan state no requirements.\n");
        return page;
    }
    if let Some(run) = &trace.run {
        let _ = writeln!(page, "Run {}: {}.", code(run.as_str()), trace.describe_counts());
    } else {
        let _ = writeln!(page, "Not run yet: {}.", trace.describe_counts());
    }
    let (gaps, others): (Vec<_>, Vec<_>) =
        trace.requirements.iter().partition(|one| one.state.is_gap());
    if !gaps.is_empty() {
        page.push_str("\n### Gaps\n\n| requirement | state | why |\n| --- | --- | --- |\n");
        for one in gaps.iter().take(MAX_ROWS) {
            let _ = writeln!(page, "| {} | {} | {} |", name(one), one.state, text(&one.reason));
        }
        more(&mut page, gaps.len());
    }
    if !others.is_empty() {
        let gone = if gaps.is_empty() { "" } else { "\n### Without gaps\n" };
        let _ = writeln!(page, "{gone}\n| requirement | state | tasks | proof |");
        page.push_str("| --- | --- | --- | --- |\n");
        for one in others.iter().take(MAX_ROWS) {
            let (tasks, proof) = (tasks(one), proof(one));
            let _ = writeln!(page, "| {} | {} | {tasks} | {proof} |", name(one), one.state);
        }
        more(&mut page, others.len());
    }
    if !trace.orphans.is_empty() {
        let ids: Vec<String> = trace.orphans.iter().map(|id| code(id.as_str())).collect();
        let _ = writeln!(page, "\nTasks that cite no requirement: {}", ids.join(", "));
    }
    page
}

fn more(page: &mut String, rows: usize) {
    if let Some(left) = rows.checked_sub(MAX_ROWS).filter(|left| *left > 0) {
        let _ = writeln!(page, "\nAnd {}.", count(left, "more requirement"));
    }
}

/// The id and the text, with where it stands.
fn name(one: &TracedRequirement) -> String {
    let place = match one.line {
        0 => one.file.clone(),
        line => format!("{}:{line}", one.file),
    };
    format!("**{}** {} ({})", text(one.id.as_str()), text(&one.text), code(&place))
}

fn tasks(one: &TracedRequirement) -> String {
    if one.link == RequirementLink::WholePlan {
        return "all".to_owned();
    }
    let ids: Vec<String> = one.tasks.iter().map(|id| code(id.as_str())).collect();
    ids.join(", ")
}

fn proof(one: &TracedRequirement) -> String {
    if one.state != RequirementState::Proved || one.link == RequirementLink::WholePlan {
        return text(&one.reason);
    }
    let proving: Vec<_> = one.checks.iter().filter(|check| check.proves).collect();
    let shown = proving.iter().take(MAX_CHECKS).map(|check| {
        let commit = check.commit.as_ref().map_or("", |commit| short(commit.as_str()));
        let tree = check.tree.as_ref().map_or("", |tree| short(tree.as_str()));
        let ended = text(&describe_check(check));
        format!("{}: {ended}, commit {}, tree {}", code(&check.command), code(commit), code(tree))
    });
    let mut cells: Vec<String> = shown.collect();
    if let Some(left) = proving.len().checked_sub(MAX_CHECKS).filter(|left| *left > 0) {
        cells.push(format!("and {}", count(left, "more check")));
    }
    cells.join("<br>")
}
