//! What the error messages of agent programs have in common.
//!
//! A status decides, if the program reports one. Some report only a sentence: then its fixed start
//! decides, in that program's adapter. Output of a worker or a tool never decides.

use std::time::Duration;

use afresh_core::model_error::{ModelError, ModelErrorClass};
use serde_json::Value;

use crate::stream::event::{ProgramEnd, cut_text};
use crate::stream::json_fields::{number, text};

/// The class of an HTTP status.
pub(crate) fn class_by_status(status: u64) -> ModelErrorClass {
    match status {
        429 => ModelErrorClass::RateLimit,
        503 | 529 => ModelErrorClass::Overloaded,
        401 | 403 => ModelErrorClass::Auth,
        402 => ModelErrorClass::Quota,
        404 => ModelErrorClass::ModelNotFound,
        413 => ModelErrorClass::ContextFull,
        500.. => ModelErrorClass::ServerError,
        _ => ModelErrorClass::BadRequest,
    }
}

/// The class of a provider's error body, if the message is one.
pub(crate) fn class_by_body(message: &str) -> Option<ModelErrorClass> {
    let body: Value =
        serde_json::from_str(&message[message.find('{')?..=message.rfind('}')?]).ok()?;
    // Gemini's code is a number; problems with a key are in the details.
    let word = text(&body, "/error/details/0/reason")
        .or_else(|| text(&body, "/error/code"))
        .or_else(|| text(&body, "/error/type"));
    match word.unwrap_or_default() {
        "context_length_exceeded" => return Some(ModelErrorClass::ContextFull),
        "insufficient_quota" => return Some(ModelErrorClass::Quota),
        "rate_limit_exceeded" | "rate_limit_error" => return Some(ModelErrorClass::RateLimit),
        "overloaded_error" | "server_is_overloaded" => return Some(ModelErrorClass::Overloaded),
        "model_not_found" | "not_found_error" => return Some(ModelErrorClass::ModelNotFound),
        "invalid_api_key" | "authentication_error" | "API_KEY_INVALID" => {
            return Some(ModelErrorClass::Auth);
        }
        _ => {}
    }
    let sentence = text(&body, "/error/message").unwrap_or_default();
    // Gemini has no code for it, only its own sentence.
    if sentence.starts_with("The input token count") || sentence.starts_with("prompt is too long") {
        return Some(ModelErrorClass::ContextFull);
    }
    if is_missing_model(sentence) {
        return Some(ModelErrorClass::ModelNotFound);
    }
    number(&body, "/error/code").map(class_by_status).or(Some(ModelErrorClass::BadRequest))
}

/// Whether a provider's sentence says that a model does not exist.
pub(crate) fn is_missing_model(sentence: &str) -> bool {
    let names_model = |start: &str| sentence.starts_with(start);
    let openai = ["The model `", "The model '", "The requested model '", "The '", "Model '"];
    let says = ["does not exist", "is not found", "not found", "is not supported"];
    let google = names_model("models/") && sentence.contains("is not found for API version");
    google
        || openai.iter().any(|start| names_model(start))
            && says.iter().any(|words| sentence.contains(words))
}

/// The wait that a provider asks for: `try again in 1.5s`, `retry after 2m`.
pub(crate) fn requested_wait(message: &str) -> Option<Duration> {
    const PHRASES: &[&str] = &["try again in ", "retry after ", "retry in "];
    let lower = message.to_ascii_lowercase();
    let after = PHRASES.iter().find_map(|phrase| lower.split_once(phrase)).map(|(_, rest)| rest)?;
    let mut rest = after;
    let mut total = 0.0;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let Ok(amount) = rest[..digits].trim_end_matches('.').parse::<f64>() else { break };
        rest = rest[digits..].trim_start();
        let unit_end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        total += amount
            * match &rest[..unit_end] {
                "ms" | "milliseconds" => 0.001,
                "" | "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
                "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
                "h" | "hour" | "hours" => 3_600.0,
                "d" | "day" | "days" => 86_400.0,
                _ => return None,
            };
        rest = rest[unit_end..].trim_start_matches([' ', ',']);
    }
    // A time that overflows is ignored.
    Duration::try_from_secs_f64(total).ok().filter(|wait| !wait.is_zero())
}

/// An error of this class with the program's message and the wait that it asks for.
pub(crate) fn model_error(class: ModelErrorClass, message: &str) -> ModelError {
    // Our own proxy answered in place of the host, whatever status the program reports.
    let is_unreached = message.contains("afresh: ") && message.contains("cannot be reached");
    let class = if is_unreached { ModelErrorClass::Network } else { class };
    let wait = if class.is_transient() { requested_wait(message) } else { None };
    ModelError::new(class, cut_text(message)).waiting(wait)
}

/// The error of a program that failed without a reason in its stream: the end of its standard error.
pub(crate) fn unexplained_exit(end: &ProgramEnd<'_>) -> Option<ModelError> {
    let code = end.exit.filter(|code| *code != 0)?;
    let mut lines = end.stderr.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let last_line = lines.find(|line| !is_log_line(line)).unwrap_or("no output");
    Some(model_error(ModelErrorClass::Unknown, &format!("exit code {code}: {last_line}")))
}

/// Whether it is a line of a program's own log, which rarely says why it ended: `2026-11-15T07:35:37Z ERROR …`.
fn is_log_line(line: &str) -> bool {
    let (at, rest) = line.split_once(' ').unwrap_or((line, ""));
    let is_time = at.len() > 10 && at.as_bytes()[4] == b'-' && at.contains('T') && at.contains(':');
    let level = rest.trim_start().split([' ', ':']).next().unwrap_or_default();
    is_time && matches!(level, "ERROR" | "WARN" | "INFO" | "DEBUG" | "TRACE")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AG-06: a host that our proxy could not reach is a network error, not one of the model's server.
    #[test]
    fn what_our_proxy_reports_is_a_network_error() {
        let message = "API Error: 502 afresh: api.example.com:443 cannot be reached: no such host";
        let error = model_error(ModelErrorClass::ServerError, message);
        assert_eq!(error.class, ModelErrorClass::Network);
    }

    /// AG-06: what providers say about a model that does not exist.
    #[test]
    fn a_missing_model_is_recognised() {
        for sentence in [
            "The model `gpt-9` does not exist or you do not have access to it.",
            "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.",
            "The 'gpt-9' model is not supported when using Codex with a ChatGPT account.",
        ] {
            assert!(is_missing_model(sentence), "{sentence}");
        }
        assert!(!is_missing_model("the model said that the file does not exist"));
    }

    /// BE-04: waits are read as providers write them.
    #[test]
    fn waits_are_read_in_every_notation() {
        let wait = |text: &str| requested_wait(text).map(|wait| wait.as_millis());
        assert_eq!(wait("mock: rate limit reached, please try again in 1s"), Some(1_000));
        assert_eq!(wait("Please try again in 1.5s."), Some(1_500));
        assert_eq!(wait("Suggested retry after 20s.]"), Some(20_000));
        assert_eq!(wait("try again in 2 hours, 5 minutes."), Some(7_500_000));
        assert_eq!(wait("try again in 250ms"), Some(250));
        for none in ["try again in a while", "try again later", "", "retry after 9e999s", "in 5s"] {
            assert_eq!(wait(none), None, "{none}");
        }
    }

    #[test]
    fn a_providers_error_body_has_a_class() {
        let class = |code: &str| class_by_body(&format!("x {{\"error\":{{\"code\":\"{code}\"}}}}"));
        assert_eq!(class("context_length_exceeded"), Some(ModelErrorClass::ContextFull));
        assert_eq!(class("insufficient_quota"), Some(ModelErrorClass::Quota));
        assert_eq!(class("something_new"), Some(ModelErrorClass::BadRequest));
        assert_eq!(class_by_body("}{"), None);
        assert_eq!(class_by_body("no body"), None);
    }
}
