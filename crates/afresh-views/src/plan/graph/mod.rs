//! A plan as a graph: a tree for terminals, Mermaid and DOT for pages, SVG to look at.
//!
//! Each shows waves, dependencies, files, the critical path, and tasks that never run at the same time.

mod dot;
mod mermaid;
mod tree;

use afresh_app::dashboard::data::graph::TaskGraph;
use afresh_app::dashboard::svg;
use afresh_core::Plan;
use afresh_core::pattern::FilePattern;
use afresh_core::plan::{Task, TaskIndex};

use afresh_core::printable::line as safe;

/// How many files of a task are listed.
const MAX_FILES: usize = 4;
/// How many pairs of conflicting tasks are drawn.
const MAX_CONFLICTS: usize = 200;

/// How a plan is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphFormat {
    /// Dependencies, indented
    Tree,
    /// For Markdown pages
    Mermaid,
    /// For Graphviz
    Dot,
    /// A picture, as a file of its own
    Svg,
}

pub fn draw(plan: &Plan, picture: GraphFormat) -> String {
    match picture {
        GraphFormat::Tree => tree::draw(plan),
        GraphFormat::Mermaid => mermaid::draw(plan),
        GraphFormat::Dot => dot::draw(plan),
        GraphFormat::Svg => svg::standalone(&svg::graph::render(&TaskGraph::from_plan(plan))),
    }
}

/// The files of a task, or why it needs no worker.
fn files(task: &Task) -> String {
    if task.checkpoint.is_some() {
        return "asks a person".to_owned();
    }
    if task.done_before.is_some() {
        return "already done".to_owned();
    }
    let mut seen = std::collections::BTreeSet::new();
    let all: Vec<&str> =
        task.patterns().map(FilePattern::as_str).filter(|path| seen.insert(*path)).collect();
    let named: Vec<String> = all.iter().take(MAX_FILES).map(|path| safe(path)).collect();
    match all.len() {
        0 => "any file".to_owned(),
        n if n > MAX_FILES => format!("{} and {} more", named.join(", "), n - MAX_FILES),
        _ => named.join(", "),
    }
}

/// Pairs that never run at the same time, by position, with the file that both may write.
fn conflicts(plan: &Plan) -> Vec<(TaskIndex, TaskIndex, String)> {
    let pairs = plan.conflicts().into_iter().take(MAX_CONFLICTS).filter_map(|conflict| {
        let (a, b) = conflict.tasks;
        Some((plan.index_of(&a)?, plan.index_of(&b)?, conflict.path))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use afresh_core::plan::{FileDraft, PlanDraft, TaskDraft};

    use super::*;

    fn plan() -> Plan {
        let task = |id: &str, needs: &[&str], files: &[&str]| TaskDraft {
            id: id.to_owned(),
            title: format!("the \"{id}\" <b>#1; [x](y) `z` \\ {{q}} | end\nsecond"),
            needs: needs.iter().map(|need| (*need).to_owned()).collect(),
            files: files
                .iter()
                .map(|path| FileDraft { path: (*path).to_owned(), action: None })
                .collect(),
            ..TaskDraft::default()
        };
        let tasks = vec![
            task("A", &[], &["a", "app/[id]/p\"q.tsx"]),
            task("B", &["A"], &["x"]),
            task("C", &["A"], &["x", "1", "2", "3", "4"]),
            task("D", &["B", "C", "A"], &[]),
        ];
        Plan::new(PlanDraft { tasks, ..PlanDraft::default() }).expect("a plan")
    }

    /// PL-12: waves, dependencies, files, the critical path and what keeps tasks apart, in every
    /// form; titles cannot break out.
    #[test]
    fn a_plan_can_be_drawn() {
        insta::assert_snapshot!("tree", draw(&plan(), GraphFormat::Tree));
        insta::assert_snapshot!("mermaid", draw(&plan(), GraphFormat::Mermaid));
        insta::assert_snapshot!("dot", draw(&plan(), GraphFormat::Dot));
    }
}
