//! Fields of a line of JSON by pointer; a field of another type counts as missing.

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

/// JSON pointers of the parts of a usage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UsagePointers {
    pub(crate) input: &'static str,
    pub(crate) output: &'static str,
    pub(crate) cache_read: &'static str,
    pub(crate) cache_write: &'static str,
    pub(crate) cost: &'static str,
    /// Whether the program includes cache reads in its input.
    pub(crate) input_holds_cached: bool,
}

/// Reads a usage. Invalid numbers are dropped and reported (B33).
pub(crate) fn usage(at: &Value, places: UsagePointers, nonsense: &mut Vec<AgentEvent>) -> Usage {
    let mut read = |key: &str, as_amount: fn(f64) -> Option<u64>| {
        let value = at.get(key).filter(|value| !value.is_null())?;
        let amount = value.as_f64().and_then(as_amount);
        if amount.is_none() {
            let shown: String = value.to_string().chars().take(40).collect();
            nonsense.push(AgentEvent::Nonsense(format!("invalid amount {key} = {shown}; ignored")));
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
