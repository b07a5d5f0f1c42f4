//! The whole core in a seeded world: delays, failures, crashes between any two steps, lost
//! processes, late and doubled reports, halts, budgets, models that fail, contexts that fill up,
//! people who skip, retry and edit the plan.
//!
//! [`simulate`] plays one seed to its end and checks the promises after every step. The same seed
//! always plays the same way, so a failure is a number.

mod laws;
mod letter;
mod model_laws;
mod people;
mod queue_laws;
mod random;
mod resume_laws;
mod scenario;
mod step_laws;
mod workers;
mod world;

use std::collections::BinaryHeap;

use afresh_core::effect::Effect;
use afresh_core::event::Event;
use afresh_core::input::Input;
use afresh_core::rejection::Rejection;
use afresh_core::run::DriveState;
use afresh_core::time::Timestamp;
use afresh_core::{Reaction, Run, decide};

pub use random::SeededRandom;
pub use scenario::Scenario;

use laws::RunInvariants;
use letter::ScheduledInput;
use world::SimulatedWorld;

/// A promise that did not hold.
#[derive(Debug)]
pub struct BrokenPromise {
    pub seed: u64,
    pub step: usize,
    pub promise: String,
    /// The last events before it, for a first look.
    pub last: Vec<String>,
}

impl std::fmt::Display for BrokenPromise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "seed {} broke a promise at step {}: {}", self.seed, self.step, self.promise)?;
        for event in &self.last {
            writeln!(f, "  {event}")?;
        }
        let test = "cargo test -p afresh-testkit --test simulation one_seed -- --nocapture --include-ignored";
        writeln!(f, "replay: AFRESH_SIM_SEED={} {test}", self.seed)
    }
}

/// What a simulated run came to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct SimulationSummary {
    pub steps: usize,
    pub crashes: usize,
    pub merged: usize,
    pub attempts: usize,
    /// Changes of the plan while a run existed.
    pub edits: usize,
    /// Landings whose merge was the tree that had passed already.
    pub reused: usize,
    pub halts: usize,
    pub budgets: usize,
    /// Times that the branch went back to before a wave.
    pub rewound: usize,
    /// Attempts that went on after a step that an earlier one had finished.
    pub resumed: usize,
    /// Attempts that went on with the conversation of one that was interrupted.
    pub taken_up: usize,
    /// Attempts that could not, although they were to.
    pub not_resumed: usize,
    /// Workers that were told that their context fills up.
    pub warned: usize,
    /// Attempts that ended because of their model.
    pub model_failures: usize,
    /// Times that an agent had to wait with a size of model.
    pub parked: usize,
    /// Attempts that were stopped because their context was full.
    pub full: usize,
}

/// More steps than any seed needs: beyond them a run goes round in circles.
const MAX_STEPS: usize = 60_000;

/// Plays one seed to its end.
pub fn simulate(seed: u64) -> Result<SimulationSummary, Box<BrokenPromise>> {
    let mut game = Simulation::new(seed);
    match game.play() {
        Ok(()) => Ok(game.summary()),
        Err(promise) => Err(Box::new(BrokenPromise {
            seed,
            step: game.steps,
            promise,
            last: game
                .journal
                .iter()
                .rev()
                .take(12)
                .rev()
                .map(|event| format!("{event:?}").chars().take(300).collect())
                .collect(),
        })),
    }
}

struct Simulation {
    scenario: Scenario,
    random: SeededRandom,
    now: Timestamp,
    run: Run,
    /// What is on disk.
    journal: Vec<Event>,
    world: SimulatedWorld,
    laws: RunInvariants,
    letters: BinaryHeap<ScheduledInput>,
    steps: usize,
    crashes: usize,
    restarts: usize,
}

/// Where a step may be cut off.
#[derive(PartialEq, Clone, Copy)]
enum CrashPoint {
    BeforeRecord,
    BeforeEffects,
    AmongEffects,
    Nowhere,
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let mut random = SeededRandom::new(seed);
        let scenario = Scenario::draw(&mut random);
        let first = scenario.first_event();
        let run = Run::start(&first).expect("the first event starts a run");
        let world = SimulatedWorld::new(seed, &run);
        let laws = RunInvariants::new(&run);
        let mut letters = BinaryHeap::new();
        letters.push(ScheduledInput::new(Timestamp(0), 0, Input::Opened(Box::default())));
        Self {
            scenario,
            random,
            now: Timestamp(0),
            run,
            journal: vec![first],
            world,
            laws,
            letters,
            steps: 0,
            crashes: 0,
            restarts: 0,
        }
    }

    fn play(&mut self) -> Result<(), String> {
        loop {
            while let Some(letter) = self.letters.pop() {
                self.now = self.now.max(letter.at);
                self.step(&letter.input)?;
                if self.steps > MAX_STEPS {
                    return Err("the run never ends".to_owned());
                }
            }
            if !self.nudge()? {
                break;
            }
        }
        self.laws.at_the_end(&self.run, &self.journal, &self.world, &self.scenario)
    }

    /// Nothing is on its way. Wakes, answers, clears, starts again or ends, as a patient person
    /// would.
    fn nudge(&mut self) -> Result<bool, String> {
        let standing = self.run.drive_state(self.now);
        if standing != DriveState::Busy && self.leaves() {
            laws::replays(&self.journal, &self.run)?;
            self.start_again();
            return Ok(true);
        }
        let input = match standing {
            DriveState::Busy => {
                let wake = self
                    .run
                    .wake_at(self.now)
                    .ok_or("busy, but nothing is underway and no deadline is set")?;
                self.now = self.now.max(wake);
                Input::Woke
            }
            DriveState::Halted => Input::HaltCleared,
            DriveState::Waiting => {
                let questions: Vec<_> = self.run.questions().cloned().collect();
                let question = self.random.pick(&questions);
                let option = self.random.pick(&question.options);
                // An endless retry is a person's right, but not a simulation's.
                let retry = option.key == "retry" && self.steps > 3_000;
                let answer = match option.key.as_str() {
                    _ if retry => "abort".to_owned(),
                    "clarify" => "clarify: like this".to_owned(),
                    key => key.to_owned(),
                };
                Input::Answered { question: question.id, answer, by: "person".to_owned() }
            }
            DriveState::BudgetReached | DriveState::Finished { .. } => return Ok(false),
        };
        self.step(&input)?;
        Ok(true)
    }

    /// Does the person end afresh here, to start it again later?
    fn leaves(&mut self) -> bool {
        let leaves = self.restarts < 3 && self.random.chance(self.scenario.restart);
        self.restarts += usize::from(leaves);
        leaves
    }

    /// A new driver takes the run up from the journal, perhaps with another plan or settings.
    fn start_again(&mut self) {
        let opening = people::opening(&mut self.random, &self.scenario, &self.run);
        self.letters.push(ScheduledInput::new(self.now, 0, Input::Opened(Box::new(opening))));
    }

    fn step(&mut self, input: &Input) -> Result<(), String> {
        self.steps += 1;
        self.world.delivered(input);
        let before = matches!(input, Input::Opened(_)).then(|| self.run.clone());
        let reaction: Reaction = decide(&mut self.run, self.now, input);
        let cut = self.draw_cut();
        if cut == CrashPoint::BeforeRecord {
            return self.crash();
        }
        self.record(before.as_ref(), &reaction)?;
        if cut == CrashPoint::BeforeEffects {
            return self.crash();
        }
        let last = if cut == CrashPoint::AmongEffects && !reaction.effects.is_empty() {
            self.random.index(reaction.effects.len())
        } else {
            reaction.effects.len()
        };
        self.perform(&reaction.effects[..last])?;
        if last < reaction.effects.len() {
            return self.crash();
        }
        self.meddle();
        Ok(())
    }

    fn record(&mut self, before: Option<&Run>, reaction: &Reaction) -> Result<(), String> {
        for event in &reaction.events {
            match (event, before) {
                (Event::PlanChanged { plan }, Some(before)) => {
                    self.world.note_new_plan(before, plan);
                }
                (Event::NeedIgnored { task }, _) => self.world.note_ignored(task),
                (Event::TaskRetried { task }, _) => self.world.note_wanted(task),
                _ => {}
            }
        }
        self.journal.extend(reaction.events.iter().cloned());
        self.laws.recorded(reaction, &self.run, &mut self.world, self.now)
    }

    fn perform(&mut self, effects: &[Effect]) -> Result<(), String> {
        for effect in effects {
            let replies = self.world.perform(
                effect,
                self.now,
                &mut self.random,
                &self.scenario,
                &self.run,
            )?;
            self.post(replies);
        }
        Ok(())
    }

    fn post(&mut self, replies: Vec<ScheduledInput>) {
        for letter in replies {
            if self.random.chance(self.scenario.doubled) {
                let later = self.now + std::time::Duration::from_millis(self.random.below(5_000));
                self.letters.push(ScheduledInput::new(
                    later.max(letter.at),
                    self.random.number(),
                    letter.input.clone(),
                ));
            }
            self.letters.push(letter);
        }
    }

    fn draw_cut(&mut self) -> CrashPoint {
        if self.crashes >= self.scenario.max_crashes || !self.random.chance(self.scenario.crash) {
            return CrashPoint::Nowhere;
        }
        *self.random.pick(&[
            CrashPoint::BeforeRecord,
            CrashPoint::BeforeEffects,
            CrashPoint::AmongEffects,
        ])
    }

    /// kill -9: what is on disk stays, everything in memory is gone, all workers die. Some answers
    /// of the old time may still arrive, late.
    fn crash(&mut self) -> Result<(), String> {
        self.crashes += 1;
        self.world.driver_died();
        let old: Vec<ScheduledInput> = self.letters.drain().collect();
        for mut letter in old {
            if self.random.chance(self.scenario.late) && letter.is_report() {
                letter.at = self.now + std::time::Duration::from_millis(self.random.below(20_000));
                self.letters.push(letter);
            }
        }
        self.run = Run::replay(&self.journal).ok_or("the journal does not start a run")?;
        self.start_again();
        Ok(())
    }

    /// What people do in the middle of a run.
    fn meddle(&mut self) {
        if let Some(input) = people::command(&mut self.random, &self.scenario, &self.run) {
            self.letters.push(ScheduledInput::new(self.now, self.random.number(), input));
        }
        if self.random.chance(self.scenario.foreign) {
            self.world.outsider_moves_branch();
        }
    }

    fn summary(&self) -> SimulationSummary {
        let count = |wanted: fn(&Event) -> bool| self.journal.iter().filter(|e| wanted(e)).count();
        let intents = count(|event| matches!(event, Event::LandIntended { .. }));
        let built = count(|event| matches!(event, Event::MergeBuilt { .. }));
        SimulationSummary {
            steps: self.steps,
            crashes: self.crashes,
            merged: self.world.grown_by(),
            attempts: self.world.spawned(),
            edits: count(|event| matches!(event, Event::PlanChanged { .. })),
            reused: intents.saturating_sub(built),
            halts: count(|event| matches!(event, Event::HaltRequested { .. })),
            budgets: count(|event| matches!(event, Event::BudgetReached { .. })),
            rewound: count(|event| matches!(event, Event::Rewound { .. })),
            resumed: count(|event| matches!(event, Event::AttemptStarting { from: Some(_), .. })),
            taken_up: count(|event| {
                matches!(event, Event::AttemptStarting { resumes: Some(_), .. })
            }),
            not_resumed: count(|event| {
                matches!(event, Event::AttemptRejected { reason: Rejection::NotResumed { .. }, .. })
            }),
            warned: count(|event| matches!(event, Event::ContextWarned { .. })),
            model_failures: count(is_model_failure),
            parked: count(|event| matches!(event, Event::AgentParked { .. })),
            full: count(|event| matches!(event, Event::ContextReached { .. })),
        }
    }
}

fn is_model_failure(event: &Event) -> bool {
    matches!(event, Event::AttemptRejected { reason: Rejection::ModelFailed { .. }, .. })
}
