//! Which requirement is proved by what: requirement, task, check, commit (TR-05).
//!
//! A projection of a plan and a run; nothing is decided from it. Renderers are elsewhere.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`history`] | which texts of requirements workers had when they started |
//! | `evidence` | what is known of one task: how it ended, and which of its checks prove it |
//! | `links` | which tasks serve a requirement, through its parts and its whole too |
//! | `judge` | the state of a requirement, and why |

mod evidence;
pub mod history;
mod judge;
mod links;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use self::evidence::EvidenceTable;
use self::history::TextHistory;
use self::judge::RequirementJudge;
use self::links::{RequirementLinks, ServingTasks};
use crate::check::CheckExcuse;
use crate::ids::{CommitId, RunId, TaskId, TreeId};
use crate::plan::{
    Plan, Requirement, RequirementId, RequirementKind, RequirementLink, RequirementScope,
};
use crate::probe::CheckClass;
use crate::run::Run;
use crate::status::TaskPhase;

/// The most tasks and checks that are listed of a requirement which the whole plan serves.
const MAX_WHOLE_PLAN: usize = 200;

/// What `afresh trace --json` prints.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct RequirementTrace {
    /// None if nothing was run yet.
    pub run: Option<RunId>,
    pub plan: String,
    /// How many requirements are in each state.
    pub counts: BTreeMap<RequirementState, usize>,
    /// Those with gaps first, then in the order of their documents.
    pub requirements: Vec<TracedRequirement>,
    /// Tasks that cite no requirement, where others do.
    pub orphans: Vec<TaskId>,
    /// The tasks of the plan, as far as the run knows them.
    pub work: Vec<TracedTask>,
}

/// A requirement with everything that speaks for it.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct TracedRequirement {
    pub id: RequirementId,
    pub text: String,
    pub file: String,
    /// Counted from 1; 0 if it is not known.
    pub line: usize,
    pub state: RequirementState,
    /// Why it is in this state.
    pub reason: String,
    pub kind: RequirementKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<RequirementId>,
    pub link: RequirementLink,
    /// Why it is deferred or out of scope, in the words of its document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The tasks that serve it.
    pub tasks: Vec<TaskId>,
    /// The checks of these tasks.
    pub checks: Vec<TracedCheck>,
    /// How many more tasks there are, if the whole plan serves it.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_tasks: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// How far a requirement is met. The order is that in which they are shown: gaps first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequirementState {
    /// No task serves it.
    Uncovered,
    /// Its text, or a task that serves it, changed since the run took it up.
    Stale,
    /// A task that serves it failed, was skipped or is blocked; or all are done, some without proof.
    Partial,
    /// Tasks serve it, and not all are done.
    Covered,
    /// Every task that serves it has landed, with a check of its own that proves it.
    Proved,
    Deferred,
    OutOfScope,
}

impl RequirementState {
    pub const ALL: [Self; 7] = [
        Self::Uncovered,
        Self::Stale,
        Self::Partial,
        Self::Covered,
        Self::Proved,
        Self::Deferred,
        Self::OutOfScope,
    ];

    /// The word that people and scripts see.
    pub fn word(self) -> &'static str {
        match self {
            Self::Uncovered => "uncovered",
            Self::Stale => "stale",
            Self::Partial => "partial",
            Self::Covered => "covered",
            Self::Proved => "proved",
            Self::Deferred => "deferred",
            Self::OutOfScope => "out-of-scope",
        }
    }

    /// Whether something is missing that continuing the run does not bring.
    pub fn is_gap(self) -> bool {
        matches!(self, Self::Uncovered | Self::Stale | Self::Partial)
    }
}

impl std::fmt::Display for RequirementState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
    }
}

/// One check of a task that serves a requirement.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct TracedCheck {
    pub task: TaskId,
    pub command: String,
    /// What it is called in the plan, if that is not its command: a criterion, or the scenario of an acceptance test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it showed before any work; none if it was not measured.
    pub class: Option<CheckClass>,
    /// None if it has not run on what landed, or did not end by itself.
    pub exit: Option<i32>,
    /// The commit with which the task landed.
    pub commit: Option<CommitId>,
    /// The tree that it ran on, which is that of the commit.
    pub tree: Option<TreeId>,
    /// Whether it shows that its task is done.
    pub proves: bool,
    /// It failed and passed on the same tree.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
    /// Why its failure did not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excuse: Option<CheckExcuse>,
    /// blake3 of its output, as in the receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_digest: Option<String>,
}

/// A task, and what it left.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct TracedTask {
    pub id: TaskId,
    pub title: String,
    /// None if no run knows it.
    pub state: Option<TaskPhase>,
    /// The requirements that it cites.
    pub requirements: Vec<RequirementId>,
    pub commit: Option<CommitId>,
    pub tree: Option<TreeId>,
    /// The attempt whose receipt this is.
    pub attempt: Option<String>,
}

/// What a trace is made from.
#[derive(Debug, Clone, Copy)]
pub struct TraceSources<'a> {
    /// The plan as its files are now.
    pub plan: &'a Plan,
    /// What was done, by which texts.
    pub run: Option<(&'a Run, &'a TextHistory)>,
}

impl RequirementTrace {
    pub fn new(sources: TraceSources<'_>) -> Self {
        let TraceSources { plan, run } = sources;
        let evidence = EvidenceTable::new(plan, run.map(|(run, _)| run));
        let ledger = Ledger::new(plan, run.map(|(run, _)| run.plan()));
        let links = RequirementLinks::new(plan, &ledger);
        let mut judge =
            RequirementJudge::new(&ledger, &links, &evidence, run.map(|(_, texts)| texts));
        let mut requirements: Vec<TracedRequirement> = (0..ledger.entries.len())
            .map(|at| {
                let (state, reason) = judge.judge(at);
                traced_requirement(&ledger, at, &links, &evidence, state, reason)
            })
            .collect();
        requirements.sort_by_key(|requirement| requirement.state);
        let mut counts = BTreeMap::new();
        for requirement in &requirements {
            *counts.entry(requirement.state).or_default() += 1;
        }
        Self {
            run: run.map(|(run, _)| run.id().clone()),
            plan: plan.name.clone(),
            counts,
            orphans: links.orphans(&ledger),
            work: plan.indices().map(|at| evidence.traced_task(plan, at)).collect(),
            requirements,
        }
    }

    /// The requirements with this id or below it, whatever its case; none if there is none.
    pub fn keep_requirement(&mut self, id: &str) -> bool {
        let is_named = |requirement: &TracedRequirement| {
            requirement.id.as_str().to_lowercase() == id.to_lowercase()
        };
        let named = self.requirements.iter().find(|requirement| is_named(requirement));
        let Some(mut kept) = named.map(|named| BTreeSet::from([named.id.clone()])) else {
            return false;
        };
        // Parts of parts, as deep as documents nest them.
        for _ in 0..links::MAX_DEPTH {
            let below = self.requirements.iter().filter(|requirement| {
                requirement.parent.as_ref().is_some_and(|parent| kept.contains(parent))
            });
            let below: Vec<RequirementId> = below.map(|one| one.id.clone()).collect();
            let before = kept.len();
            kept.extend(below);
            if kept.len() == before {
                break;
            }
        }
        let wanted = id.to_lowercase();
        self.requirements.retain(|requirement| kept.contains(&requirement.id));
        // The one that was asked for comes first.
        self.requirements.sort_by_key(|one| one.id.as_str().to_lowercase() != wanted);
        let tasks: BTreeSet<&TaskId> =
            self.requirements.iter().flat_map(|requirement| &requirement.tasks).collect();
        self.work.retain(|task| tasks.contains(&task.id));
        self.orphans.clear();
        self.count_again();
        true
    }

    /// Only what this task serves.
    pub fn keep_task(&mut self, id: &TaskId) {
        let serves = |requirement: &TracedRequirement| {
            requirement.more_tasks > 0 || requirement.tasks.contains(id)
        };
        self.requirements.retain(serves);
        for requirement in &mut self.requirements {
            requirement.checks.retain(|check| check.task == *id);
        }
        self.work.retain(|task| task.id == *id);
        self.orphans.retain(|orphan| orphan == id);
        self.count_again();
    }

    fn count_again(&mut self) {
        self.counts.clear();
        for requirement in &self.requirements {
            *self.counts.entry(requirement.state).or_default() += 1;
        }
    }

    /// `2 proved, 1 uncovered`, gaps first.
    pub fn describe_counts(&self) -> String {
        let counted = self.counts.iter().map(|(state, number)| format!("{number} {state}"));
        counted.collect::<Vec<_>>().join(", ")
    }
}

/// The requirements that are traced, and which of them the plan's files no longer state.
pub(crate) struct Ledger<'a> {
    pub(crate) entries: Vec<&'a Requirement>,
    /// From here on, they are stated in the run's plan alone.
    removed_from: usize,
    by_id: BTreeMap<&'a RequirementId, usize>,
    /// The plan that the run took up, and its texts as hashes.
    pinned: Option<&'a Plan>,
    pinned_digests: BTreeMap<&'a RequirementId, &'a str>,
}

impl<'a> Ledger<'a> {
    fn new(plan: &'a Plan, pinned: Option<&'a Plan>) -> Self {
        let mut entries: Vec<&Requirement> = plan.requirements().iter().collect();
        let stated: BTreeSet<&RequirementId> = entries.iter().map(|entry| &entry.id).collect();
        let removed_from = entries.len();
        let before = pinned.into_iter().flat_map(Plan::requirements);
        entries.extend(before.filter(|entry| !stated.contains(&entry.id)));
        let by_id = entries.iter().enumerate().map(|(at, entry)| (&entry.id, at)).collect();
        let texts = pinned.into_iter().flat_map(Plan::requirements);
        let pinned_digests = texts.map(|entry| (&entry.id, entry.digest.as_str())).collect();
        Self { entries, removed_from, by_id, pinned, pinned_digests }
    }

    fn is_removed(&self, at: usize) -> bool {
        at >= self.removed_from
    }

    fn position(&self, id: &RequirementId) -> Option<usize> {
        self.by_id.get(id).copied()
    }
}

fn traced_requirement(
    ledger: &Ledger<'_>,
    at: usize,
    links: &RequirementLinks,
    evidence: &EvidenceTable,
    state: RequirementState,
    reason: String,
) -> TracedRequirement {
    let entry = ledger.entries[at];
    let tasks = links.tasks_of(ledger, at);
    let most = match tasks {
        ServingTasks::WholePlan(_) => MAX_WHOLE_PLAN,
        ServingTasks::Cited(_) => usize::MAX,
    };
    let listed: Vec<TaskId> = tasks.iter().take(most).cloned().collect();
    let checks = listed.iter().flat_map(|task| evidence.checks_of(task)).cloned().collect();
    TracedRequirement {
        id: entry.id.clone(),
        text: entry.text.clone(),
        file: entry.file.clone(),
        line: entry.line,
        state,
        reason,
        kind: entry.kind,
        parent: entry.parent.clone(),
        link: entry.link,
        note: entry.note.clone().filter(|_| entry.scope != RequirementScope::Active),
        checks,
        more_tasks: tasks.len() - listed.len(),
        tasks: listed,
    }
}
