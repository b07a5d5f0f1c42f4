//! Values from a result in any notation, limited in size, because a worker may write anything.

use crate::text::node::{Node, TableEntry, Value};

/// The most characters of one text.
const MAX_TEXT_CHARS: usize = 8_000;
/// The most items of one list.
pub(super) const MAX_ITEMS: usize = 2_000;

/// A table in a result.
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

    /// The value of a key; `None` for `null` too.
    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(&entry.node).filter(|node| !matches!(node.value, Value::Other(_)))
    }

    pub(super) fn table(&self, key: &str) -> Option<Self> {
        self.get(key).and_then(Self::from_node)
    }

    /// The text of the first of these keys that has one.
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

    /// The items of a list, or `None` if the value is not a list.
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

/// A value as text: a string that is not blank, or a number without quotes.
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
