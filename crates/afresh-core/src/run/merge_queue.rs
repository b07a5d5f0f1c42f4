//! The merge queue: finished work in line, and the batches that are being built and checked.
//!
//! Batches form a chain: the first one is built on the tip of the branch, each next one on the one before. The branch
//! only ever moves over the first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::CheckResult;
use crate::ids::CommitId;
use crate::plan::TaskIndex;
use crate::time::Timestamp;

/// Counts the batches of a run; none is used twice.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    JsonSchema,
    Serialize,
    Deserialize,
)]
pub struct BatchId(pub u32);

impl std::fmt::Display for BatchId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "batch {}", self.0)
    }
}

/// Finished work on its way to the branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeQueue {
    /// In the order in which it was finished; what was in a batch that came apart is in front.
    waiting: VecDeque<TaskIndex>,
    /// Work that failed in company: it is tried alone, after what is ahead of it.
    suspects: BTreeSet<TaskIndex>,
    chain: Vec<Batch>,
    last_batch: BatchId,
    /// Until then the next batch waits for more work.
    gathers_until: Option<Timestamp>,
    record: MergeRecord,
    /// How long each command took the last time it passed.
    check_times: BTreeMap<String, u64>,
    /// What failed in the last batch that failed: these commands run first.
    recent_failures: BTreeSet<String>,
}

/// Merges that are built, checked and landed together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    pub id: BatchId,
    /// The tip of the branch, or the last commit of the batch before.
    pub onto: CommitId,
    /// In the order of their commits.
    pub members: Vec<TaskIndex>,
    pub stage: BatchStage,
}

/// Where a batch is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchStage {
    Building,
    /// All checks run on its last tree.
    Checking,
    /// It passed, and lands once the batch before it has.
    Passed(Vec<CheckResult>),
    /// It failed; whether that counts is known once the batch before it has landed.
    Failed(Vec<CheckResult>),
    /// The failed checks run on the trees of prefixes, to find whose work breaks them.
    Searching(CulpritSearch),
    /// The branch moves over it.
    Landing,
}

/// Narrows down after how many members the checks begin to fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CulpritSearch {
    /// What failed on the last tree.
    pub results: Vec<CheckResult>,
    /// This many members together pass.
    pub good: usize,
    /// This many members together fail.
    pub bad: usize,
    /// The numbers of members whose trees are being checked.
    pub running: BTreeSet<usize>,
}

/// Why merges that were built are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PostponeReason {
    /// The driver that had them checked is gone.
    Restarted,
    /// Everything was stopped.
    Stopped,
    /// What they were built on does not land.
    PremiseFailed,
    /// Its own checks, or the search for the culprit, point to this work.
    Suspected,
    /// Others of the batch are suspected.
    InBadCompany,
    /// The checks of the batch could not be run.
    Unchecked,
    /// More has to pass than was checked.
    Outdated,
    /// The commits are gone, or were built on another commit.
    CommitsGone,
    /// It cannot be merged with work that has not landed.
    InTheWay,
}

impl PostponeReason {
    pub fn describe(self) -> &'static str {
        match self {
            Self::Restarted => "afresh was started again",
            Self::Stopped => "the checks were stopped",
            Self::PremiseFailed => "what it was built on did not pass",
            Self::Suspected => "it may be what fails; it is tried alone",
            Self::InBadCompany => "other work of its batch may be what fails",
            Self::Unchecked => "the checks of its batch could not run; it is tried alone",
            Self::Outdated => "more has to pass than was checked",
            Self::CommitsGone => "its commits are gone; they are made again",
            Self::InTheWay => "it cannot be merged with work ahead of it, which may not land",
        }
    }
}

/// How candidates fared on the tree that would land.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergeRecord {
    pub landed: u32,
    pub failed: u32,
}

impl MergeRecord {
    /// The expected share of candidates that fail, in per cent; one in twenty before anything is known.
    pub fn failure_percent(self) -> u32 {
        (self.failed + 1) * 100 / (self.landed + self.failed + 20)
    }
}

impl MergeQueue {
    /// Everything on its way, in the order in which it would land.
    pub fn order(&self) -> impl Iterator<Item = TaskIndex> + '_ {
        let chained = self.chain.iter().flat_map(|batch| batch.members.iter().copied());
        chained.chain(self.waiting.iter().copied())
    }

    pub fn chain(&self) -> &[Batch] {
        &self.chain
    }

    pub fn waiting(&self) -> impl DoubleEndedIterator<Item = TaskIndex> + '_ {
        self.waiting.iter().copied()
    }

    pub fn is_suspect(&self, at: TaskIndex) -> bool {
        self.suspects.contains(&at)
    }

    pub fn is_merging(&self) -> bool {
        !self.chain.is_empty()
    }

    pub fn record(&self) -> MergeRecord {
        self.record
    }

    pub fn gathers_until(&self) -> Option<Timestamp> {
        self.gathers_until
    }

    pub(crate) fn check_time(&self, command: &str) -> Option<u64> {
        self.check_times.get(command).copied()
    }

    pub(crate) fn failed_recently(&self, command: &str) -> bool {
        self.recent_failures.contains(command)
    }

    pub fn batch(&self, id: BatchId) -> Option<&Batch> {
        self.chain.iter().find(|batch| batch.id == id)
    }

    /// The batch of a task that is being merged.
    pub fn batch_of(&self, at: TaskIndex) -> Option<&Batch> {
        self.chain.iter().find(|batch| batch.members.contains(&at))
    }

    /// The members of the batches that the task's batch is built on.
    pub fn chained_before(&self, at: TaskIndex) -> impl Iterator<Item = TaskIndex> + '_ {
        let before = self.chain.iter().take_while(move |batch| !batch.members.contains(&at));
        before.flat_map(|batch| batch.members.iter().copied())
    }
}

/// Changes; only events lead to them.
impl MergeQueue {
    pub(in crate::run) fn push(&mut self, at: TaskIndex) {
        self.waiting.push_back(at);
    }

    pub(in crate::run) fn gather(&mut self, until: Timestamp) {
        self.gathers_until = Some(until);
    }

    pub(in crate::run) fn start(&mut self, members: Vec<TaskIndex>, onto: CommitId) {
        self.waiting.retain(|at| !members.contains(at));
        // A journal of an earlier version starts a merge again without an end of the one before.
        for at in &members {
            self.leave_chain(*at);
        }
        self.last_batch = BatchId(self.last_batch.0 + 1);
        self.gathers_until = None;
        let (id, stage) = (self.last_batch, BatchStage::Building);
        self.chain.push(Batch { id, onto, members, stage });
    }

    pub(in crate::run) fn set_stage(&mut self, id: BatchId, stage: BatchStage) {
        if let Some(batch) = self.chain.iter_mut().find(|batch| batch.id == id) {
            batch.stage = stage;
        }
    }

    pub(in crate::run) fn search_mut(&mut self, id: BatchId) -> Option<&mut CulpritSearch> {
        let batch = self.chain.iter_mut().find(|batch| batch.id == id)?;
        match &mut batch.stage {
            BatchStage::Searching(search) => Some(search),
            _ => None,
        }
    }

    /// The task is no longer merged, and not in line either.
    pub(in crate::run) fn leave(&mut self, at: TaskIndex) {
        self.waiting.retain(|waiting| *waiting != at);
        self.suspects.remove(&at);
        self.leave_chain(at);
        if self.waiting.is_empty() {
            self.gathers_until = None;
        }
    }

    fn leave_chain(&mut self, at: TaskIndex) {
        for batch in &mut self.chain {
            batch.members.retain(|member| *member != at);
        }
        self.chain.retain(|batch| !batch.members.is_empty());
    }

    /// Back in line, in front of what never was in a batch; a suspect behind everything else.
    pub(in crate::run) fn postpone(&mut self, tasks: &[TaskIndex], alone: bool) {
        for at in tasks {
            self.leave_chain(*at);
            if alone {
                self.suspects.insert(*at);
            }
        }
        for at in tasks.iter().rev() {
            if self.suspects.contains(at) {
                self.waiting.push_back(*at);
            } else {
                self.waiting.push_front(*at);
            }
        }
    }

    pub(in crate::run) fn note_landed(&mut self, results: &[CheckResult]) {
        self.record.landed += 1;
        self.note_times(results);
    }

    pub(in crate::run) fn note_failed(&mut self) {
        self.record.failed += 1;
    }

    pub(in crate::run) fn note_failures(&mut self, results: &[CheckResult]) {
        let failed = results.iter().filter(|result| !result.is_accepted());
        self.recent_failures = failed.map(|result| result.command.clone()).collect();
    }

    pub(in crate::run) fn note_times<'r>(
        &mut self,
        results: impl IntoIterator<Item = &'r CheckResult>,
    ) {
        for result in results.into_iter().filter(|result| result.passed() && !result.reused) {
            self.check_times.insert(result.command.clone(), result.duration_ms);
        }
    }

    /// The tasks of a changed plan: those that are no longer merged or in line are gone.
    pub(in crate::run) fn renumber(&mut self, number: impl Fn(TaskIndex) -> Option<TaskIndex>) {
        self.waiting = self.waiting.iter().filter_map(|at| number(*at)).collect();
        self.suspects = self.suspects.iter().filter_map(|at| number(*at)).collect();
        for batch in &mut self.chain {
            batch.members = batch.members.iter().filter_map(|at| number(*at)).collect();
        }
        self.chain.retain(|batch| !batch.members.is_empty());
    }
}
