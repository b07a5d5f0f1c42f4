//! Reads Claude Code's `stream-json` line by line.

use std::collections::BTreeMap;
use std::time::Duration;

use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::usage::{ModelUsage, Usage};
use serde_json::Value;

use super::errors::{ErrorReports, class_by_name};
use crate::stream::errors::{class_by_status, unexplained_exit};
use crate::stream::event::{
    AgentEvent, ProgramEnd, RetryNotice, StreamReader, ToolCall, ToolEnd, cut_text,
};
use crate::stream::json_fields::{UsagePointers, number, text, usage};

/// The usage of one message.
pub(crate) const MESSAGE: UsagePointers = UsagePointers {
    input: "input_tokens",
    output: "output_tokens",
    cache_read: "cache_read_input_tokens",
    cache_write: "cache_creation_input_tokens",
    cost: "",
    input_holds_cached: false,
};
/// The usage of one model, in the last line.
const MODEL: UsagePointers = UsagePointers {
    input: "inputTokens",
    output: "outputTokens",
    cache_read: "cacheReadInputTokens",
    cache_write: "cacheCreationInputTokens",
    cost: "costUSD",
    input_holds_cached: false,
};
/// The model name of messages that the program itself wrote.
const NOBODY: &str = "<synthetic>";

#[derive(Debug, Default)]
pub(crate) struct ClaudeReader {
    /// The usage of each message: its blocks arrive one by one and repeat it.
    messages: BTreeMap<String, Usage>,
    errors: ErrorReports,
}

impl StreamReader for ClaudeReader {
    fn read_line(&mut self, line: &str) -> Vec<AgentEvent> {
        let Ok(line @ Value::Object(_)) = serde_json::from_str(line) else { return Vec::new() };
        match (text(&line, "/type"), text(&line, "/subtype")) {
            (Some("system"), Some("init")) => init(&line),
            (Some("system"), Some("api_retry")) => self.retry(&line),
            (Some("system"), Some("model_fallback")) => fallback(&line),
            (Some("assistant"), _) => self.read_message(&line),
            (Some("user"), _) => tool_ends(&line),
            (Some("rate_limit_event"), _) => {
                self.errors.limited(&line);
                Vec::new()
            }
            (Some("result"), _) => self.result(&line),
            _ => Vec::new(),
        }
    }

    fn error(&self, end: &ProgramEnd<'_>) -> Option<ModelError> {
        self.errors.error(end.at_s).or_else(|| unexplained_exit(end))
    }
}

impl ClaudeReader {
    fn retry(&mut self, line: &Value) -> Vec<AgentEvent> {
        let word = text(line, "/error").unwrap_or("unknown");
        let status = number(line, "/error_status");
        let class = match class_by_name(word) {
            ModelErrorClass::Unknown => status.map_or(ModelErrorClass::Network, class_by_status),
            known => known,
        };
        self.errors.retried(class);
        let message = status.map_or_else(|| word.to_owned(), |status| format!("{word} ({status})"));
        let wait = number(line, "/retry_delay_ms").map(Duration::from_millis);
        vec![AgentEvent::Retrying(RetryNotice { class, message, wait })]
    }

    /// Reads a block of a message: text or a tool call.
    fn read_message(&mut self, line: &Value) -> Vec<AgentEvent> {
        if let Some(error) = text(line, "/error") {
            self.errors.set_error(error);
        }
        let mut events = Vec::new();
        if text(line, "/message/model") != Some(NOBODY) {
            self.count(line, &mut events);
            for block in blocks(line) {
                events.extend(block_event(block));
            }
        }
        events
    }

    fn count(&mut self, line: &Value, events: &mut Vec<AgentEvent>) {
        let Some(reported) = line.pointer("/message/usage") else { return };
        let used = usage(reported, MESSAGE, events);
        let id = text(line, "/message/id").unwrap_or_default().to_owned();
        let known = self.messages.entry(id).or_default();
        *known = known.at_least(&used);
        let total = self.messages.values().fold(Usage::default(), |sum, one| sum.plus(one));
        events.push(AgentEvent::Used(total));
        // A subagent has its own context.
        if text(line, "/parent_tool_use_id").is_none() {
            let used = used.input.saturating_add(used.cache_read).saturating_add(used.cache_write);
            events.push(AgentEvent::Context { used, window: None });
        }
    }

    fn result(&mut self, line: &Value) -> Vec<AgentEvent> {
        let mut events = Vec::new();
        last_use(line, &mut events);
        let failed = line.pointer("/is_error").and_then(Value::as_bool) == Some(true)
            || text(line, "/subtype") != Some("success");
        if failed {
            self.errors.ended(line);
            return events;
        }
        let structured = line.get("structured_output").filter(|value| value.is_object());
        let answer = structured.map(Value::to_string);
        let answer = answer.or_else(|| text(line, "/result").map(str::to_owned));
        events.push(AgentEvent::Result(answer.unwrap_or_default()));
        events
    }
}

fn init(line: &Value) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    events.extend(text(line, "/session_id").map(|id| AgentEvent::Session(id.to_owned())));
    events.extend(text(line, "/model").map(|model| AgentEvent::Model(model.to_owned())));
    let servers = line.pointer("/mcp_servers").and_then(Value::as_array);
    for server in servers.into_iter().flatten() {
        let (name, status) = (text(server, "/name"), text(server, "/status"));
        if let (Some(name), Some(status @ ("failed" | "needs-auth"))) = (name, status) {
            let message = format!("its tool server {name} is not available: {status}");
            events.push(AgentEvent::Notice(message));
        }
    }
    events
}

/// By model, because its total leaves out subagents and the last turn.
fn last_use(line: &Value, events: &mut Vec<AgentEvent>) {
    let by_model = line.pointer("/modelUsage").and_then(Value::as_object);
    let by_model: Vec<ModelUsage> = by_model
        .into_iter()
        .flatten()
        .map(|(model, reported)| ModelUsage {
            model: model.clone(),
            usage: usage(reported, MODEL, events),
        })
        .collect();
    if by_model.is_empty() {
        return;
    }
    let total = by_model.iter().fold(Usage::default(), |sum, one| sum.plus(&one.usage));
    // Since some version, the numbers by model are those of the whole conversation if it was resumed.
    if let Some(own) = line.get("usage") {
        let own = usage(own, MESSAGE, events);
        events.push(AgentEvent::UsedByProcess(own));
    }
    events.push(AgentEvent::Used(total));
    events.push(AgentEvent::UsedByModel(by_model));
}

fn blocks(line: &Value) -> impl Iterator<Item = &Value> {
    line.pointer("/message/content").and_then(Value::as_array).into_iter().flatten()
}

fn block_event(block: &Value) -> Option<AgentEvent> {
    match text(block, "/type")? {
        "text" => Some(AgentEvent::Text(text(block, "/text")?.to_owned())),
        "tool_use" => {
            let input = block.get("input").unwrap_or(&Value::Null);
            let call = ToolCall::new(text(block, "/id")?, text(block, "/name")?, input);
            Some(AgentEvent::ToolStarted(call))
        }
        _ => None,
    }
}

fn tool_ends(line: &Value) -> Vec<AgentEvent> {
    let end = |block: &Value| {
        let content = block.get("content");
        let output = match content {
            Some(Value::String(text)) => cut_text(text),
            Some(Value::Array(parts)) => {
                cut_text(parts.iter().find_map(|part| text(part, "/text")).unwrap_or_default())
            }
            _ => String::new(),
        };
        Some(AgentEvent::ToolEnded(ToolEnd {
            id: text(block, "/tool_use_id")?.to_owned(),
            failed: block.get("is_error").and_then(Value::as_bool) == Some(true),
            output,
        }))
    };
    blocks(line)
        .filter(|block| text(block, "/type") == Some("tool_result"))
        .filter_map(end)
        .collect()
}

fn fallback(line: &Value) -> Vec<AgentEvent> {
    let name = |at| text(line, at).unwrap_or("?").to_owned();
    let (from, to) = (name("/original_model"), name("/fallback_model"));
    vec![AgentEvent::Notice(format!("it switched from {from} to {to}")), AgentEvent::Model(to)]
}
