//! Classifies the end of a Claude Code conversation by its error fields.

use std::time::Duration;

use afresh_core::model_error::{ModelError, ModelErrorClass};
use serde_json::Value;

use crate::stream::errors::{class_by_status, model_error};
use crate::stream::json_fields::{number, text};

/// The errors in its lines so far.
#[derive(Debug, Default)]
pub(super) struct ErrorReports {
    /// The class of the last `api_retry`, which distinguishes overloaded from failing servers.
    retried_for: Option<ModelErrorClass>,
    /// The `error` of its last own message.
    message_error: Option<String>,
    /// When the account's limit resets, in seconds since 1970.
    resets_at: Option<u64>,
    ended: Option<ModelError>,
}

impl ErrorReports {
    pub(super) fn retried(&mut self, class: ModelErrorClass) {
        self.retried_for = Some(class);
    }

    pub(super) fn set_error(&mut self, error: &str) {
        self.message_error = Some(error.to_owned());
    }

    pub(super) fn limited(&mut self, line: &Value) {
        let rejected = text(line, "/rate_limit_info/status") == Some("rejected");
        if rejected {
            self.resets_at = number(line, "/rate_limit_info/resetsAt");
        }
    }

    /// Records a `result` line that reports a failure.
    pub(super) fn ended(&mut self, line: &Value) {
        let message = text(line, "/result").or_else(|| text(line, "/errors/0")).unwrap_or_default();
        self.ended = Some(model_error(self.class(line), message));
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
            Some(status) => class_by_status(status),
            // The model was not reached; a refused connection has another error name.
            None if self.message_error.as_deref() == Some("unknown") || is_unreachable(line) => {
                ModelErrorClass::Network
            }
            None => self
                .message_error
                .as_deref()
                .map(class_by_name)
                .or(self.retried_for)
                .unwrap_or(ModelErrorClass::Unknown),
        }
    }
}

/// Whether the message is that of an unreachable API.
fn is_unreachable(line: &Value) -> bool {
    let message = text(line, "/result").unwrap_or_default();
    let Some(reason) = message.strip_prefix("API Error: ") else { return false };
    reason.starts_with("Unable to connect to API") || names_network_error(reason)
}

/// Newer versions end with the system's error: `Connection refused — … (ECONNREFUSED)`.
fn names_network_error(reason: &str) -> bool {
    let Some((_, name)) = reason.trim_end().strip_suffix(')').and_then(|it| it.rsplit_once('('))
    else {
        return false;
    };
    let families = ["ECONN", "ENOTFOUND", "EAI_", "ENET", "EHOST", "ETIMEDOUT", "EPIPE"];
    families.iter().any(|family| name.starts_with(family))
}

/// The class of an error name in `api_retry` and in messages.
pub(crate) fn class_by_name(word: &str) -> ModelErrorClass {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// AG-06: what several versions say about an API that cannot be reached.
    #[test]
    fn an_unreachable_api_is_recognised() {
        for (message, is_network) in [
            ("API Error: Unable to connect to API (ConnectionRefused)", true),
            ("API Error: Connection refused — a firewall may be blocking it (ECONNREFUSED)", true),
            ("API Error: The host was not found (ENOTFOUND)", true),
            ("API Error: Request rejected (429)", false),
            ("I mention (ECONNREFUSED)", false),
        ] {
            assert_eq!(is_unreachable(&json!({"result": message})), is_network, "{message}");
        }
    }
}
