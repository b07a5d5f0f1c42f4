//! The usage of every model request, recorded by a module of ours inside opencode's process.
//!
//! opencode stores the usage of a request when its tools have ended, and never that of the requests that it makes for
//! itself, such as titles. Its runtime loads the module before opencode itself. A plugin would be loaded too, but with
//! any plugin opencode first waits for an installation from npm: for more than a minute if there is no network.

use std::collections::BTreeMap;

use afresh_core::usage::Usage;
use serde_json::Value;

use crate::agent::{LaunchError, LaunchFile, LaunchRequest, path_text};
use crate::stream::event::{AgentEvent, StreamReader};
use crate::stream::json_fields::{number, text};

/// The file that the module writes, in the directory that the worker may write to.
pub(crate) const LOG_FILE: &str = "requests.jsonl";

const MODULE: &str = include_str!("request_log.mjs");
const MODULE_FILE: &str = "opencode-requests.mjs";
/// Modules that opencode's runtime loads first. It is undocumented; a version that ignores it works as before.
const PRELOAD: &str = "BUN_INSPECT_PRELOAD";

/// Adds the module to what a launch needs, unless the user has a module there.
pub(crate) fn add_module(
    order: &LaunchRequest<'_>,
    env: &mut Vec<(String, String)>,
    files: &mut Vec<LaunchFile>,
) -> Result<(), LaunchError> {
    if order.variables.contains_key(PRELOAD) {
        return Ok(());
    }
    let path = order.directory.join(MODULE_FILE);
    env.push((PRELOAD.to_owned(), path_text(&path)?));
    files.push(LaunchFile { path, text: MODULE.to_owned() });
    Ok(())
}

/// Adds up the requests; the usage of one may be written several times, and grows.
#[derive(Default)]
pub(crate) struct RequestLogReader {
    requests: BTreeMap<String, Usage>,
}

impl StreamReader for RequestLogReader {
    fn read_line(&mut self, line: &str) -> Vec<AgentEvent> {
        let Ok(line) = serde_json::from_str::<Value>(line) else { return Vec::new() };
        let (Some(id), Some(used)) = (text(&line, "/id"), line.get("usage")) else {
            return Vec::new();
        };
        let known = self.requests.entry(id.to_owned()).or_default();
        *known = known.at_least(&request_usage(used));
        let total = self.requests.values().fold(Usage::default(), |sum, one| sum.plus(one));
        vec![AgentEvent::Used(total)]
    }
}

/// The usage of one request, in the words of its protocol. Only Anthropic's input is without what was cached.
fn request_usage(used: &Value) -> Usage {
    let of = |pointer: &str| number(used, pointer).unwrap_or_default();
    let with_cached = |input: u64, cached: u64, output: u64| Usage {
        input: input.saturating_sub(cached),
        output,
        cache_read: cached,
        ..Usage::default()
    };
    if used.get("prompt_tokens").is_some() {
        let cached = of("/prompt_tokens_details/cached_tokens");
        return with_cached(of("/prompt_tokens"), cached, of("/completion_tokens"));
    }
    if used.get("promptTokenCount").is_some() {
        let output = of("/candidatesTokenCount").saturating_add(of("/thoughtsTokenCount"));
        return with_cached(of("/promptTokenCount"), of("/cachedContentTokenCount"), output);
    }
    if used.get("input_tokens_details").is_some() {
        let cached = of("/input_tokens_details/cached_tokens");
        return with_cached(of("/input_tokens"), cached, of("/output_tokens"));
    }
    Usage {
        input: of("/input_tokens"),
        output: of("/output_tokens"),
        cache_read: of("/cache_read_input_tokens"),
        cache_write: of("/cache_creation_input_tokens"),
        cost_micros: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn total(lines: &[Value]) -> Usage {
        let mut reader = RequestLogReader::default();
        let mut used = Usage::default();
        for event in lines.iter().flat_map(|line| reader.read_line(&line.to_string())) {
            if let AgentEvent::Used(total) = event {
                used = total;
            }
        }
        used
    }

    /// R14: each protocol's usage is counted with its cache apart, and parts that arrive one after the other once.
    #[test]
    fn usage_of_every_protocol_is_counted_once() {
        let cached = Usage { input: 1000, output: 50, cache_read: 200, ..Usage::default() };
        let chat = json!({"prompt_tokens": 1200, "completion_tokens": 50, "total_tokens": 1250,
            "prompt_tokens_details": {"cached_tokens": 200}});
        assert_eq!(total(&[json!({"id": "a", "usage": chat})]), cached);
        let responses = json!({"input_tokens": 1200, "output_tokens": 50,
            "input_tokens_details": {"cached_tokens": 200}});
        assert_eq!(total(&[json!({"id": "a", "usage": responses})]), cached);
        let gemini = json!({"promptTokenCount": 1200, "candidatesTokenCount": 40, "thoughtsTokenCount": 10,
            "cachedContentTokenCount": 200});
        assert_eq!(total(&[json!({"id": "a", "usage": gemini})]), cached);
        let begun = json!({"input_tokens": 1000, "output_tokens": 1, "cache_read_input_tokens": 200,
            "cache_creation_input_tokens": 100});
        let ended = json!({"output_tokens": 50});
        let lines = [json!({"id": "a", "usage": begun}), json!({"id": "a", "usage": ended})];
        assert_eq!(total(&lines), Usage { cache_write: 100, ..cached });
        let next = json!({"id": "b", "usage": chat});
        assert_eq!(total(&[&lines[..], &[next]].concat()).tokens(), 2600);
    }

    /// B33: lines without usage, and numbers that are none, count nothing.
    #[test]
    fn other_lines_count_nothing() {
        let lines = [
            json!({"id": "a"}),
            json!({"usage": {"prompt_tokens": 5}}),
            json!({"id": "b", "usage": {"prompt_tokens": -5, "completion_tokens": "many"}}),
            json!([1, 2]),
        ];
        assert_eq!(total(&lines), Usage::default());
    }
}
