//! The client of agents that speak the Agent Client Protocol: starts one, talks to it, and writes down
//! every message.
//!
//! What is said is `afresh_agents::adapters::acp`'s; here are the pipes, the signals and the end.

mod child;
mod transcript;

use std::io::Write;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use afresh_agents::adapters::acp::{AcpConversation, ClientAction, SessionEnd, SessionParams};
use afresh_core::model_error::{ModelError, ModelErrorClass};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::consts::SIGKILL;

use child::{Agent, Heard};
use transcript::Transcript;

/// How long an agent that was asked to leave off may take to say so.
const CANCEL_GRACE: Duration = Duration::from_secs(2);

/// What a session came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Answered,
    NotAnswered,
    /// A signal ended the agent in the middle.
    Killed(i32),
}

pub(crate) fn converse(command: &[String], opening: SessionParams, out: impl Write) -> Outcome {
    let mut transcript = Transcript::new(out);
    let mut signal = None;
    let end = match Agent::start(command) {
        Ok((mut agent, heard)) => {
            let end = talk(AcpConversation::new(opening), &agent, &heard, &mut transcript);
            signal = agent.end(&heard, |heard| {
                transcript.heard(heard);
            });
            end
        }
        Err(error) => {
            let program = command.first().map_or("", String::as_str);
            failed(format!("cannot start {program:?}: {error}"))
        }
    };
    match (end, signal) {
        (SessionEnd::Answered, _) => Outcome::Answered,
        (SessionEnd::Refused, _) => Outcome::NotAnswered,
        (SessionEnd::Failed(_), Some(signal)) => {
            // Whoever was killed did not fail.
            transcript.note(&format!("signal {signal} ended the program"));
            Outcome::Killed(signal)
        }
        (SessionEnd::Failed(error), None) => {
            transcript.failed(&error);
            Outcome::NotAnswered
        }
    }
}

/// Ends us as the agent ended: for whoever started us, its end is ours.
pub(crate) fn die_by(signal: i32) {
    // One cannot be caught, and so not be passed on that way.
    if signal_hook::low_level::emulate_default_handler(signal).is_err() || signal == SIGKILL {
        let _ = kill(Pid::this(), Signal::SIGKILL);
    }
}

/// Until there is an answer, or none can come.
fn talk(
    mut conversation: AcpConversation,
    agent: &Agent,
    heard: &Receiver<Heard>,
    transcript: &mut Transcript<impl Write>,
) -> SessionEnd {
    let mut until = None;
    let mut steps = conversation.begin();
    loop {
        for step in steps {
            match step {
                ClientAction::Send(message) => {
                    transcript.sent(&message);
                    agent.say(&message);
                }
                ClientAction::Note(note) => transcript.note(&note),
                ClientAction::End(end) => return end,
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

fn stopped() -> SessionEnd {
    failed("it was stopped, and did not leave off".to_owned())
}

fn failed(why: String) -> SessionEnd {
    SessionEnd::Failed(ModelError::new(ModelErrorClass::Unknown, why))
}
