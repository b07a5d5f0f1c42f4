//! Why an agent answered with an error: its own word for it, a status, a code, or the body of its
//! provider inside its message.
//!
//! An error of the protocol is the program's, never a worker's words; so its message may be looked at.

use afresh_core::model_error::{ModelError, ModelErrorClass};
use serde_json::Value;

use crate::adapters::claude::by_word;
use crate::stream::errors::{by_body, by_status, error};
use crate::stream::json_fields::{number, text};

/// The protocol's code for a login that is missing.
const LOGIN_NEEDED: i64 = -32000;

/// What an answer with an error comes to.
pub(super) fn classify(told: &Value) -> ModelError {
    let message = text(told, "/message").unwrap_or("it gave no reason");
    let details = ["/data/details", "/data/message", "/data"].iter().find_map(|at| text(told, at));
    let message = match details {
        Some(details) if !message.contains(details) => format!("{message}: {details}"),
        _ => message.to_owned(),
    };
    error(class(told, &message), &message)
}

/// Why a turn that was answered came to nothing; none where it ended by itself, or by us.
pub(super) fn by_stop(reason: &str) -> Option<ModelError> {
    let (class, why) = match reason {
        "max_tokens" => {
            (ModelErrorClass::ContextFull, "it reached the most tokens that it may use")
        }
        "max_turn_requests" => {
            (ModelErrorClass::ProgramLimit, "it reached the most turns it may take")
        }
        "refusal" => (ModelErrorClass::BadRequest, "it refused the prompt"),
        _ => return None,
    };
    Some(ModelError::new(class, why))
}

fn class(told: &Value, message: &str) -> ModelErrorClass {
    let word = text(told, "/data/errorKind").map(by_word);
    let vague = |class: &ModelErrorClass| {
        matches!(class, ModelErrorClass::BadRequest | ModelErrorClass::Unknown)
    };
    // Where a model is overloaded, Claude's word is that its server failed; its sentence says more.
    let said = |class: &ModelErrorClass| !vague(class) && *class != ModelErrorClass::ServerError;
    if let Some(class) = word.filter(said).or_else(|| by_name(told)) {
        return class;
    }
    let code = told.get("code").and_then(Value::as_i64);
    if code == Some(LOGIN_NEEDED) {
        return ModelErrorClass::Auth;
    }
    let body = by_body(message).filter(|class| !vague(class));
    // Some give the status of their model as the code.
    let code = code.and_then(|code| u64::try_from(code).ok());
    let fields = ["/data/statusCode", "/data/status"];
    let status = fields.iter().find_map(|at| number(told, at)).or(code).or(status_in(message));
    let status = status.filter(|status| (400..600).contains(status)).map(by_status);
    body.or(status.filter(|class| !vague(class)))
        .or_else(|| by_sentence(message))
        .or(status)
        .or(word)
        .unwrap_or(ModelErrorClass::Unknown)
}

/// opencode's names for errors.
fn by_name(told: &Value) -> Option<ModelErrorClass> {
    match text(told, "/data/errorName")? {
        "ContextOverflowError" => Some(ModelErrorClass::ContextFull),
        "ProviderAuthError" => Some(ModelErrorClass::Auth),
        _ => None,
    }
}

/// A status that stands alone in the program's sentence.
fn status_in(message: &str) -> Option<u64> {
    let words = message.split(|c: char| !c.is_ascii_alphanumeric());
    let mut statuses = words.filter(|word| word.len() == 3).filter_map(|word| word.parse().ok());
    statuses.find(|status| (400..600).contains(status))
}

/// The sentences that programs have where there was no status at all.
fn by_sentence(message: &str) -> Option<ModelErrorClass> {
    const SENTENCES: &[(ModelErrorClass, &[&str])] = &[
        (
            ModelErrorClass::ContextFull,
            &["prompt is too long", "context window", "context length", "input token count"],
        ),
        (ModelErrorClass::RateLimit, &["rate limit", "too many requests"]),
        (ModelErrorClass::Quota, &["quota exceeded", "insufficient_quota"]),
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

    /// AG-06: what is wrong between an agent and its model is told apart by word, code, status, body.
    #[test]
    fn errors_of_the_protocol_have_a_class() {
        let of = |told: Value| classify(&told).class;
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
