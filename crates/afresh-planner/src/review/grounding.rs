//! Paths that a task's text names are resolved: verified, missing, ambiguous or not checkable (PL-16).
//!
//! A path is missing where that is proved: it is neither in the repository nor listed by any task, and a file of the
//! same name is elsewhere, so that a slip is likely. What cannot be decided blocks nothing and blesses nothing.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::pattern::FilePattern;
use afresh_core::plan::{PlanField, Task};
use afresh_formats::text::markdown::lines;
use afresh_import::prose::paths;

use super::PlanReview;

/// What a path of a plan resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PathGrounding {
    Verified,
    /// Files of the same name are elsewhere.
    Missing {
        nearest: String,
    },
    Ambiguous {
        candidates: Vec<String>,
    },
    Uncheckable,
}

pub(super) fn check(review: &mut PlanReview<'_>) {
    let index = PathIndex::new(review);
    for (at, task) in review.tasks() {
        let steps = task.steps.iter().map(|step| step.instructions.as_str());
        let mut seen = BTreeSet::new();
        for text in std::iter::once(task.instructions.as_str()).chain(steps) {
            for line in lines(text) {
                for path in paths(&line) {
                    let path = path.text.trim_start_matches("./").trim_end_matches('/');
                    if !seen.insert(path.to_owned()) {
                        continue;
                    }
                    let id = &task.id;
                    match index.resolve(path) {
                        PathGrounding::Verified | PathGrounding::Uncheckable => {}
                        PathGrounding::Missing { nearest } => {
                            let message = format!("{id} names {path:?}, which does not exist");
                            let hint = format!(
                                "did you mean {nearest:?}? Or list it in `files` with action = \"create\""
                            );
                            review.report(at, PlanField::Title, "ungrounded-path", message, &hint);
                        }
                        PathGrounding::Ambiguous { candidates } => {
                            let message =
                                format!("{id} names {path:?}, and several files end like that");
                            let hint = format!("write the whole path: {}", candidates.join(", "));
                            review.report(at, PlanField::Title, "ambiguous-path", message, &hint);
                        }
                    }
                }
            }
        }
    }
}

/// Every file of the repository and of the plan.
struct PathIndex<'a> {
    existing: BTreeSet<&'a str>,
    planned: Vec<&'a FilePattern>,
    by_name: BTreeMap<&'a str, Vec<&'a str>>,
}

/// The most candidates that are named.
const MAX_CANDIDATES: usize = 5;

impl<'a> PathIndex<'a> {
    fn new(review: &PlanReview<'a>) -> Self {
        let existing: BTreeSet<&str> =
            review.subject.repository.files().iter().map(|file| file.path.as_str()).collect();
        let planned: Vec<&FilePattern> =
            review.plan.tasks().iter().flat_map(Task::patterns).collect();
        let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let listed = planned.iter().filter_map(|pattern| pattern.literal());
        for path in existing.iter().copied().chain(listed) {
            let name = path.rsplit('/').next().unwrap_or(path);
            let same = by_name.entry(name).or_default();
            if !same.contains(&path) && same.len() < MAX_CANDIDATES {
                same.push(path);
            }
        }
        Self { existing, planned, by_name }
    }

    fn resolve(&self, path: &str) -> PathGrounding {
        let is_known = self.existing.contains(path)
            || self.existing.range(path..).next().is_some_and(|next| is_below(next, path))
            || self
                .planned
                .iter()
                .any(|pattern| pattern.matches(path) || is_below(pattern.as_str(), path));
        if is_known {
            return PathGrounding::Verified;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let same = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let ending: Vec<&str> =
            same.iter().copied().filter(|other| other.ends_with(&format!("/{path}"))).collect();
        match (ending.as_slice(), same) {
            // `cli.py` means the only file of that name.
            ([_], _) => PathGrounding::Verified,
            ([], [only]) if path.contains('/') => {
                PathGrounding::Missing { nearest: (*only).to_owned() }
            }
            ([], _) => PathGrounding::Uncheckable,
            (several, _) => {
                let candidates = several.iter().map(|path| (*path).to_owned()).collect();
                PathGrounding::Ambiguous { candidates }
            }
        }
    }
}

fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}
