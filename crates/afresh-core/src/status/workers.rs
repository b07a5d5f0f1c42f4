//! What is known about each attempt's worker: its model, its conversation, how full its context is.

use schemars::JsonSchema;
use serde::Serialize;

use crate::input::AgentIdentity;
use crate::run::TaskState;
use crate::usage::ContextFill;

/// One attempt's worker, as far as its program reported.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct WorkerStatus {
    /// The number of the attempt.
    pub attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The program's own id for the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// How much of the context its prompt filled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<ContextStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextStatus>,
    /// It was warned that its context is filling up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub warned: bool,
    /// The interrupted attempt whose conversation it continued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumes: Option<u32>,
}

/// How full a context is, in tokens and as a share of the window.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct ContextStatus {
    pub used: u64,
    pub window: u64,
    pub share: f64,
}

impl ContextStatus {
    /// In whole per cent.
    pub fn percent(&self) -> u64 {
        ContextFill { used: self.used, window: self.window }.percent()
    }
}

impl From<ContextFill> for ContextStatus {
    fn from(fill: ContextFill) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "it is shown, not counted with")]
        let share = fill.percent() as f64 / 100.0;
        Self { used: fill.used, window: fill.window, share }
    }
}

/// Every worker of a task that reported anything about itself, in order.
pub(super) fn workers(state: &TaskState) -> Vec<WorkerStatus> {
    let mut numbers: Vec<u32> = state
        .records
        .identities
        .keys()
        .chain(state.records.prompts.keys())
        .chain(state.records.contexts.keys())
        .chain(state.records.resumed.keys())
        .copied()
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let one = |attempt: u32| {
        let identity = state.records.identities.get(&attempt).cloned().unwrap_or_default();
        let prompt = state.records.prompts.get(&attempt).copied().map(ContextStatus::from);
        let context = state.records.contexts.get(&attempt).copied().map(ContextStatus::from);
        let (warned, resumes) =
            (state.records.warned.contains(&attempt), state.records.resumed.get(&attempt).copied());
        let AgentIdentity { model, session, .. } = identity;
        WorkerStatus { attempt, model, session, prompt, context, warned, resumes }
    };
    numbers.into_iter().map(one).collect()
}
