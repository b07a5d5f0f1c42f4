//! A run's questions in its own terminal: each is shown as it comes up, and answered by typing.
//!
//! Without a terminal, or from another one, `afresh decide` does the same; the driver sees no
//! difference.

use std::io::{BufRead, ErrorKind, stdin};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use afresh_core::ids::QuestionId;
use afresh_core::question::{Question, QuestionTopic};
use afresh_core::{Event, Input, Run};
use afresh_engine::{RecordedEvent, Reporter};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, poll};

use crate::terminal::foreground;
use crate::terminal::live::tty_mode;
use crate::terminal::live::typed_line::{TypedEvent, TypedLine};
use crate::terminal::output::{Output, Paint, safe};
use afresh_app::context::user_name;

/// How often a job in the background checks that it still is.
const GLANCE: Duration = Duration::from_millis(500);
/// How soon typing is left to others once the drive has ended.
const GLANCE_MS: u8 = 100;

const NOTHING_OPEN: &str = "nothing waits for an answer; STOP halts the run";

/// What Ctrl-C ends at a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TerminalRole {
    /// The run is driven from here.
    Driver,
    /// Another process drives it.
    View,
}

/// What can be read next.
enum NextKeys {
    Bytes(Vec<u8>),
    /// The input is closed.
    End,
    /// Another job has the terminal.
    TerminalTaken,
    DriveEnded,
}

/// The user at this terminal.
#[derive(Debug, Clone)]
pub(crate) struct TerminalUser {
    output: Output,
    role: TerminalRole,
    open: Arc<Mutex<Vec<Question>>>,
    /// What is being typed below the live region.
    typed: Arc<Mutex<String>>,
    /// Whether the input is still open.
    there: Arc<AtomicBool>,
    has_ended: Arc<AtomicBool>,
}

impl TerminalUser {
    /// None without a terminal.
    pub(crate) fn at_terminal(output: &Output, role: TerminalRole) -> Option<Self> {
        output.is_interactive().then(|| Self {
            output: output.clone(),
            role,
            open: Arc::default(),
            typed: Arc::default(),
            there: Arc::new(AtomicBool::new(true)),
            has_ended: Arc::default(),
        })
    }

    /// For the driver: whether it is worth waiting for an answer.
    pub(crate) fn presence(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.there)
    }

    /// Reads answers until the drive ends.
    pub(crate) fn listen(&self, inputs: Sender<Input>) {
        let person = self.clone();
        if person.output.region().is_active() {
            tty_mode::enable();
        }
        thread::spawn(move || {
            foreground::fail_in_background();
            person.read_answers(|input| inputs.send(input).is_ok());
        });
    }

    fn read_answers(&self, send: impl Fn(Input) -> bool) {
        let mut typed = TypedLine::default();
        loop {
            let events = match self.next_keys() {
                NextKeys::Bytes(bytes) => typed.feed(&bytes),
                NextKeys::DriveEnded => return,
                NextKeys::TerminalTaken => {
                    if !self.wait_for_terminal(&send) {
                        return;
                    }
                    if self.output.region().is_active() {
                        tty_mode::enable();
                    }
                    continue;
                }
                NextKeys::End => typed.end(),
            };
            for event in events {
                let heard = match event {
                    TypedEvent::Line(line) => self.understand(&line).is_none_or(&send),
                    TypedEvent::End => {
                        self.output.region().show_input(None);
                        tty_mode::restore();
                        self.leaves(&send);
                        return;
                    }
                };
                if !heard {
                    return;
                }
            }
            typed.text().clone_into(&mut self.typed.lock().unwrap_or_else(PoisonError::into_inner));
            self.offer_to_type();
        }
    }

    /// Never waits in a read: what is typed after the end of the drive is for others.
    fn next_keys(&self) -> NextKeys {
        loop {
            if self.has_ended.load(Ordering::Relaxed) {
                return NextKeys::DriveEnded;
            }
            if foreground::is_taken() {
                return NextKeys::TerminalTaken;
            }
            let input = stdin();
            let mut wanted = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
            match poll(&mut wanted, GLANCE_MS) {
                Ok(0) | Err(Errno::EINTR) => continue,
                Ok(_) => {}
                Err(_) => return NextKeys::End,
            }
            let mut reader = input.lock();
            let bytes = match reader.fill_buf() {
                Ok([]) => return NextKeys::End,
                Ok(bytes) => bytes.to_vec(),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) if foreground::is_taken() => return NextKeys::TerminalTaken,
                Err(_) => return NextKeys::End,
            };
            reader.consume(bytes.len());
            return NextKeys::Bytes(bytes);
        }
    }

    /// Waits until the terminal is ours again. False once the driver is gone.
    fn wait_for_terminal(&self, send: impl Fn(Input) -> bool) -> bool {
        let mut heard = self.leaves(&send);
        while heard && foreground::is_taken() {
            thread::sleep(GLANCE);
            heard = send(Input::Woke);
        }
        self.there.store(true, Ordering::Relaxed);
        heard
    }

    fn leaves(&self, send: impl Fn(Input) -> bool) -> bool {
        self.there.store(false, Ordering::Relaxed);
        // Wakes the driver, which may be waiting for nothing else.
        send(Input::Woke)
    }

    /// Shows what is typed, behind the question that a bare answer goes to.
    fn offer_to_type(&self) {
        if !tty_mode::is_enabled() {
            return;
        }
        let typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let prompt = match self.open().first() {
            Some(question) => format!("answer {}> {typed}", question.id),
            None if typed.is_empty() => return self.output.region().show_input(None),
            None => format!("> {typed}"),
        };
        self.output.region().show_input(Some(prompt));
    }

    /// Shows a question that has not been shown yet.
    fn show_new(&self, question: &Question) {
        let mut open = self.open();
        if open.iter().any(|shown| shown.id == question.id) {
            return;
        }
        open.push(question.clone());
        let others = open.len() - 1;
        drop(open);
        self.show(question, others);
    }

    fn show(&self, question: &Question, others: usize) {
        let mark = self.output.paint(Paint::Yellow, &format!("? {}", question.id));
        let mut lines = question.text.lines();
        self.output.note(&format!("\n{mark} {}", safe(lines.next().unwrap_or_default())));
        for line in lines {
            self.output.note(&format!("     {}", safe(line)));
        }
        for (number, option) in question.options.iter().enumerate() {
            let (key, text) = (safe(&option.key), safe(&option.description));
            self.output.note(&format!("  {:>2}  {key}: {text}", number + 1));
        }
        if let Some(where_to_look) = where_to_look(question) {
            self.output.note(&self.output.paint(Paint::Dim, &format!("      {where_to_look}")));
        }
        let how = match others {
            // Its answer `stop` ends the run.
            0 if question.offers("stop") => {
                let ends = match self.role {
                    TerminalRole::Driver => "halts the run",
                    TerminalRole::View => "ends only the view",
                };
                format!("type a number or a word and Enter; Ctrl-C {ends}")
            }
            0 => "type a number or a word and Enter; STOP halts the run".to_owned(),
            _ => {
                format!("type `{} ANSWER` and Enter; a bare answer goes to the oldest", question.id)
            }
        };
        let free = match question.topic {
            QuestionTopic::Decision => "; `say: YOUR WORDS` answers in your own words",
            _ => "",
        };
        self.output.note(&self.output.paint(Paint::Dim, &format!("      {how}{free}\n")));
    }

    /// What still waits after an answer.
    fn name_open(&self) {
        let open = self.open();
        let ids: Vec<String> = open.iter().map(|question| question.id.to_string()).collect();
        drop(open);
        if !ids.is_empty() {
            let text = format!("still open: {} (? shows them)", ids.join(", "));
            self.output.note(&self.output.paint(Paint::Yellow, &format!("? {text}")));
        }
    }

    fn show_again(&self) {
        let open = self.open().clone();
        if open.is_empty() {
            self.output.note(&format!("      {NOTHING_OPEN}"));
        }
        for question in &open {
            self.show(question, open.len() - 1);
        }
    }

    /// What a typed line means.
    fn understand(&self, line: &str) -> Option<Input> {
        let line = line.trim();
        let is_answer = self.open().first().is_some_and(|question| question.offers("stop"));
        if line.eq_ignore_ascii_case("stop") && !is_answer {
            let (reason, by) = ("STOP was typed".to_owned(), user_name());
            return Some(Input::HaltAsked { now: false, reason, by });
        }
        if line.is_empty() {
            return None;
        }
        if line == "?" {
            self.show_again();
            return None;
        }
        let open = self.open();
        let read = addressed(&open, line).and_then(|(question, answer)| {
            // The driver interprets it again: it may be another question by then.
            question.interpret(answer).map_err(|refusal| refusal.to_string())?;
            let (question, answer) = (question.id, answer.to_owned());
            Ok(Input::Answered { question, answer, by: user_name() })
        });
        let again = if open.is_empty() { "" } else { " (? shows the question again)" };
        read.map_err(|why| self.output.note(&format!("      {why}{again}"))).ok()
    }

    fn open(&self) -> MutexGuard<'_, Vec<Question>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The question that a line is about, and the answer in it: `Q3 retry`, or a bare answer to the
/// oldest.
fn addressed<'q, 'l>(
    open: &'q [Question],
    line: &'l str,
) -> Result<(&'q Question, &'l str), String> {
    let named = line.split_once(char::is_whitespace).and_then(|(name, answer)| {
        let number = name.strip_prefix(['Q', 'q'])?.trim_end_matches(':').parse().ok()?;
        Some((QuestionId(number), answer.trim()))
    });
    let found = match named {
        // It may have been answered elsewhere meanwhile; it is no answer to another question.
        Some((id, answer)) => {
            let question = open.iter().find(|question| question.id == id);
            (question.ok_or(format!("there is no open question {id}"))?, answer)
        }
        None => (open.first().ok_or(NOTHING_OPEN)?, line),
    };
    Ok(found)
}

/// How to see what an attempt did.
pub(crate) fn where_to_look(question: &Question) -> Option<String> {
    let task = &question.task;
    matches!(
        question.topic,
        QuestionTopic::Failed
            | QuestionTopic::Timeout
            | QuestionTopic::Orphan
            | QuestionTopic::Obstacle(_)
    )
    .then(|| format!("`afresh logs {task}` shows what its workers did"))
}

impl Reporter for TerminalUser {
    fn drive_ended(&mut self, _run: &Run) {
        self.has_ended.store(true, Ordering::Relaxed);
        tty_mode::restore();
    }

    fn waiting_for_answers(&mut self, _run: &Run) {
        let open = self.open();
        let ids: Vec<String> = open.iter().map(|question| question.id.to_string()).collect();
        drop(open);
        let text = format!("Waiting for your answer to {}", ids.join(", "));
        self.output.note(&self.output.paint(Paint::Yellow, &format!("? {text}")));
    }

    fn event_recorded(&mut self, seen: &RecordedEvent<'_>) {
        // Answered, withdrawn, or outdated by a changed plan: no longer open.
        self.open().retain(|shown| seen.run.question(shown.id).is_some());
        match seen.event {
            Event::Opened { .. } => {
                seen.run.questions().for_each(|question| self.show_new(question));
            }
            // A policy may have answered it at once.
            Event::QuestionAsked { question } if seen.run.question(question.id).is_some() => {
                self.show_new(question);
            }
            Event::QuestionAnswered { .. } => self.name_open(),
            _ => {}
        }
        self.offer_to_type();
    }
}

#[cfg(test)]
mod tests {
    use afresh_core::ids::TaskId;
    use afresh_core::outcome::DecisionOption;

    use super::*;

    fn question(number: u32) -> Question {
        Question {
            id: QuestionId(number),
            task: TaskId::new("T").expect("an id"),
            topic: QuestionTopic::Decision,
            text: "which?".to_owned(),
            options: vec![DecisionOption::new("a", "this"), DecisionOption::new("b", "that")],
        }
    }

    /// HU-04: a bare answer goes to the oldest question, a named one to its own.
    #[test]
    fn a_line_is_an_answer_to_the_question_it_names_or_to_the_oldest() {
        let open = [question(3), question(5)];
        let about = |line| addressed(&open, line).map(|(q, answer)| (q.id.0, answer));
        assert_eq!(about("2"), Ok((3, "2")));
        assert_eq!(about("Q5 1"), Ok((5, "1")));
        assert_eq!(about("q5: something else"), Ok((5, "something else")));
        assert_eq!(about("Quite so"), Ok((3, "Quite so")));
        assert_eq!(about("Q9 b"), Err("there is no open question Q9".to_owned()));
        assert_eq!(addressed(&[], "a"), Err(NOTHING_OPEN.to_owned()));
    }
}
