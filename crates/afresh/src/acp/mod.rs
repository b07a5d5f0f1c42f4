//! The client of agents that speak the Agent Client Protocol: starts one, talks to it, and writes down
//! every message.
//!
//! What is said is `afresh_agents::acp`'s; here are the pipes, the signals and the end.

mod child;
mod transcript;

use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use afresh_agents::acp::{Conversation, End, Opening, Step};
use afresh_core::model_error::{ErrorClass, ModelError};

use child::{Agent, Heard};
use transcript::Transcript;

/// How long an agent that was asked to leave off may take to say so.
const CANCEL_GRACE: Duration = Duration::from_secs(2);

/// Whether the prompt was answered.
pub(crate) fn converse(command: &[String], opening: Opening, out: impl Write) -> bool {
    let mut transcript = Transcript::new(out);
    let end = match Agent::start(command) {
        Ok((mut agent, heard)) => {
            let end = talk(Conversation::new(opening), &agent, &heard, &mut transcript);
            agent.end(&heard, |heard| {
                transcript.heard(heard);
            });
            end
        }
        Err(error) => {
            let program = command.first().map_or("", String::as_str);
            failed(format!("cannot start {program:?}: {error}"))
        }
    };
    if let End::Failed(error) = &end {
        transcript.failed(error);
    }
    end == End::Answered
}

/// Until there is an answer, or none can come.
fn talk(
    mut conversation: Conversation,
    agent: &Agent,
    heard: &Receiver<Heard>,
    transcript: &mut Transcript<impl Write>,
) -> End {
    let mut until = None;
    let mut steps = conversation.begin();
    loop {
        for step in steps {
            match step {
                Step::Send(message) => {
                    transcript.sent(&message);
                    agent.say(&message);
                }
                Step::Note(note) => transcript.note(&note),
                Step::End(end) => return end,
            }
        }
        // Nobody reads what we write: whoever started us has gone.
        if transcript.is_broken() {
            return failed("its output cannot be written".to_owned());
        }
        let next = next(heard, until);
        let message = transcript.heard(&next);
        steps = match next {
            Heard::Line(_) => message.map_or_else(Vec::new, |message| conversation.heard(&message)),
            Heard::TooLong => Vec::new(),
            Heard::Gone => {
                return failed(format!("the program ended {}", conversation.awaits()));
            }
            // Asked twice, it is not waited for.
            Heard::Stop if until.is_some() => return stopped(),
            Heard::Stop => {
                until = Some(Instant::now() + CANCEL_GRACE);
                conversation.cancel()
            }
            Heard::TimeIsUp => return stopped(),
        };
    }
}

fn next(heard: &Receiver<Heard>, until: Option<Instant>) -> Heard {
    let Some(until) = until else { return heard.recv().unwrap_or(Heard::Gone) };
    match heard.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(heard) => heard,
        Err(RecvTimeoutError::Timeout) => Heard::TimeIsUp,
        Err(RecvTimeoutError::Disconnected) => Heard::Gone,
    }
}

fn stopped() -> End {
    failed("it was stopped, and did not leave off".to_owned())
}

fn failed(why: String) -> End {
    End::Failed(ModelError::new(ErrorClass::Unknown, why))
}
