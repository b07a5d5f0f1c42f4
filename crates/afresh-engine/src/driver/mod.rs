//! The loop: decide → record → perform → wait for the next input or deadline.

pub(crate) mod clock;
pub mod control;
pub(crate) mod redact_input;
pub mod reporter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use std::{fs, io};

use afresh_core::ids::RunId;
use afresh_core::input::RunOpening;
use afresh_core::run::DriveState;
use afresh_core::time::Timestamp;
use afresh_core::{Effect, Event, Input, Run, decide};
use afresh_git::PoolError;
use afresh_process::become_subreaper;
use afresh_store::{Answer, JournalError, NewRecord};

use crate::driver::clock::{RunClock, wall_ms};
use crate::driver::control::ControlCommand;
use crate::driver::redact_input::InputRedactor;
use crate::driver::reporter::{RecordedEvent, Reporter};
use crate::execution_config::ExecutionConfig;
use crate::executor::{CancelRegistry, CheckSlots, ExecutorContext, LocalExecutor};
use crate::journal_records;
use crate::layout::StateLayout;
use crate::mailbox::{MailboxReader, ReceivedMessage};
use crate::session::{LockedRepo, OpenRun, UnreportedEvent, job_prefix, pool};

/// How often the inbox and the STOP file are looked at while nothing happens.
const LOOK_AROUND: Duration = Duration::from_millis(100);

/// What the loop waits for.
#[derive(Debug)]
pub enum Mail {
    Input(Box<Input>),
}

#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// Nothing was acknowledged that is not stored; the next driver goes on from there.
    #[error("the journal could not be written; everything was stopped and nothing is lost")]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Pool(#[from] PoolError),
    #[error("cannot prepare {0}")]
    Directory(String, #[source] io::Error),
}

/// Drives one run until nothing more can happen by itself.
pub struct Driver {
    taken: LockedRepo,
    run: Run,
    clock: RunClock,
    /// The moment that the last decisions were made for.
    decided_at: Timestamp,
    world: LocalExecutor,
    mail: Receiver<Mail>,
    mailer: Sender<Mail>,
    watchers: Vec<Box<dyn Reporter>>,
    inbox_version: Option<i64>,
    mail_seen: Instant,
    postman: MailboxReader,
    redactor: InputRedactor,
    /// Whether somebody is there who could answer questions.
    presence: Arc<AtomicBool>,
}

/// One input, and the message of the inbox that it came from.
type Post = (Input, Option<i64>);

impl Driver {
    pub fn new(
        open: OpenRun,
        rules: ExecutionConfig,
        watchers: Vec<Box<dyn Reporter>>,
    ) -> Result<Self, DriveError> {
        let OpenRun { taken, run, last_at, unseen } = open;
        let layout = taken.workplace.layout.clone();
        prepare_tools(&layout, &rules)?;
        let redactor = InputRedactor::new(rules.secrets());
        let (mailer, mail) = channel();
        let shared = ExecutorContext {
            run: run.id().clone(),
            pool: pool(&taken.workplace)?,
            stoppers: CancelRegistry::default(),
            desk: CheckSlots::new(rules.checks_parallel),
            tools: std::sync::OnceLock::new(),
            crowd: afresh_proxy::Crowd::default(),
            job_prefix: job_prefix(&taken.workplace.repository),
            layout,
            rules,
        };
        let world = LocalExecutor::new(shared, mailer.clone());
        let clock = RunClock::after(last_at);
        let decided_at = clock.now();
        let mut driver = Self {
            taken,
            run,
            clock,
            decided_at,
            world,
            mail,
            mailer,
            watchers,
            inbox_version: None,
            mail_seen: Instant::now(),
            postman: MailboxReader::default(),
            redactor,
            presence: Arc::default(),
        };
        for UnreportedEvent { seq, wall_ms, event } in &unseen {
            driver.show(*seq, *wall_ms, event);
        }
        Ok(driver)
    }

    /// Where signals and other sources put what they have to say.
    pub fn mailer(&self) -> Sender<Mail> {
        self.mailer.clone()
    }

    /// For as long as `presence` is true, questions are waited for; otherwise the drive ends with
    /// them open.
    pub fn wait_for_answers(&mut self, presence: Arc<AtomicBool>) {
        self.presence = presence;
    }

    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Takes the run up and drives it until nothing more can happen by itself.
    pub fn drive(&mut self, opening: RunOpening) -> Result<DriveState, DriveError> {
        // If a supervisor is killed, its orphans come to us, and we can end them.
        let _ = become_subreaper();
        let (mut posts, later): (Vec<Post>, Vec<Post>) = self
            .look_around()?
            .into_iter()
            // A halt that waits already must come before anything starts.
            .partition(|(input, _)| matches!(input, Input::HaltAsked { .. }));
        posts.push((Input::Opened(Box::new(opening)), None));
        posts.extend(later);
        self.turn(posts)?;
        let mut waits = false;
        loop {
            // A moment that passed while we wrote to the disk still has to wake us.
            match self.run.standing(self.decided_at) {
                DriveState::Busy => waits = false,
                DriveState::Waiting if self.presence.load(Ordering::Relaxed) => {
                    if !std::mem::replace(&mut waits, true) {
                        self.watchers.iter_mut().for_each(|watcher| watcher.waits(&self.run));
                    }
                }
                ended => {
                    self.watchers.iter_mut().for_each(|watcher| watcher.ended(&self.run));
                    return Ok(ended);
                }
            }
            let wake = self.run.wake_at(self.decided_at);
            let now = self.clock.now();
            let patience = wake.map_or(LOOK_AROUND, |at| now.until(at).min(LOOK_AROUND));
            let mut posts = Vec::new();
            match self.mail.recv_timeout(patience) {
                Ok(Mail::Input(input)) => posts.push((*input, None)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("we hold a sender ourselves"),
            }
            // What came meanwhile shares one write to the disk.
            while let Ok(Mail::Input(input)) = self.mail.try_recv() {
                posts.push((*input, None));
            }
            posts.extend(self.look_around()?);
            let letters = self.collect_mail(&posts);
            // Before what ended meanwhile: a worker's last words belong to it.
            posts.splice(0..0, letters.iter().map(|letter| (letter.input.clone(), None)));
            if wake.is_some_and(|at| at <= self.clock.now()) {
                posts.push((Input::Woke, None));
            }
            if !posts.is_empty() {
                self.turn(posts)?;
            }
            letters.into_iter().for_each(ReceivedMessage::remove);
        }
    }

    /// Decides on every input, stores all that follows in one write, and only then performs it.
    fn turn(&mut self, posts: Vec<Post>) -> Result<(), DriveError> {
        let mut events = Vec::new();
        let mut effects = Vec::new();
        let mut answers = Vec::new();
        let now = self.clock.now();
        self.decided_at = now;
        for (input, message) in posts {
            let input = self.redactor.redact(input);
            let reaction = decide(&mut self.run, now, &input);
            events.extend(reaction.events);
            effects.extend(reaction.effects);
            match (message, reaction.refusal) {
                (Some(message), refusal) => {
                    let text = refusal.unwrap_or_else(|| "ok".to_owned());
                    answers.push(Answer { message, text });
                }
                (None, Some(why)) => self.watchers.iter_mut().for_each(|w| w.refused(&why)),
                (None, None) => {}
            }
        }
        if !events.is_empty() || !answers.is_empty() {
            self.record(&events, &answers)?;
        }
        self.after(&events);
        for effect in effects {
            self.perform(effect);
        }
        Ok(())
    }

    fn record(&mut self, events: &[Event], answers: &[Answer]) -> Result<(), DriveError> {
        let (now, wall) = (self.clock.now(), wall_ms());
        let id = self.run.id().clone();
        let epoch = self.run.epoch();
        let new: Vec<NewRecord> = events
            .iter()
            .map(|event| journal_records::to_record(&id, epoch, now, wall, event))
            .collect();
        let last = match self.taken.journal.append_and_answer(&new, answers) {
            Ok(last) => last,
            Err(error) => {
                // What is not stored must not go on happening.
                self.world.kill_all();
                return Err(error.into());
            }
        };
        let first = last + 1 - new.len() as u64;
        for (seq, event) in (first..).zip(events) {
            self.show(seq, wall, event);
        }
        Ok(())
    }

    fn show(&mut self, seq: u64, wall_ms: i64, event: &Event) {
        for watcher in &mut self.watchers {
            watcher.recorded(&RecordedEvent { seq, wall_ms, event, run: &self.run });
        }
    }

    /// Files that follow from what was recorded.
    fn after(&self, events: &[Event]) {
        if events.iter().any(|event| matches!(event, Event::HaltCleared)) {
            // A STOP file that resume does not clear would halt the run again at once.
            let _ = fs::remove_file(self.taken.workplace.layout.stop_file());
        }
    }

    fn perform(&self, effect: Effect) {
        self.world.perform(effect, &self.run);
    }

    /// What workers have said; looked for now and then, and whenever one has ended.
    fn collect_mail(&mut self, posts: &[Post]) -> Vec<ReceivedMessage> {
        let ended = posts.iter().any(|(input, _)| matches!(input, Input::AttemptEnded(..)));
        if !ended && self.mail_seen.elapsed() < LOOK_AROUND {
            return Vec::new();
        }
        self.mail_seen = Instant::now();
        self.postman.collect(&self.taken.workplace.layout, &self.run)
    }

    /// What other terminals want: the inbox and the STOP file.
    fn look_around(&mut self) -> Result<Vec<Post>, DriveError> {
        let mut posts = Vec::new();
        if self.run.halt().is_none() && self.taken.workplace.layout.stop_file().exists() {
            let reason = "a STOP file was found".to_owned();
            posts.push((Input::HaltAsked { now: false, reason, by: "STOP file".to_owned() }, None));
        }
        let version = self.taken.journal.data_version()?;
        if self.inbox_version != Some(version) {
            self.inbox_version = Some(version);
            posts.extend(self.read_inbox()?);
        }
        Ok(posts)
    }

    fn read_inbox(&mut self) -> Result<Vec<Post>, DriveError> {
        let mut posts = Vec::new();
        for message in self.taken.journal.pending()? {
            match serde_json::from_str::<ControlCommand>(&message.body) {
                Ok(order) if order.run() == self.run.id() => {
                    posts.push((order.to_input(), Some(message.id)));
                }
                // It waits for whoever drives that run next.
                Ok(_) => {}
                Err(error) => self.refuse(message.id, &format!("not an order: {error}")),
            }
        }
        Ok(posts)
    }

    fn refuse(&mut self, message: i64, why: &str) {
        // A message that cannot be answered now is looked at again later.
        let _ = self.taken.journal.answer(message, why);
    }
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").field("run", self.run.id()).finish_non_exhaustive()
    }
}

/// Applies an order to a run that nobody drives, after those that wait for it in the inbox already.
/// `sent` is its own message there, if it was sent. The refusal, if it cannot be carried out.
pub fn apply_order(
    open: OpenRun,
    order: &ControlCommand,
    sent: Option<i64>,
    watchers: &mut [Box<dyn Reporter>],
) -> Result<Option<String>, JournalError> {
    let OpenRun { mut taken, mut run, last_at, .. } = open;
    let clock = RunClock::after(last_at);
    let mut orders = waiting_orders(&taken, run.id())?;
    if !orders.iter().any(|(message, _)| sent.is_some() && *message == sent) {
        orders.push((None, order.clone()));
    }
    let (mut events, mut answers, mut refusal) = (Vec::new(), Vec::new(), None);
    for (message, order) in orders {
        let reaction = decide(&mut run.clone(), clock.now(), &order.to_input());
        // Effects are not performed: the next driver asks for them again. What would start does not,
        // and the next order finds it so.
        for event in reaction.events.into_iter().filter(|event| !starts_something(event)) {
            run.apply(&event);
            events.push(event);
        }
        if let Some(message) = message {
            let text = reaction.refusal.clone().unwrap_or_else(|| "ok".to_owned());
            answers.push(Answer { message, text });
        }
        if message == sent {
            refusal = reaction.refusal;
        }
    }
    let (id, epoch, now, wall_ms) = (run.id().clone(), run.epoch(), clock.now(), wall_ms());
    let new: Vec<NewRecord> = events
        .iter()
        .map(|event| journal_records::to_record(&id, epoch, now, wall_ms, event))
        .collect();
    if !new.is_empty() || !answers.is_empty() {
        let last = taken.journal.append_and_answer(&new, &answers)?;
        for (seq, event) in (last + 1 - new.len() as u64..).zip(&events) {
            for watcher in &mut *watchers {
                watcher.recorded(&RecordedEvent { seq, wall_ms, event, run: &run });
            }
        }
        for watcher in watchers {
            watcher.ended(&run);
        }
    }
    if events.iter().any(|event| matches!(event, Event::HaltCleared)) {
        let _ = fs::remove_file(taken.workplace.layout.stop_file());
    }
    Ok(refusal)
}

/// Orders for this run that were acknowledged, and that no driver has carried out yet.
fn waiting_orders(
    taken: &LockedRepo,
    run: &RunId,
) -> Result<Vec<(Option<i64>, ControlCommand)>, JournalError> {
    let orders = taken.journal.pending()?.into_iter().filter_map(|message| {
        let order = serde_json::from_str::<ControlCommand>(&message.body).ok()?;
        (order.run() == run).then_some((Some(message.id), order))
    });
    Ok(orders.collect())
}

/// Without a driver nothing is started: what could start does so when the run is taken up.
fn starts_something(event: &Event) -> bool {
    matches!(event, Event::AttemptStarting { .. } | Event::FinalChecksStarted { .. })
}

/// The directory with `afresh` in it for the workers' PATH, and the one for process files.
fn prepare_tools(layout: &StateLayout, rules: &ExecutionConfig) -> Result<(), DriveError> {
    let failed = |path: &std::path::Path| {
        let path = path.display().to_string();
        move |error| DriveError::Directory(path, error)
    };
    let processes = layout.processes();
    fs::create_dir_all(&processes).map_err(failed(&processes))?;
    let tools = layout.tools();
    fs::create_dir_all(&tools).map_err(failed(&tools))?;
    let link = tools.join("afresh");
    if fs::read_link(&link).is_ok_and(|target| target == rules.exe) {
        return Ok(());
    }
    // Another driver may be doing the same: a rename replaces in one step.
    let fresh = tools.join(format!(".afresh-{}", std::process::id()));
    let _ = fs::remove_file(&fresh);
    std::os::unix::fs::symlink(&rules.exe, &fresh).map_err(failed(&fresh))?;
    fs::rename(&fresh, &link).map_err(failed(&link))
}
