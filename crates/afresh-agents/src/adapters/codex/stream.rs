//! Reads Codex's `--json` output line by line.

use afresh_core::model_error::ModelError;
use serde_json::{Value, json};

use super::errors;
use crate::stream::errors::unexplained_exit;
use crate::stream::event::{
    AgentEvent, ProgramEnd, RetryNotice, StreamReader, ToolCall, ToolEnd, cut_text, summarize_input,
};
use crate::stream::json_fields::{UsagePointers, text, usage};

/// The usage of a turn, and of a record in its session file.
pub(crate) const TURN: UsagePointers = UsagePointers {
    input: "input_tokens",
    output: "output_tokens",
    cache_read: "cached_input_tokens",
    cache_write: "cache_write_input_tokens",
    cost: "",
    input_holds_cached: true,
};

/// The most notices that it waits for the network: a short outage passes, but it would wait forever.
const MAX_WAITS: u32 = 3;

#[derive(Debug, Default)]
pub(crate) struct CodexReader {
    /// Its last message: the result, once the turn is complete.
    last_words: Option<String>,
    failed: Option<ModelError>,
    /// The number of such notices in a row.
    waits: u32,
    /// Whether a turn has begun and not ended.
    in_turn: bool,
}

impl StreamReader for CodexReader {
    fn read_line(&mut self, line: &str) -> Vec<AgentEvent> {
        let Ok(line @ Value::Object(_)) = serde_json::from_str(line) else { return Vec::new() };
        let kind = text(&line, "/type");
        if kind != Some("error") {
            self.waits = 0;
        }
        match kind {
            Some("thread.started") => text(&line, "/thread_id")
                .map(|id| AgentEvent::Session(id.to_owned()))
                .into_iter()
                .collect(),
            Some("turn.started") => {
                self.in_turn = true;
                Vec::new()
            }
            Some("item.started") => started(&line).into_iter().collect(),
            Some("item.completed") => self.completed(&line).into_iter().collect(),
            Some("turn.completed") => self.turn_completed(&line),
            Some("turn.failed") => {
                let message = text(&line, "/error/message").unwrap_or_default();
                self.failed = Some(errors::error(message));
                self.in_turn = false;
                Vec::new()
            }
            Some("error") => self.trouble(text(&line, "/message").unwrap_or_default()),
            _ => Vec::new(),
        }
    }

    fn error(&self, end: &ProgramEnd<'_>) -> Option<ModelError> {
        if let Some(failed) = &self.failed {
            return Some(failed.clone());
        }
        let unexplained = unexplained_exit(end)?;
        // A signal ends it like that, and it says nothing about it.
        if self.in_turn && !is_explained(end.stderr) {
            let code = end.exit.unwrap_or_default();
            let message = format!("exit code {code}: it was interrupted in the middle of a turn");
            return Some(ModelError::new(unexplained.class, message));
        }
        Some(unexplained)
    }
}

/// Whether its standard error has more than what it always prints.
fn is_explained(stderr: &str) -> bool {
    stderr.lines().any(|line| line.starts_with("error: ") || line.starts_with("Error: "))
}

impl CodexReader {
    fn completed(&mut self, line: &Value) -> Option<AgentEvent> {
        let item = line.get("item")?;
        match text(item, "/type")? {
            "agent_message" => {
                let words = text(item, "/text")?.to_owned();
                self.last_words = Some(words.clone());
                Some(AgentEvent::Text(words))
            }
            // A warning, not the end.
            "error" => Some(AgentEvent::Notice(cut_text(text(item, "/message")?))),
            "reasoning" => None,
            _ => Some(AgentEvent::ToolEnded(ToolEnd {
                id: text(item, "/id")?.to_owned(),
                failed: text(item, "/status") == Some("failed"),
                output: cut_text(
                    text(item, "/aggregated_output")
                        .or_else(|| text(item, "/error/message"))
                        .or_else(|| text(item, "/result/content/0/text"))
                        .unwrap_or_default(),
                ),
            })),
        }
    }

    /// It reports every error twice; the last one is repeated as `turn.failed`, which is the end.
    fn trouble(&mut self, message: &str) -> Vec<AgentEvent> {
        let Some(inner) = errors::retried(message) else { return Vec::new() };
        let error = errors::error(inner);
        let (class, message_reported, wait) = (error.class, error.message.clone(), error.wait());
        let mut events =
            vec![AgentEvent::Retrying(RetryNotice { class, message: message_reported, wait })];
        self.waits += u32::from(errors::is_waiting(message));
        if self.waits == MAX_WAITS {
            events.push(AgentEvent::Hopeless(error));
        }
        events
    }

    fn turn_completed(&mut self, line: &Value) -> Vec<AgentEvent> {
        self.failed = None;
        self.in_turn = false;
        let mut events = Vec::new();
        if let Some(reported) = line.get("usage") {
            let used = usage(reported, TURN, &mut events);
            events.push(AgentEvent::Used(used));
        }
        events.push(AgentEvent::Result(self.last_words.take().unwrap_or_default()));
        events
    }
}

fn started(line: &Value) -> Option<AgentEvent> {
    let item = line.get("item")?;
    let kind = text(item, "/type")?;
    let (id, tool) = (text(item, "/id")?, text(item, "/tool").unwrap_or(kind));
    let input = match kind {
        "agent_message" | "reasoning" | "error" => return None,
        "mcp_tool_call" => item.get("arguments").unwrap_or(&Value::Null),
        "command_execution" => &json!({"command": item.get("command")}),
        // What is changed is not reported, only where.
        _ => {
            let path = text(item, "/changes/0/path").map(cut_text);
            let about = path.unwrap_or_else(|| summarize_input(item));
            let (id, tool) = (id.to_owned(), tool.to_owned());
            let call = ToolCall { id, tool, about, fingerprint: None };
            return Some(AgentEvent::ToolStarted(call));
        }
    };
    Some(AgentEvent::ToolStarted(ToolCall::new(id, tool, input)))
}
