//! What ended a conversation of Claude Code, from its own error fields.

use std::time::Duration;

use afresh_core::model_error::{ModelError, ModelErrorClass};
use serde_json::Value;

use crate::stream::errors::{by_status, error};
use crate::stream::json_fields::{number, text};

/// What its lines said about errors so far.
#[derive(Debug, Default)]
pub(super) struct ErrorReports {
    /// The last word of an `api_retry`: it tells overloaded from broken, which the end does not.
    retried_for: Option<ModelErrorClass>,
    /// The `error` of its last own message.
    set_error: Option<String>,
    /// When the account may be used again, in seconds since 1970.
    resets_at: Option<u64>,
    ended: Option<ModelError>,
}

impl ErrorReports {
    pub(super) fn retried(&mut self, class: ModelErrorClass) {
        self.retried_for = Some(class);
    }

    pub(super) fn said(&mut self, error: &str) {
        self.set_error = Some(error.to_owned());
    }

    pub(super) fn limited(&mut self, line: &Value) {
        let rejected = text(line, "/rate_limit_info/status") == Some("rejected");
        if rejected {
            self.resets_at = number(line, "/rate_limit_info/resetsAt");
        }
    }

    /// The `result` line, where it tells of a failure.
    pub(super) fn ended(&mut self, line: &Value) {
        let message = text(line, "/result").or_else(|| text(line, "/errors/0")).unwrap_or_default();
        self.ended = Some(error(self.class(line), message));
    }

    /// `now` in seconds since 1970.
    pub(super) fn error(&self, now: u64) -> Option<ModelError> {
        let error = self.ended.clone()?;
        let limited = matches!(error.class, ModelErrorClass::RateLimit | ModelErrorClass::Quota);
        let left = self.resets_at.filter(|_| limited).map(|at| at.saturating_sub(now));
        let wait = left.map(Duration::from_secs).or(error.wait());
        Some(error.waiting(wait))
    }

    fn class(&self, line: &Value) -> ModelErrorClass {
        if text(line, "/terminal_reason") == Some("prompt_too_long") {
            return ModelErrorClass::ContextFull;
        }
        match text(line, "/subtype") {
            Some("error_max_turns" | "error_max_budget_usd") => {
                return ModelErrorClass::ProgramLimit;
            }
            Some("error_during_execution") => return ModelErrorClass::Unknown,
            _ => {}
        }
        match number(line, "/api_error_status") {
            Some(status) => by_status(status),
            // It never got an answer; where nobody listened, its word for that is another.
            None if self.set_error.as_deref() == Some("unknown") || is_unreached(line) => {
                ModelErrorClass::Network
            }
            None => self
                .set_error
                .as_deref()
                .map(by_word)
                .or(self.retried_for)
                .unwrap_or(ModelErrorClass::Unknown),
        }
    }
}

/// Its own sentence, with the reason in brackets behind it.
fn is_unreached(line: &Value) -> bool {
    let said = text(line, "/result").unwrap_or_default();
    said.starts_with("API Error: Unable to connect to API")
}

/// The words of `api_retry` and of its own messages.
pub(crate) fn by_word(word: &str) -> ModelErrorClass {
    match word {
        "rate_limit" => ModelErrorClass::RateLimit,
        "overloaded" => ModelErrorClass::Overloaded,
        "server_error" => ModelErrorClass::ServerError,
        "authentication_failed" => ModelErrorClass::Auth,
        "model_not_found" => ModelErrorClass::ModelNotFound,
        "billing_error" => ModelErrorClass::Quota,
        "invalid_request" => ModelErrorClass::BadRequest,
        _ => ModelErrorClass::Unknown,
    }
}
