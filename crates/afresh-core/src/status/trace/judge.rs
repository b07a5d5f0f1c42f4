//! The state of a requirement, and why.

use std::collections::BTreeMap;

use super::evidence::{EvidenceTable, TaskProof};
use super::history::{TextChange, TextHistory};
use super::links::{MAX_DEPTH, RequirementLinks, ServingTasks};
use super::{Ledger, RequirementState};
use crate::ids::TaskId;
use crate::plan::{RequirementLink, RequirementScope};

/// How many reasons are given for one state.
const MAX_REASONS: usize = 3;

/// Judges requirements, each once.
pub(super) struct RequirementJudge<'a> {
    ledger: &'a Ledger<'a>,
    links: &'a RequirementLinks,
    evidence: &'a EvidenceTable,
    history: Option<&'a TextHistory>,
    /// What all tasks together say.
    whole_plan: Option<(RequirementState, String)>,
    known: BTreeMap<usize, (RequirementState, String)>,
}

impl<'a> RequirementJudge<'a> {
    pub(super) fn new(
        ledger: &'a Ledger<'a>,
        links: &'a RequirementLinks,
        evidence: &'a EvidenceTable,
        history: Option<&'a TextHistory>,
    ) -> Self {
        let known = BTreeMap::new();
        Self { ledger, links, evidence, history, whole_plan: None, known }
    }

    pub(super) fn judge(&mut self, at: usize) -> (RequirementState, String) {
        self.judge_at_depth(at, 0)
    }

    fn judge_at_depth(&mut self, at: usize, depth: usize) -> (RequirementState, String) {
        if let Some(known) = self.known.get(&at) {
            return known.clone();
        }
        let verdict = self.compute(at, depth);
        self.known.insert(at, verdict.clone());
        verdict
    }

    fn compute(&mut self, at: usize, depth: usize) -> (RequirementState, String) {
        let entry = self.ledger.entries[at];
        let note = || entry.note.clone().unwrap_or_default();
        match entry.scope {
            RequirementScope::Deferred => return (RequirementState::Deferred, note()),
            RequirementScope::OutOfScope => return (RequirementState::OutOfScope, note()),
            RequirementScope::Active => {}
        }
        if self.ledger.is_removed(at) {
            let why = format!("{} no longer states it", entry.file);
            return (RequirementState::Stale, why);
        }
        let tasks = self.links.tasks_of(self.ledger, at);
        if tasks.len() == 0 {
            return (RequirementState::Uncovered, "no task serves it".to_owned());
        }
        if let Some(why) = self.find_change(at, &tasks) {
            return (RequirementState::Stale, why);
        }
        let parts: Vec<usize> = self.links.active_parts(self.ledger, at).collect();
        let is_stated = entry.link == RequirementLink::Stated;
        if is_stated && !parts.is_empty() && !self.links.is_cited(at) && depth < MAX_DEPTH {
            return self.judge_parts(&parts, depth);
        }
        if matches!(tasks, ServingTasks::Cited(_)) {
            return self.judge_tasks(&tasks);
        }
        let judged = self.whole_plan.take().unwrap_or_else(|| self.judge_tasks(&tasks));
        self.whole_plan.insert(judged).clone()
    }

    /// Whether the text, or a task, is another than what the run took up.
    fn find_change(&self, at: usize, tasks: &ServingTasks<'_>) -> Option<String> {
        let entry = self.ledger.entries[at];
        let history = self.history?;
        if history.is_constant(&entry.id, &entry.digest) && !self.evidence.has_changed_tasks() {
            return None;
        }
        for task in tasks.iter() {
            let Some(evidence) = self.evidence.get(task) else { continue };
            if evidence.proof == TaskProof::Changed {
                return Some(format!("{task} changed in the plan since it was finished"));
            }
            let Some(attempt) = &evidence.attempt else { continue };
            match history.compare_text(attempt, &entry.id, &entry.digest) {
                TextChange::Same => {}
                TextChange::New => return Some(format!("it was stated after {task} was done")),
                TextChange::Other => {
                    return Some(format!("its text changed since {task} was done"));
                }
            }
        }
        // A requirement that is new is taken up when the run continues.
        let pinned = self.ledger.pinned_digests.get(&entry.id)?;
        (*pinned != entry.digest).then(|| "its text changed since the run took it up".to_owned())
    }

    /// A requirement that only its parts are cited of.
    fn judge_parts(&mut self, parts: &[usize], depth: usize) -> (RequirementState, String) {
        use RequirementState::{Covered, Partial, Proved, Stale, Uncovered};
        let states: Vec<RequirementState> =
            parts.iter().map(|part| self.judge_at_depth(*part, depth + 1).0).collect();
        let all = |wanted: &[RequirementState]| states.iter().all(|state| wanted.contains(state));
        let state = if all(&[Proved]) {
            Proved
        } else if all(&[Uncovered]) {
            Uncovered
        } else if states.contains(&Stale) {
            Stale
        } else if all(&[Proved, Covered]) {
            Covered
        } else {
            Partial
        };
        let counted = RequirementState::ALL.map(|one| {
            let number = states.iter().filter(|state| **state == one).count();
            (number > 0).then(|| format!("{number} {one}"))
        });
        let counted: Vec<String> = counted.into_iter().flatten().collect();
        (state, format!("its parts: {}", counted.join(", ")))
    }

    fn judge_tasks(&self, tasks: &ServingTasks<'_>) -> (RequirementState, String) {
        let (mut lost, mut unproved, mut open) = (Vec::new(), Vec::new(), Vec::new());
        let (mut proved, mut answered) = (0_usize, 0_usize);
        for task in tasks.iter() {
            match self.evidence.get(task).map(|evidence| (&evidence.proof, evidence.phase)) {
                Some((TaskProof::Lost(why), _)) => lost.push(describe_lost(task, why)),
                Some((TaskProof::Unproved(why), _)) => unproved.push(why.clone()),
                Some((TaskProof::Proved, _)) => proved += 1,
                Some((TaskProof::Answered, _)) => answered += 1,
                Some((TaskProof::Open | TaskProof::Changed, phase)) => {
                    open.push(phase.map_or_else(
                        || format!("{task} is planned"),
                        |phase| format!("{task} is {phase}"),
                    ));
                }
                None => open.push(format!("{task} is planned")),
            }
        }
        if !lost.is_empty() {
            return (RequirementState::Partial, join_reasons(&lost));
        }
        if !open.is_empty() {
            return (RequirementState::Covered, join_reasons(&open));
        }
        if !unproved.is_empty() {
            return (RequirementState::Partial, join_reasons(&unproved));
        }
        if proved == 0 {
            return (RequirementState::Partial, "it is done by a person's word alone".to_owned());
        }
        let total = proved + answered;
        let why = match total {
            1 => "its task landed with a check that proves it".to_owned(),
            _ => format!("all {total} tasks landed, each with a check that proves it"),
        };
        (RequirementState::Proved, why)
    }
}

/// The reason of a lost task, which may name the task itself.
fn describe_lost(task: &TaskId, why: &str) -> String {
    if why.starts_with(task.as_str()) { why.to_owned() } else { format!("{task} {why}") }
}

fn join_reasons(reasons: &[String]) -> String {
    let more = reasons.len().saturating_sub(MAX_REASONS);
    let text = reasons[..reasons.len() - more].join("; ");
    if more > 0 { format!("{text}; and {more} more") } else { text }
}
