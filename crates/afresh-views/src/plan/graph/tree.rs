//! A tree for terminals.

use afresh_core::plan::TaskIndex;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use afresh_core::Plan;

use super::{conflicts, files};
use afresh_core::printable::line as safe;

/// The deepest indentation.
const MAX_INDENT: usize = 120;

struct TreeLine {
    at: TaskIndex,
    indent: String,
    full: bool,
}

/// A task is drawn below its last dependency; below the others it is only named. `*` marks the critical
/// path.
pub(super) fn draw(plan: &Plan) -> String {
    let mut text = String::new();
    let critical: BTreeSet<TaskIndex> = plan.critical_path().into_iter().collect();
    let home = |at: TaskIndex| plan.needs(at).iter().copied().max_by_key(|need| plan.wave(*need));
    let roots = plan.indices().filter(|at| plan.needs(*at).is_empty());
    // Without recursion, because plans can be deep.
    let mut open: Vec<TreeLine> =
        roots.map(|at| TreeLine { at, indent: String::new(), full: true }).collect();
    open.reverse();
    while let Some(TreeLine { at, indent, full }) = open.pop() {
        let task = plan.task(at);
        if !full {
            let _ = writeln!(text, "{indent}→ {}", task.id);
            continue;
        }
        let mark = if critical.contains(&at) { "*" } else { "" };
        let files = files(task);
        let (id, title, wave) = (&task.id, safe(&task.title), plan.wave(at));
        let _ = writeln!(text, "{indent}{id}{mark}  {title}  (wave {wave})  [{files}]");
        // A chain of thousands stays readable, and small.
        let below = if indent.len() < MAX_INDENT { format!("{indent}   ") } else { indent };
        let lines = plan.dependents(at).iter().map(|other| TreeLine {
            at: *other,
            indent: below.clone(),
            full: home(*other) == Some(at),
        });
        let lines: Vec<TreeLine> = lines.collect();
        open.extend(lines.into_iter().rev());
    }
    let _ = writeln!(text, "\n* on the critical path");
    for (a, b, path) in conflicts(plan) {
        let (a, b) = (&plan.task(a).id, &plan.task(b).id);
        let _ = writeln!(text, "{a} and {b} never run at the same time: {}", safe(&path));
    }
    text
}
