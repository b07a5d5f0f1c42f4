//! Errors between an agent program and its model, as far as the program reported them.
//!
//! They are read from structure (status codes, error events), never from words in a worker's prose: a failing test
//! that prints "429" is not a rate limit. `decide` decides what follows.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An agent program gave up because of its model.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ModelError {
    pub class: ModelErrorClass,
    /// The program's own words.
    pub message: String,
    /// How long the model's provider asks us to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

/// The class of a model error (AG-06).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum ModelErrorClass {
    /// Too many requests for now.
    RateLimit,
    /// The account's quota is used up.
    Quota,
    Overloaded,
    ServerError,
    /// The model could not be reached.
    Network,
    /// The key or the login was refused.
    Auth,
    ModelNotFound,
    /// The conversation no longer fits.
    ContextFull,
    BadRequest,
    /// A limit of the program itself: turns, or cost.
    ProgramLimit,
    /// It made the same call again and again, with the same result.
    Looping,
    /// The program itself did not start, so no model was asked.
    NotStarted,
    /// It failed, and gave no other reason.
    Unknown,
}

impl ModelError {
    pub fn new(class: ModelErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), wait_ms: None }
    }

    #[must_use]
    pub fn waiting(self, wait: Option<Duration>) -> Self {
        let millis = |wait: Duration| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        Self { wait_ms: wait.map(millis), ..self }
    }

    pub fn wait(&self) -> Option<Duration> {
        self.wait_ms.map(Duration::from_millis)
    }

    /// The failure may be transient, and says nothing about the task.
    pub fn is_passing(&self) -> bool {
        self.class.is_transient()
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        let Self { class, message, .. } = self;
        match message.lines().next().unwrap_or_default() {
            "" => format!("{}: {}", class.category(), class.explain()),
            first => format!("{}: {}: {first}", class.category(), class.explain()),
        }
    }
}

impl ModelErrorClass {
    /// The word that people and scripts see.
    pub fn word(self) -> &'static str {
        match self {
            Self::RateLimit => "rate-limit",
            Self::Quota => "quota",
            Self::Overloaded => "overloaded",
            Self::ServerError => "server-error",
            Self::Network => "network",
            Self::Auth => "auth",
            Self::ModelNotFound => "model-not-found",
            Self::ContextFull => "context-full",
            Self::BadRequest => "bad-request",
            Self::ProgramLimit => "program-limit",
            Self::Looping => "looping",
            Self::NotStarted => "not-started",
            Self::Unknown => "unknown",
        }
    }

    /// What failed: the model, or the program that was to ask it.
    fn category(self) -> &'static str {
        match self {
            Self::NotStarted => "failed:start",
            Self::Unknown | Self::ProgramLimit | Self::Looping => "failed:agent",
            _ => "failed:model",
        }
    }

    fn explain(self) -> &'static str {
        match self {
            Self::RateLimit => "too many requests",
            Self::Quota => "the account's quota is used up",
            Self::Overloaded => "the model is overloaded",
            Self::ServerError => "the model's server failed",
            Self::Network => "the model could not be reached",
            Self::Auth => "the key or login was refused",
            Self::ModelNotFound => "there is no such model",
            Self::ContextFull => "the conversation no longer fits into the model's window",
            Self::BadRequest => "the model refused the request",
            Self::ProgramLimit => "a limit of the agent program was reached",
            Self::Looping => "the worker repeated itself",
            Self::NotStarted => "the agent program could not be started",
            Self::Unknown => "the agent program failed",
        }
    }

    /// The hint for the user (AG-06).
    pub fn advice(self) -> &'static str {
        match self {
            Self::RateLimit | Self::Overloaded | Self::ServerError => {
                "wait and retry, or give the task another agent or model"
            }
            Self::Quota => "wait until the quota is renewed, or use another account or agent",
            Self::Network => "check the connection, and the agent's base URL; then retry",
            Self::Auth => {
                "log in with the agent's own program, or set its key, then retry; `afresh doctor` shows what it finds"
            }
            Self::ModelNotFound => {
                "correct `models` of the agent in .afresh/config.toml, or `--model`"
            }
            Self::ContextFull => "split the task, or give it a model with a larger window",
            Self::Looping => {
                "look at the attempt's transcript (`afresh logs TASK`), and say in the task what it misses"
            }
            Self::ProgramLimit => "raise the program's limit, or split the task",
            Self::NotStarted => {
                "`afresh doctor` starts it as a worker would be, and says what is missing"
            }
            Self::BadRequest | Self::Unknown => {
                "look at the attempt's transcript: `afresh logs TASK`"
            }
        }
    }

    /// The failure may be transient, whatever the task is.
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::RateLimit | Self::Quota | Self::Overloaded | Self::ServerError | Self::Network
        )
    }

    /// The next worker would fail in the same way.
    pub fn is_lasting(self) -> bool {
        matches!(self, Self::Auth | Self::ModelNotFound | Self::NotStarted)
    }
}
