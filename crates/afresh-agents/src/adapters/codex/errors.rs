//! Classifies Codex's errors, which are sentences of the program, by their start.

use afresh_core::model_error::{ModelError, ModelErrorClass};

use crate::stream::errors;

/// The prefix of an error that it retries.
const RECONNECTING: &str = "Reconnecting...";

/// Whether it waits for its model to be reachable, which it does forever.
pub(super) fn is_waiting(message: &str) -> bool {
    let rest = message.strip_prefix(RECONNECTING).unwrap_or_default();
    rest.trim_start().starts_with("waiting for network")
}

/// Starts of its messages.
const SENTENCES: &[(&str, ModelErrorClass)] = &[
    ("Quota exceeded", ModelErrorClass::Quota),
    ("You've hit your usage limit", ModelErrorClass::Quota),
    ("rate limit exceeded", ModelErrorClass::RateLimit),
    ("Selected model is at capacity", ModelErrorClass::Overloaded),
    ("We're currently experiencing high demand", ModelErrorClass::ServerError),
    ("Codex ran out of room in the model's context window", ModelErrorClass::ContextFull),
    ("stream disconnected", ModelErrorClass::Network),
    ("waiting for network", ModelErrorClass::Network),
    ("error sending request", ModelErrorClass::Network),
    ("Connection failed", ModelErrorClass::Network),
];

/// The error in a retry notice, if it is one.
pub(super) fn retried(message: &str) -> Option<&str> {
    let rest = message.strip_prefix(RECONNECTING)?.trim_start();
    let inner = rest.split_once('(').map_or(rest, |(_, inner)| inner);
    Some(inner.strip_suffix(')').unwrap_or(inner))
}

pub(super) fn class(message: &str) -> ModelErrorClass {
    // It writes ’ instead of '.
    let plain = message.replace('\u{2019}', "'");
    let sentence = SENTENCES.iter().find(|(beginning, _)| plain.starts_with(beginning));
    let status = || status(&plain).map(errors::class_by_status);
    let body = || plain.starts_with('{').then(|| errors::class_by_body(&plain)).flatten();
    let missing = || errors::is_missing_model(&plain).then_some(ModelErrorClass::ModelNotFound);
    sentence
        .map(|(_, class)| *class)
        .or_else(status)
        .or_else(missing)
        .or_else(body)
        .unwrap_or(ModelErrorClass::Unknown)
}

pub(super) fn error(message: &str) -> ModelError {
    errors::model_error(class(message), message)
}

/// `exceeded retry limit, last status: 429 Too Many Requests`, `unexpected status 401 …`.
fn status(message: &str) -> Option<u64> {
    let rest = message
        .strip_prefix("exceeded retry limit, last status: ")
        .or_else(|| message.strip_prefix("unexpected status "))?;
    rest.split_whitespace().next()?.parse().ok()
}
