//! A run in a few words, driven by the real driver on a scripted host.
//!
//! ```text
//! B < A: b.txt c.txt      task B needs A and lists two files
//! C:                      task C lists no files
//! ```
//! Every task has one check, `test ID`. Events are lines like `spawned A.1` (the activity log's word and
//! who); effects are lines with an arrow: `→ start A.1`.

mod host;
mod reporter;
mod script;

use afresh_core::check::CheckPhase;
use afresh_core::ids::{AttemptId, RunId};
use afresh_core::input::{BranchMove, MergeBuild, RunOpening};
use afresh_core::plan::PlanDraft;
use afresh_core::run::DriveState;
use afresh_core::run::settings::Settings;
use afresh_core::status::RunStatus;
use afresh_core::{Effect, Event, Input, Plan, Run};
use afresh_engine::driver::host::CommandAnswer;
use afresh_engine::reports::activity;
use afresh_engine::{ControlCommand, DriveError, Driver, Reporter};

pub(crate) use afresh_testkit::notation::{
    attempt_id, check, commit, draft_of, file, task_id, tree,
};
use afresh_testkit::notation::{task_error, task_states};
pub(crate) use host::ScriptedHost;
pub(crate) use reporter::{ReporterCall, SharedReporter};
pub(crate) use script::{CheckFate, CheckScript, SentCommand, StoreFault, WorkerScript};

/// How one drive ended, and what is left.
pub(crate) struct Driven {
    pub(crate) end: Result<DriveState, DriveError>,
    pub(crate) host: ScriptedHost,
    /// The run in the driver's memory.
    pub(crate) run: Run,
}

impl ScriptedHost {
    pub(crate) fn of_plan(plan: &str) -> Self {
        Self::with(plan, Settings::default())
    }

    pub(crate) fn with(plan: &str, settings: Settings) -> Self {
        Self::of_draft(draft_of(plan), settings)
    }

    pub(crate) fn of_draft(draft: PlanDraft, settings: Settings) -> Self {
        let first = Event::RunStarted {
            run: run_id(),
            branch: "afresh/r1".to_owned(),
            base: commit("base"),
            plan: Box::new(Plan::new(draft).expect("a plan without problems")),
            settings: Box::new(settings),
        };
        let mut host = Self::default();
        host.journal.push((afresh_core::time::Timestamp(0), first));
        host
    }

    /// What this attempt (`A.1`), or every attempt of this task (`A`), does.
    pub(crate) fn worker(mut self, attempt: &str, does: WorkerScript) -> Self {
        self.script.workers.insert(attempt.to_owned(), does);
        self
    }

    pub(crate) fn check(mut self, phase: CheckPhase, command: &str, end: CheckFate) -> Self {
        let command = command.to_owned();
        self.script.checks.push(CheckScript { phase, command, end, times: 1 });
        self
    }

    pub(crate) fn merge(mut self, attempt: &str, build: MergeBuild) -> Self {
        self.script.merges.entry(attempt.to_owned()).or_default().push_back(build);
        self
    }

    pub(crate) fn branch(mut self, attempt: &str, moved: BranchMove) -> Self {
        self.script.moves.entry(attempt.to_owned()).or_default().push_back(moved);
        self
    }

    /// A command from another terminal, once this event is stored.
    pub(crate) fn send(mut self, when: &str, command: ControlCommand) -> Self {
        self.script.commands.push((when.to_owned(), SentCommand::Inbox(command)));
        self
    }

    /// An input without a message, once this event is stored.
    pub(crate) fn input(mut self, when: &str, input: Input) -> Self {
        self.script.commands.push((when.to_owned(), SentCommand::Direct(input)));
        self
    }

    /// A command that waits in the inbox before the run is opened.
    pub(crate) fn waiting(mut self, command: ControlCommand) -> Self {
        self.script.waiting.push(command);
        self
    }

    /// A person is present, and gives these commands one by one whenever the run waits.
    pub(crate) fn person(mut self, commands: Vec<ControlCommand>) -> Self {
        self.script.person = Some(commands.into());
        self
    }

    pub(crate) fn fault(mut self, store: usize, fault: StoreFault) -> Self {
        self.script.faults.insert(store, fault);
        self
    }

    /// The run that is on disk.
    pub(crate) fn replayed(&self) -> Run {
        let events = self.journal.iter().map(|(_, event)| event);
        Run::replay(events).expect("a legal journal").expect("a journal that starts a run")
    }

    pub(crate) fn drive(self) -> Driven {
        self.drive_with(RunOpening::default(), Vec::new())
    }

    pub(crate) fn drive_with(
        self,
        opening: RunOpening,
        reporters: Vec<Box<dyn Reporter>>,
    ) -> Driven {
        let run = self.replayed();
        let mut driver = Driver::new(self, run, reporters);
        let end = driver.drive(opening);
        let (host, run) = driver.into_parts();
        Driven { end, host, run }
    }
}

impl Driven {
    /// How it ended, without an error.
    #[track_caller]
    pub(crate) fn state(&self) -> DriveState {
        match &self.end {
            Ok(state) => *state,
            Err(error) => panic!("{error}: {:#?}", self.host.log),
        }
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!(self.state(), DriveState::Finished { ok: true }, "{:#?}", self.host.log);
        self
    }

    pub(crate) fn log(&self) -> String {
        self.host.log.join("\n")
    }

    /// Effects in order.
    pub(crate) fn effects(&self) -> Vec<&str> {
        self.host.log.iter().filter(|line| line.starts_with('→')).map(String::as_str).collect()
    }

    pub(crate) fn has(&self, line: &str) -> bool {
        self.host.log.iter().any(|other| other == line)
    }

    pub(crate) fn count(&self, line: &str) -> usize {
        self.host.log.iter().filter(|other| *other == line).count()
    }

    /// Where a line is in the log.
    #[track_caller]
    pub(crate) fn place(&self, line: &str) -> usize {
        let found = self.host.log.iter().position(|other| other == line);
        found.unwrap_or_else(|| panic!("no {line:?} in {:#?}", self.host.log))
    }

    #[track_caller]
    pub(crate) fn is_in_order(&self, lines: &[&str]) {
        let places: Vec<usize> = lines.iter().map(|line| self.place(line)).collect();
        assert!(places.is_sorted(), "not in order: {lines:?} in {:#?}", self.host.log);
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.host.journal.iter().map(|(_, event)| event)
    }

    /// The last event on disk.
    pub(crate) fn last_event(&self) -> String {
        self.events().last().map(event_line).unwrap_or_default()
    }

    pub(crate) fn status(&self) -> RunStatus {
        RunStatus::from_run(&self.run)
    }

    /// `A done, B ready`: every task with its state.
    pub(crate) fn states(&self) -> String {
        task_states(&self.status())
    }

    pub(crate) fn error_of(&self, task: &str) -> String {
        task_error(&self.status(), task)
    }

    /// The first lines of the open questions.
    pub(crate) fn questions(&self) -> Vec<String> {
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        self.run.questions().map(|it| format!("{} {}", it.id, first(&it.text))).collect()
    }

    /// Answers to messages of the inbox, in order.
    pub(crate) fn answers(&self) -> Vec<&str> {
        self.host.answers.iter().map(|CommandAnswer { text, .. }| text.as_str()).collect()
    }

    /// The moment of the first event with this line.
    #[track_caller]
    pub(crate) fn at(&self, line: &str) -> u64 {
        let found = self.host.journal.iter().find(|(_, event)| event_line(event) == line);
        found.unwrap_or_else(|| panic!("no {line:?} in {:#?}", self.host.log)).0.0
    }

    /// The next drive of the same run.
    pub(crate) fn again(self) -> ScriptedHost {
        self.host.restarted()
    }
}

/// `spawned A.1`.
pub(crate) fn event_line(event: &Event) -> String {
    let lines = activity::lines(event);
    let own = lines.first().expect("every event has a line");
    format!("{} {}", own.event, own.who)
}

/// `→ start A.1`.
pub(crate) fn effect_line(effect: &Effect) -> String {
    match effect {
        Effect::Start { attempt, resumes: Some(_), .. } => format!("→ resume as {attempt}"),
        Effect::Start { attempt, .. } => format!("→ start {attempt}"),
        Effect::Prepare { attempt, .. } => format!("→ prepare {attempt}"),
        Effect::Warn { attempt, .. } => format!("→ warn {attempt}"),
        Effect::Stop { attempt, .. } => format!("→ stop {attempt}"),
        Effect::Harvest { attempt, .. } => format!("→ harvest {attempt}"),
        Effect::SaveStep { attempt, step, .. } => format!("→ save step {step} of {attempt}"),
        Effect::AnswerStep { attempt, step, answer } => {
            format!("→ answer {attempt} about step {step}: {answer:?}")
        }
        Effect::Check(request) => {
            let name = request.attempt.as_ref().map_or("run".to_owned(), ToString::to_string);
            let commands: Vec<&str> = request.checks().map(|it| it.command.as_str()).collect();
            format!("→ check {:?} of {name}: {}", request.phase, commands.join(", "))
        }
        Effect::Probe(request) => {
            let checks = request.always.iter().chain(&request.own);
            let commands: Vec<&str> = checks.map(|check| check.command.as_str()).collect();
            format!("→ probe {}", commands.join(", "))
        }
        Effect::Review(request) => format!("→ {}", request.review),
        Effect::StopProbe => "→ stop probe".to_owned(),
        Effect::StopChecks => "→ stop checks".to_owned(),
        Effect::DropBatch { batch, .. } => format!("→ drop {batch}"),
        Effect::BuildMerge { members, .. } => {
            format!("→ merge {}", names(members.iter().map(|member| &member.attempt)))
        }
        Effect::MoveBack { .. } => "→ move back".to_owned(),
        Effect::MoveBranch { attempts, restore: Some(_), .. } => {
            format!("→ restore for {}", names(attempts))
        }
        Effect::SendComment { attempt, comment } => {
            format!("→ send comment {} to {attempt}", comment.number)
        }
        Effect::MoveBranch { attempts, .. } => format!("→ move branch to {}", names(attempts)),
    }
}

fn names<'a>(attempts: impl IntoIterator<Item = &'a AttemptId>) -> String {
    let names: Vec<String> = attempts.into_iter().map(ToString::to_string).collect();
    names.join(" ")
}

pub(crate) fn run_id() -> RunId {
    RunId::new("r1").expect("an id")
}

pub(crate) fn halt() -> ControlCommand {
    halt_with("tea", false)
}

pub(crate) fn halt_with(reason: &str, now: bool) -> ControlCommand {
    let (reason, by) = (reason.to_owned(), "person".to_owned());
    ControlCommand::Halt { run: run_id(), now, reason, by }
}

pub(crate) fn clear_halt() -> ControlCommand {
    ControlCommand::ClearHalt { run: run_id() }
}

pub(crate) fn decide(question: u32, answer: &str) -> ControlCommand {
    let (answer, by) = (answer.to_owned(), "person".to_owned());
    ControlCommand::Decide { run: run_id(), question, answer, by }
}

pub(crate) fn retry(task: &str) -> ControlCommand {
    ControlCommand::Retry { run: run_id(), task: task_id(task) }
}

pub(crate) fn skip(task: &str) -> ControlCommand {
    ControlCommand::Skip { run: run_id(), task: task_id(task), reason: "not today".to_owned() }
}

pub(crate) fn ignore(task: &str) -> ControlCommand {
    ControlCommand::Ignore { run: run_id(), task: task_id(task) }
}
