//! Tools that an agent uses: what it tells of one comes in pieces, and not all tell the same.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::stream::event::{AgentEvent, ToolCall, ToolEnd, about, bounded, telling};
use crate::stream::json_fields::text;

/// More than that are never open at once; whoever has more is not followed further.
const MAX_OPEN: usize = 1_000;

/// Tools that began and have not ended.
#[derive(Debug, Default)]
pub(super) struct OpenTools(BTreeSet<String>);

impl OpenTools {
    /// What a `tool_call` or a `tool_call_update` tells that was not told before.
    pub(super) fn update(&mut self, update: &Value) -> Vec<AgentEvent> {
        let Some(id) = text(update, "/toolCallId") else { return Vec::new() };
        let status = text(update, "/status").unwrap_or_default();
        let has_ended = matches!(status, "completed" | "failed");
        let mut events = Vec::new();
        let is_known = self.0.contains(id);
        // One that only waits has rarely told what it is about.
        let says_what = status != "pending" || telling(input(update)).is_some();
        if !is_known && says_what && self.0.len() < MAX_OPEN {
            self.0.insert(id.to_owned());
            events.push(AgentEvent::ToolStarted(call(id, update)));
        }
        if has_ended && self.0.remove(id) {
            let (failed, output) = (status == "failed", bounded(&output(update)));
            events.push(AgentEvent::ToolEnded(ToolEnd { id: id.to_owned(), failed, output }));
        }
        events
    }
}

fn input(update: &Value) -> &Value {
    update.get("rawInput").unwrap_or(&Value::Null)
}

/// Its own name where it has one, else what kind of tool it is.
fn call(id: &str, update: &Value) -> ToolCall {
    let title = text(update, "/title").unwrap_or_default();
    let kind = text(update, "/kind").filter(|kind| *kind != "other");
    let named = text(update, "/_meta/claudeCode/toolName").or(kind);
    let input = input(update);
    let about = match telling(input).or_else(|| text(update, "/locations/0/path")) {
        Some(word) => word.to_owned(),
        // Where the title is its name, only the input can say more.
        None if named.is_none() => about(input),
        None => title.to_owned(),
    };
    let tool = named.unwrap_or(title);
    let tool = if tool.is_empty() { "tool" } else { tool };
    ToolCall { id: id.to_owned(), tool: bounded(tool), about: bounded(&about) }
}

fn output(update: &Value) -> String {
    let parts = update.get("content").and_then(Value::as_array);
    let said = parts.into_iter().flatten().find_map(|part| text(part, "/content/text"));
    let raw = ["/rawOutput", "/rawOutput/output", "/rawOutput/formatted_output"];
    said.or_else(|| raw.iter().find_map(|at| text(update, at))).unwrap_or_default().to_owned()
}
