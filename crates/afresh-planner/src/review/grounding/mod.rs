//! What a plan names is resolved: paths, commands and symbols (PL-16).
//!
//! Each reference is verified, missing, ambiguous or not checkable, against the repository and what earlier tasks
//! create. Missing is an error, and only where absence is proved. What cannot be checked blocks nothing and blesses
//! nothing: it is counted and listed.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `claims` | whether a sentence says that something exists, or that it is to be made |
//! | `commands` | what the commands of checks name |
//! | `paths` | paths in the texts of tasks |
//! | `symbols` | names of functions and types in the texts of tasks |
//! | `tree` | what exists when a task starts |

mod claims;
mod commands;
mod paths;
mod symbols;
pub(crate) mod tree;

use std::collections::BTreeSet;

use afresh_core::plan::{PlanField, TaskIndex};
use serde::Serialize;

use super::PlanReview;
use tree::PlannedTree;

/// What a reference is to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReferenceKind {
    Path,
    Script,
    Target,
    Package,
    Module,
    Program,
    Symbol,
}

impl ReferenceKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Script => "script",
            Self::Target => "target",
            Self::Package => "package",
            Self::Module => "module",
            Self::Program => "program",
            Self::Symbol => "symbol",
        }
    }
}

/// What a reference resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum GroundingState {
    Verified,
    /// Absence is proved.
    Missing {
        hint: String,
    },
    Ambiguous {
        candidates: Vec<String>,
    },
    Uncheckable,
}

/// Something that a task or a check names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PlanReference {
    kind: ReferenceKind,
    name: String,
    state: GroundingState,
}

/// How many references were resolved, and which could not be checked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GroundingReport {
    pub verified: usize,
    pub missing: usize,
    pub ambiguous: usize,
    /// Neither errors nor proofs.
    pub unchecked: Vec<UncheckedReference>,
}

/// A reference that could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct UncheckedReference {
    pub task: String,
    pub kind: ReferenceKind,
    pub name: String,
}

/// Plans with more tasks are not resolved: each task is compared with all others.
pub(super) const MAX_TASKS: usize = 2_000;

pub(super) fn check(review: &mut PlanReview<'_>) {
    if review.plan.len() > MAX_TASKS {
        return;
    }
    let tree = PlannedTree::new(review.plan, review.subject.repository);
    for (at, task) in review.tasks() {
        let view = tree.for_task(at);
        let mut seen = BTreeSet::new();
        let steps = task.steps.iter().map(|step| step.instructions.as_str());
        for text in std::iter::once(task.instructions.as_str()).chain(steps) {
            let mut found = paths::references(text, &view);
            found.extend(symbols::references(text, &view));
            for reference in found {
                if seen.insert((reference.kind, reference.name.clone())) {
                    report_text(review, at, reference);
                }
            }
        }
        for (place, check) in super::placed_checks(task) {
            let mut seen = BTreeSet::new();
            for reference in commands::references(&check.command, &view) {
                if seen.insert((reference.kind, reference.name.clone())) {
                    report_check(review, at, place, reference);
                }
            }
        }
    }
}

fn report_text(review: &mut PlanReview<'_>, at: TaskIndex, reference: PlanReference) {
    let id = review.plan.task(at).id.clone();
    let PlanReference { kind, name, state } = reference;
    match state {
        GroundingState::Verified => review.grounding.verified += 1,
        GroundingState::Uncheckable => add_unchecked(review, at, kind, name),
        GroundingState::Missing { hint } => {
            review.grounding.missing += 1;
            let code =
                if kind == ReferenceKind::Symbol { "ungrounded-symbol" } else { "ungrounded-path" };
            let message = format!("{id} names {name:?}, which does not exist");
            review.report(at, PlanField::Title, code, message, &hint);
        }
        GroundingState::Ambiguous { candidates } => {
            review.grounding.ambiguous += 1;
            let message = format!("{id} names {name:?}, and several files end like that");
            let hint = format!("write the whole path: {}", candidates.join(", "));
            review.report(at, PlanField::Title, "ambiguous-path", message, &hint);
        }
    }
}

fn report_check(
    review: &mut PlanReview<'_>,
    at: TaskIndex,
    (step, item): (Option<usize>, usize),
    reference: PlanReference,
) {
    let PlanReference { kind, name, state } = reference;
    match state {
        GroundingState::Verified => review.grounding.verified += 1,
        GroundingState::Uncheckable | GroundingState::Ambiguous { .. } => {
            add_unchecked(review, at, kind, name);
        }
        GroundingState::Missing { hint } => {
            review.grounding.missing += 1;
            let id = &review.plan.task(at).id;
            let message =
                format!("a check of {id} needs the {} {name:?}, which does not exist", kind.word());
            let span = review
                .places(at)
                .map(|places| places.locate(step, PlanField::Checks, item).clone());
            review.report_at(span.as_ref(), "ungrounded-check", message, &hint);
        }
    }
}

fn add_unchecked(review: &mut PlanReview<'_>, at: TaskIndex, kind: ReferenceKind, name: String) {
    let task = review.plan.task(at).id.as_str().to_owned();
    review.grounding.unchecked.push(UncheckedReference { task, kind, name });
}
