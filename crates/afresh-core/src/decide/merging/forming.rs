//! Which work is merged together, and when.

use std::cmp::Reverse;
use std::time::Duration;

use crate::decide::Decider;
use crate::effect::{Effect, MergeMember};
use crate::event::Event;
use crate::ids::{AttemptId, CommitId};
use crate::plan::{Check, TaskIndex};
use crate::run::merge_queue::{Batch, BatchStage};
use crate::run::settings::{BatchLimit, FilterRule};
use crate::run::{MergeStage, TaskStage};

use super::merged_tree;

/// How many merges are checked together, by the share of candidates that fail, in per cent. Chosen by simulation:
/// `cargo xtask bench integration`, docs/design/merge-queue.md.
const BATCH_SIZES: [(u32, usize); 4] = [(2, 16), (7, 8), (15, 4), (25, 2)];

/// Above this share of failing candidates, each is checked on its own tree first.
const FILTER_ABOVE_PERCENT: u32 = 25;

/// A batch waits for more work for so much of the time that its checks are expected to take, and no longer than this.
const GATHERING_SHARE: u32 = 10;
const LONGEST_GATHERING: Duration = Duration::from_secs(10);
/// The same where nothing is known about its checks.
const UNKNOWN_GATHERING: Duration = Duration::from_millis(250);

/// A round that is expected to be shorter keeps one workspace for checks busy, whatever it consists of.
const SHORT_ROUND: Duration = Duration::from_millis(500);

impl Decider<'_> {
    /// Whether work is checked on its own tree before it goes to the merge queue.
    pub(in crate::decide) fn needs_filter(&self, at: TaskIndex) -> bool {
        let TaskStage::Checking { harvest, .. } = &self.run.task(at).stage else { return true };
        let failing = self.run.merge_queue().record().failure_percent();
        self.run.settings().merge.filter == FilterRule::Always
            || self.run.plan().task(at).contest.is_some()
            || self.wants_review(at, harvest)
            || failing > FILTER_ABOVE_PERCENT
    }

    /// Starts batches as long as there is work and a workspace for its checks.
    pub(super) fn form_batches(&mut self) {
        while self.may_form() {
            let members = self.pick_members();
            if members.is_empty() || self.must_wait(&members) || self.gathers(&members) {
                return;
            }
            self.start_batch(&members);
        }
    }

    fn may_form(&self) -> bool {
        if self.run.halt().is_some_and(|halt| halt.now) {
            return false;
        }
        let queue = self.run.merge_queue();
        let slots = self.check_slots();
        // With one slot, nothing is built on work that has not landed.
        let longest = if slots == 1 { 1 } else { slots + 1 };
        let is_good_premise = queue.chain().last().is_none_or(|last| {
            let is_hopeful = matches!(
                last.stage,
                BatchStage::Checking | BatchStage::Passed(_) | BatchStage::Landing
            );
            is_hopeful && !last.members.iter().any(|at| queue.is_suspect(*at))
        });
        is_good_premise && queue.chain().len() < longest && self.busy_slots() < slots
    }

    fn check_slots(&self) -> usize {
        usize::from(self.run.settings().merge.slots.max(1))
    }

    fn busy_slots(&self) -> usize {
        let width = |batch: &Batch| match &batch.stage {
            BatchStage::Building | BatchStage::Checking => self.round_width(&batch.members),
            BatchStage::Searching(search) => search.running.len(),
            BatchStage::Passed(_) | BatchStage::Failed(_) | BatchStage::Landing => 0,
        };
        self.run.merge_queue().chain().iter().map(width).sum()
    }

    /// How many workspaces the checks of a batch would keep busy.
    fn round_width(&self, members: &[TaskIndex]) -> usize {
        let groups = self.run.landing_groups(members);
        match self.expected_time(&groups) {
            Some(time) if time < SHORT_ROUND => 1,
            _ => groups.len().clamp(1, self.check_slots()),
        }
    }

    /// How long these checks take with all workspaces; none if nothing is known about one of them.
    fn expected_time(&self, groups: &[Vec<Check>]) -> Option<Duration> {
        let queue = self.run.merge_queue();
        let time = |group: &Vec<Check>| -> Option<u64> {
            group.iter().map(|check| queue.check_time(&check.command)).sum()
        };
        let times: Vec<u64> = groups.iter().map(time).collect::<Option<_>>()?;
        let all: u64 = times.iter().sum();
        let slots = u64::try_from(self.check_slots()).unwrap_or(u64::MAX);
        let longest = times.iter().max().copied().unwrap_or(0);
        Some(Duration::from_millis(longest.max(all / slots)))
    }

    /// What a suspect is to be blamed for shows only on top of what has landed.
    fn must_wait(&self, members: &[TaskIndex]) -> bool {
        let queue = self.run.merge_queue();
        queue.is_merging() && members.iter().any(|at| queue.is_suspect(*at))
    }

    /// The next members: the longest remaining path first, then what has waited longest. A suspect is alone, and nothing
    /// that came after it goes before it.
    fn pick_members(&self) -> Vec<TaskIndex> {
        let queue = self.run.merge_queue();
        let mut waiting: Vec<TaskIndex> =
            queue.waiting().take_while(|at| !queue.is_suspect(*at)).collect();
        if waiting.is_empty() {
            return queue.waiting().next().into_iter().collect();
        }
        waiting.sort_by_key(|at| Reverse(self.run.plan().height(*at)));
        waiting.truncate(self.batch_limit());
        waiting
    }

    fn batch_limit(&self) -> usize {
        let settings = self.run.settings();
        // The strength of tests is measured for each task.
        if settings.mutation.is_some() {
            return 1;
        }
        match settings.merge.batch {
            BatchLimit::AtMost(most) => usize::from(most.max(1)),
            BatchLimit::Auto => {
                let failing = self.run.merge_queue().record().failure_percent();
                let size = BATCH_SIZES.iter().find(|(share, _)| failing <= *share);
                size.map_or(1, |(_, size)| *size)
            }
        }
    }

    /// Whether the batch waits a little: workers are about to finish, and checks of more work cost the same.
    fn gathers(&mut self, members: &[TaskIndex]) -> bool {
        let run = &*self.run;
        let queue = run.merge_queue();
        let is_resting = run.halt().is_some() || run.aborted().is_some() || run.budget_reached();
        let is_full = members.len() >= self.batch_limit();
        if is_resting || is_full || queue.is_suspect(members[0]) || !self.more_is_coming() {
            return false;
        }
        if let Some(until) = queue.gathers_until() {
            return until > self.now;
        }
        let expected = self.expected_time(&run.landing_groups(members));
        let wait = expected.map_or(UNKNOWN_GATHERING, |time| time / GATHERING_SHARE);
        let wait = wait.min(LONGEST_GATHERING);
        if wait < Duration::from_millis(1) {
            return false;
        }
        self.record(Event::GatheringStarted { until: self.now + wait });
        true
    }

    /// Whether anything is underway that could join the queue.
    fn more_is_coming(&self) -> bool {
        self.run.active_tasks().any(|(_, state)| {
            matches!(
                state.stage,
                TaskStage::Starting(_)
                    | TaskStage::Running(_)
                    | TaskStage::Harvesting { .. }
                    | TaskStage::Judging { .. }
                    | TaskStage::Checking { .. }
            )
        })
    }

    fn start_batch(&mut self, members: &[TaskIndex]) {
        let onto = self.next_base();
        let attempts: Vec<AttemptId> =
            members.iter().filter_map(|at| self.run.task(*at).attempt().cloned()).collect();
        match &attempts[..] {
            [attempt] => {
                let attempt = attempt.clone();
                self.record(Event::MergeStarted { attempt, onto });
            }
            _ => self.record(Event::BatchStarted { attempts, onto }),
        }
        if let Some(batch) = self.run.merge_queue().chain().last().cloned() {
            self.request_build(&batch);
        }
    }

    /// What the next batch is built on: the last commit of the chain, or the tip of the branch.
    fn next_base(&self) -> CommitId {
        let last = self.run.merge_queue().chain().last();
        let last = last.and_then(|batch| batch.members.last());
        let merged = last.and_then(|at| merged_tree(self.run, *at));
        merged.map_or_else(|| self.run.tip().clone(), |merged| merged.commit.clone())
    }

    fn request_build(&mut self, batch: &Batch) {
        let member = |at: &TaskIndex| match &self.run.task(*at).stage {
            TaskStage::Merging { work, harvest, merge: MergeStage::Building { .. }, .. } => {
                Some(MergeMember {
                    attempt: work.attempt.clone(),
                    base: work.ground.base.clone(),
                    theirs: harvest.commit.clone(),
                })
            }
            _ => None,
        };
        let members = batch.members.iter().filter_map(member).collect();
        self.request(Effect::BuildMerge { batch: batch.id, onto: batch.onto.clone(), members });
    }
}
