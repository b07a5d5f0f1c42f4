//! The scripted agent's output: one JSON object per line.

use afresh_core::usage::Usage;
use serde_json::{Value, json};

use crate::stream::event::{AgentEvent, StreamReader};
use crate::stream::json_fields::{UsagePointers, number, usage};

const REPORT: UsagePointers = UsagePointers {
    input: "input",
    output: "output",
    cache_read: "cache_read",
    cache_write: "cache_write",
    cost: "cost_usd",
    input_holds_cached: false,
};

/// A line of a scripted worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptedLine {
    Text(String),
    /// Its usage so far.
    Used(Usage),
    Result(String),
}

/// One line of the stream.
pub fn line(saying: &ScriptedLine) -> String {
    match saying {
        ScriptedLine::Text(text) => json!({"type": "text", "text": text}),
        ScriptedLine::Result(text) => json!({"type": "result", "text": text}),
        ScriptedLine::Used(usage) => {
            #[expect(clippy::cast_precision_loss, reason = "amounts are far below 2^53")]
            let cost = usage.cost_micros.map(|micros| micros as f64 / 1e6);
            json!({
                "type": "usage", "input": usage.input, "output": usage.output,
                "cache_read": usage.cache_read, "cache_write": usage.cache_write, "cost_usd": cost,
            })
        }
    }
    .to_string()
}

/// Reads what [`line()`] writes.
#[derive(Debug, Default)]
pub struct ScriptedReader;

impl StreamReader for ScriptedReader {
    fn read_line(&mut self, line: &str) -> Vec<AgentEvent> {
        let Ok(line @ Value::Object(_)) = serde_json::from_str(line) else { return Vec::new() };
        let text = || line.get("text").and_then(Value::as_str).map(str::to_owned);
        match line.get("type").and_then(Value::as_str) {
            Some("text") => text().map(AgentEvent::Text).into_iter().collect(),
            Some("result") => text().map(AgentEvent::Result).into_iter().collect(),
            Some("usage") => used(&line),
            Some("context") => context(&line).into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

fn context(line: &Value) -> Option<AgentEvent> {
    Some(AgentEvent::Context { used: number(line, "/used")?, window: number(line, "/window") })
}

/// The totals of one report; invalid numbers are dropped, the others count.
fn used(line: &Value) -> Vec<AgentEvent> {
    let mut events = Vec::new();
    let usage = usage(line, REPORT, &mut events);
    events.push(AgentEvent::Used(usage));
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_lines_are_read_back() {
        let usage = Usage { input: 7, output: 1, cost_micros: Some(12_500), ..Usage::default() };
        let (words, answer) = ("two\nlines".to_owned(), "OUTPUT_JSON_START\n…".to_owned());
        for (saying, event) in [
            (ScriptedLine::Text(words.clone()), AgentEvent::Text(words)),
            (ScriptedLine::Result(answer.clone()), AgentEvent::Result(answer)),
            (ScriptedLine::Used(usage), AgentEvent::Used(usage)),
        ] {
            assert_eq!(ScriptedReader.read_line(&line(&saying)), [event]);
        }
    }

    #[test]
    fn other_lines_are_ignored() {
        for line in ["", "hello", "[1]", "{\"type\":\"party\"}", "{\"type\":\"text\"}", "{\"a\":"] {
            assert_eq!(ScriptedReader.read_line(line), []);
        }
    }

    /// B33: an invalid number is dropped and reported; the others count.
    #[test]
    fn invalid_numbers_of_a_report_are_dropped() {
        let line =
            r#"{"type":"usage","input":12,"output":-5,"cost_usd":1e308,"cache_read":"many"}"#;
        let events = ScriptedReader.read_line(line);
        assert_eq!(events.len(), 4, "{events:?}");
        let counted = Usage { input: 12, ..Usage::default() };
        assert_eq!(events.last(), Some(&AgentEvent::Used(counted)));
    }
}
