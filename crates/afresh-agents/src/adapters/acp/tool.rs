//! Tool calls, which are reported in several updates that differ between programs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::stream::event::{
    AgentEvent, ToolCall, ToolEnd, cut_text, summarize_input, summary_field,
};
use crate::stream::json_fields::text;

/// The most open tool calls that are tracked.
const MAX_OPEN: usize = 1_000;

/// Tool calls that have started and not ended.
#[derive(Debug, Default)]
pub(super) struct OpenTools(BTreeSet<String>);

impl OpenTools {
    /// The new information in a `tool_call` or `tool_call_update`.
    pub(super) fn update(&mut self, update: &Value) -> Vec<AgentEvent> {
        let Some(id) = text(update, "/toolCallId") else { return Vec::new() };
        let status = text(update, "/status").unwrap_or_default();
        let has_ended = matches!(status, "completed" | "failed");
        let mut events = Vec::new();
        let is_known = self.0.contains(id);
        // A pending call rarely has its input yet.
        let says_what = status != "pending" || summary_field(input(update)).is_some();
        if !is_known && says_what && self.0.len() < MAX_OPEN {
            self.0.insert(id.to_owned());
            events.push(AgentEvent::ToolStarted(call(id, update)));
        }
        if has_ended && self.0.remove(id) {
            let (failed, output) = (status == "failed", cut_text(&output(update)));
            events.push(AgentEvent::ToolEnded(ToolEnd { id: id.to_owned(), failed, output }));
        }
        events
    }
}

fn input(update: &Value) -> &Value {
    update.get("rawInput").unwrap_or(&Value::Null)
}

/// The tool call, by the tool's name or else its kind.
fn call(id: &str, update: &Value) -> ToolCall {
    let title = text(update, "/title").unwrap_or_default();
    let kind = text(update, "/kind").filter(|kind| *kind != "other");
    let named = text(update, "/_meta/claudeCode/toolName").or(kind);
    let input = input(update);
    let about = match summary_field(input).or_else(|| text(update, "/locations/0/path")) {
        Some(word) => word.to_owned(),
        // If the title is the name, the summary comes from the input.
        None if named.is_none() => summarize_input(input),
        None => title.to_owned(),
    };
    let tool = named.unwrap_or(title);
    let tool = if tool.is_empty() { "tool" } else { tool };
    let call = ToolCall::new(id, &cut_text(tool), input);
    ToolCall { about: cut_text(&about), ..call }
}

fn output(update: &Value) -> String {
    let parts = update.get("content").and_then(Value::as_array);
    let content = parts.into_iter().flatten().find_map(|part| text(part, "/content/text"));
    let raw = ["/rawOutput", "/rawOutput/output", "/rawOutput/formatted_output"];
    content.or_else(|| raw.iter().find_map(|at| text(update, at))).unwrap_or_default().to_owned()
}
