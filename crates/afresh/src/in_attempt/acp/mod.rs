//! The client for agents that speak the Agent Client Protocol: starts one, talks to it, and records every
//! message.
//!
//! The conversation is in `afresh_agents::adapters::acp`; this is about pipes, signals and the end.

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

use child::{AgentMessage, AgentProcess};
use transcript::SessionTranscript;

/// How long a cancelled agent may take to confirm.
const CANCEL_GRACE: Duration = Duration::from_secs(2);

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionOutcome {
    Answered,
    NotAnswered,
    /// A signal ended the agent early.
    Killed(i32),
}

pub(crate) fn converse(
    command: &[String],
    opening: SessionParams,
    out: impl Write,
) -> SessionOutcome {
    let mut transcript = SessionTranscript::new(out);
    let mut signal = None;
    let end = match AgentProcess::start(command) {
        Ok((mut agent, heard)) => {
            let end = talk(AcpConversation::new(opening), &agent, &heard, &mut transcript);
            signal = agent.end(&heard, |heard| {
                transcript.heard(heard);
            });
            end
        }
        Err(error) => {
            let program = command.first().map_or("", String::as_str);
            let why = format!("cannot start {program:?}: {error}");
            SessionEnd::Failed(ModelError::new(ModelErrorClass::NotStarted, why))
        }
    };
    match (end, signal) {
        (SessionEnd::Answered, _) => SessionOutcome::Answered,
        (SessionEnd::Refused, _) => SessionOutcome::NotAnswered,
        (SessionEnd::Failed(_), Some(signal)) => {
            // A killed agent did not fail.
            transcript.note(&format!("signal {signal} ended the program"));
            SessionOutcome::Killed(signal)
        }
        (SessionEnd::Failed(error), None) => {
            transcript.failed(&error);
            SessionOutcome::NotAnswered
        }
    }
}

/// Ends this process the same way, so that its parent sees how the agent ended.
pub(crate) fn die_by(signal: i32) {
    // SIGKILL cannot be raised with a default handler.
    if signal_hook::low_level::emulate_default_handler(signal).is_err() || signal == SIGKILL {
        let _ = kill(Pid::this(), Signal::SIGKILL);
    }
}

/// Continues until there is a result, or none can come.
fn talk(
    mut conversation: AcpConversation,
    agent: &AgentProcess,
    heard: &Receiver<AgentMessage>,
    transcript: &mut SessionTranscript<impl Write>,
) -> SessionEnd {
    let mut until = None;
    let mut steps = conversation.start();
    loop {
        for step in steps {
            match step {
                ClientAction::Send(message) => {
                    transcript.sent(&message);
                    agent.send(&message);
                }
                ClientAction::Note(note) => transcript.note(&note),
                ClientAction::End(end) => return end,
            }
        }
        // Our standard output is closed: the program that started us is gone.
        if transcript.is_broken() {
            return failed("its output cannot be recorded".to_owned());
        }
        let next = next(heard, until);
        let message = transcript.heard(&next);
        steps = match next {
            AgentMessage::Line(_) => {
                message.map_or_else(Vec::new, |message| conversation.handle_message(&message))
            }
            AgentMessage::TooLong => Vec::new(),
            AgentMessage::Gone => {
                return failed(format!("the program ended {}", conversation.waiting_for()));
            }
            // After a second signal it is not waited for.
            AgentMessage::Stop if until.is_some() => return stopped(),
            AgentMessage::Stop => {
                until = Some(Instant::now() + CANCEL_GRACE);
                conversation.cancel()
            }
            AgentMessage::TimeIsUp => return stopped(),
        };
    }
}

fn next(heard: &Receiver<AgentMessage>, until: Option<Instant>) -> AgentMessage {
    let Some(until) = until else { return heard.recv().unwrap_or(AgentMessage::Gone) };
    match heard.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(heard) => heard,
        Err(RecvTimeoutError::Timeout) => AgentMessage::TimeIsUp,
        Err(RecvTimeoutError::Disconnected) => AgentMessage::Gone,
    }
}

fn stopped() -> SessionEnd {
    failed("it was cancelled and did not stop".to_owned())
}

fn failed(why: String) -> SessionEnd {
    SessionEnd::Failed(ModelError::new(ModelErrorClass::Unknown, why))
}
