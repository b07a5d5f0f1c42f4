//! Classifies Gemini's errors: a status truncated to an exit code, and an error body in the message.

use afresh_core::model_error::{ModelError, ModelErrorClass};

use crate::stream::errors::{
    class_by_body, class_by_status, is_missing_model, model_error, unexplained_exit,
};
use crate::stream::event::ProgramEnd;

/// Its own exit codes.
const LOGIN_REFUSED: i32 = 41;
const TURNS_USED_UP: i32 = 53;

/// Statuses whose lowest byte is this exit code.
const STATUSES: &[u64] = &[400, 401, 402, 403, 413, 429, 500, 502, 503, 504, 529];

/// Starts of its message for a model that could not be reached, or whose reply broke off.
const UNREACHED: &[&str] = &[
    "exception TypeError: fetch failed",
    "exception TypeError: terminated",
    "fetch failed",
    "terminated",
    "Premature close",
    "socket hang up",
    "read ECONNRESET",
    "other side closed",
];

/// What it says if it does not know how to log in: also if it ignored the settings that tell it.
const NO_LOGIN: &str = "Invalid auth method selected";

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
        (_, Some(failed)) if is_unreached(&failed.message) => ModelErrorClass::Network,
        (_, Some(failed)) => class_by_body(&failed.message)
            .or_else(|| by_sentence(&failed.message))
            .or_else(|| by_reported_code(end.stderr))
            .unwrap_or_else(|| by_exit(end.exit)),
        (Some(_), None) if by_exit(end.exit) == ModelErrorClass::Unknown => {
            return unexplained_exit(end);
        }
        (exit, None) => by_exit(exit),
    };
    if end.exit == Some(LOGIN_REFUSED) && message.contains(NO_LOGIN) {
        let hint = "it ignores afresh's settings if HOME is below a directory that all users may write to, such as /tmp";
        return Some(ModelError::new(class, format!("{} ({hint})", message.trim_end_matches('.'))));
    }
    Some(model_error(class, message))
}

/// The words inside of `[API Error: …]`.
fn api_error(message: &str) -> Option<&str> {
    message.strip_prefix("[API Error: ").map(|rest| rest.trim_end_matches(']'))
}

fn is_unreached(message: &str) -> bool {
    api_error(message).is_some_and(|words| UNREACHED.iter().any(|start| words.starts_with(start)))
}

fn by_sentence(message: &str) -> Option<ModelErrorClass> {
    let missing = api_error(message).is_some_and(is_missing_model);
    missing.then_some(ModelErrorClass::ModelNotFound)
}

/// The status at the end of the error that it prints: `  code: 404`.
fn by_reported_code(stderr: &str) -> Option<ModelErrorClass> {
    let mut lines = stderr.lines().rev().take(5);
    let status = lines.find_map(|line| line.trim().strip_prefix("code: ")?.parse().ok())?;
    (400..600).contains(&status).then(|| class_by_status(status))
}

fn by_exit(exit: Option<i32>) -> ModelErrorClass {
    let code = exit.and_then(|code| u64::try_from(code).ok());
    let status = STATUSES.iter().find(|status| Some(*status & 0xff) == code);
    status.map_or(ModelErrorClass::Unknown, |status| class_by_status(*status))
}

fn last_line(text: &str) -> &str {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default()
}
