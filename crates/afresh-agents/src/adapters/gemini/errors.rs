//! Classifies Gemini's errors: a status truncated to an exit code, and an error body in the message.

use afresh_core::model_error::{ModelError, ModelErrorClass};

use crate::stream::errors::{class_by_body, class_by_status, model_error, unexplained_exit};
use crate::stream::event::ProgramEnd;

/// Its own exit codes.
const LOGIN_REFUSED: i32 = 41;
const TURNS_USED_UP: i32 = 53;

/// Statuses whose lowest byte is this exit code.
const STATUSES: &[u64] = &[400, 401, 402, 403, 413, 429, 500, 502, 503, 504, 529];

/// Its message for an unreachable model, whatever the reason.
const UNREACHED: &str = "[API Error: exception TypeError: fetch failed";

/// Its message when it failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct GeminiFailure {
    pub(super) kind: String,
    pub(super) message: String,
}

pub(super) fn classify(failed: Option<&GeminiFailure>, end: &ProgramEnd<'_>) -> Option<ModelError> {
    let message = failed.map_or_else(|| last_line(end.stderr), |failed| failed.message.as_str());
    let class = match (end.exit, failed) {
        // A signal without a message: the sender knows why.
        (Some(0) | None, None) => return None,
        (Some(LOGIN_REFUSED), _) => ModelErrorClass::Auth,
        (Some(TURNS_USED_UP), _) => ModelErrorClass::ProgramLimit,
        (_, Some(failed)) if failed.kind == "FatalTurnLimitedError" => {
            ModelErrorClass::ProgramLimit
        }
        (_, Some(failed)) if failed.message.starts_with(UNREACHED) => ModelErrorClass::Network,
        (_, Some(failed)) => class_by_body(&failed.message).unwrap_or_else(|| by_exit(end.exit)),
        (Some(_), None) if by_exit(end.exit) == ModelErrorClass::Unknown => {
            return unexplained_exit(end);
        }
        (exit, None) => by_exit(exit),
    };
    Some(model_error(class, message))
}

fn by_exit(exit: Option<i32>) -> ModelErrorClass {
    let code = exit.and_then(|code| u64::try_from(code).ok());
    let status = STATUSES.iter().find(|status| Some(*status & 0xff) == code);
    status.map_or(ModelErrorClass::Unknown, |status| class_by_status(*status))
}

fn last_line(text: &str) -> &str {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default()
}
