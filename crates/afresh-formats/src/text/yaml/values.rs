//! Words, lists and keys from a tree.

use std::ops::Range;

use crate::text::node::{Node, TableEntry, Value};

/// A word and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedWord {
    pub text: String,
    pub at: Range<usize>,
}

/// The entries of a table; empty for any other value.
pub fn entries(node: &Node) -> &[TableEntry] {
    if let Value::Table(entries) = &node.value { entries } else { &[] }
}

/// The value of a key; the first one if it is duplicated.
pub fn get<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    entries(node).iter().find(|entry| entry.key == key).map(|entry| &entry.node)
}

/// A single value as text.
pub fn word(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Fraction(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Table(_) | Value::List(_) | Value::Other(_) => None,
    }
}

/// A list of words. A single value counts as a list, split at commas. A `key: value` item counts as a
/// word too: people write remarks after a colon.
pub fn list_words(node: &Node) -> Vec<LocatedWord> {
    let mut found = Vec::new();
    if matches!(node.value, Value::List(_)) {
        collect(node, &mut found);
        return found;
    }
    let text = word(node).unwrap_or_default();
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| LocatedWord { text: part.to_owned(), at: node.span.clone() }).collect()
}

fn collect(node: &Node, found: &mut Vec<LocatedWord>) {
    let text = match &node.value {
        Value::List(items) => return items.iter().for_each(|item| collect(item, found)),
        Value::Table(entries) => entries
            .first()
            .map(|entry| format!("{}: {}", entry.key, word(&entry.node).unwrap_or_default())),
        _ => word(node),
    };
    let text = text.unwrap_or_default().trim().to_owned();
    if !text.is_empty() {
        found.push(LocatedWord { text, at: node.span.clone() });
    }
}
