//! What the model says and does, step by step, and how it fails.

use std::time::Duration;

use serde_json::Value;

/// One conversation, or several that are distinguished by the user's first message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelScript {
    pub parts: Vec<ModelScriptPart>,
}

/// The steps of conversations whose first message contains a text.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelScriptPart {
    /// Empty: any conversation.
    pub when: String,
    pub steps: Vec<ModelStep>,
}

/// One turn of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelStep {
    pub say: String,
    pub calls: Vec<ScriptedCall>,
    /// A failure that happens before the step succeeds.
    pub fault: Option<ScriptedFailure>,
    pub usage: TokenCounts,
}

/// A call of a tool, whatever the program calls it.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptedCall {
    Shell(String),
    Write {
        path: String,
        content: String,
    },
    /// A tool of a tool server, by the end of its name.
    Tool {
        name: String,
        input: Value,
    },
}

/// A fault, and how often it happens in each conversation before the step succeeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedFailure {
    pub fault: ModelFault,
    pub times: u32,
    /// Models whose name contains this do not fail.
    pub spared: Option<String>,
}

impl ScriptedFailure {
    pub(crate) fn applies_to(&self, model: &str) -> bool {
        !self.spared.as_ref().is_some_and(|spared| model.contains(spared.as_str()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelFault {
    /// 429, with or without a time to retry after.
    RateLimit { retry_after: Option<u32> },
    /// 429, because the account has reached its usage limit for this many seconds.
    UsageLimit { seconds: u32 },
    /// 529, or 503 where that is usual.
    Overloaded,
    /// 500.
    Server,
    /// 401.
    Auth,
    /// 404.
    NotFound,
    /// 400.
    BadRequest,
    /// 400, because the conversation is too long.
    TooLong,
    /// The reply breaks off in the middle.
    Cut,
    /// No reply arrives.
    Hang(Duration),
}

/// The usage that a turn reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenCounts {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

impl Default for TokenCounts {
    fn default() -> Self {
        Self { input: 1_000, output: 50, cache_read: 200, cache_write: 100 }
    }
}

impl ModelScript {
    /// The same steps for every conversation.
    pub fn from_steps(steps: impl IntoIterator<Item = ModelStep>) -> Self {
        Self {
            parts: vec![ModelScriptPart {
                when: String::new(),
                steps: steps.into_iter().collect(),
            }],
        }
    }

    /// These steps for conversations whose first message contains `text`.
    #[must_use]
    pub fn when(mut self, text: &str, steps: impl IntoIterator<Item = ModelStep>) -> Self {
        self.parts
            .push(ModelScriptPart { when: text.to_owned(), steps: steps.into_iter().collect() });
        self
    }

    /// The step of a conversation with this many turns of the model; after the end of the script,
    /// the model has nothing more to say.
    pub(crate) fn step(&self, first_words: &str, turns: usize) -> ModelStep {
        let part = self.parts.iter().find(|part| first_words.contains(&part.when));
        let step = part.and_then(|part| part.steps.get(turns));
        step.cloned().unwrap_or_else(|| ModelStep::text("I have nothing more to do."))
    }
}

impl ModelStep {
    pub fn text(text: &str) -> Self {
        Self { say: text.to_owned(), calls: Vec::new(), fault: None, usage: TokenCounts::default() }
    }

    pub fn shell(command: &str) -> Self {
        Self::text("").and(ScriptedCall::Shell(command.to_owned()))
    }

    pub fn write(path: &str, content: &str) -> Self {
        Self::text("")
            .and(ScriptedCall::Write { path: path.to_owned(), content: content.to_owned() })
    }

    /// A tool whose name ends like this.
    pub fn tool(name: &str, input: Value) -> Self {
        Self::text("").and(ScriptedCall::Tool { name: name.to_owned(), input })
    }

    #[must_use]
    pub fn and(mut self, call: ScriptedCall) -> Self {
        self.calls.push(call);
        self
    }

    /// Fails this often before it succeeds.
    #[must_use]
    pub fn failing(mut self, fault: ModelFault, times: u32) -> Self {
        self.fault = Some(ScriptedFailure { fault, times, spared: None });
        self
    }

    /// Always fails, except for models whose name contains `spared`.
    #[must_use]
    pub fn failing_unless(mut self, spared: &str, fault: ModelFault) -> Self {
        self.fault =
            Some(ScriptedFailure { fault, times: u32::MAX, spared: Some(spared.to_owned()) });
        self
    }

    #[must_use]
    pub fn using(mut self, usage: TokenCounts) -> Self {
        self.usage = usage;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_matching_part_is_used_until_its_end() {
        let script = ModelScript::default()
            .when("T001", [ModelStep::text("one"), ModelStep::text("two")])
            .when("", [ModelStep::text("any")]);
        assert_eq!(script.step("Task T001: x", 1).say, "two");
        assert_eq!(script.step("Task T002: x", 0).say, "any");
        assert!(script.step("Task T001", 2).say.contains("nothing more"));
    }
}
