//! Mermaid, for Markdown pages.

use std::fmt::Write as _;

use afresh_core::Plan;

use super::{conflicts, files};
use afresh_core::printable::line as safe;

pub(super) fn draw(plan: &Plan) -> String {
    let mut text = String::from("flowchart TD\n");
    for (number, wave) in plan.waves().iter().enumerate() {
        let _ = writeln!(text, "  subgraph wave{0}[\"wave {0}\"]", number + 1);
        for at in wave {
            let task = plan.task(*at);
            let files = in_html(&files(task));
            let (id, title) = (in_html(task.id.as_str()), in_html(&task.title));
            let _ = writeln!(text, "    t{at}[\"{id}: {title}<br/>{files}\"]");
        }
        text.push_str("  end\n");
    }
    for at in plan.indices() {
        for need in plan.needs(at) {
            let _ = writeln!(text, "  t{need} --> t{at}");
        }
    }
    for (a, b, path) in conflicts(plan) {
        let _ = writeln!(text, "  t{a} -. \"{}\" .- t{b}", in_html(&path));
    }
    let critical: Vec<String> = plan.critical_path().iter().map(|at| format!("t{at}")).collect();
    if !critical.is_empty() {
        text.push_str("  classDef critical stroke-width:3px\n");
        let _ = writeln!(text, "  class {} critical", critical.join(","));
    }
    text
}

/// Nothing that ends a label, starts a tag, or is taken as Markdown.
fn in_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in safe(text).chars() {
        if "\"<>&#`\\*_[]{}|".contains(c) {
            let _ = write!(out, "#{};", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}
