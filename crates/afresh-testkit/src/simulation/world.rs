//! The simulated executor. It keeps its own records: which processes are alive, what each workspace holds, which
//! trees passed which checks, what is on the branch. It objects to a request that breaks a promise.

mod attempts;
mod branch;
mod by_hand;
mod checks;
mod comments;
mod contents;
mod harvests;
mod hooks;
mod reviews;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use afresh_core::effect::Effect;
use afresh_core::ids::{AttemptId, CommitId, TaskId, TreeId, WorkspaceSlot};
use afresh_core::input::Input;
use afresh_core::plan::Plan;
use afresh_core::review::ReviewId;
use afresh_core::run::{Run, TaskStage};
use afresh_core::time::Timestamp;
use afresh_core::usage::Usage;

use super::random::SeededRandom;
use super::scenario::Scenario;
use super::scheduled_input::ScheduledInput;
use contents::TreeContents;
use reviews::LiveReviewer;

#[derive(Debug)]
pub(super) struct SimulatedWorld {
    seed: u64,
    /// Commit → (tree, the task that it lands).
    commits: BTreeMap<CommitId, (TreeId, Option<TaskId>)>,
    /// What each merge was built on.
    parents: BTreeMap<CommitId, CommitId>,
    /// Commits inside of a batch, whose own trees were not checked.
    inner: BTreeSet<CommitId>,
    /// Whose work each tree holds.
    contents: TreeContents,
    /// The branch's first-parent line, base first.
    pub(super) branch: Vec<CommitId>,
    /// An outsider's commit on top of it.
    foreign: Option<CommitId>,
    /// Tasks whose work is on the branch and valid: their part of the plan has not changed since.
    landed: BTreeMap<TaskId, CommitId>,
    /// Tasks that a person gave up, and that no task has to wait for.
    ignored: BTreeSet<TaskId>,
    /// Commits that the branch is about to move to, according to the journal.
    intended: BTreeSet<CommitId>,
    alive: BTreeSet<AttemptId>,
    /// Attempts by hand whose workspace was prepared, until they are harvested.
    by_hand: BTreeSet<AttemptId>,
    /// Attempts by hand that began before the plan changed: people keep what they were given.
    begun_under_another_plan: BTreeSet<AttemptId>,
    /// Every attempt that was ever started.
    started: BTreeSet<AttemptId>,
    slots: BTreeMap<WorkspaceSlot, AttemptId>,
    /// Every reported harvest; one may arrive late.
    left: BTreeSet<(AttemptId, TreeId)>,
    /// The restored trees of attempts that changed nothing.
    unchanged: BTreeMap<AttemptId, TreeId>,
    /// The workspace of each attempt.
    places: BTreeMap<AttemptId, WorkspaceSlot>,
    /// Workspaces that are being harvested right now.
    harvesting: BTreeMap<WorkspaceSlot, AttemptId>,
    saved: BTreeSet<AttemptId>,
    /// Commits of steps, with the task and the base that they belong to.
    step_commits: BTreeMap<CommitId, (TaskId, CommitId)>,
    /// What each attempt left.
    harvests: BTreeMap<AttemptId, TreeId>,
    /// Trees and the checks that they passed.
    passed: BTreeSet<(TreeId, String)>,
    /// Comments that workers got, in their prompt or while they worked.
    comments: BTreeSet<(AttemptId, u32)>,
    /// Those that are recorded as read.
    confirmed_comments: BTreeSet<(AttemptId, u32)>,
    spent: BTreeMap<AttemptId, Usage>,
    /// Reviewers that are alive, by attempt.
    reviewers: BTreeMap<AttemptId, LiveReviewer>,
    review_spent: BTreeMap<ReviewId, Usage>,
    spawned: usize,
    counter: u64,
    /// How many hooks have run.
    hooks: u64,
}

impl SimulatedWorld {
    pub(super) fn new(seed: u64, run: &Run) -> Self {
        let base = run.base().clone();
        let tree = TreeId::new("f".repeat(40)).expect("forty digits are a tree");
        Self {
            seed,
            commits: BTreeMap::from([(base.clone(), (tree, None))]),
            parents: BTreeMap::new(),
            inner: BTreeSet::new(),
            contents: TreeContents::new(seed),
            branch: vec![base],
            foreign: None,
            landed: BTreeMap::new(),
            ignored: BTreeSet::new(),
            intended: BTreeSet::new(),
            alive: BTreeSet::new(),
            by_hand: BTreeSet::new(),
            begun_under_another_plan: BTreeSet::new(),
            started: BTreeSet::new(),
            slots: BTreeMap::new(),
            left: BTreeSet::new(),
            unchanged: BTreeMap::new(),
            places: BTreeMap::new(),
            harvesting: BTreeMap::new(),
            saved: BTreeSet::new(),
            step_commits: BTreeMap::new(),
            harvests: BTreeMap::new(),
            passed: BTreeSet::new(),
            comments: BTreeSet::new(),
            confirmed_comments: BTreeSet::new(),
            spent: BTreeMap::new(),
            reviewers: BTreeMap::new(),
            review_spent: BTreeMap::new(),
            spawned: 0,
            counter: 0,
            hooks: 0,
        }
    }

    /// How many commits the branch has grown by.
    pub(super) fn grown_by(&self) -> usize {
        self.branch.len() - 1
    }

    pub(super) fn spawned(&self) -> usize {
        self.spawned
    }

    pub(super) fn landed(&self) -> BTreeSet<TaskId> {
        self.landed.keys().cloned().collect()
    }

    pub(super) fn alive(&self) -> &BTreeSet<AttemptId> {
        &self.alive
    }

    /// Whether this tree passed this check.
    pub(super) fn has_passed(&self, tree: &TreeId, command: &str) -> bool {
        self.passed.contains(&(tree.clone(), command.to_owned()))
    }

    /// Whether the work of this attempt fails a check by itself, or together with what has ever landed.
    pub(super) fn can_fail(&self, attempt: &AttemptId, scenario: &Scenario) -> bool {
        self.contents.can_fail(attempt, scenario)
    }

    /// The real usage of all attempts.
    pub(super) fn spent(&self) -> u64 {
        self.spent.values().chain(self.review_spent.values()).map(|usage| usage.input).sum()
    }

    /// The tree of a merge.
    pub(super) fn tree_of(&self, commit: &CommitId) -> Option<&TreeId> {
        self.commits.get(commit).map(|(tree, _)| tree)
    }

    /// Whether a merge was built on another, directly or through others.
    pub(super) fn follows(&self, later: &CommitId, earlier: &CommitId) -> bool {
        let below = std::iter::successors(Some(later), |commit| self.parents.get(commit));
        below.skip(1).any(|commit| commit == earlier)
    }

    /// The journal records that the branch is about to move there.
    pub(super) fn note_intent(&mut self, commit: &CommitId) {
        self.intended.insert(commit.clone());
    }

    pub(super) fn note_read_comment(&mut self, attempt: &AttemptId, number: u32) {
        self.confirmed_comments.insert((attempt.clone(), number));
    }

    pub(super) fn note_ignored(&mut self, task: &TaskId) {
        self.ignored.insert(task.clone());
    }

    pub(super) fn note_wanted(&mut self, task: &TaskId) {
        self.ignored.remove(task);
    }

    /// Work that was done under another wording no longer counts as done.
    pub(super) fn note_new_plan(&mut self, before: &Run, after: &Plan) {
        for (task, state) in before.tasks() {
            if let Some(work) = state.stage.work().filter(|work| work.by_hand.is_some()) {
                self.begun_under_another_plan.insert(work.attempt.clone());
            }
            let same = after.index_of(&task.id).is_some_and(|at| after.task(at) == task);
            if !same && !matches!(state.stage, TaskStage::Merging { .. }) {
                self.landed.remove(&task.id);
                self.ignored.remove(&task.id);
            }
        }
    }

    /// A report reached the core, so what it reports is over.
    pub(super) fn delivered(&mut self, input: &Input) {
        match input {
            Input::AttemptEnded(attempt, _) => {
                self.alive.remove(attempt);
            }
            Input::Harvested(attempt, _) => {
                self.harvesting.retain(|_, holder| holder != attempt);
                self.saved.insert(attempt.clone());
            }
            Input::ReviewEnded(review, _) => self.review_is_over(review),
            _ => {}
        }
    }

    /// Workers die with their driver; work that it was about to save may be lost.
    pub(super) fn driver_died(&mut self) {
        self.alive.clear();
        self.reviewers.clear();
        self.harvesting.clear();
    }

    pub(super) fn outsider_moves_branch(&mut self) {
        if self.foreign.is_none() {
            self.foreign = Some(CommitId::new(self.object('e')).expect("an object id"));
        }
    }

    fn object(&mut self, first: char) -> String {
        self.counter += 1;
        let mut random = SeededRandom::new(self.seed ^ self.counter.wrapping_mul(7919));
        format!("{first}{:015x}{:016x}{:08x}", random.number() >> 4, random.number(), self.counter)
    }

    pub(super) fn perform(
        &mut self,
        effect: &Effect,
        now: Timestamp,
        random: &mut SeededRandom,
        scenario: &Scenario,
        run: &Run,
    ) -> Result<Vec<ScheduledInput>, String> {
        if let Some(failure) = self.hold_back(effect, scenario, run)? {
            let at = now + Duration::from_millis(random.below(3_000));
            let failed = Input::HookFailed(failure);
            return Ok(vec![ScheduledInput::new(at, random.number(), failed)]);
        }
        let mut inputs = match effect {
            Effect::Start { attempt, slot, ground, resumes, .. } => {
                self.check_resumption(attempt, *slot, resumes.as_ref())?;
                self.read_prompt(attempt, resumes.as_ref(), run)?;
                let life = self.start(attempt, *slot, ground, random, scenario, run)?;
                match resumes {
                    Some(it) if random.chance(scenario.spawn_fails) => {
                        self.fail_to_resume(attempt, it, random)
                    }
                    _ => life,
                }
            }
            Effect::SaveStep { attempt, ground, step, .. } => {
                vec![self.save_step(attempt, ground, *step, random, scenario, run)]
            }
            Effect::Stop { attempt, .. } => self.stop(attempt),
            Effect::Review(request) => self.review(request, random, scenario, run)?,
            Effect::Harvest { attempt, slot, .. } => {
                self.harvest(attempt, *slot, random, scenario, run)?
            }
            Effect::Check(request) => vec![self.check(request, random, scenario, run)],
            Effect::Probe(request) => vec![self.probe(request, random, scenario)],
            Effect::SendComment { attempt, comment } => {
                self.read_comment(attempt, comment.number, random)?.into_iter().collect()
            }
            Effect::Prepare { attempt, slot, ground } => {
                self.read_prompt(attempt, None, run)?;
                vec![self.prepare_by_hand(attempt, *slot, ground, random, scenario, run)?]
            }
            Effect::Warn { .. }
            | Effect::DropBatch { .. }
            | Effect::AnswerStep { .. }
            | Effect::StopProbe
            | Effect::StopChecks => vec![],
            Effect::MoveBack { from, to } => vec![self.move_back(from, to, random, scenario)?],
            Effect::BuildMerge { batch, onto, members } => {
                self.build(*batch, onto, members, random, scenario, run)?
            }
            Effect::MoveBranch { attempts, from, to, restore } => {
                vec![self.move_branch(attempts, from, to, restore.as_ref(), random, scenario)?]
            }
        };
        self.fail_hooks_after(&mut inputs, scenario);
        let mut at = now;
        let mut letters = Vec::new();
        for input in inputs {
            at = at + Duration::from_millis(random.below(3_000));
            letters.push(ScheduledInput::new(at, random.number(), input));
        }
        Ok(letters)
    }
}
