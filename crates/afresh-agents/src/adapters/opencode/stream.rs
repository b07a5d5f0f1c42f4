//! Reads opencode's `--format json` line by line.

use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::usage::Usage;
use serde_json::Value;

use crate::stream::errors::{class_by_body, class_by_status, model_error, unexplained_exit};
use crate::stream::event::{AgentEvent, ProgramEnd, StreamReader, ToolCall, ToolEnd, cut_text};
use crate::stream::json_fields::{UsagePointers, number, text, usage};

const STEP: UsagePointers = UsagePointers {
    input: "input",
    output: "output",
    cache_read: "",
    cache_write: "",
    cost: "",
    input_holds_cached: false,
};

#[derive(Debug, Default)]
pub(crate) struct OpencodeReader {
    session: Option<String>,
    used: Usage,
    /// Its text in this step.
    words: String,
    failed: Option<ModelError>,
}

impl StreamReader for OpencodeReader {
    fn read_line(&mut self, line: &str) -> Vec<AgentEvent> {
        let Ok(line @ Value::Object(_)) = serde_json::from_str(line) else { return Vec::new() };
        let mut events = self.session(&line);
        match text(&line, "/type") {
            Some("step_start") => self.words.clear(),
            Some("text") => events.extend(self.read_text(&line)),
            Some("tool_use") => events.extend(tool(&line)),
            Some("step_finish") => self.step_finished(&line, &mut events),
            Some("error") => events.extend(self.trouble(&line)),
            _ => {}
        }
        events
    }

    fn error(&self, end: &ProgramEnd<'_>) -> Option<ModelError> {
        self.failed.clone().or_else(|| unexplained_exit(end))
    }
}

impl OpencodeReader {
    fn session(&mut self, line: &Value) -> Vec<AgentEvent> {
        match text(line, "/sessionID") {
            Some(id) if self.session.as_deref() != Some(id) => {
                self.session = Some(id.to_owned());
                vec![AgentEvent::Session(id.to_owned())]
            }
            _ => Vec::new(),
        }
    }

    fn read_text(&mut self, line: &Value) -> Option<AgentEvent> {
        // Text that the program itself adds to the conversation is not a result.
        if line.pointer("/part/synthetic").and_then(Value::as_bool) == Some(true) {
            return None;
        }
        let words = text(line, "/part/text")?;
        words.clone_into(&mut self.words);
        Some(AgentEvent::Text(words.to_owned()))
    }

    fn step_finished(&mut self, line: &Value, events: &mut Vec<AgentEvent>) {
        let Some(part) = line.get("part") else { return };
        let mut step =
            part.get("tokens").map(|reported| usage(reported, STEP, events)).unwrap_or_default();
        step.cache_read = number(part, "/tokens/cache/read").unwrap_or_default();
        step.cache_write = number(part, "/tokens/cache/write").unwrap_or_default();
        step.output += number(part, "/tokens/reasoning").unwrap_or_default();
        step.cost_micros =
            part.get("cost").and_then(Value::as_f64).and_then(crate::stream::usage::micros);
        self.used = self.used.plus(&step);
        events.push(AgentEvent::Used(self.used));
        let used = step.input.saturating_add(step.cache_read).saturating_add(step.cache_write);
        events.push(AgentEvent::Context { used, window: None });
        if text(part, "/reason") == Some("stop") {
            self.failed = None;
            events.push(AgentEvent::Result(std::mem::take(&mut self.words)));
        }
    }

    fn trouble(&mut self, line: &Value) -> Option<AgentEvent> {
        let message = text(line, "/error/data/message").unwrap_or_default();
        let body = text(line, "/error/data/responseBody").unwrap_or_default();
        let class = match (text(line, "/error/name"), number(line, "/error/data/statusCode")) {
            (Some("ContextOverflowError"), _) => ModelErrorClass::ContextFull,
            (_, Some(status @ 400..500)) => class_by_body(body)
                .filter(|class| *class != ModelErrorClass::BadRequest)
                .unwrap_or_else(|| class_by_status(status)),
            (_, Some(status)) => class_by_status(status),
            (Some("ProviderAuthError"), None) => ModelErrorClass::Auth,
            // The model was not reached.
            (Some("APIError"), None) => ModelErrorClass::Network,
            _ => ModelErrorClass::Unknown,
        };
        let mut failed = model_error(class, message);
        let header =
            text(line, "/error/data/responseHeaders/retry-after").filter(|_| class.is_transient());
        let seconds = header.and_then(|seconds| seconds.trim().parse::<u64>().ok());
        failed.wait_ms = failed.wait_ms.or(seconds.map(|seconds| seconds.saturating_mul(1000)));
        self.failed = Some(failed.clone());
        // It shortens its conversation and retries forever.
        (class == ModelErrorClass::ContextFull).then_some(AgentEvent::Hopeless(failed))
    }
}

fn tool(line: &Value) -> Vec<AgentEvent> {
    let Some(part) = line.get("part") else { return Vec::new() };
    let (Some(id), Some(name)) = (text(part, "/callID"), text(part, "/tool")) else {
        return Vec::new();
    };
    let input = part.pointer("/state/input").unwrap_or(&Value::Null);
    let exit = part.pointer("/state/metadata/exit").and_then(Value::as_i64);
    let failed = text(part, "/state/status") == Some("error") || exit.is_some_and(|code| code != 0);
    let output = text(part, "/state/output").or_else(|| text(part, "/state/error"));
    vec![
        AgentEvent::ToolStarted(ToolCall::new(id, name, input)),
        AgentEvent::ToolEnded(ToolEnd {
            id: id.to_owned(),
            failed,
            output: cut_text(output.unwrap_or_default()),
        }),
    ]
}
