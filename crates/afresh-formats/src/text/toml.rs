//! TOML with source positions.

use std::ops::Range;

use toml_edit::{Document, Item, TableLike};

use crate::findings::{Finding, SourceText};
use crate::text::limits::{MAX_VALUES, over_limit};
use crate::text::node::{Node, TableEntry, Value};

pub fn parse(source: &SourceText<'_>) -> Result<Node, Finding> {
    if most_values(source.text) > MAX_VALUES {
        return Err(over_limit(source.name, format!("more than {MAX_VALUES} values in one file")));
    }
    match Document::parse(source.text) {
        Ok(document) => {
            let whole = 0..source.text.len();
            Ok(Node { value: table(document.as_table(), &whole), span: whole })
        }
        Err(error) => {
            let at = error.span().unwrap_or(0..0);
            let message = error.message().lines().next().unwrap_or("not TOML").to_owned();
            Err(source.finding("syntax", &at, message))
        }
    }
}

/// An upper bound for the number of values. The parser allocates about a kilobyte for each, so they
/// must be counted before parsing.
fn most_values(text: &str) -> usize {
    text.bytes().filter(|byte| matches!(byte, b'=' | b',' | b'.' | b'[' | b'{')).count()
}

fn table(table: &dyn TableLike, around: &Range<usize>) -> Value {
    let entries = table.iter().map(|(name, item)| {
        let key_span =
            table.key(name).and_then(toml_edit::Key::span).unwrap_or_else(|| around.clone());
        TableEntry { key: name.to_owned(), node: node(item, &key_span), key_span }
    });
    Value::Table(entries.collect())
}

fn node(item: &Item, around: &Range<usize>) -> Node {
    let span = item.span().unwrap_or_else(|| around.clone());
    let value = match item {
        Item::None => Value::Other("nothing"),
        Item::Table(inner) => table(inner, &span),
        Item::ArrayOfTables(tables) => {
            let items = tables.iter().map(|inner| {
                let span = inner.span().unwrap_or_else(|| span.clone());
                Node { value: table(inner, &span), span }
            });
            Value::List(items.collect())
        }
        Item::Value(inner) => value(inner, &span),
    };
    Node { value, span }
}

fn value(inner: &toml_edit::Value, span: &Range<usize>) -> Value {
    match inner {
        toml_edit::Value::String(text) => Value::Text(text.value().clone()),
        toml_edit::Value::Integer(number) => Value::Integer(*number.value()),
        toml_edit::Value::Boolean(flag) => Value::Bool(*flag.value()),
        toml_edit::Value::Float(number) => Value::Fraction(*number.value()),
        toml_edit::Value::Datetime(_) => Value::Other("a date"),
        toml_edit::Value::InlineTable(entries) => table(entries, span),
        toml_edit::Value::Array(items) => Value::List(
            items
                .iter()
                .map(|item| {
                    let at = item.span().unwrap_or_else(|| span.clone());
                    Node { value: value(item, &at), span: at }
                })
                .collect(),
        ),
    }
}
