//! Values out of an answer, whatever notation it has. Bounded: a worker may write anything.

use crate::text::node::{Node, TableEntry, Value};

/// Longest text that is taken over from an answer.
const MAX_TEXT_CHARS: usize = 8_000;
/// Longest list that is taken over.
pub(super) const MAX_ITEMS: usize = 2_000;

/// A table of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResultFields<'a> {
    entries: &'a [TableEntry],
}

impl<'a> ResultFields<'a> {
    pub(super) fn from_node(node: &'a Node) -> Option<Self> {
        match &node.value {
            Value::Table(entries) => Some(Self { entries }),
            _ => None,
        }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &'a str> {
        self.entries.iter().map(|entry| entry.key.as_str())
    }

    /// The value of a key; none where it is `null`.
    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(&entry.node).filter(|node| !matches!(node.value, Value::Other(_)))
    }

    pub(super) fn table(&self, key: &str) -> Option<Self> {
        self.get(key).and_then(Self::from_node)
    }

    /// The text under the first of these keys that has one.
    pub(super) fn text(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.get(key).and_then(text))
    }

    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)?.value {
            Value::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    pub(super) fn number(&self, key: &str) -> Option<i64> {
        match self.get(key)?.value {
            Value::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// The items of a list; none where it is no list.
    pub(super) fn list(&self, key: &str) -> Option<&'a [Node]> {
        match &self.get(key)?.value {
            Value::List(items) => Some(&items[..items.len().min(MAX_ITEMS)]),
            _ => None,
        }
    }

    pub(super) fn texts(&self, key: &str) -> Vec<String> {
        self.list(key).into_iter().flatten().filter_map(text).collect()
    }
}

/// A value that says something as a text: words, or a number or a name that was not quoted.
pub(super) fn text(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) if text.trim().is_empty() => None,
        Value::Text(text) => Some(bounded(text.trim())),
        Value::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}

pub(super) fn bounded(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARS).collect()
}
