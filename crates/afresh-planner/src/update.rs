//! A plan follows its changed specification by a patch, never by a new plan (PL-19): what an update adds, drops and
//! changes, and whether it left everything else alone.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use afresh_core::Plan;
use afresh_core::ids::TaskId;
use afresh_core::plan::{RequirementId, Task};
use afresh_formats::Finding;

use crate::ledger::Ledger;
use crate::ledger::changes::LedgerChanges;

/// What an update does to the tasks of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanDifference {
    pub added: Vec<TaskId>,
    pub dropped: Vec<TaskId>,
    pub changed: Vec<TaskId>,
    pub kept: Vec<TaskId>,
}

impl PlanDifference {
    pub fn between(before: &Plan, now: &Plan) -> Self {
        let mut difference = Self::default();
        for task in now.tasks() {
            let list = match find(before, &task.id) {
                None => &mut difference.added,
                Some(old) if old == task => &mut difference.kept,
                Some(_) => &mut difference.changed,
            };
            list.push(task.id.clone());
        }
        let gone = before.tasks().iter().filter(|task| find(now, &task.id).is_none());
        difference.dropped = gone.map(|task| task.id.clone()).collect();
        difference
    }

    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.dropped.is_empty() && self.changed.is_empty()
    }

    /// One line for each task that is not kept.
    pub fn render(&self, before: &Plan, now: &Plan) -> String {
        let mut text = String::new();
        for (sign, word, ids, plan) in [
            ("+", "add", &self.added, now),
            ("-", "drop", &self.dropped, before),
            ("~", "change", &self.changed, now),
        ] {
            for task in ids.iter().filter_map(|id| find(plan, id)) {
                let _ = writeln!(text, "  {sign} {word:<6} {}: {}", task.id, task.title);
            }
        }
        let _ = writeln!(text, "  = keep   {} of {} tasks", self.kept.len(), now.len());
        text
    }
}

/// What may not change with these changes of the specification, and did.
#[derive(Debug, Clone, Copy)]
pub struct UpdateReview<'a> {
    pub before: &'a Plan,
    pub now: &'a Plan,
    pub changes: &'a LedgerChanges,
    /// The plan's file, for messages.
    pub file: &'a str,
}

impl UpdateReview<'_> {
    /// Tasks that serve only unchanged statements stay word for word; what they need may go.
    pub fn findings(&self) -> Vec<Finding> {
        let touched: BTreeSet<&RequirementId> =
            self.changes.changed.iter().chain(&self.changes.dropped).collect();
        let is_kept = |task: &&Task| !task.requirements.iter().any(|id| touched.contains(id));
        let mut findings = Vec::new();
        for old in self.before.tasks().iter().filter(is_kept) {
            let (code, message) = match find(self.now, &old.id) {
                None => ("dropped-kept-task", format!("{} is gone", old.id)),
                Some(new) if is_same(old, new) => continue,
                Some(_) => ("changed-kept-task", format!("{} is not as it was", old.id)),
            };
            let message =
                format!("{message}, although the statements that it serves did not change");
            let hint = "leave it word for word; what is new belongs into a task of its own";
            findings.push(Finding::for_file(self.file, code, message).with_hint(hint));
        }
        findings
    }
}

/// Equal but for the tasks that it needs: one of them may have gone.
fn is_same(old: &Task, new: &Task) -> bool {
    Task { needs: new.needs.clone(), ..old.clone() } == *new
}

fn find<'p>(plan: &'p Plan, id: &TaskId) -> Option<&'p Task> {
    plan.index_of(id).map(|at| plan.task(at))
}

/// What changed in a specification, for the one who updates its plan.
pub fn describe_changes(before: &Ledger, now: &Ledger, changes: &LedgerChanges) -> String {
    let quote = |ledger: &Ledger, id: &RequirementId| {
        ledger.find(id.as_str()).map(|statement| statement.quote.clone()).unwrap_or_default()
    };
    let mut text = String::new();
    for id in &changes.added {
        let _ = writeln!(text, "- {id} is new: {}", quote(now, id));
    }
    for id in &changes.changed {
        let _ =
            writeln!(text, "- {id} changed. Before: {} Now: {}", quote(before, id), quote(now, id));
    }
    for id in &changes.dropped {
        let _ = writeln!(text, "- {id} is dropped: {}", quote(before, id));
    }
    text
}
