//! Converts the client's lines to events.

use std::collections::BTreeMap;

use afresh_core::model_error::ModelError;
use afresh_core::usage::{ModelUsage, Usage};
use serde_json::Value;

use super::errors::{classify, error_by_stop_reason};
use super::line::ClientLine;
use super::offered;
use super::tool;
use crate::json_rpc::{self, RpcMessage};
use crate::stream::errors::unexplained_exit;
use crate::stream::event::{AgentEvent, ProgramEnd, StreamReader, cut_text};
use crate::stream::json_fields::{UsagePointers, number, text, usage};
use crate::stream::usage::micros;

const TURN: UsagePointers = UsagePointers {
    input: "inputTokens",
    output: "outputTokens",
    cache_read: "cachedReadTokens",
    cache_write: "cachedWriteTokens",
    cost: "",
    input_holds_cached: false,
};
const QUOTA: UsagePointers = UsagePointers {
    input: "input_tokens",
    output: "output_tokens",
    cache_read: "",
    cache_write: "",
    cost: "",
    input_holds_cached: false,
};

/// The most bytes of text that are kept.
const MAX_WORDS_BYTES: usize = 4 * 1024 * 1024;

#[derive(Debug, Default)]
pub(crate) struct AcpReader {
    /// The last request; there is one at a time.
    asked: Option<PendingRequest>,
    model: Option<String>,
    /// Whether the prompt was sent: text before that is not a result.
    prompted: bool,
    /// Its text since the last tool call, which arrives in chunks.
    words: String,
    tools: tool::OpenTools,
    /// The sum of all requests, for programs that report each of them.
    requests: Usage,
    /// The cost of the session so far.
    cost_micros: Option<u64>,
    failed: Option<ModelError>,
}

#[derive(Debug)]
struct PendingRequest {
    id: Value,
    method: String,
    /// The model that the request sets.
    model: Option<String>,
    /// The session that the request resumes.
    session: Option<String>,
}

impl StreamReader for AcpReader {
    fn read_line(&mut self, line: &str) -> Vec<AgentEvent> {
        match ClientLine::parse(line) {
            Some(ClientLine::To(message)) => self.message_sent(&message),
            Some(ClientLine::From(message)) => return self.message_received(&message),
            Some(ClientLine::Note(note)) => return vec![AgentEvent::Notice(cut_text(&note))],
            Some(ClientLine::Failed(error)) => self.failed = Some(error),
            None => {}
        }
        Vec::new()
    }

    fn error(&self, end: &ProgramEnd<'_>) -> Option<ModelError> {
        self.failed.clone().or_else(|| unexplained_exit(end))
    }
}

impl AcpReader {
    fn message_sent(&mut self, message: &Value) {
        let RpcMessage::Request { id, method, params } = json_rpc::read(message) else { return };
        self.prompted |= method == "session/prompt";
        let named = |at| text(params, at).map(str::to_owned);
        let (model, session) = (named("/modelId"), named("/sessionId"));
        self.asked =
            Some(PendingRequest { id: id.clone(), method: method.to_owned(), model, session });
    }

    fn message_received(&mut self, message: &Value) -> Vec<AgentEvent> {
        match json_rpc::read(message) {
            RpcMessage::Notice { method: "session/update", params } => {
                self.update(params.get("update").unwrap_or(&Value::Null))
            }
            RpcMessage::Answer { id, outcome } => self.response_received(id, outcome),
            _ => Vec::new(),
        }
    }

    fn update(&mut self, update: &Value) -> Vec<AgentEvent> {
        match text(update, "/sessionUpdate") {
            Some("config_option_update") => self.update_model(update, None),
            // The repeated messages of a resumed conversation were reported before.
            _ if !self.prompted => Vec::new(),
            Some("agent_message_chunk") => {
                let mut events = self.read_text(update);
                events.extend(self.request_ended(update));
                events
            }
            Some("tool_call" | "tool_call_update") => self.tool(update),
            Some("usage_update") => self.context_update(update),
            _ => Vec::new(),
        }
    }

    fn response_received(
        &mut self,
        id: &Value,
        outcome: Result<&Value, &Value>,
    ) -> Vec<AgentEvent> {
        let Some(asked) = self.asked.take_if(|asked| asked.id == *id) else { return Vec::new() };
        match (asked.method.as_str(), outcome) {
            // Without the mode, it asks for permissions, which are granted.
            ("session/set_mode", Err(_)) => Vec::new(),
            (_, Err(error)) => {
                self.failed = Some(classify(error));
                self.take_text().into_iter().collect()
            }
            ("session/new" | "session/load" | "session/resume", Ok(result)) => {
                let new = text(result, "/sessionId").map(str::to_owned);
                let session = asked.session.or(new);
                let mut events = self.update_model(result, None);
                events.extend(session.map(AgentEvent::Session));
                events
            }
            ("session/prompt", Ok(result)) => self.turn_ended(result),
            (_, Ok(result)) => self.update_model(result, asked.model),
        }
    }

    /// Reports the model, if it changed.
    fn update_model(&mut self, reported: &Value, chosen: Option<String>) -> Vec<AgentEvent> {
        let current = offered::models(reported).map(|models| models.current);
        let Some(model) = chosen.or(current).filter(|model| !model.is_empty()) else {
            return Vec::new();
        };
        if self.model.as_ref() == Some(&model) {
            return Vec::new();
        }
        self.model = Some(model.clone());
        vec![AgentEvent::Model(model)]
    }

    fn read_text(&mut self, update: &Value) -> Vec<AgentEvent> {
        let words = text(update, "/content/text").unwrap_or_default();
        if self.words.len() + words.len() <= MAX_WORDS_BYTES {
            self.words.push_str(words);
        }
        Vec::new()
    }

    /// Its text so far, once.
    fn take_text(&mut self) -> Option<AgentEvent> {
        let words = std::mem::take(&mut self.words);
        (!words.trim().is_empty()).then_some(AgentEvent::Text(words))
    }

    fn tool(&mut self, update: &Value) -> Vec<AgentEvent> {
        let seen = self.tools.update(update);
        let mut events: Vec<AgentEvent> = Vec::new();
        if !seen.is_empty() {
            events.extend(self.take_text());
        }
        events.extend(seen);
        events
    }

    fn context_update(&mut self, update: &Value) -> Vec<AgentEvent> {
        let mut events = Vec::new();
        if let Some(used) = number(update, "/used").filter(|used| *used > 0) {
            let window = number(update, "/size").filter(|size| *size > 0);
            events.push(AgentEvent::Context { used, window });
        }
        let dollars = text(update, "/cost/currency").is_none_or(|currency| currency == "USD");
        let cost = update.pointer("/cost/amount").and_then(Value::as_f64).filter(|_| dollars);
        if let Some(cost) = cost.and_then(micros).filter(|cost| *cost > 0) {
            self.cost_micros = Some(cost);
            events.push(AgentEvent::Used(self.priced(Usage::default())));
        }
        events
    }

    /// The usage of one request, which some programs add to their text.
    fn request_ended(&mut self, update: &Value) -> Vec<AgentEvent> {
        let mut events = Vec::new();
        let Some(reported) = update.pointer("/_meta/usage").filter(|it| it.is_object()) else {
            return events;
        };
        let request = turn_usage(reported, &mut events);
        self.requests = self.requests.plus(&request);
        events.push(AgentEvent::Used(self.priced(self.requests)));
        let used =
            request.input.saturating_add(request.cache_read).saturating_add(request.cache_write);
        events.push(AgentEvent::Context { used, window: None });
        events
    }

    /// The usage with the reported cost.
    fn priced(&self, usage: Usage) -> Usage {
        Usage { cost_micros: self.cost_micros, ..usage }
    }

    fn turn_ended(&mut self, result: &Value) -> Vec<AgentEvent> {
        let mut events = Vec::new();
        if let Some(reported) = result.get("usage").filter(|reported| reported.is_object()) {
            let turn = turn_usage(reported, &mut events);
            events.push(AgentEvent::Used(self.priced(turn)));
        } else if let Some(reported) = result.pointer("/_meta/quota/token_count") {
            let turn = usage(reported, QUOTA, &mut events);
            events.push(AgentEvent::Used(self.priced(turn)));
            events.extend(by_model(result));
        }
        let answer = std::mem::take(&mut self.words);
        match text(result, "/stopReason").unwrap_or_default() {
            "end_turn" => {
                self.failed = None;
                events.push(AgentEvent::Result(answer));
            }
            reason => self.failed = error_by_stop_reason(reason),
        }
        events
    }
}

/// Programs differ in whether their input includes what was cached; their total shows it.
fn turn_usage(reported: &Value, events: &mut Vec<AgentEvent>) -> Usage {
    let mut turn = usage(reported, TURN, events);
    let thoughts = number(reported, "/thoughtTokens").unwrap_or_default();
    let without_cache = turn.input.saturating_add(turn.output);
    let total = number(reported, "/totalTokens");
    if total == Some(without_cache) || total == Some(without_cache.saturating_add(thoughts)) {
        let cached = turn.cache_read.saturating_add(turn.cache_write);
        turn.input = turn.input.saturating_sub(cached);
    }
    turn.output = turn.output.saturating_add(thoughts);
    turn
}

fn by_model(result: &Value) -> Option<AgentEvent> {
    let reported = result.pointer("/_meta/quota/model_usage")?.as_array()?;
    let one = |reported: &Value| {
        let usage = usage(reported.get("token_count")?, QUOTA, &mut Vec::new());
        Some((text(reported, "/model")?.to_owned(), usage))
    };
    let models: BTreeMap<String, Usage> = reported.iter().filter_map(one).collect();
    let models: Vec<ModelUsage> =
        models.into_iter().map(|(model, usage)| ModelUsage { model, usage }).collect();
    (!models.is_empty()).then_some(AgentEvent::UsedByModel(models))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// R14, L8: cached input is counted once, however a program reports it.
    #[test]
    fn cached_input_is_counted_once() {
        let used = |reported: Value| {
            let used = turn_usage(&reported, &mut Vec::new());
            (used.input, used.cache_read, used.tokens())
        };
        let copilot = json!({"inputTokens": 2400, "outputTokens": 100, "totalTokens": 2500, "cachedReadTokens": 400});
        assert_eq!(used(copilot), (2000, 400, 2500));
        let opencode = json!({"inputTokens": 1400, "outputTokens": 60, "totalTokens": 2360, "cachedReadTokens": 900});
        assert_eq!(used(opencode), (1400, 900, 2360));
        let qwen = json!({"inputTokens": 1200, "outputTokens": 50, "totalTokens": 1257, "thoughtTokens": 7, "cachedReadTokens": 200});
        assert_eq!(used(qwen), (1000, 200, 1257));
    }

    /// R14: requests that a program reports one by one are added up.
    #[test]
    fn requests_are_added_up() {
        let mut reader = AcpReader { prompted: true, ..AcpReader::default() };
        let update = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": ""},
            "_meta": {"usage": {"inputTokens": 1200, "outputTokens": 50, "totalTokens": 1250, "cachedReadTokens": 200}}});
        let mut total = || {
            reader.update(&update).into_iter().find_map(|event| match event {
                AgentEvent::Used(used) => Some(used.tokens()),
                _ => None,
            })
        };
        assert_eq!((total(), total()), (Some(1250), Some(2500)));
    }
}
