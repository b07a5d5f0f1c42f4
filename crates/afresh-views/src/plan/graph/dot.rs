//! DOT, for Graphviz.

use afresh_core::plan::TaskIndex;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use afresh_core::Plan;

use super::{conflicts, files};
use afresh_core::printable::line as safe;

pub(super) fn draw(plan: &Plan) -> String {
    let mut text = String::from("digraph plan {\n  rankdir=TB;\n  node [shape=box];\n");
    for (number, wave) in plan.waves().iter().enumerate() {
        let _ = write!(text, "  {{ rank=same; /* wave {} */", number + 1);
        for at in wave {
            let _ = write!(text, " t{at};");
        }
        text.push_str(" }\n");
    }
    let critical: BTreeSet<TaskIndex> = plan.critical_path().into_iter().collect();
    for (at, task) in plan.indices().zip(plan.tasks()) {
        let bold = if critical.contains(&at) { ", penwidth=2" } else { "" };
        let label = in_quotes(&format!("{}: {}", task.id, task.title));
        let files = in_quotes(&files(task));
        let wave = plan.wave(at);
        let _ = writeln!(text, "  t{at} [label=\"{label}\\n{files}\\nwave {wave}\"{bold}];");
    }
    for at in plan.indices() {
        for need in plan.needs(at) {
            let _ = writeln!(text, "  t{need} -> t{at};");
        }
    }
    for (a, b, path) in conflicts(plan) {
        let label = in_quotes(&path);
        let _ = writeln!(
            text,
            "  t{a} -> t{b} [dir=none, style=dashed, constraint=false, label=\"{label}\"];"
        );
    }
    text.push_str("}\n");
    text
}

/// `&` would start an entity.
fn in_quotes(text: &str) -> String {
    safe(text).replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;")
}
