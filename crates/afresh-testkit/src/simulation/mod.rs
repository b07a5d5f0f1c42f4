//! Runs from a seed: the real driver with a simulated host. Delays, failures, crashes between any two
//! steps, lost processes, late and doubled reports, halts, budgets, models that fail, contexts that fill up,
//! people who skip, retry, answer and edit the plan.
//!
//! [`simulate`] plays one seed to its end and checks the promises at every turn. The same seed always
//! plays the same way, so a failure is a number.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `scenario` | what a seed plays: a plan, settings, and how likely each failure is |
//! | `host` | the driver's host: journal, clock, crashes, and the queue of inputs |
//! | `world` | the simulated executor: processes, workspaces, checks, the branch |
//! | `workers` | what workers report |
//! | `people` | what people do to a run |
//! | `by_hand` | people who do tasks themselves |
//! | `invariants` | the promises, checked at every turn |
//! | `scheduled_input` | inputs that have not arrived yet |
//! | `random` | random numbers from a seed |

mod by_hand;
mod host;
mod invariants;
mod people;
mod random;
mod scenario;
mod scheduled_input;
mod workers;
mod world;

use std::collections::BTreeSet;

use afresh_core::Run;
use afresh_core::event::Event;
use afresh_core::input::RunOpening;
use afresh_core::rejection::Rejection;
use afresh_core::run::DriveState;
use afresh_engine::driver::Driver;
use afresh_engine::driver::control::{ControlCommand, PendingCommand, apply_without_driver};

pub use random::SeededRandom;
pub use scenario::Scenario;

use host::SimulatedHost;

/// A promise that did not hold.
#[derive(Debug)]
pub struct BrokenPromise {
    pub seed: u64,
    pub step: usize,
    pub promise: String,
    /// The last events before it.
    pub last_events: Vec<String>,
}

impl std::fmt::Display for BrokenPromise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "seed {} broke a promise at step {}: {}", self.seed, self.step, self.promise)?;
        for event in &self.last_events {
            writeln!(f, "  {event}")?;
        }
        let test = "cargo test -p afresh-testkit --test simulation one_seed -- --nocapture --include-ignored";
        writeln!(f, "replay: AFRESH_SIM_SEED={} {test}", self.seed)
    }
}

/// What happened in a simulated run.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct SimulationSummary {
    pub steps: usize,
    pub crashes: usize,
    pub drives: usize,
    pub merged: usize,
    pub attempts: usize,
    /// Changes of the plan while a run existed.
    pub edits: usize,
    /// Landings whose merge was a tree that had already passed.
    pub reused: usize,
    pub halts: usize,
    pub budgets: usize,
    /// Times that the branch moved back to before a wave.
    pub rewound: usize,
    /// Attempts that continued after a step that an earlier one had finished.
    pub resumed: usize,
    /// Attempts that continued the conversation of one that was interrupted.
    pub taken_up: usize,
    /// Attempts that should have continued a conversation and could not.
    pub not_resumed: usize,
    /// Workers that were warned that their context is filling up.
    pub warned: usize,
    /// Attempts that ended because of their model.
    pub model_failures: usize,
    /// How often an agent had to wait with a model size.
    pub parked: usize,
    /// Attempts that were stopped because their context was full.
    pub full: usize,
    /// Attempts that people made themselves, and how many of them landed.
    pub by_hand: usize,
    pub by_hand_merged: usize,
    /// Commands that were applied while no driver was running.
    pub applied_without_driver: usize,
}

/// Plays one seed to its end.
pub fn simulate(seed: u64) -> Result<SimulationSummary, Box<BrokenPromise>> {
    let mut simulation = Simulation::new(seed);
    match simulation.play() {
        Ok(()) => Ok(simulation.summary()),
        Err(promise) => {
            let journal = &simulation.host().journal;
            let last = &journal[journal.len().saturating_sub(
                std::env::var("AFRESH_SIM_LAST").ok().and_then(|n| n.parse().ok()).unwrap_or(12),
            )..];
            Err(Box::new(BrokenPromise {
                seed,
                step: simulation.host().steps,
                promise,
                last_events: last
                    .iter()
                    .map(|event| format!("{event:?}").chars().take(300).collect())
                    .collect(),
            }))
        }
    }
}

struct Simulation {
    /// Lent to the driver while one is running.
    host: Option<SimulatedHost>,
    drives: usize,
    restarts: usize,
    applied_without_driver: usize,
}

/// What a patient person does after a drive has ended.
enum AfterDrive {
    Drive(Box<RunOpening>),
    Stop,
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let host = Some(SimulatedHost::new(seed));
        Self { host, drives: 0, restarts: 0, applied_without_driver: 0 }
    }

    fn host(&self) -> &SimulatedHost {
        self.host.as_ref().expect("no driver is running")
    }

    fn host_mut(&mut self) -> &mut SimulatedHost {
        self.host.as_mut().expect("no driver is running")
    }

    fn play(&mut self) -> Result<(), String> {
        let mut opening = RunOpening::default();
        loop {
            let (ended, run) = self.drive(opening)?;
            let next = match ended {
                None => AfterDrive::Drive(Box::new(self.host_mut().draw_opening(&run))),
                Some(state) => self.continue_after(state, run)?,
            };
            match next {
                AfterDrive::Drive(next) => opening = *next,
                AfterDrive::Stop => return Ok(()),
            }
        }
    }

    /// One driver, from its start to its end or crash. Without a crash, the state that it ended in.
    fn drive(&mut self, opening: RunOpening) -> Result<(Option<DriveState>, Run), String> {
        self.drives += 1;
        let mut host = self.host.take().expect("no driver is running");
        let run = host.replayed()?;
        host.begin_drive(&run);
        let mut driver = Driver::new(host, run, vec![]);
        let ended = driver.drive(opening);
        let (host, run) = driver.into_parts();
        self.host = Some(host);
        self.host_mut().take_broken_promise()?;
        if let Ok(state) = ended {
            invariants::replays(&self.host().journal, &run)?;
            Ok((Some(state), run))
        } else {
            self.host_mut().recover_from_crash();
            Ok((None, self.host().replayed()?))
        }
    }

    /// Answers, clears the halt, restarts or stops, as a patient person would.
    fn continue_after(&mut self, state: DriveState, run: Run) -> Result<AfterDrive, String> {
        if self.leaves() {
            return Ok(AfterDrive::Drive(Box::new(self.host_mut().draw_opening(&run))));
        }
        match state {
            DriveState::Busy => Err("the drive ended although something is underway".to_owned()),
            DriveState::Halted => {
                if self.host_mut().random.chance(500) {
                    let clear = ControlCommand::ClearHalt { run: run.id().clone() };
                    return self.apply(run, clear);
                }
                Ok(AfterDrive::Drive(Box::new(RunOpening {
                    clear_halt: true,
                    ..RunOpening::default()
                })))
            }
            DriveState::Waiting => {
                if let Some(answer) = self.host_mut().draw_answer(&run) {
                    return self.apply(run, answer);
                }
                // What is left is for agents, or for people who are refused.
                let dispatch = self.host_mut().draw_dispatch();
                Ok(AfterDrive::Drive(Box::new(RunOpening { dispatch, ..RunOpening::default() })))
            }
            DriveState::BudgetReached | DriveState::Finished { .. } => {
                self.host().check_at_the_end(&run)?;
                Ok(AfterDrive::Stop)
            }
        }
    }

    /// A command from a terminal while no driver is running.
    fn apply(&mut self, mut run: Run, command: ControlCommand) -> Result<AfterDrive, String> {
        self.applied_without_driver += 1;
        let host = self.host_mut();
        let (now, commands) = (host.now, vec![PendingCommand { message: None, command }]);
        if apply_without_driver(host, &mut run, now, commands, &mut []).is_err() {
            host.take_broken_promise()?;
            host.recover_from_crash();
        }
        Ok(AfterDrive::Drive(Box::default()))
    }

    /// Whether the person ends afresh here, to start it again later.
    fn leaves(&mut self) -> bool {
        let host = self.host.as_mut().expect("no driver is running");
        let leaves = self.restarts < 3 && host.random.chance(host.scenario.restart);
        self.restarts += usize::from(leaves);
        leaves
    }

    fn summary(&self) -> SimulationSummary {
        let host = self.host();
        let count = |wanted: fn(&Event) -> bool| host.journal.iter().filter(|e| wanted(e)).count();
        let intents = count(|event| matches!(event, Event::LandIntended { .. }));
        let built = count(|event| matches!(event, Event::MergeBuilt { .. }));
        SimulationSummary {
            steps: host.steps,
            crashes: host.crashes,
            drives: self.drives,
            merged: host.world.grown_by(),
            attempts: host.world.spawned(),
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
            by_hand: count(is_by_hand),
            by_hand_merged: count_landed_by_hand(&host.journal),
            applied_without_driver: self.applied_without_driver,
        }
    }
}

fn is_by_hand(event: &Event) -> bool {
    matches!(event, Event::AttemptStarting { by_hand: Some(_), .. })
}

fn count_landed_by_hand(journal: &[Event]) -> usize {
    let mut open = BTreeSet::new();
    let mut landed = 0;
    for event in journal {
        match event {
            Event::AttemptStarting { attempt, by_hand: Some(_), .. } => {
                open.insert(attempt);
            }
            Event::Merged { attempt, .. } => landed += usize::from(open.contains(attempt)),
            _ => {}
        }
    }
    landed
}

fn is_model_failure(event: &Event) -> bool {
    matches!(event, Event::AttemptRejected { reason: Rejection::ModelFailed { .. }, .. })
}
