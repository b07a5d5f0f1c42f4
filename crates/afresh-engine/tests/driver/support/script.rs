//! What the scripted world does instead of succeeding.

use std::collections::{BTreeMap, VecDeque};

use afresh_core::Input;
use afresh_core::check::CheckPhase;
use afresh_core::ids::AttemptId;
use afresh_core::input::{AttemptEnd, BranchMove, MergeBuild};
use afresh_core::model_error::ModelError;
use afresh_core::outcome::{
    ActionRequest, CompletionClaim, DecisionOption, DecisionRequest, Outcome, SpawnFailure,
    WorkerFailure,
};
use afresh_core::process::ProcessEnd;
use afresh_core::usage::Usage;
use afresh_engine::ControlCommand;

/// What is different from success, by attempt, task or check.
#[derive(Default)]
pub(crate) struct Script {
    /// By attempt (`A.1`), or by task (`A`) for all of its attempts.
    pub(crate) workers: BTreeMap<String, WorkerScript>,
    pub(crate) checks: Vec<CheckScript>,
    /// By attempt, one per try.
    pub(crate) merges: BTreeMap<String, VecDeque<MergeBuild>>,
    pub(crate) moves: BTreeMap<String, VecDeque<BranchMove>>,
    /// Commands, each sent once its event is stored.
    pub(crate) commands: Vec<(String, SentCommand)>,
    /// What waits in the inbox before the run is opened.
    pub(crate) waiting: Vec<ControlCommand>,
    /// What a person who is present does when the run waits; without more, the person leaves.
    pub(crate) person: Option<VecDeque<ControlCommand>>,
    /// What goes wrong at a store, by its number in this drive, counted from 1.
    pub(crate) faults: BTreeMap<usize, StoreFault>,
}

#[derive(Clone)]
pub(crate) enum SentCommand {
    /// From another terminal, through the inbox: it gets an answer.
    Inbox(ControlCommand),
    /// From the driver's own terminal, or from anything else without a message.
    Direct(Input),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreFault {
    CrashBefore,
    CrashAfter,
    DiskFull,
}

/// One round of checks that ends otherwise.
pub(crate) struct CheckScript {
    pub(crate) phase: CheckPhase,
    pub(crate) command: String,
    pub(crate) end: CheckFate,
    pub(crate) times: usize,
}

#[derive(Debug, Clone)]
pub(crate) enum CheckFate {
    Exits(i32),
    Impossible(String),
    /// It reports nothing until it is stopped.
    Hangs,
}

/// What one worker does.
#[derive(Clone)]
pub(crate) struct WorkerScript {
    pub(crate) spawn: Result<(), SpawnFailure>,
    /// Reports of the worker while it works, 100 ms apart.
    pub(crate) says: Vec<Input>,
    /// None: it works until it is stopped.
    pub(crate) end: Option<AttemptEnd>,
    pub(crate) tokens: u64,
    pub(crate) millis: u64,
    /// None: a file of its task.
    pub(crate) changes: Option<Vec<String>>,
    pub(crate) harvest_error: Option<String>,
}

impl WorkerScript {
    pub(crate) fn done() -> Self {
        Self::ends(ProcessEnd::Exited(0), Outcome::Done(CompletionClaim::default()))
    }

    pub(crate) fn ends(ending: ProcessEnd, outcome: Outcome) -> Self {
        Self {
            spawn: Ok(()),
            says: Vec::new(),
            end: Some(AttemptEnd::new(ending, outcome, Usage::default(), 1_000)),
            tokens: 100,
            millis: 1_000,
            changes: None,
            harvest_error: None,
        }
    }

    pub(crate) fn dies() -> Self {
        Self::ends(ProcessEnd::Exited(1), Outcome::Silent)
    }

    pub(crate) fn times_out() -> Self {
        Self::ends(ProcessEnd::TimedOut, Outcome::Silent)
    }

    pub(crate) fn gives_up(error: &str, retryable: Option<bool>) -> Self {
        let failure =
            WorkerFailure { error: error.to_owned(), retryable, ..WorkerFailure::default() };
        Self::ends(ProcessEnd::Exited(0), Outcome::Failed(failure))
    }

    pub(crate) fn unintelligible() -> Self {
        let (reason, excerpt) = ("no status".to_owned(), "blah".to_owned());
        Self::ends(ProcessEnd::Exited(0), Outcome::Unintelligible { reason, excerpt })
    }

    /// It needs a decision between `left` and `right`.
    pub(crate) fn asks() -> Self {
        let option = |key| DecisionOption::new(key, "a way");
        let decision = DecisionRequest {
            question: "left or right?".to_owned(),
            options: vec![option("left"), option("right")],
            ..DecisionRequest::default()
        };
        Self::ends(ProcessEnd::Exited(0), Outcome::NeedsDecision(decision))
    }

    pub(crate) fn needs_action() -> Self {
        let action = ActionRequest { needed: "plug it in".to_owned(), ..ActionRequest::default() };
        Self::ends(ProcessEnd::Exited(0), Outcome::NeedsAction(action))
    }

    pub(crate) fn model_fails(error: ModelError) -> Self {
        let mut script = Self::dies();
        script.end = script.end.map(|end| AttemptEnd { error: Some(error), ..end });
        script
    }

    pub(crate) fn works_until_stopped() -> Self {
        Self { end: None, ..Self::done() }
    }

    pub(crate) fn cannot_start(lasting: bool) -> Self {
        let message = "no such program".to_owned();
        Self {
            spawn: Err(SpawnFailure { message, lasting, ..SpawnFailure::default() }),
            ..Self::done()
        }
    }

    pub(crate) fn changing(self, paths: &[&str]) -> Self {
        Self { changes: Some(paths.iter().map(|path| (*path).to_owned()).collect()), ..self }
    }

    pub(crate) fn unreadable(self, why: &str) -> Self {
        Self { harvest_error: Some(why.to_owned()), ..self }
    }

    pub(crate) fn using(self, tokens: u64) -> Self {
        Self { tokens, ..self }
    }

    pub(crate) fn taking(self, millis: u64) -> Self {
        Self { millis, ..self }
    }

    pub(crate) fn saying(mut self, input: Input) -> Self {
        self.says.push(input);
        self
    }
}

impl Script {
    pub(crate) fn worker(&self, attempt: &AttemptId) -> WorkerScript {
        let own = self.workers.get(&attempt.to_string());
        own.or_else(|| self.workers.get(attempt.task.as_str()))
            .cloned()
            .unwrap_or_else(WorkerScript::done)
    }

    /// What becomes of this command in this phase; uses up one of its times.
    pub(crate) fn check(&mut self, phase: CheckPhase, command: &str) -> CheckFate {
        let mut scripts = self.checks.iter_mut();
        let found = scripts
            .find(|script| script.phase == phase && script.command == command && script.times > 0);
        match found {
            Some(script) => {
                script.times -= 1;
                script.end.clone()
            }
            // A check that must fail before the work is done does so.
            None if phase == CheckPhase::Red => CheckFate::Exits(1),
            None => CheckFate::Exits(0),
        }
    }
}
