//! From what a reader found in several files to a plan, with every problem at its place.

use std::collections::BTreeMap;

use afresh_core::Plan;
use afresh_core::plan::{Field, Place, PlanDraft, Problem, TaskDraft};

use crate::finding::{Finding, Source};
use crate::folder::Folder;
use crate::reading::{Reading, Spot};

/// The most findings of one reading.
const MAX_FINDINGS: usize = 1_000;

/// A task as a reader found it.
#[derive(Debug, Clone)]
pub struct DraftedTask {
    pub draft: TaskDraft,
    pub whole: Spot,
    /// Where its parts are: by step, field and item. What is missing points to the whole task.
    pub spots: BTreeMap<(Option<usize>, Field, usize), Spot>,
}

impl DraftedTask {
    pub fn new(draft: TaskDraft, whole: Spot) -> Self {
        Self { draft, whole, spots: BTreeMap::new() }
    }

    /// Notes where an item of a field is.
    pub fn note(&mut self, step: Option<usize>, field: Field, item: usize, spot: Spot) {
        self.spots.insert((step, field, item), spot);
    }
}

/// Everything that a reader found.
#[derive(Debug, Clone, Default)]
pub struct Drafted {
    pub name: String,
    pub spec: Option<String>,
    pub target: Option<String>,
    pub tasks: Vec<DraftedTask>,
    pub findings: Vec<Finding>,
    /// Fields that mean nothing here, by file and path, as they were written (FO-06).
    pub unknown: BTreeMap<String, String>,
}

impl Drafted {
    /// A finding at a place in one of the files.
    pub fn find(
        &mut self,
        folder: &dyn Folder,
        spot: &Spot,
        code: &str,
        message: impl Into<String>,
    ) -> &mut Finding {
        // More than this say nothing new, and each one costs a look at its file.
        if self.findings.len() >= MAX_FINDINGS {
            self.findings.truncate(MAX_FINDINGS - 1);
            self.findings.push(Finding::of_file(&spot.file, code, message));
        } else {
            self.findings.push(finding(folder, spot, code, message));
        }
        self.findings.last_mut().expect("just added")
    }

    /// Makes the plan, or says at which place what is wrong with it.
    pub fn finish(mut self, folder: &dyn Folder) -> Reading {
        let draft = PlanDraft {
            name: self.name.clone(),
            spec: self.spec.clone(),
            tasks: self.tasks.iter().map(|task| task.draft.clone()).collect(),
        };
        let readable = !self.findings.iter().any(Finding::is_error);
        let plan = match Plan::new(draft) {
            // That nothing is left follows from what could not be read.
            Err(_) if self.tasks.is_empty() && !readable => None,
            Ok(plan) => Some(plan).filter(|_| readable),
            Err(problems) => {
                let located: Vec<Finding> =
                    problems.iter().take(MAX_FINDINGS).map(|p| self.locate(folder, p)).collect();
                self.findings.extend(located);
                None
            }
        };
        let place = |found: &Finding| (found.file.clone(), found.line, found.column);
        self.findings.sort_by_key(place);
        let places = self.tasks.into_iter().map(|task| task.whole).collect();
        let (findings, target, unknown) = (self.findings, self.target, self.unknown);
        Reading { plan, findings, target, unknown, places }
    }

    fn locate(&self, folder: &dyn Folder, problem: &Problem) -> Finding {
        let mut message = problem.message.clone();
        if let Some(other) = problem.related.as_ref().and_then(|place| self.spot(place)) {
            let at = finding(folder, other, "", "");
            message = format!("{message} (the first is at {}:{})", at.file, at.line);
        }
        let mut found = match self.spot(&problem.place) {
            Some(spot) => finding(folder, spot, problem.kind.code(), message),
            None => Finding::of_file(".", problem.kind.code(), message),
        };
        found.help.clone_from(&problem.help);
        found
    }

    fn spot(&self, place: &Place) -> Option<&Spot> {
        let task = self.tasks.get(place.task?)?;
        let spots = &task.spots;
        let exact = spots.get(&(place.step, place.field, place.item));
        Some(exact.or_else(|| spots.get(&(place.step, place.field, 0))).unwrap_or(&task.whole))
    }
}

/// A finding at a place.
pub fn finding(
    folder: &dyn Folder,
    spot: &Spot,
    code: &str,
    message: impl Into<String>,
) -> Finding {
    match folder.text(&spot.file) {
        Some(Ok(text)) => Source::new(&spot.file, &text).finding(code, &spot.range, message),
        _ => Finding::of_file(&spot.file, code, message),
    }
}
