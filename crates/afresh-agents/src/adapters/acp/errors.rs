//! Classifies error responses: by the program's error name, a status, a code, or the provider's error
//! body in the message.
//!
//! Protocol errors come from the program, never from a worker's text, so the message may be inspected.

use afresh_core::model_error::{ModelError, ModelErrorClass};
use serde_json::Value;

use crate::adapters::claude::class_by_name;
use crate::stream::errors::{class_by_body, class_by_status, model_error};
use crate::stream::json_fields::{number, text};

/// The protocol's code for a missing login.
const LOGIN_NEEDED: i64 = -32000;

/// Classifies an error response.
pub(super) fn classify(response: &Value) -> ModelError {
    let message = text(response, "/message").unwrap_or("no reason given");
    let details =
        ["/data/details", "/data/message", "/data"].iter().find_map(|at| text(response, at));
    let message = match details {
        Some(details) if !message.contains(details) => format!("{message}: {details}"),
        _ => message.to_owned(),
    };
    model_error(class(response, &message), &message)
}

/// The error of a turn that was stopped, unless it ended by itself or was cancelled.
pub(super) fn error_by_stop_reason(reason: &str) -> Option<ModelError> {
    let (class, why) = match reason {
        "max_tokens" => (ModelErrorClass::ContextFull, "it reached its token limit"),
        "max_turn_requests" => (ModelErrorClass::ProgramLimit, "it reached its limit of turns"),
        "refusal" => (ModelErrorClass::BadRequest, "it refused the prompt"),
        _ => return None,
    };
    Some(ModelError::new(class, why))
}

fn class(response: &Value, message: &str) -> ModelErrorClass {
    let word = text(response, "/data/errorKind").map(class_by_name);
    let vague = |class: &ModelErrorClass| {
        matches!(class, ModelErrorClass::BadRequest | ModelErrorClass::Unknown)
    };
    // For an overloaded model, Claude reports a server error; its message says more.
    let specific =
        |class: &ModelErrorClass| !vague(class) && *class != ModelErrorClass::ServerError;
    if let Some(class) = word.filter(specific).or_else(|| opencode_class(response)) {
        return class;
    }
    let code = response.get("code").and_then(Value::as_i64);
    if code == Some(LOGIN_NEEDED) {
        return ModelErrorClass::Auth;
    }
    let body = class_by_body(message).filter(|class| !vague(class));
    // Some programs use the model's status as the code.
    let code = code.and_then(|code| u64::try_from(code).ok());
    let fields = ["/data/statusCode", "/data/status"];
    let status = fields.iter().find_map(|at| number(response, at)).or(code).or(status_in(message));
    let status = status.filter(|status| (400..600).contains(status)).map(class_by_status);
    body.or(status.filter(|class| !vague(class)))
        .or_else(|| class_by_sentence(message))
        .or(status)
        .or(word)
        .unwrap_or(ModelErrorClass::Unknown)
}

/// opencode's names for errors.
fn opencode_class(response: &Value) -> Option<ModelErrorClass> {
    match text(response, "/data/errorName")? {
        "ContextOverflowError" => Some(ModelErrorClass::ContextFull),
        "ProviderAuthError" => Some(ModelErrorClass::Auth),
        _ => None,
    }
}

/// A status as a separate word of the message.
fn status_in(message: &str) -> Option<u64> {
    let words = message.split(|c: char| !c.is_ascii_alphanumeric());
    let mut statuses = words.filter(|word| word.len() == 3).filter_map(|word| word.parse().ok());
    statuses.find(|status| (400..600).contains(status))
}

/// Messages of programs without a status.
fn class_by_sentence(message: &str) -> Option<ModelErrorClass> {
    const SENTENCES: &[(ModelErrorClass, &[&str])] = &[
        (
            ModelErrorClass::ContextFull,
            &["prompt is too long", "context window", "context length", "input token count"],
        ),
        (ModelErrorClass::RateLimit, &["rate limit", "too many requests"]),
        (ModelErrorClass::Quota, &["quota exceeded", "insufficient_quota", "hit your usage limit"]),
        (ModelErrorClass::Overloaded, &["overloaded", "at capacity", "high demand"]),
        (ModelErrorClass::Auth, &["api key", "unauthorized", "not logged in"]),
        (
            ModelErrorClass::Network,
            &["unable to connect", "fetch failed", "econnrefused", "error sending request"],
        ),
    ];
    let lower = message.to_ascii_lowercase();
    let fits = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    SENTENCES.iter().find(|(_, words)| fits(words)).map(|(class, _)| *class)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// AG-06: errors between an agent and its model are classified by name, code, status and body.
    #[test]
    fn protocol_errors_have_a_class() {
        let of = |response: Value| classify(&response).class;
        let word = |kind: &str| of(json!({"code": -32603, "data": {"errorKind": kind}}));
        assert_eq!(word("rate_limit"), ModelErrorClass::RateLimit);
        assert_eq!(word("overloaded"), ModelErrorClass::Overloaded);
        assert_eq!(of(json!({"code": -32000, "message": "429"})), ModelErrorClass::Auth);
        assert_eq!(of(json!({"code": 429, "message": "slow"})), ModelErrorClass::RateLimit);
        assert_eq!(of(json!({"code": 500, "message": "x"})), ModelErrorClass::ServerError);
        let status = json!({"code": -32603, "message": "x", "data": {"statusCode": 503}});
        assert_eq!(of(status), ModelErrorClass::Overloaded);
        assert_eq!(of(json!({"message": "API Error: (529) busy"})), ModelErrorClass::Overloaded);
        let body = json!({"code": -32603, "message": "Internal error",
            "data": {"details": "{\"error\":{\"code\":\"context_length_exceeded\"}}"}});
        assert_eq!(of(body), ModelErrorClass::ContextFull);
        assert_eq!(of(json!({"message": "Unable to connect"})), ModelErrorClass::Network);
        let used_up = "Internal error: You've hit your usage limit. Visit … or try again later.";
        assert_eq!(of(json!({"code": -32603, "message": used_up})), ModelErrorClass::Quota);
        let long =
            json!({"message": "Prompt is too long", "data": {"errorKind": "invalid_request"}});
        assert_eq!(of(long), ModelErrorClass::ContextFull);
        assert_eq!(of(json!({"code": 400, "message": "no"})), ModelErrorClass::BadRequest);
        for odd in [json!(null), json!([]), json!({"code": "x"}), json!({"data": 7})] {
            assert_eq!(of(odd.clone()), ModelErrorClass::Unknown, "{odd}");
        }
        let wait = classify(&json!({"code": 429, "message": "try again in 2s"})).wait_ms;
        assert_eq!(wait, Some(2_000));
    }
}
