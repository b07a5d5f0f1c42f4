//! A run's questions in its own terminal: each is shown as it comes up, and answered by typing.
//!
//! Without a terminal, or from another one, `afresh decide` does the same; the driver sees no
//! difference.

use std::io::{BufRead, stdin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use afresh_core::ids::QuestionId;
use afresh_core::question::Question;
use afresh_core::{Event, Input, Run};
use afresh_engine::{RecordedEvent, Reporter};

use crate::terminal::foreground;
use crate::terminal::output::{Output, Paint, safe};
use afresh_app::context::user_name;

/// How often a job in the background checks that it still is.
const GLANCE: Duration = Duration::from_millis(500);

/// The user at this terminal.
#[derive(Debug, Clone)]
pub(crate) struct TerminalUser {
    output: Output,
    open: Arc<Mutex<Vec<Question>>>,
    /// Whether the input is still open.
    there: Arc<AtomicBool>,
}

impl TerminalUser {
    /// None without a terminal.
    pub(crate) fn at_terminal(output: &Output) -> Option<Self> {
        output.is_interactive().then(|| Self {
            output: output.clone(),
            open: Arc::default(),
            there: Arc::new(AtomicBool::new(true)),
        })
    }

    /// For the driver: whether it is worth waiting for an answer.
    pub(crate) fn presence(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.there)
    }

    /// Shows open questions, and reads answers from now on.
    pub(crate) fn listen(&self, run: &Run, inputs: Sender<Input>) {
        for question in run.questions() {
            self.show(question);
        }
        let person = self.clone();
        thread::spawn(move || {
            foreground::fail_in_background();
            let send = |input| inputs.send(input).is_ok();
            for line in stdin().lock().lines() {
                let heard = match line {
                    Ok(line) => person.understand(&line).is_none_or(send),
                    Err(_) if foreground::is_taken() => person.wait_for_terminal(send),
                    Err(_) => break,
                };
                if !heard {
                    return;
                }
            }
            person.leaves(send);
        });
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

    fn show(&self, question: &Question) {
        let mut open = self.open();
        open.push(question.clone());
        let others = open.len() - 1;
        drop(open);
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
        let how = match others {
            0 => "type a number or a word and Enter; STOP halts the run".to_owned(),
            _ => {
                format!("type `{} ANSWER` and Enter; a bare answer goes to the oldest", question.id)
            }
        };
        self.output.note(&self.output.paint(Paint::Dim, &format!("      {how}\n")));
    }

    /// What a typed line means.
    fn understand(&self, line: &str) -> Option<Input> {
        let line = line.trim();
        if line.eq_ignore_ascii_case("stop") {
            let (reason, by) = ("STOP was typed".to_owned(), user_name());
            return Some(Input::HaltAsked { now: false, reason, by });
        }
        if line.is_empty() {
            return None;
        }
        let open = self.open();
        let (question, answer) = match addressed(&open, line) {
            Ok(found) => found,
            Err(why) => {
                self.output.note(&why);
                return None;
            }
        };
        let answer = in_words(question, answer);
        if answer == "clarify" && !question.is_for_who_asked(&answer) {
            self.output.note("      type `clarify: YOUR WORDS`");
            return None;
        }
        Some(Input::Answered { question: question.id, answer, by: user_name() })
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
        None => (open.first().ok_or("no open questions")?, line),
    };
    Ok(found)
}

/// A number stands for one of the options, unless it is the name of one.
fn in_words(question: &Question, answer: &str) -> String {
    if question.offers(answer) {
        return answer.to_owned();
    }
    let number = answer.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    match number.and_then(|at| question.options.get(at)) {
        Some(option) => option.key.clone(),
        None => answer.to_owned(),
    }
}

impl Reporter for TerminalUser {
    fn waiting_for_answers(&mut self, _run: &Run) {
        let open = self.open();
        let ids: Vec<String> = open.iter().map(|question| question.id.to_string()).collect();
        drop(open);
        let text = format!("Waiting for your answer to {}", ids.join(", "));
        self.output.note(&self.output.paint(Paint::Yellow, &format!("? {text}")));
    }

    fn event_recorded(&mut self, seen: &RecordedEvent<'_>) {
        match seen.event {
            // A policy may have answered it at once.
            Event::QuestionAsked { question } if seen.run.question(question.id).is_some() => {
                self.show(question);
            }
            Event::QuestionAnswered { question, .. } => {
                self.open().retain(|open| open.id != *question);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use afresh_core::ids::TaskId;
    use afresh_core::outcome::DecisionOption;
    use afresh_core::question::QuestionTopic;

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
        let about = |line| addressed(&open, line).map(|(q, answer)| (q.id.0, in_words(q, answer)));
        assert_eq!(about("2"), Ok((3, "b".to_owned())));
        assert_eq!(about("Q5 1"), Ok((5, "a".to_owned())));
        assert_eq!(about("q5: something else"), Ok((5, "something else".to_owned())));
        assert_eq!(about("Quite so"), Ok((3, "Quite so".to_owned())));
        assert_eq!(about("Q9 b"), Err("there is no open question Q9".to_owned()));
        assert_eq!(about("0"), Ok((3, "0".to_owned())));
        assert_eq!(addressed(&[], "a"), Err("no open questions".to_owned()));
    }

    /// HU-04: a number that names an option is that option, wherever it is in the list.
    #[test]
    fn the_name_of_an_option_comes_before_its_place() {
        let options = vec![
            DecisionOption::new("2", "two"),
            DecisionOption::new("1", "one"),
            DecisionOption::new("c", ""),
        ];
        let question = Question { options, ..question(1) };
        assert_eq!(["1", "2", "3"].map(|line| in_words(&question, line)), ["1", "2", "c"]);
    }
}
