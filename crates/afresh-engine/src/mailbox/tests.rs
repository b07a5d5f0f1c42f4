//! Messages between a worker and the driver, as files in a temporary directory.

use std::fs;
use std::path::Path;

use afresh_core::event::LogLevel;
use afresh_core::ids::{AttemptId, CommitId, RunId, TaskId};
use afresh_core::plan::{PlanDraft, TaskDraft};
use afresh_core::run::settings::Settings;
use afresh_core::step::StepAnswer;
use afresh_core::time::Timestamp;
use afresh_core::{Event, Input, Plan, Run, decide};
use tempfile::TempDir;

use super::*;

/// A run in which `A.1` is at work, and the directory of its state.
struct Fixture {
    root: TempDir,
    run: Run,
}

impl Fixture {
    fn new() -> Self {
        let task = TaskDraft {
            id: "A".to_owned(),
            title: "task A".to_owned(),
            no_check: Some("prose".to_owned()),
            ..TaskDraft::default()
        };
        let draft = PlanDraft { name: "story".to_owned(), spec: None, tasks: vec![task] };
        let first = Event::RunStarted {
            run: RunId::new("r1").expect("an id"),
            branch: "afresh/r1".to_owned(),
            base: CommitId::new("0".repeat(40)).expect("an object id"),
            plan: Box::new(Plan::new(draft).expect("a plan")),
            settings: Box::new(Settings::default()),
        };
        let mut run = Run::start(&first).expect("a run");
        decide(&mut run, Timestamp(0), &Input::Opened(Box::default()));
        decide(&mut run, Timestamp(0), &Input::Spawned(attempt(1)));
        Self { root: tempfile::tempdir().expect("a directory"), run }
    }

    fn layout(&self) -> StateLayout {
        let root = self.root.path();
        StateLayout { state: root.join("s"), cache: root.join("c"), lock: root.join("l") }
    }

    fn mailbox(&self, number: u32) -> Mailbox {
        let directory = self.layout().worker(self.run.id(), &attempt(number));
        // The executor makes it before the worker starts.
        fs::create_dir_all(&directory).expect("a directory");
        Mailbox::for_attempt(directory)
    }

    fn collect(&self) -> Vec<ReceivedMessage> {
        MailboxReader::default().collect(&self.layout(), &self.run)
    }

    fn mail(&self) -> PathBuf {
        self.layout().worker(self.run.id(), &attempt(1)).join(MAIL)
    }
}

fn attempt(number: u32) -> AttemptId {
    AttemptId { task: TaskId::new("A").expect("an id"), number }
}

fn log(message: &str) -> WorkerMessage {
    let (level, event) = (LogLevel::Info, "note".to_owned());
    WorkerMessage::Log { level, event, message: message.to_owned() }
}

fn texts(received: &[ReceivedMessage]) -> Vec<String> {
    let logged = received.iter().filter_map(|it| match &it.input {
        Input::WorkerLogged { message, .. } => Some(message.clone()),
        _ => None,
    });
    logged.collect()
}

fn files(directory: &Path) -> usize {
    fs::read_dir(directory).map_or(0, Iterator::count)
}

/// PR-08.
#[test]
fn messages_are_received_in_the_order_in_which_they_were_sent() {
    let fixture = Fixture::new();
    for text in ["one", "two", "three"] {
        fixture.mailbox(1).send(&log(text)).expect("sent");
    }
    assert_eq!(texts(&fixture.collect()), ["one", "two", "three"]);
}

#[test]
fn a_worker_that_reported_nothing_has_no_messages() {
    assert!(Fixture::new().collect().is_empty());
}

/// EX-04.
#[test]
fn a_claimed_step_is_an_input_about_its_attempt() {
    let fixture = Fixture::new();
    fixture.mailbox(1).send(&WorkerMessage::Step { step: 2, deviations: vec![] }).expect("sent");
    let inputs: Vec<Input> = fixture.collect().into_iter().map(|it| it.input).collect();
    assert_eq!(inputs, [Input::StepClaimed { attempt: attempt(1), step: 2, deviations: vec![] }]);
}

/// R1: a message stays until what follows from it is stored.
#[test]
fn a_message_is_received_again_until_it_is_removed() {
    let fixture = Fixture::new();
    let sent = fixture.mailbox(1).send(&log("one")).expect("sent");
    assert_eq!(fixture.collect().len(), 1);
    let received = fixture.collect();
    assert!(sent.is_waiting());
    received.into_iter().for_each(ReceivedMessage::remove);
    assert!(!sent.is_waiting());
    assert!(fixture.collect().is_empty());
}

#[test]
fn a_message_that_is_withdrawn_is_not_received() {
    let fixture = Fixture::new();
    fixture.mailbox(1).send(&log("one")).expect("sent").withdraw();
    assert!(fixture.collect().is_empty());
}

/// R2: only the attempt at work is listened to.
#[test]
fn mail_of_another_attempt_is_not_read() {
    let fixture = Fixture::new();
    fixture.mailbox(2).send(&log("from the past")).expect("sent");
    assert!(fixture.collect().is_empty());
}

/// B36: messages are redacted before they are on disk.
#[test]
fn a_secret_never_reaches_the_disk() {
    let fixture = Fixture::new();
    let mailbox = fixture.mailbox(1).without(vec!["hunter2-hunter2".to_owned()]);
    let sent = mailbox.send(&log("it is hunter2-hunter2")).expect("sent");
    let text = fs::read_to_string(&sent.file).expect("a file");
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(texts(&fixture.collect()).len(), 1);
}

/// R15.
#[test]
fn a_message_that_is_too_long_is_refused_to_its_sender() {
    let fixture = Fixture::new();
    let error = fixture.mailbox(1).send(&log(&"x".repeat(20_000))).expect_err("too long");
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    assert!(error.to_string().contains("16384 bytes"), "{error}");
    assert!(fixture.collect().is_empty());
}

/// R15: what is too long or makes no sense is removed, not read again for ever.
#[test]
fn files_that_are_no_messages_are_removed() {
    let fixture = Fixture::new();
    fixture.mailbox(1).send(&log("good")).expect("sent");
    fs::write(fixture.mail().join("0.json"), "{").expect("a file");
    fs::write(fixture.mail().join("1.json"), r#"{"kind":"unknown"}"#).expect("a file");
    fs::write(fixture.mail().join("2.json"), "x".repeat(20_000)).expect("a file");
    assert_eq!(texts(&fixture.collect()), ["good"]);
    assert_eq!(files(&fixture.mail()), 1);
}

#[test]
fn files_that_are_still_being_written_are_left_alone() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.mail()).expect("a directory");
    fs::write(fixture.mail().join(".half.json"), "{").expect("a file");
    fs::write(fixture.mail().join("other.txt"), "{").expect("a file");
    assert!(fixture.collect().is_empty());
    assert_eq!(files(&fixture.mail()), 2);
}

/// B03: a message is a file, never a link to one.
#[test]
fn a_link_in_the_mailbox_is_not_followed() {
    let fixture = Fixture::new();
    let outside = fixture.root.path().join("outside.json");
    fs::write(&outside, serde_json::to_string(&log("secret")).expect("plain data"))
        .expect("a file");
    fs::create_dir_all(fixture.mail()).expect("a directory");
    std::os::unix::fs::symlink(&outside, fixture.mail().join("1.json")).expect("a link");
    assert!(fixture.collect().is_empty());
    assert!(outside.exists());
}

/// R15: a flood of messages is read in parts.
#[test]
fn at_most_a_hundred_messages_are_read_at_a_time() {
    let fixture = Fixture::new();
    for _ in 0..105 {
        fixture.mailbox(1).send(&log("again")).expect("sent");
    }
    let received = fixture.collect();
    assert_eq!(received.len(), MAX_NOTES);
    received.into_iter().for_each(ReceivedMessage::remove);
    assert_eq!(fixture.collect().len(), 5);
}

/// R15: after a thousand lines of one attempt, one line says so, and the rest is left out.
#[test]
fn a_worker_that_logs_without_end_is_cut_off_with_a_notice() {
    let mut reader = MailboxReader::default();
    let body = serde_json::to_vec(&log("again")).expect("plain data");
    let mut opened = |_| reader.open(&attempt(1), Ok(body.clone()));
    let inputs: Vec<Option<Input>> = (0..=MAX_LOG_LINES).map(&mut opened).collect();
    assert!(inputs[..MAX_LOG_LINES].iter().all(Option::is_some));
    assert!(inputs[MAX_LOG_LINES].is_none());
    let last = inputs[MAX_LOG_LINES - 1].clone();
    assert!(matches!(last, Some(Input::WorkerLogged { level: LogLevel::Warn, message, .. })
        if message.contains("left out")));
}

/// EX-04.
#[test]
fn an_answer_about_a_step_reaches_its_worker() {
    let fixture = Fixture::new();
    let mailbox = fixture.mailbox(1);
    assert_eq!(mailbox.answer(1), None);
    let refused = StepAnswer::Refused("the check failed".to_owned());
    mailbox.answer_step(1, &refused).expect("written");
    assert_eq!(mailbox.answer(1), Some(refused));
    assert_eq!(mailbox.answer(2), None);
}

#[test]
fn an_answer_to_an_earlier_claim_is_forgotten() {
    let fixture = Fixture::new();
    let mailbox = fixture.mailbox(1);
    mailbox.expect_answer(1).expect("nothing to forget");
    mailbox.answer_step(1, &StepAnswer::Accepted).expect("written");
    mailbox.expect_answer(1).expect("forgotten");
    assert_eq!(mailbox.answer(1), None);
}

/// AG-07: a warning is given once.
#[test]
fn a_notice_is_given_once() {
    let fixture = Fixture::new();
    let mailbox = fixture.mailbox(1);
    assert_eq!(mailbox.take_notice(), None);
    mailbox.notify("half of your context is used").expect("written");
    assert_eq!(mailbox.take_notice().as_deref(), Some("half of your context is used"));
    assert_eq!(mailbox.take_notice(), None);
}

/// BE-12, R2: comments are given once each, oldest first, and the driver learns which were read.
#[test]
fn comments_are_given_once_and_reported() {
    let fixture = Fixture::new();
    let mailbox = fixture.mailbox(1);
    assert!(mailbox.take_comments().is_empty());
    mailbox.leave_comment(10, "second").expect("written");
    mailbox.leave_comment(9, "first").expect("written");
    mailbox.notify("half of your context is used").expect("written");
    mailbox.answer_step(1, &StepAnswer::Accepted).expect("written");
    assert_eq!(mailbox.take_comments(), ["first", "second"]);
    assert!(mailbox.take_comments().is_empty());
    let received: Vec<Input> = fixture.collect().into_iter().map(|it| it.input).collect();
    assert_eq!(received, [9, 10].map(|number| Input::CommentRead(attempt(1), number)));
    assert!(mailbox.take_notice().is_some(), "a warning is something else");
    assert_eq!(mailbox.answer(1), Some(StepAnswer::Accepted), "so is an answer");
}

/// BE-12, R5: a link in the place of a comment leads nowhere, and stays unread.
#[test]
fn a_comment_is_never_read_through_a_link() {
    let fixture = Fixture::new();
    let mailbox = fixture.mailbox(1);
    mailbox.leave_comment(1, "real").expect("written");
    let answers = fixture.layout().worker(fixture.run.id(), &attempt(1)).join(ANSWERS);
    let precious = fixture.root.path().join("precious");
    fs::write(&precious, "mine").expect("written");
    std::os::unix::fs::symlink(&precious, answers.join("comment-0000000002.txt")).expect("a link");
    assert_eq!(mailbox.take_comments(), ["real"]);
    assert_eq!(fs::read_to_string(&precious).expect("still there"), "mine");
}
