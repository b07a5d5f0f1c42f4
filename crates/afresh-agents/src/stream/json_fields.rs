//! Fields of a line of JSON, by their pointer; whatever is not of the expected kind is not there.

use afresh_core::usage::Usage;
use serde_json::Value;

use crate::stream::event::AgentEvent;
use crate::stream::usage::{micros, tokens};

pub(crate) fn text<'v>(line: &'v Value, pointer: &str) -> Option<&'v str> {
    line.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
}

pub(crate) fn number(line: &Value, pointer: &str) -> Option<u64> {
    line.pointer(pointer).and_then(Value::as_f64).and_then(tokens)
}

/// Where each part of a use stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UsagePointers {
    pub(crate) input: &'static str,
    pub(crate) output: &'static str,
    pub(crate) cache_read: &'static str,
    pub(crate) cache_write: &'static str,
    pub(crate) cost: &'static str,
    /// The program counts what it read from a cache as input too.
    pub(crate) input_holds_cached: bool,
}

/// A use as the program tells it. A number that makes no sense is left out and told (B33).
pub(crate) fn usage(at: &Value, places: UsagePointers, nonsense: &mut Vec<AgentEvent>) -> Usage {
    let mut read = |key: &str, as_amount: fn(f64) -> Option<u64>| {
        let value = at.get(key).filter(|value| !value.is_null())?;
        let amount = value.as_f64().and_then(as_amount);
        if amount.is_none() {
            let shown: String = value.to_string().chars().take(40).collect();
            nonsense.push(AgentEvent::Nonsense(format!("{key} = {shown} is no amount; left out")));
        }
        amount
    };
    let cache_read = read(places.cache_read, tokens).unwrap_or_default();
    let input = read(places.input, tokens).unwrap_or_default();
    Usage {
        input: if places.input_holds_cached { input.saturating_sub(cache_read) } else { input },
        output: read(places.output, tokens).unwrap_or_default(),
        cache_read,
        cache_write: read(places.cache_write, tokens).unwrap_or_default(),
        cost_micros: read(places.cost, micros),
    }
}
