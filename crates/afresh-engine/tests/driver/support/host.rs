//! The driver's host in these tests: a journal in memory, a clock that jumps, and an executor that
//! succeeds unless the script says otherwise.

use std::path::PathBuf;

use afresh_core::check::{CheckOutcome, CheckPhase};
use afresh_core::effect::{CheckOn, CheckRequest, MergeMember, ProbeRequest, ReviewRequest};
use afresh_core::harvest::{Change, ChangeKind, EntryKind, Harvest};
use afresh_core::ids::{AttemptId, CommitId};
use afresh_core::input::{
    AttemptEnd, BranchMove, CheckReport, MergeBuild, MergedTree, ProbeOutcome, ProbeReport,
};
use afresh_core::outcome::Outcome;
use afresh_core::plan::Check;
use afresh_core::probe::{CheckClass, ProbedCheck};
use afresh_core::process::ProcessEnd;
use afresh_core::review::{Review, ReviewEnd, ReviewOutcome, ReviewVerdict};
use afresh_core::run::DriveState;
use afresh_core::run::merge_queue::BatchId;
use afresh_core::time::Timestamp;
use afresh_core::usage::Usage;
use afresh_core::{Effect, Event, Input, Run};
use afresh_engine::DriveError;
use afresh_engine::driver::host::{
    CommandAnswer, DecidedTurn, Executor, InputSource, JournalSink, QueuedInput, StoredTurn,
};
use afresh_store::JournalError;
use afresh_testkit::notation::check_result;

use super::script::{CheckFate, Script, SentCommand, StoreFault};
use super::{commit, effect_line, event_line, tree};

/// More waits than any of these runs needs.
const MAX_WAITS: usize = 2_000;

#[derive(Default)]
pub(crate) struct ScriptedHost {
    pub(crate) script: Script,
    pub(crate) now: Timestamp,
    /// What is on disk, with the moment of each event.
    pub(crate) journal: Vec<(Timestamp, Event)>,
    /// Stores, effects and cancellations of all drives, in order.
    pub(crate) log: Vec<String>,
    pub(crate) answers: Vec<CommandAnswer>,
    /// The deadlines that the driver waited for.
    pub(crate) deadlines: Vec<Timestamp>,
    pub(crate) stores: usize,
    pub(crate) cancelled: usize,
    pub(crate) acknowledged: usize,
    /// The most attempts that were alive at once.
    pub(crate) most_alive: usize,
    alive: Vec<AttemptId>,
    queue: Vec<(Timestamp, usize, Input)>,
    scheduled: usize,
    next_message: i64,
    crashed: bool,
    waits: usize,
}

impl ScriptedHost {
    /// The next driver's host: the journal and the script stay, everything else is gone.
    pub(crate) fn restarted(self) -> Self {
        let Self { mut script, now, journal, log, answers, next_message, most_alive, .. } = self;
        script.faults.clear();
        let kept = Self { script, now, journal, log, answers, next_message, ..Self::default() };
        Self { most_alive, ..kept }
    }

    fn schedule(&mut self, after_ms: u64, input: Input) {
        self.scheduled += 1;
        self.queue.push((Timestamp(self.now.0 + after_ms), self.scheduled, input));
    }

    fn is_about(input: &Input, attempt: &AttemptId) -> bool {
        matches!(input, Input::AttemptEnded(id, _) | Input::UsageSeen(id, _) if id == attempt)
            || matches!(input, Input::StepClaimed { attempt: id, .. } if id == attempt)
    }

    fn start(&mut self, attempt: &AttemptId) {
        let worker = self.script.worker(attempt);
        if let Err(failure) = worker.spawn {
            return self.schedule(10, Input::SpawnFailed(attempt.clone(), failure));
        }
        self.alive.push(attempt.clone());
        self.most_alive = self.most_alive.max(self.alive.len());
        self.schedule(10, Input::Spawned(attempt.clone()));
        let usage = Usage { input: worker.tokens, ..Usage::default() };
        self.schedule(50, Input::UsageSeen(attempt.clone(), usage));
        for (at, message) in (1..).zip(worker.says) {
            self.schedule(at * 100, message);
        }
        if let Some(end) = worker.end {
            let end = AttemptEnd { usage, ..end };
            self.schedule(worker.millis, Input::AttemptEnded(attempt.clone(), Box::new(end)));
        }
    }

    fn stop(&mut self, attempt: &AttemptId) {
        if self.alive.contains(attempt) {
            self.queue.retain(|(_, _, input)| !Self::is_about(input, attempt));
            let end =
                AttemptEnd::new(ProcessEnd::Stopped, Outcome::Silent, Usage::default(), 1_000);
            self.schedule(10, Input::AttemptEnded(attempt.clone(), Box::new(end)));
        }
    }

    fn harvest(&self, attempt: &AttemptId, run: &Run, name: &str) -> Result<Harvest, String> {
        let worker = self.script.worker(attempt);
        if let Some(why) = worker.harvest_error {
            return Err(why);
        }
        let paths = worker.changes.unwrap_or_else(|| {
            let at = run.plan().index_of(&attempt.task).expect("a task of the plan");
            let own = run.plan().task(at).patterns().next().map(ToString::to_string);
            vec![own.unwrap_or_else(|| "free.txt".to_owned())]
        });
        let change = |path: String| Change::new(path, ChangeKind::Modified, EntryKind::File);
        let changes: Vec<Change> = paths.into_iter().map(change).collect();
        let commit = (!changes.is_empty()).then(|| commit(format!("c{name}")));
        Ok(Harvest {
            tree: tree(name),
            commit,
            changes,
            notes: vec![],
            leaks: vec![],
            missing: vec![],
        })
    }

    fn run_checks(&mut self, request: CheckRequest) {
        let CheckRequest { attempt, batch, phase, on, groups, .. } = request;
        let tree = match on {
            CheckOn::Tree(tree) => tree,
            CheckOn::Commit(_) => tree("base"),
        };
        let mut results = Vec::new();
        let mut checked = None;
        for check in groups.iter().flatten() {
            match self.script.check(phase, &check.command) {
                CheckFate::Exits(code) => results.push(check_result(&check.command, code)),
                CheckFate::Impossible(why) => checked = Some(CheckOutcome::Impossible(why)),
                CheckFate::Hangs => {
                    let checked = CheckOutcome::Stopped;
                    return self.hang(CheckReport { attempt, batch, phase, tree, checked });
                }
            }
            // The first failure ends the round.
            if checked.is_some() || results.iter().any(|result| !result.passed()) {
                break;
            }
        }
        let checked = checked.unwrap_or(CheckOutcome::Ran(results));
        self.schedule(20, Input::Checked(CheckReport { attempt, batch, phase, tree, checked }));
    }

    fn build(&mut self, batch: BatchId, mut onto: CommitId, members: Vec<MergeMember>) {
        let mut builds = Vec::new();
        for MergeMember { attempt, base, .. } in members {
            let scripted = self.script.merges.get_mut(&attempt.to_string());
            let build = scripted.and_then(std::collections::VecDeque::pop_front);
            let name = format!("m{attempt}");
            // Where nothing landed meanwhile, it is the attempt's own tree.
            let tree = tree(if base == onto { attempt.to_string() } else { name.clone() });
            let clean = MergeBuild::Clean(MergedTree::new(onto.clone(), commit(&name), tree));
            let build = build.unwrap_or(clean);
            if let MergeBuild::Clean(merged) = &build {
                onto = merged.commit.clone();
            }
            builds.push((attempt, build));
        }
        self.schedule(10, Input::BatchBuilt(batch, builds));
    }

    /// Checks before any work end as the script says.
    fn probe(&mut self, request: ProbeRequest) {
        let ProbeRequest { commit, own, always, .. } = request;
        let mut probed = |check: &Check| {
            let (class, code) = match self.script.check(CheckPhase::Probe, &check.command) {
                CheckFate::Exits(0) => (CheckClass::Vacuous, 0),
                CheckFate::Exits(code) => (CheckClass::Red, code),
                CheckFate::Impossible(_) | CheckFate::Hangs => (CheckClass::Unprobed, 1),
            };
            let (tree, result) = (tree("base"), check_result(&check.command, code));
            ProbedCheck { class, detail: String::new(), cause: None, tree, result }
        };
        let checks = always.iter().chain(&own).map(&mut probed).collect();
        let outcome = ProbeOutcome::Measured(checks);
        self.schedule(20, Input::Probed(ProbeReport { commit, outcome }));
    }

    /// A report that never arrives by itself.
    fn hang(&mut self, report: CheckReport) {
        self.queue.push((Timestamp(u64::MAX), 0, Input::Checked(report)));
    }

    fn stop_probe(&mut self) {
        let soon = Timestamp(self.now.0 + 10);
        for (at, _, input) in &mut self.queue {
            if let Input::Probed(report) = input {
                report.outcome = ProbeOutcome::Stopped;
                *at = soon;
            }
        }
    }

    fn stop_checks(&mut self) {
        self.stop_probe();
        let soon = Timestamp(self.now.0 + 10);
        for (at, _, input) in &mut self.queue {
            if let Input::Checked(report) = input {
                report.checked = CheckOutcome::Stopped;
                *at = soon;
            }
        }
    }

    fn crash(&mut self) -> DriveError {
        self.crashed = true;
        DriveError::Ended("kill -9".to_owned())
    }

    fn deliver(&mut self, command: SentCommand) -> QueuedInput {
        match command {
            SentCommand::Direct(input) => input.into(),
            SentCommand::Inbox(command) => {
                self.next_message += 1;
                QueuedInput { input: command.to_input(), message: Some(self.next_message) }
            }
        }
    }

    /// Commands whose event is stored by now.
    fn due_commands(&mut self) -> Vec<QueuedInput> {
        let stored: Vec<String> = self.journal.iter().map(|(_, event)| event_line(event)).collect();
        let all = std::mem::take(&mut self.script.commands);
        let (due, later): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(when, _)| stored.contains(when));
        self.script.commands = later;
        due.into_iter().map(|(_, command)| self.deliver(command)).collect()
    }

    fn next_report(&mut self, deadline: Option<Timestamp>) -> Option<Input> {
        let (at, order) = self.queue.iter().map(|(at, order, _)| (*at, *order)).min()?;
        if at == Timestamp(u64::MAX) || deadline.is_some_and(|deadline| at > deadline) {
            return None;
        }
        let position = self.queue.iter().position(|(a, o, _)| (*a, *o) == (at, order))?;
        let (at, _, input) = self.queue.remove(position);
        self.now = self.now.max(at);
        if let Input::AttemptEnded(attempt, _) = &input {
            self.alive.retain(|other| other != attempt);
        }
        Some(input)
    }
}

impl JournalSink for ScriptedHost {
    type Error = DriveError;

    fn store(&mut self, _run: &Run, turn: &DecidedTurn) -> Result<StoredTurn, DriveError> {
        self.stores += 1;
        let fault = self.script.faults.get(&self.stores).copied();
        match fault {
            Some(StoreFault::CrashBefore) => return Err(self.crash()),
            Some(StoreFault::DiskFull) => {
                let (path, what) = (PathBuf::from("journal"), "no space".to_owned());
                return Err(JournalError::Foreign { path, what }.into());
            }
            Some(StoreFault::CrashAfter) | None => {}
        }
        let first_seq = self.journal.len() as u64 + 1;
        for event in &turn.events {
            self.log.push(event_line(event));
            self.journal.push((self.now, event.clone()));
        }
        self.answers.extend(turn.answers.iter().cloned());
        if fault == Some(StoreFault::CrashAfter) {
            return Err(self.crash());
        }
        Ok(StoredTurn { first_seq, wall_ms: i64::try_from(self.now.0).expect("a small time") })
    }
}

impl Executor for ScriptedHost {
    fn perform(&mut self, effect: Effect, run: &Run) {
        self.log.push(effect_line(&effect));
        match effect {
            Effect::Start { attempt, .. } => self.start(&attempt),
            Effect::Prepare { attempt, .. } => self.schedule(10, Input::Spawned(attempt)),
            Effect::Stop { attempt, .. } => self.stop(&attempt),
            Effect::Harvest { attempt, .. } => {
                let harvest = self.harvest(&attempt, run, &attempt.to_string());
                self.schedule(10, Input::Harvested(attempt, harvest));
            }
            Effect::SaveStep { attempt, step, .. } => {
                let saved = self.harvest(&attempt, run, &format!("{attempt}-{step}"));
                self.schedule(10, Input::StepSaved { attempt, step, saved });
            }
            Effect::Check(request) => self.run_checks(request),
            Effect::Probe(request) => self.probe(request),
            Effect::StopProbe => self.stop_probe(),
            Effect::StopChecks => self.stop_checks(),
            Effect::Review(ReviewRequest { review, .. }) => {
                let given = Review {
                    verdict: ReviewVerdict::Approved,
                    summary: "fine".to_owned(),
                    issues: Vec::new(),
                };
                let end = ReviewEnd::unused(ReviewOutcome::Given(given));
                self.schedule(10, Input::ReviewEnded(review, Box::new(end)));
            }
            Effect::BuildMerge { batch, onto, members } => self.build(batch, onto, members),
            Effect::MoveBranch { attempts, to, .. } => {
                let attempt = attempts.last().expect("the branch moves for some work").clone();
                let scripted = self.script.moves.get_mut(&attempt.to_string());
                let moved = scripted.and_then(std::collections::VecDeque::pop_front);
                let moved = moved.unwrap_or(BranchMove::Done);
                self.schedule(10, Input::BranchMoved(attempt, to, moved));
            }
            Effect::MoveBack { to, .. } => {
                self.schedule(10, Input::MovedBack(to, BranchMove::Done));
            }
            Effect::Warn { .. }
            | Effect::SendComment { .. }
            | Effect::AnswerStep { .. }
            | Effect::DropBatch { .. } => {}
        }
    }

    fn cancel_all(&mut self) {
        self.cancelled += 1;
        self.log.push("→ cancel all".to_owned());
        self.alive.clear();
    }
}

impl InputSource for ScriptedHost {
    fn now(&self) -> Timestamp {
        self.now
    }

    fn waiting_inputs(&mut self, _run: &Run) -> Result<Vec<QueuedInput>, DriveError> {
        let waiting = std::mem::take(&mut self.script.waiting);
        Ok(waiting.into_iter().map(|it| self.deliver(SentCommand::Inbox(it))).collect())
    }

    fn wait_for_inputs(
        &mut self,
        run: &Run,
        deadline: Option<Timestamp>,
    ) -> Result<Vec<QueuedInput>, DriveError> {
        assert!(!self.crashed, "the drive continues after a crash");
        self.waits += 1;
        assert!(self.waits < MAX_WAITS, "the run never ends: {:?}", self.log);
        self.deadlines.extend(deadline);
        let commands = self.due_commands();
        if !commands.is_empty() {
            return Ok(commands);
        }
        if let Some(report) = self.next_report(deadline) {
            return Ok(vec![report.into()]);
        }
        if let Some(deadline) = deadline {
            self.now = self.now.max(deadline);
            return Ok(vec![]);
        }
        if run.drive_state(self.now) == DriveState::Waiting {
            let next = self.script.person.as_mut().and_then(std::collections::VecDeque::pop_front);
            if next.is_none() {
                self.script.person = None;
            }
            return Ok(next.map(|it| self.deliver(SentCommand::Inbox(it))).into_iter().collect());
        }
        Err(DriveError::Ended("busy, but nothing is underway".to_owned()))
    }

    fn acknowledge_inputs(&mut self) {
        self.acknowledged += 1;
    }

    fn is_person_present(&self) -> bool {
        self.script.person.is_some()
    }
}
