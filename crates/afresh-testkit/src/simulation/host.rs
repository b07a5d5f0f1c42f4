//! The driver's host in a simulation: a journal in memory, a clock that jumps to the next input, and crashes at
//! every point where a real driver can be killed.

use std::collections::BinaryHeap;
use std::time::Duration;

use afresh_core::Run;
use afresh_core::effect::Effect;
use afresh_core::event::Event;
use afresh_core::input::{Dispatch, RunOpening};
use afresh_core::run::DriveState;
use afresh_core::time::Timestamp;
use afresh_engine::driver::DriveError;
use afresh_engine::driver::control::ControlCommand;
use afresh_engine::driver::host::{
    DecidedTurn, Executor, InputSource, JournalSink, QueuedInput, StoredTurn,
};

use super::by_hand::PeopleByHand;
use super::invariants::{RunInvariants, check_blame};
use super::people;
use super::random::SeededRandom;
use super::scenario::Scenario;
use super::scheduled_input::ScheduledInput;
use super::world::SimulatedWorld;

/// More steps than any seed needs: beyond this, the run is looping.
const MAX_STEPS: usize = 60_000;

/// After this many steps people stop asking for retries.
const PATIENCE: usize = 3_000;

pub(super) struct SimulatedHost {
    pub(super) scenario: Scenario,
    pub(super) random: SeededRandom,
    hands: PeopleByHand,
    pub(super) now: Timestamp,
    /// What is on disk.
    pub(super) journal: Vec<Event>,
    pub(super) world: SimulatedWorld,
    pub(super) steps: usize,
    pub(super) crashes: usize,
    invariants: RunInvariants,
    queue: BinaryHeap<ScheduledInput>,
    next_message: i64,
    /// The run before this driver opened it.
    before: Run,
    person_present: bool,
    /// How many effects of this turn are still performed before the driver is killed.
    effects_until_crash: Option<usize>,
    crashed: bool,
    broken: Option<String>,
}

/// Where a turn may be cut off.
#[derive(PartialEq, Clone, Copy)]
enum CrashPoint {
    BeforeStoring,
    BeforeEffects,
    AmongEffects,
    Nowhere,
}

impl SimulatedHost {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = SeededRandom::new(seed);
        let scenario = Scenario::draw(&mut random).with_merges(seed);
        let first = scenario.first_event();
        let run = Run::start(&first).expect("the first event starts a run");
        Self {
            hands: PeopleByHand::new(seed, scenario.is_kind()),
            scenario,
            random,
            now: Timestamp(0),
            journal: vec![first],
            world: SimulatedWorld::new(seed, &run),
            steps: 0,
            crashes: 0,
            invariants: RunInvariants::new(&run),
            queue: BinaryHeap::new(),
            next_message: 1,
            before: run,
            person_present: false,
            effects_until_crash: None,
            crashed: false,
            broken: None,
        }
    }

    /// The run that is on disk.
    pub(super) fn replayed(&self) -> Result<Run, String> {
        let run = Run::replay(&self.journal).map_err(|error| format!("R12: {error}"))?;
        run.ok_or_else(|| "R12: the journal does not start a run".to_owned())
    }

    pub(super) fn begin_drive(&mut self, run: &Run) {
        self.before = run.clone();
        self.crashed = false;
        self.effects_until_crash = None;
        self.person_present = self.random.chance(500);
    }

    /// How the next driver opens the run, perhaps with another plan or settings.
    pub(super) fn draw_opening(&mut self, run: &Run) -> RunOpening {
        people::opening(&mut self.random, &mut self.hands, &self.scenario, run)
    }

    /// Whether the next driver starts agents.
    pub(super) fn draw_dispatch(&mut self) -> Dispatch {
        self.hands.draw_dispatch()
    }

    /// What a run that waits for people needs of them; none if only agents can continue.
    pub(super) fn draw_answer(&mut self, run: &Run) -> Option<ControlCommand> {
        let questions: Vec<_> = run.questions().cloned().collect();
        if questions.is_empty() {
            return self.hands.hand_in(run);
        }
        let question = self.random.pick(&questions);
        let option = self.random.pick(&question.options);
        // A person may retry forever, but a simulation must end.
        let answer = match option.key.as_str() {
            "retry" if self.steps > PATIENCE => "abort".to_owned(),
            "clarify" => "clarify: like this".to_owned(),
            key => key.to_owned(),
        };
        let (run, question) = (run.id().clone(), question.id.0);
        Some(ControlCommand::Decide { run, question, answer, by: "person".to_owned() })
    }

    /// The broken promise, if any.
    pub(super) fn take_broken_promise(&mut self) -> Result<(), String> {
        self.broken.take().map_or(Ok(()), Err)
    }

    /// kill -9: what is on disk stays, everything in memory is gone, and all workers die. Some reports from before
    /// may still arrive, late.
    pub(super) fn recover_from_crash(&mut self) {
        self.crashes += 1;
        self.crashed = false;
        self.effects_until_crash = None;
        self.world.driver_died();
        let old: Vec<ScheduledInput> = self.queue.drain().collect();
        for mut scheduled in old {
            if self.random.chance(self.scenario.late) && scheduled.may_arrive_late() {
                scheduled.at = self.now + Duration::from_millis(self.random.below(20_000));
                self.queue.push(scheduled);
            }
        }
    }

    pub(super) fn check_at_the_end(&self, run: &Run) -> Result<(), String> {
        self.invariants.at_the_end(run, &self.journal, &self.world, &self.scenario)
    }

    fn draw_crash_point(&mut self) -> CrashPoint {
        if self.crashes >= self.scenario.max_crashes || !self.random.chance(self.scenario.crash) {
            return CrashPoint::Nowhere;
        }
        let points =
            [CrashPoint::BeforeStoring, CrashPoint::BeforeEffects, CrashPoint::AmongEffects];
        *self.random.pick(&points)
    }

    fn crash(&mut self) -> DriveError {
        self.crashed = true;
        DriveError::Ended("kill -9".to_owned())
    }

    fn broke(&mut self, promise: String) -> DriveError {
        self.broken.get_or_insert(promise);
        DriveError::Ended("a promise was broken".to_owned())
    }

    fn record(&mut self, run: &Run, turn: &DecidedTurn) -> Result<(), String> {
        for event in &turn.events {
            match event {
                Event::PlanChanged { plan } => self.world.note_new_plan(&self.before, plan),
                Event::NeedIgnored { task } => self.world.note_ignored(task),
                Event::CommentRead { attempt, comment } => {
                    self.world.note_read_comment(attempt, *comment);
                }
                Event::TaskRetried { task } => self.world.note_wanted(task),
                _ => {}
            }
        }
        self.journal.extend(turn.events.iter().cloned());
        for event in &turn.events {
            check_blame(event, &self.world, &self.scenario)?;
        }
        self.invariants.recorded(turn, run, &mut self.world, self.now)
    }

    fn schedule(&mut self, reports: Vec<ScheduledInput>) {
        for report in reports {
            if self.random.chance(self.scenario.doubled) && report.may_arrive_late() {
                let later = self.now + Duration::from_millis(self.random.below(5_000));
                let (at, order) = (later.max(report.at), self.random.number());
                self.queue.push(ScheduledInput::new(at, order, report.input.clone()));
            }
            self.queue.push(report);
        }
    }

    /// A command, as the inbox delivers it.
    fn deliver(&mut self, command: &ControlCommand) -> QueuedInput {
        self.next_message += 1;
        QueuedInput { input: command.to_input(), message: Some(self.next_message) }
    }

    /// The next reports; sets the clock to their time. Sometimes several share a turn.
    fn next_reports(&mut self, deadline: Option<Timestamp>) -> Vec<QueuedInput> {
        let mut reports = Vec::new();
        let most = if self.random.chance(100) { 3 } else { 1 };
        while reports.len() < most
            && self.queue.peek().is_some_and(|next| deadline.is_none_or(|at| next.at <= at))
        {
            let next = self.queue.pop().expect("just seen");
            self.now = self.now.max(next.at);
            self.world.delivered(&next.input);
            reports.push(next.input.into());
        }
        reports
    }
}

impl JournalSink for SimulatedHost {
    type Error = DriveError;

    fn store(&mut self, run: &Run, turn: &DecidedTurn) -> Result<StoredTurn, DriveError> {
        let crash_point = self.draw_crash_point();
        if crash_point == CrashPoint::BeforeStoring {
            return Err(self.crash());
        }
        let first_seq = self.journal.len() as u64 + 1;
        self.record(run, turn).map_err(|promise| self.broke(promise))?;
        match crash_point {
            CrashPoint::BeforeEffects => return Err(self.crash()),
            CrashPoint::AmongEffects => {
                self.effects_until_crash = Some(self.random.index(turn.effects.len() + 1));
            }
            CrashPoint::BeforeStoring | CrashPoint::Nowhere => {}
        }
        Ok(StoredTurn { first_seq, wall_ms: 0 })
    }
}

impl Executor for SimulatedHost {
    fn perform(&mut self, effect: Effect, run: &Run) {
        match &mut self.effects_until_crash {
            Some(0) => {
                self.crashed = true;
                return;
            }
            Some(left) => *left -= 1,
            None => {}
        }
        let abrupt = run.halt().is_some_and(|halt| halt.now);
        if abrupt && matches!(effect, Effect::Check(_) | Effect::Probe(_)) {
            self.broke("R7: checks start although everything was to end".to_owned());
        }
        let reports = self.world.perform(&effect, self.now, &mut self.random, &self.scenario, run);
        match reports {
            Ok(reports) => self.schedule(reports),
            Err(promise) => drop(self.broke(promise)),
        }
    }

    /// A killed driver ends nothing by itself; its workers die with it.
    fn cancel_all(&mut self) {}
}

impl InputSource for SimulatedHost {
    fn now(&self) -> Timestamp {
        self.now
    }

    /// A command may have been sent before the driver started.
    fn waiting_inputs(&mut self, run: &Run) -> Result<Vec<QueuedInput>, DriveError> {
        let by_hand = self.hands.waiting_command(run);
        let mut inputs: Vec<QueuedInput> =
            by_hand.iter().map(|command| self.deliver(command)).collect();
        if self.random.chance(self.scenario.halt) {
            let halt = people::halt(&mut self.random, run);
            inputs.push(self.deliver(&halt));
        }
        Ok(inputs)
    }

    fn wait_for_inputs(
        &mut self,
        run: &Run,
        deadline: Option<Timestamp>,
    ) -> Result<Vec<QueuedInput>, DriveError> {
        if self.crashed || self.effects_until_crash.is_some() {
            return Err(self.crash());
        }
        self.steps += 1;
        if self.steps > MAX_STEPS {
            self.broken.get_or_insert("the run never ends".to_owned());
        }
        if self.broken.is_some() {
            return Err(DriveError::Ended("a promise was broken".to_owned()));
        }
        if self.random.chance(self.scenario.foreign) {
            self.world.outsider_moves_branch();
        }
        if let Some(command) = people::command(&mut self.random, &self.scenario, run) {
            return Ok(vec![self.deliver(&command)]);
        }
        if let Some(command) = self.hands.command(run) {
            return Ok(vec![self.deliver(&command)]);
        }
        let reports = self.next_reports(deadline);
        if !reports.is_empty() {
            return Ok(reports);
        }
        if let Some(deadline) = deadline {
            self.now = self.now.max(deadline);
            return Ok(vec![]);
        }
        if run.drive_state(self.now) == DriveState::Waiting {
            // If only agents can continue, the person ends afresh.
            let Some(answer) = self.draw_answer(run) else {
                return Err(DriveError::Ended("nobody is left".to_owned()));
            };
            return Ok(vec![self.deliver(&answer)]);
        }
        let queue = run.merge_queue();
        Err(self.broke(format!("busy, but nothing is underway and no deadline is set: {queue:?}")))
    }

    fn acknowledge_inputs(&mut self) {}

    fn is_person_present(&self) -> bool {
        self.person_present
    }
}
