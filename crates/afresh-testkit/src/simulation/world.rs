//! A world that keeps its own books: which processes live, what each slot holds, what passed which
//! checks, what is on the branch. It objects when it is asked for something that breaks a promise.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use afresh_core::check::{CheckEnd, CheckResult, Checked, Phase};
use afresh_core::effect::{CheckOn, CheckRequest, Effect};
use afresh_core::harvest::{Change, ChangeKind, EntryKind, Harvest};
use afresh_core::ids::{AttemptId, CommitId, Slot, TaskId, TreeId};
use afresh_core::input::{AttemptEnd, Build, CheckReport, Input, MergedTree, Move};
use afresh_core::interruption::Resumption;
use afresh_core::outcome::{Ending, Outcome, SpawnFailure};
use afresh_core::plan::Plan;
use afresh_core::run::{Run, Stage};
use afresh_core::step::Ground;
use afresh_core::time::Timestamp;
use afresh_core::usage::Usage;

use super::letter::Letter;
use super::random::Random;
use super::scenario::Scenario;
use super::workers;

#[derive(Debug)]
pub(super) struct World {
    seed: u64,
    /// Commit → (tree, the task that it lands).
    commits: BTreeMap<CommitId, (TreeId, Option<TaskId>)>,
    /// The branch's first-parent line, base first.
    pub(super) branch: Vec<CommitId>,
    /// An outsider's commit on top of it.
    foreign: Option<CommitId>,
    /// Tasks whose work is on the branch and stands: their part of the plan has not changed since.
    landed: BTreeMap<TaskId, CommitId>,
    /// Tasks that a person gave up, and that nothing has to wait for.
    ignored: BTreeSet<TaskId>,
    /// Commits that the journal says the branch is about to move to.
    intended: BTreeSet<CommitId>,
    alive: BTreeSet<AttemptId>,
    /// Every attempt that was ever started.
    started: BTreeSet<AttemptId>,
    slots: BTreeMap<Slot, AttemptId>,
    /// Every harvest that was told; one may come late.
    left: BTreeSet<(AttemptId, TreeId)>,
    /// What was put back for attempts that changed nothing.
    unchanged: BTreeMap<AttemptId, TreeId>,
    /// Where each attempt was started.
    places: BTreeMap<AttemptId, Slot>,
    /// Slots that are being read right now.
    harvesting: BTreeMap<Slot, AttemptId>,
    saved: BTreeSet<AttemptId>,
    /// Commits of steps, with the task and the base that they belong to.
    step_commits: BTreeMap<CommitId, (TaskId, CommitId)>,
    /// What each attempt left.
    harvests: BTreeMap<AttemptId, TreeId>,
    /// Trees and the checks they passed.
    passed: BTreeSet<(TreeId, String)>,
    spent: BTreeMap<AttemptId, Usage>,
    spawned: usize,
    counter: u64,
}

impl World {
    pub(super) fn new(seed: u64, run: &Run) -> Self {
        let base = run.base().clone();
        let tree = TreeId::new("f".repeat(40)).expect("forty digits are a tree");
        Self {
            seed,
            commits: BTreeMap::from([(base.clone(), (tree, None))]),
            branch: vec![base],
            foreign: None,
            landed: BTreeMap::new(),
            ignored: BTreeSet::new(),
            intended: BTreeSet::new(),
            alive: BTreeSet::new(),
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
            spent: BTreeMap::new(),
            spawned: 0,
            counter: 0,
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

    /// Did this tree pass this check?
    pub(super) fn has_passed(&self, tree: &TreeId, command: &str) -> bool {
        self.passed.contains(&(tree.clone(), command.to_owned()))
    }

    /// What all attempts really used.
    pub(super) fn spent(&self) -> u64 {
        self.spent.values().map(|usage| usage.input).sum()
    }

    /// The journal says that the branch is about to move there.
    pub(super) fn note_intent(&mut self, commit: &CommitId) {
        self.intended.insert(commit.clone());
    }

    pub(super) fn note_ignored(&mut self, task: &TaskId) {
        self.ignored.insert(task.clone());
    }

    pub(super) fn note_wanted(&mut self, task: &TaskId) {
        self.ignored.remove(task);
    }

    /// What was done under another wording is not done any more.
    pub(super) fn note_new_plan(&mut self, before: &Run, after: &Plan) {
        for (task, state) in before.tasks() {
            let same = after.position(&task.id).is_some_and(|at| after.task(at) == task);
            if !same && !matches!(state.stage, Stage::Merging(..)) {
                self.landed.remove(&task.id);
                self.ignored.remove(&task.id);
            }
        }
    }

    /// A report reached the core, so what it tells of is over.
    pub(super) fn delivered(&mut self, input: &Input) {
        match input {
            Input::AttemptEnded(attempt, _) => {
                self.alive.remove(attempt);
            }
            Input::Harvested(attempt, _) => {
                self.harvesting.retain(|_, holder| holder != attempt);
                self.saved.insert(attempt.clone());
            }
            _ => {}
        }
    }

    /// Workers die with their driver; what it was about to save may not be saved.
    pub(super) fn driver_died(&mut self) {
        self.alive.clear();
        self.harvesting.clear();
    }

    pub(super) fn outsider_moves_branch(&mut self) {
        if self.foreign.is_none() {
            self.foreign = Some(CommitId::new(self.object('e')).expect("an object id"));
        }
    }

    fn object(&mut self, first: char) -> String {
        self.counter += 1;
        let mut random = Random::new(self.seed ^ self.counter.wrapping_mul(7919));
        format!("{first}{:015x}{:016x}{:08x}", random.number() >> 4, random.number(), self.counter)
    }

    pub(super) fn perform(
        &mut self,
        effect: &Effect,
        now: Timestamp,
        random: &mut Random,
        scenario: &Scenario,
        run: &Run,
    ) -> Result<Vec<Letter>, String> {
        let inputs = match effect {
            Effect::Start { attempt, slot, ground, resumes, .. } => {
                self.goes_on(attempt, *slot, resumes.as_ref())?;
                let life = self.start(attempt, *slot, ground, random, scenario, run)?;
                match resumes {
                    Some(it) if random.chance(scenario.spawn_fails) => {
                        self.cannot_go_on(attempt, it, random)
                    }
                    _ => life,
                }
            }
            Effect::SaveStep { attempt, ground, step, .. } => {
                vec![self.save_step(attempt, ground, *step, random, scenario, run)]
            }
            Effect::Stop { attempt, .. } => self.stop(attempt),
            Effect::Harvest { attempt, slot, .. } => {
                self.harvest(attempt, *slot, random, scenario, run)?
            }
            Effect::Check(request) => vec![self.check(request, random, scenario)],
            Effect::Warn { .. } | Effect::AnswerStep { .. } | Effect::StopChecks => vec![],
            Effect::MoveBack { from, to } => vec![self.move_back(from, to, random, scenario)?],
            Effect::BuildMerge { attempt, base, onto, theirs } => {
                vec![self.build(attempt, base, onto, theirs.as_ref(), random, scenario)?]
            }
            Effect::MoveBranch { attempt, from, to, restore } => {
                vec![self.move_branch(attempt, from, to, restore.as_ref(), random, scenario)?]
            }
        };
        let mut at = now;
        let mut letters = Vec::new();
        for input in inputs {
            at = at + Duration::from_millis(random.below(3_000));
            letters.push(Letter::new(at, random.number(), input));
        }
        Ok(letters)
    }

    /// Whoever goes on finds what was left, where it was left.
    fn goes_on(
        &self,
        attempt: &AttemptId,
        slot: Slot,
        resumes: Option<&Resumption>,
    ) -> Result<(), String> {
        let Some(resumption) = resumes else { return Ok(()) };
        let of = AttemptId { number: resumption.of, ..attempt.clone() };
        if !self.left.contains(&(of.clone(), resumption.tree.clone())) {
            return Err(format!("AG-08: {attempt} goes on with what {of} did not leave"));
        }
        if self.places.get(&of) != Some(&slot) {
            return Err(format!("AG-08: {attempt} goes on in slot {slot}, where {of} was not"));
        }
        Ok(())
    }

    /// Its program does not know the conversation, or its work is gone.
    fn cannot_go_on(
        &mut self,
        attempt: &AttemptId,
        resumption: &Resumption,
        random: &mut Random,
    ) -> Vec<Input> {
        self.spent.remove(attempt);
        if random.chance(500) {
            self.alive.remove(attempt);
            self.saved.insert(attempt.clone());
            return vec![Input::CannotResume(attempt.clone(), "it is gone".to_owned())];
        }
        self.unchanged.insert(attempt.clone(), resumption.tree.clone());
        let (ending, outcome) = (Ending::Exited(1), Outcome::Silent);
        let end = AttemptEnd::new(ending, outcome, Usage::default(), 1);
        vec![Input::Spawned(attempt.clone()), Input::AttemptEnded(attempt.clone(), Box::new(end))]
    }

    fn start(
        &mut self,
        attempt: &AttemptId,
        slot: Slot,
        ground: &Ground,
        random: &mut Random,
        scenario: &Scenario,
        run: &Run,
    ) -> Result<Vec<Input>, String> {
        if let Some(other) = self.alive.iter().find(|other| other.task == attempt.task) {
            return Err(format!("R2: {attempt} starts while {other} lives"));
        }
        if !self.started.insert(attempt.clone()) {
            return Err(format!("R2: {attempt} is started twice"));
        }
        if self.alive.len() >= usize::from(run.settings().parallel) {
            return Err("EX-01: more workers than allowed".to_owned());
        }
        if let Some(other) = self.harvesting.get(&slot) {
            return Err(format!("R16: {attempt} takes slot {slot} while {other} is saved from it"));
        }
        if let Some(last) = self.slots.get(&slot)
            && !self.saved.contains(last)
        {
            return Err(format!("R16: {attempt} overwrites what {last} left in slot {slot}"));
        }
        if self.landed.contains_key(&attempt.task) {
            return Err(format!("R3: {attempt} does again what has landed"));
        }
        let behind = self
            .branch
            .iter()
            .position(|commit| *commit == ground.base)
            .ok_or("EX-03: the base is not on the branch")?;
        let held = &self.branch[..=behind];
        let task =
            &run.plan().tasks()[run.plan().position(&attempt.task).ok_or("an unknown task")?];
        let is_missing = |need: &&TaskId| {
            let there = self.landed.get(*need).is_some_and(|commit| held.contains(commit));
            !there && !self.ignored.contains(*need)
        };
        if let Some(missing) = task.needs.iter().find(is_missing) {
            return Err(format!("EX-03: {attempt} starts from a base without {missing}"));
        }
        for other in &self.alive {
            let other =
                &run.plan().tasks()[run.plan().position(&other.task).ok_or("an unknown task")?];
            let apart = task.patterns().all(|a| other.patterns().all(|b| !a.overlaps(b)));
            if !apart || !task.lists_files() || !other.lists_files() {
                return Err(format!(
                    "EX-01: {} and {} may write one file at once",
                    task.id, other.id
                ));
            }
        }
        let step_of = |commit: &CommitId| self.step_commits.get(commit);
        if ground.is_resumed()
            && step_of(&ground.prepared) != Some(&(attempt.task.clone(), ground.base.clone()))
        {
            return Err(format!("ST-02: {attempt} goes on from what is no step of its task"));
        }
        self.places.insert(attempt.clone(), slot);
        if random.chance(scenario.spawn_fails) {
            let failure =
                SpawnFailure { message: "no such program".to_owned(), hint: None, lasting: false };
            return Ok(vec![Input::SpawnFailed(attempt.clone(), failure)]);
        }
        self.spawned += 1;
        self.slots.insert(slot, attempt.clone());
        self.alive.insert(attempt.clone());
        let steps = u32::try_from(task.steps.len()).expect("small");
        let (inputs, usage) = workers::draw_life(attempt, steps, random, scenario);
        self.spent.insert(attempt.clone(), usage);
        Ok(inputs)
    }

    /// A commit of what the worker has, while it waits.
    fn save_step(
        &mut self,
        attempt: &AttemptId,
        ground: &Ground,
        step: u32,
        random: &mut Random,
        scenario: &Scenario,
        run: &Run,
    ) -> Input {
        let saved = if random.chance(scenario.trouble) {
            Err("no room".to_owned())
        } else {
            let harvest = self.left_by(attempt, random, scenario, run);
            if let Some(commit) = &harvest.commit {
                let of = (attempt.task.clone(), ground.base.clone());
                self.step_commits.insert(commit.clone(), of);
            }
            Ok(harvest)
        };
        Input::StepSaved { attempt: attempt.clone(), step, saved }
    }

    fn stop(&mut self, attempt: &AttemptId) -> Vec<Input> {
        if !self.alive.remove(attempt) {
            return vec![];
        }
        let spent = self.spent.get(attempt).copied().unwrap_or_default();
        let end = AttemptEnd::new(Ending::Stopped, Outcome::Silent, spent, 1);
        vec![Input::AttemptEnded(attempt.clone(), Box::new(end))]
    }

    fn harvest(
        &mut self,
        attempt: &AttemptId,
        slot: Slot,
        random: &mut Random,
        scenario: &Scenario,
        run: &Run,
    ) -> Result<Vec<Input>, String> {
        self.alive.remove(attempt);
        if let Some(other) = self.slots.get(&slot)
            && other != attempt
            && self.started.contains(attempt)
            && !self.saved.contains(attempt)
            && self.slots.values().any(|holder| holder == attempt)
        {
            return Err(format!(
                "R16: {attempt} is harvested from slot {slot}, which holds {other}"
            ));
        }
        self.harvesting.insert(slot, attempt.clone());
        // Nothing was made ready for it before the driver died.
        let never_there = !self.places.contains_key(attempt);
        if never_there || random.chance(scenario.trouble) {
            return Ok(vec![Input::Harvested(
                attempt.clone(),
                Err("the workspace is gone".to_owned()),
            )]);
        }
        let harvest = self.left_by(attempt, random, scenario, run);
        self.harvests.insert(attempt.clone(), harvest.tree.clone());
        self.left.insert((attempt.clone(), harvest.tree.clone()));
        Ok(vec![Input::Harvested(attempt.clone(), Ok(harvest))])
    }

    /// What is in a worker's slot.
    fn left_by(
        &mut self,
        attempt: &AttemptId,
        random: &mut Random,
        scenario: &Scenario,
        run: &Run,
    ) -> Harvest {
        let tree = TreeId::new(self.object('a')).expect("an object id");
        let tree = self.unchanged.get(attempt).cloned().unwrap_or(tree);
        let commit = CommitId::new(self.object('c')).expect("an object id");
        let task = run.plan().position(&attempt.task).map(|at| run.plan().task(at));
        let mut changes = Vec::new();
        if !random.chance(scenario.no_change) {
            let path = task
                .and_then(|t| t.patterns().next())
                .map_or("free.txt", |p| p.as_str())
                .to_owned();
            changes.push(Change { path, kind: ChangeKind::Modified, now: EntryKind::File });
        }
        if random.chance(scenario.strays) {
            let path = random.pick(&["stray.txt", "AGENTS.md", "tests/a.py"]);
            changes.push(Change {
                path: (*path).to_owned(),
                kind: ChangeKind::Modified,
                now: EntryKind::File,
            });
        }
        let commit = (!changes.is_empty()).then_some(commit);
        Harvest { tree, commit, changes, notes: vec![], leaks: vec![] }
    }

    fn check(&mut self, request: &CheckRequest, random: &mut Random, scenario: &Scenario) -> Input {
        let tree = match &request.on {
            CheckOn::Tree(tree) => tree.clone(),
            CheckOn::Commit(commit) => self.commits[commit].0.clone(),
        };
        let odds = if request.phase == Phase::Merged {
            scenario.broken_merge
        } else {
            scenario.check_fails
        };
        let checked = if random.chance(scenario.trouble) {
            Checked::Impossible("no room".to_owned())
        } else if random.chance(scenario.halt) {
            Checked::Stopped
        } else {
            let mut results = Vec::new();
            for check in &request.checks {
                let fails = if request.phase == Phase::Red {
                    !random.chance(odds)
                } else {
                    random.chance(odds)
                };
                if !fails {
                    self.passed.insert((tree.clone(), check.command.clone()));
                }
                results.push(CheckResult {
                    name: check.name.clone(),
                    command: check.command.clone(),
                    end: CheckEnd::Exited(i32::from(fails)),
                    duration_ms: 1,
                    output_digest: String::new(),
                    output_tail: String::new(),
                    reused: false,
                    refusals: Vec::new(),
                });
            }
            Checked::Ran(results)
        };
        Input::Checked(CheckReport {
            attempt: request.attempt.clone(),
            phase: request.phase,
            tree,
            checked,
        })
    }

    fn build(
        &mut self,
        attempt: &AttemptId,
        base: &CommitId,
        onto: &CommitId,
        theirs: Option<&CommitId>,
        random: &mut Random,
        scenario: &Scenario,
    ) -> Result<Input, String> {
        if !self.branch.contains(onto) {
            return Err(format!("R4: {attempt} is merged onto a commit that is not on the branch"));
        }
        if random.chance(scenario.trouble) {
            return Ok(Input::MergeBuilt(
                attempt.clone(),
                Build::Impossible("no memory".to_owned()),
            ));
        }
        let moved = base != onto;
        if moved && random.chance(scenario.conflict) {
            let paths = vec!["stray.txt".to_owned()];
            return Ok(Input::MergeBuilt(
                attempt.clone(),
                Build::Conflict { paths, detail: String::new() },
            ));
        }
        // Where nothing landed meanwhile, the merge is the attempt's own tree.
        let own = self.harvests.get(attempt).filter(|_| !moved && theirs.is_some()).cloned();
        let tree = own.unwrap_or_else(|| TreeId::new(self.object('b')).expect("an object id"));
        let commit = CommitId::new(self.object('d')).expect("an object id");
        self.commits.insert(commit.clone(), (tree.clone(), Some(attempt.task.clone())));
        Ok(Input::MergeBuilt(
            attempt.clone(),
            Build::Clean(MergedTree { onto: onto.clone(), commit, tree }),
        ))
    }

    /// The branch goes back; what it held is kept, so only the books change.
    fn move_back(
        &mut self,
        from: &CommitId,
        to: &CommitId,
        random: &mut Random,
        scenario: &Scenario,
    ) -> Result<Input, String> {
        let answer = |moved: Move| Ok(Input::MovedBack(to.clone(), moved));
        if !self.intended.contains(to) {
            return Err("R3: the branch goes back before the journal says so".to_owned());
        }
        if let Some(other) = self.alive.iter().next() {
            return Err(format!("R2: the branch goes back while {other} lives"));
        }
        if self.branch.last() == Some(to) {
            return answer(Move::Done);
        }
        if random.chance(scenario.trouble) {
            return answer(Move::Trouble("locked".to_owned()));
        }
        if let Some(foreign) = &self.foreign {
            return answer(Move::Foreign(foreign.clone()));
        }
        let place = self.branch.iter().position(|commit| commit == to);
        let (Some(place), true) = (place, self.branch.last() == Some(from)) else {
            return Err(format!(
                "R3: the branch goes back from {from} to {to}, where it never was"
            ));
        };
        for commit in self.branch.split_off(place + 1) {
            if let Some((_, Some(task))) = self.commits.get(&commit) {
                self.landed.remove(task);
            }
        }
        answer(Move::Done)
    }

    fn move_branch(
        &mut self,
        attempt: &AttemptId,
        from: &CommitId,
        to: &CommitId,
        restore: Option<&CommitId>,
        random: &mut Random,
        scenario: &Scenario,
    ) -> Result<Input, String> {
        let answer = |moved: Move| Ok(Input::BranchMoved(attempt.clone(), to.clone(), moved));
        if !self.intended.contains(to) {
            return Err(format!("R3: {attempt} lands before the journal says so"));
        }
        if self.branch.last() == Some(to) {
            return answer(Move::Done);
        }
        if random.chance(scenario.trouble) {
            return answer(Move::Trouble("locked".to_owned()));
        }
        // A clean-up of the repository takes what nothing points to.
        if random.chance(scenario.trouble) {
            self.commits.remove(to);
        }
        if !self.commits.contains_key(to) {
            return answer(Move::CommitGone);
        }
        if let Some(foreign) = &self.foreign {
            if restore != Some(foreign) {
                return answer(Move::Foreign(foreign.clone()));
            }
            self.foreign = None;
        }
        if self.branch.last() != Some(from) {
            return Err(format!("R3: {attempt} moves the branch from {from}, where it is not"));
        }
        let (_, task) = self.commits.get(to).ok_or("a commit that was never made")?;
        let task = task.clone().ok_or("a commit without a task")?;
        if self.landed.insert(task.clone(), to.clone()).is_some() {
            return Err(format!("R3: {task} lands twice"));
        }
        self.branch.push(to.clone());
        answer(Move::Done)
    }
}
