//! Reads Gemini CLI's `stream-json` line by line.

use afresh_core::model_error::ModelError;
use afresh_core::usage::{ModelUsage, Usage};
use serde_json::Value;

use super::errors::{GeminiFailure, classify};
use crate::stream::event::{AgentEvent, ProgramEnd, StreamReader, ToolCall, ToolEnd, cut_text};
use crate::stream::json_fields::{UsagePointers, text, usage};

const STATS: UsagePointers = UsagePointers {
    input: "input_tokens",
    output: "output_tokens",
    cache_read: "cached",
    cache_write: "",
    cost: "",
    input_holds_cached: true,
};

#[derive(Debug, Default)]
pub(crate) struct GeminiReader {
    /// Its text since the last tool call, which arrives in chunks.
    words: String,
    failed: Option<GeminiFailure>,
}

/// The most bytes of text that are kept.
const MAX_WORDS_BYTES: usize = 4 * 1024 * 1024;

impl StreamReader for GeminiReader {
    fn read_line(&mut self, line: &str) -> Vec<AgentEvent> {
        let Ok(line @ Value::Object(_)) = serde_json::from_str(line) else { return Vec::new() };
        match text(&line, "/type") {
            Some("init") => init(&line),
            Some("message") => self.message(&line).into_iter().collect(),
            Some("tool_use") => self.tool_use(&line).into_iter().collect(),
            Some("tool_result") => tool_result(&line).into_iter().collect(),
            Some("error") => text(&line, "/message")
                .map(|m| AgentEvent::Notice(cut_text(m)))
                .into_iter()
                .collect(),
            Some("result") => self.result(&line),
            _ => Vec::new(),
        }
    }

    fn error(&self, end: &ProgramEnd<'_>) -> Option<ModelError> {
        classify(self.failed.as_ref(), end)
    }
}

impl GeminiReader {
    fn message(&mut self, line: &Value) -> Option<AgentEvent> {
        if text(line, "/role") != Some("assistant") {
            return None;
        }
        let words = text(line, "/content")?;
        if self.words.len() + words.len() <= MAX_WORDS_BYTES {
            self.words.push_str(words);
        }
        Some(AgentEvent::Text(words.to_owned()))
    }

    fn tool_use(&mut self, line: &Value) -> Option<AgentEvent> {
        self.words.clear();
        let input = line.get("parameters").unwrap_or(&Value::Null);
        let call = ToolCall::new(text(line, "/tool_id")?, text(line, "/tool_name")?, input);
        Some(AgentEvent::ToolStarted(call))
    }

    fn result(&mut self, line: &Value) -> Vec<AgentEvent> {
        let mut events = used(line);
        if text(line, "/status") == Some("success") {
            self.failed = None;
            events.push(AgentEvent::Result(std::mem::take(&mut self.words)));
        } else {
            let field = |at| text(line, at).unwrap_or_default().to_owned();
            self.failed = Some(GeminiFailure {
                kind: field("/error/type"),
                message: field("/error/message"),
            });
        }
        events
    }
}

fn init(line: &Value) -> Vec<AgentEvent> {
    let session = text(line, "/session_id").map(|id| AgentEvent::Session(id.to_owned()));
    let model = text(line, "/model").map(|model| AgentEvent::Model(model.to_owned()));
    session.into_iter().chain(model).collect()
}

fn tool_result(line: &Value) -> Option<AgentEvent> {
    Some(AgentEvent::ToolEnded(ToolEnd {
        id: text(line, "/tool_id")?.to_owned(),
        failed: text(line, "/status") != Some("success"),
        output: cut_text(text(line, "/output").unwrap_or_default()),
    }))
}

fn used(line: &Value) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    let models = line.pointer("/stats/models").and_then(Value::as_object);
    let by_model: Vec<ModelUsage> = models
        .into_iter()
        .flatten()
        .map(|(model, reported)| ModelUsage {
            model: model.clone(),
            usage: usage(reported, STATS, &mut events),
        })
        .filter(|one| one.usage != Usage::default())
        .collect();
    let total = match line.get("stats") {
        Some(stats) => usage(stats, STATS, &mut Vec::new()),
        None => return events,
    };
    events.push(AgentEvent::Used(total));
    if !by_model.is_empty() {
        events.push(AgentEvent::UsedByModel(by_model));
    }
    events
}
