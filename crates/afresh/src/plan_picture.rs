//! A plan as a picture in text: a tree for terminals, Mermaid and DOT for pages.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use afresh_core::Plan;

use crate::output::safe;

/// Where the tree stops moving to the right.
const MAX_INDENT: usize = 120;

/// How a plan is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Picture {
    /// Who waits for whom, indented
    Tree,
    /// For Markdown pages
    Mermaid,
    /// For Graphviz
    Dot,
}

pub(crate) fn draw(plan: &Plan, picture: Picture) -> String {
    match picture {
        Picture::Tree => tree(plan),
        Picture::Mermaid => mermaid(plan),
        Picture::Dot => dot(plan),
    }
}

/// A task stands below the last of those it needs; below the others it is only named.
fn tree(plan: &Plan) -> String {
    let mut text = String::new();
    let home = |at: usize| plan.needs(at).iter().copied().max_by_key(|need| plan.wave(*need));
    let roots = (0..plan.len()).filter(|at| plan.needs(*at).is_empty());
    // Deep plans are drawn without recursion.
    let mut open: Vec<Line> =
        roots.map(|at| Line { at, indent: String::new(), full: true }).collect();
    open.reverse();
    while let Some(Line { at, indent, full }) = open.pop() {
        let task = plan.task(at);
        if !full {
            let _ = writeln!(text, "{indent}→ {}", task.id);
            continue;
        }
        let _ = writeln!(text, "{indent}{}  {}", task.id, safe(&task.title));
        // A chain of thousands stays readable, and small.
        let below = if indent.len() < MAX_INDENT { format!("{indent}   ") } else { indent };
        let lines = plan.dependents(at).iter().map(|other| Line {
            at: *other,
            indent: below.clone(),
            full: home(*other) == Some(at),
        });
        let lines: Vec<Line> = lines.collect();
        open.extend(lines.into_iter().rev());
    }
    text
}

struct Line {
    at: usize,
    indent: String,
    full: bool,
}

fn mermaid(plan: &Plan) -> String {
    let mut text = String::from("flowchart TD\n");
    for (number, wave) in plan.waves().iter().enumerate() {
        let _ = writeln!(text, "  subgraph wave{0}[\"wave {0}\"]", number + 1);
        for at in wave {
            let task = plan.task(*at);
            let _ = writeln!(text, "    t{at}[\"{}: {}\"]", task.id, in_html(&task.title));
        }
        text.push_str("  end\n");
    }
    for at in 0..plan.len() {
        for need in plan.needs(at) {
            let _ = writeln!(text, "  t{need} --> t{at}");
        }
    }
    for conflict in plan.conflicts() {
        if let (Some(a), Some(b)) =
            (plan.position(&conflict.tasks.0), plan.position(&conflict.tasks.1))
        {
            let _ = writeln!(text, "  t{a} -. \"{}\" .- t{b}", in_html(&conflict.path));
        }
    }
    text
}

/// Nothing that ends a label or starts a tag.
fn in_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in safe(text).chars() {
        match c {
            '"' | '<' | '>' | '&' | '#' | '`' | '\\' => {
                let _ = write!(out, "#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

fn dot(plan: &Plan) -> String {
    let mut text = String::from("digraph plan {\n  rankdir=TB;\n  node [shape=box];\n");
    for wave in plan.waves() {
        text.push_str("  { rank=same;");
        for at in wave {
            let _ = write!(text, " t{at};");
        }
        text.push_str(" }\n");
    }
    let critical: BTreeSet<usize> = plan.critical_path().into_iter().collect();
    for (at, task) in plan.tasks().iter().enumerate() {
        let bold = if critical.contains(&at) { ", penwidth=2" } else { "" };
        let label = in_quotes(&format!("{}: {}", task.id, task.title));
        let _ = writeln!(text, "  t{at} [label=\"{label}\"{bold}];");
    }
    for at in 0..plan.len() {
        for need in plan.needs(at) {
            let _ = writeln!(text, "  t{need} -> t{at};");
        }
    }
    for conflict in plan.conflicts() {
        if let (Some(a), Some(b)) =
            (plan.position(&conflict.tasks.0), plan.position(&conflict.tasks.1))
        {
            let label = in_quotes(&conflict.path);
            let _ = writeln!(
                text,
                "  t{a} -> t{b} [dir=none, style=dashed, constraint=false, label=\"{label}\"];"
            );
        }
    }
    text.push_str("}\n");
    text
}

fn in_quotes(text: &str) -> String {
    safe(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use afresh_core::plan::{FileDraft, PlanDraft, TaskDraft};

    use super::*;

    fn plan() -> Plan {
        let task = |id: &str, needs: &[&str], file: &str| TaskDraft {
            id: id.to_owned(),
            title: format!("the \"{id}\" <b>"),
            needs: needs.iter().map(|need| (*need).to_owned()).collect(),
            files: vec![FileDraft { path: file.to_owned(), action: None }],
            ..TaskDraft::default()
        };
        let tasks = vec![
            task("A", &[], "a"),
            task("B", &["A"], "x"),
            task("C", &["A"], "x"),
            task("D", &["B", "C", "A"], "d"),
        ];
        Plan::new(PlanDraft { tasks, ..PlanDraft::default() }).expect("a plan")
    }

    /// PL-12: dependencies and what keeps tasks apart, in every form; titles cannot break out.
    #[test]
    fn pl_12_a_plan_can_be_drawn() {
        insta::assert_snapshot!("tree", draw(&plan(), Picture::Tree));
        insta::assert_snapshot!("mermaid", draw(&plan(), Picture::Mermaid));
        insta::assert_snapshot!("dot", draw(&plan(), Picture::Dot));
    }
}
