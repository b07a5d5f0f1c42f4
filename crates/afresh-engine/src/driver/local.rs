//! The host of a real run: the `SQLite` journal, effects in threads, and every source of inputs on this
//! machine. Those are the executor's answers, signals and terminals (one channel), other terminals' commands
//! (the journal's inbox), the STOP file, and workers' mailboxes.

use std::fs;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use afresh_core::hook::HookFailure;
use afresh_core::time::Timestamp;
use afresh_core::{Effect, Event, Input, Run};
use afresh_notes::write::LineMaker;
use afresh_process::become_subreaper;
use afresh_store::{JournalError, MessageAnswer, NewRecord};

use super::clock::{RunClock, wall_ms};
use super::control::ControlCommand;
use super::host::{DecidedTurn, Executor, InputSource, JournalSink, QueuedInput, StoredTurn};
use super::redact_input::InputRedactor;
use super::reporter::{RecordedEvent, Reporter};
use super::stop_files::{StopFile, stop_files};
use super::{DriveError, Driver};
use crate::bundle::related_tests::TestFinder;
use crate::execution_config::ExecutionConfig;
use crate::executor::hooks::HookHandles;
use crate::executor::{CancelRegistry, CheckSlots, ExecutorContext, LocalExecutor};
use crate::journal_records::to_record;
use crate::layout::StateLayout;
use crate::mailbox::{MailboxReader, ReceivedMessage};
use crate::session::{LockedRepo, OpenRun, UnreportedEvent, job_prefix, pool};

/// How often inbox, STOP file and mailboxes are polled while no input arrives.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The host of a real run.
pub struct LocalHost {
    journal: LocalJournal,
    executor: LocalExecutor,
    inputs: Receiver<Input>,
    input_sender: Sender<Input>,
    inbox_version: Option<i64>,
    mailboxes: MailboxReader,
    mailboxes_read_at: Instant,
    /// Messages that the driver has received; removed once everything decided from them is stored.
    unacknowledged: Vec<ReceivedMessage>,
    redactor: InputRedactor,
    presence: Arc<AtomicBool>,
    /// Hooks of questions that are still running.
    question_hooks: Vec<JoinHandle<()>>,
}

/// The journal of the locked repository.
#[derive(Debug)]
pub(crate) struct LocalJournal {
    pub(crate) repo: LockedRepo,
    pub(crate) clock: RunClock,
}

impl Driver<LocalHost> {
    /// A driver for a run that was just started or opened under the lock.
    pub fn local(
        open: OpenRun,
        config: ExecutionConfig,
        mut reporters: Vec<Box<dyn Reporter>>,
    ) -> Result<Self, DriveError> {
        let OpenRun { repo, run, last_at, unreported } = open;
        let host = LocalHost::new(repo, &run, last_at, config)?;
        for UnreportedEvent { seq, wall_ms, event } in &unreported {
            let recorded =
                RecordedEvent { seq: *seq, wall_ms: *wall_ms, at: None, event, run: &run };
            for reporter in &mut reporters {
                reporter.event_recorded(&recorded);
            }
        }
        Ok(Self::new(host, run, reporters))
    }

    /// Where signals and terminals send their inputs.
    pub fn input_sender(&self) -> Sender<Input> {
        self.host().input_sender.clone()
    }

    /// While `presence` is true, the driver waits for answers; otherwise the drive ends with questions
    /// open.
    pub fn wait_for_answers(&mut self, presence: Arc<AtomicBool>) {
        self.host_mut().presence = presence;
    }
}

impl LocalHost {
    fn new(
        repo: LockedRepo,
        run: &Run,
        last_at: Timestamp,
        config: ExecutionConfig,
    ) -> Result<Self, DriveError> {
        let layout = repo.context.layout.clone();
        prepare_tools(&layout, &config)?;
        let redactor = InputRedactor::new(config.workers.secrets());
        let (input_sender, inputs) = channel();
        let context = ExecutorContext {
            run: run.id().clone(),
            pool: pool(&repo.context)?,
            cancels: CancelRegistry::default(),
            check_slots: CheckSlots::new(config.checks_parallel),
            hooks: HookHandles::default(),
            home_tools: OnceLock::new(),
            test_finder: TestFinder::default(),
            connections: afresh_proxy::ConnectionLimit::default(),
            job_prefix: job_prefix(&repo.context.git),
            note_lines: LineMaker::default(),
            layout,
            config,
        };
        // If a supervisor is killed, its children are reparented to us, and we can end them.
        let _ = become_subreaper();
        Ok(Self {
            journal: LocalJournal { repo, clock: RunClock::after(last_at) },
            executor: LocalExecutor::new(context, input_sender.clone()),
            inputs,
            input_sender,
            inbox_version: None,
            mailboxes: MailboxReader::default(),
            mailboxes_read_at: Instant::now(),
            unacknowledged: Vec::new(),
            redactor,
            presence: Arc::default(),
            question_hooks: Vec::new(),
        })
    }

    /// For questions that wait for a person; a policy may have answered one at once.
    fn run_question_hooks(&mut self, run: &Run, turn: &DecidedTurn) {
        for event in &turn.events {
            if let Event::QuestionAsked { question } = event
                && run.question(question.id).is_some()
            {
                self.question_hooks.push(self.executor.ask_hooks(run, question));
            }
        }
    }

    /// Waits for hooks that are still running, and runs those of the end; returns what failed. The journal is closed to
    /// them: the run has ended.
    pub fn finish_hooks(&mut self, run: &Run, state: &str) -> Vec<HookFailure> {
        self.wait_for_question_hooks();
        let left = self.inputs.try_iter().filter_map(|input| match input {
            Input::HookFailed(failure) => Some(failure),
            _ => None,
        });
        left.chain(self.executor.end_hooks(run, state)).collect()
    }

    /// Waits for hooks of questions that are still running.
    pub fn wait_for_question_hooks(&mut self) {
        for running in self.question_hooks.drain(..) {
            // A thread that panicked has reported that itself.
            let _ = running.join();
        }
    }

    /// Every input that is in the channel now, or the first one that arrives in time. Inputs that arrive together
    /// share one write to the disk.
    fn receive_inputs(&mut self, patience: Duration) -> Vec<Input> {
        let mut inputs = match self.inputs.recv_timeout(patience) {
            Ok(input) => vec![input],
            Err(RecvTimeoutError::Timeout) => vec![],
            Err(RecvTimeoutError::Disconnected) => unreachable!("we hold a sender ourselves"),
        };
        inputs.extend(self.inputs.try_iter());
        inputs
    }

    /// STOP files and the inbox.
    fn poll_commands(&mut self, run: &Run) -> Result<Vec<QueuedInput>, DriveError> {
        let mut inputs: Vec<QueuedInput> = Vec::new();
        let halts = run.halt().is_none();
        let stop = || stop_files(&self.journal.repo.context, run).into_iter();
        if let Some(StopFile { reason, .. }) =
            halts.then(stop).and_then(|mut it| it.find(StopFile::exists))
        {
            let by = "STOP file".to_owned();
            inputs.push(Input::HaltAsked { now: false, reason, by }.into());
        }
        self.journal.repo.journal.check_in_place()?;
        let version = self.journal.repo.journal.data_version()?;
        if self.inbox_version != Some(version) {
            self.inbox_version = Some(version);
            inputs.extend(self.read_inbox(run)?);
        }
        Ok(inputs)
    }

    fn read_inbox(&mut self, run: &Run) -> Result<Vec<QueuedInput>, DriveError> {
        let mut inputs = Vec::new();
        for message in self.journal.repo.journal.pending_messages()? {
            match serde_json::from_str::<ControlCommand>(&message.body) {
                Ok(command) if command.run() == run.id() => {
                    let (input, message) = (command.to_input(), Some(message.id));
                    inputs.push(QueuedInput { input, message });
                }
                // A command for another run; its next driver reads it.
                Ok(_) => {}
                Err(error) => {
                    // A message that cannot be answered now is read again later.
                    let why = format!("not a command: {error}");
                    let _ = self.journal.repo.journal.answer(message.id, &why);
                }
            }
        }
        Ok(inputs)
    }

    /// Reads workers' messages: periodically, and whenever an attempt has ended.
    fn read_mailboxes(&mut self, run: &Run, received: &[Input]) -> Vec<QueuedInput> {
        let ended = received.iter().any(|input| matches!(input, Input::AttemptEnded(..)));
        if !ended && self.mailboxes_read_at.elapsed() < POLL_INTERVAL {
            return Vec::new();
        }
        self.mailboxes_read_at = Instant::now();
        let messages = self.mailboxes.collect(&self.journal.repo.context.layout, run);
        let inputs = messages.iter().map(|message| message.input.clone().into()).collect();
        self.unacknowledged.extend(messages);
        inputs
    }

    fn redacted(&self, inputs: Vec<QueuedInput>) -> Vec<QueuedInput> {
        let redact = |queued: QueuedInput| QueuedInput {
            input: self.redactor.redact(queued.input),
            message: queued.message,
        };
        inputs.into_iter().map(redact).collect()
    }
}

impl InputSource for LocalHost {
    fn now(&self) -> Timestamp {
        self.journal.clock.now()
    }

    fn waiting_inputs(&mut self, run: &Run) -> Result<Vec<QueuedInput>, DriveError> {
        let inputs = self.poll_commands(run)?;
        Ok(self.redacted(inputs))
    }

    fn wait_for_inputs(
        &mut self,
        run: &Run,
        deadline: Option<Timestamp>,
    ) -> Result<Vec<QueuedInput>, DriveError> {
        let now = self.now();
        let patience = deadline.map_or(POLL_INTERVAL, |at| now.until(at).min(POLL_INTERVAL));
        let received = self.receive_inputs(patience);
        let commands = self.poll_commands(run)?;
        // A worker's last messages come before the end of its attempt.
        let mut inputs = self.read_mailboxes(run, &received);
        inputs.extend(received.into_iter().map(QueuedInput::from));
        inputs.extend(commands);
        Ok(self.redacted(inputs))
    }

    fn acknowledge_inputs(&mut self) {
        self.unacknowledged.drain(..).for_each(ReceivedMessage::remove);
    }

    fn is_person_present(&self) -> bool {
        self.presence.load(Ordering::Relaxed)
    }
}

impl Executor for LocalHost {
    fn perform(&mut self, effect: Effect, run: &Run) {
        self.executor.perform(effect, run);
    }

    fn cancel_all(&mut self) {
        self.executor.cancel_all();
    }
}

impl JournalSink for LocalHost {
    type Error = JournalError;

    fn store(&mut self, run: &Run, turn: &DecidedTurn) -> Result<StoredTurn, JournalError> {
        let stored = self.journal.store(run, turn)?;
        self.run_question_hooks(run, turn);
        Ok(stored)
    }
}

impl JournalSink for LocalJournal {
    type Error = JournalError;

    fn store(&mut self, run: &Run, turn: &DecidedTurn) -> Result<StoredTurn, JournalError> {
        let (now, wall_ms) = (self.clock.now(), wall_ms());
        let record = |event| to_record(run.id(), run.epoch(), now, wall_ms, event);
        let records: Vec<NewRecord> = turn.events.iter().map(record).collect();
        let answer = |it: &super::CommandAnswer| MessageAnswer {
            message: it.message,
            text: it.text.clone(),
        };
        let answers: Vec<MessageAnswer> = turn.answers.iter().map(answer).collect();
        let last = self.repo.journal.append_and_answer(&records, &answers)?;
        if turn.events.iter().any(|event| matches!(event, Event::HaltCleared)) {
            // A STOP file that resume does not clear would halt the run again at once.
            for file in stop_files(&self.repo.context, run) {
                let _ = fs::remove_file(file.path);
            }
        }
        Ok(StoredTurn { first_seq: last + 1 - records.len() as u64, wall_ms })
    }
}

impl LocalJournal {
    /// Commands for this run that were acknowledged and that no driver has carried out yet.
    pub(crate) fn pending_commands(
        &self,
        run: &Run,
    ) -> Result<Vec<(i64, ControlCommand)>, JournalError> {
        let commands = self.repo.journal.pending_messages()?.into_iter().filter_map(|message| {
            let command = serde_json::from_str::<ControlCommand>(&message.body).ok()?;
            (command.run() == run.id()).then_some((message.id, command))
        });
        Ok(commands.collect())
    }
}

/// The directory with `afresh` in it for the workers' PATH, and the one for process files.
pub(crate) fn prepare_tools(
    layout: &StateLayout,
    config: &ExecutionConfig,
) -> Result<(), DriveError> {
    let failed = |path: &std::path::Path| {
        let path = path.display().to_string();
        move |error| DriveError::Directory(path, error)
    };
    let processes = layout.processes();
    fs::create_dir_all(&processes).map_err(failed(&processes))?;
    let tools = layout.tools();
    fs::create_dir_all(&tools).map_err(failed(&tools))?;
    let link = tools.join("afresh");
    if fs::read_link(&link).is_ok_and(|target| target == config.exe) {
        return Ok(());
    }
    // Another driver may be doing the same: a rename replaces the link in one step.
    let fresh = tools.join(format!(".afresh-{}", std::process::id()));
    let _ = fs::remove_file(&fresh);
    std::os::unix::fs::symlink(&config.exe, &fresh).map_err(failed(&fresh))?;
    fs::rename(&fresh, &link).map_err(failed(&link))
}

impl std::fmt::Debug for LocalHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalHost").finish_non_exhaustive()
    }
}
