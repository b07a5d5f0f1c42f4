//! The line of each value in the configuration file.

use std::collections::BTreeMap;

use afresh_formats::findings::SourceText;
use afresh_formats::text::node::{Node, Value};
use serde_json::json;

/// A value as it was written, and its line.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenValue {
    pub line: usize,
    pub value: serde_json::Value,
}

/// Every value of the file by its dotted key.
pub(super) fn written(source: &SourceText<'_>, root: &Node) -> BTreeMap<String, WrittenValue> {
    let mut found = BTreeMap::new();
    collect(source, "", root, &mut found);
    found
}

fn collect(
    source: &SourceText<'_>,
    prefix: &str,
    node: &Node,
    found: &mut BTreeMap<String, WrittenValue>,
) {
    let Value::Table(entries) = &node.value else { return };
    for entry in entries {
        let key =
            if prefix.is_empty() { entry.key.clone() } else { format!("{prefix}.{}", entry.key) };
        if matches!(entry.node.value, Value::Table(_)) {
            collect(source, &key, &entry.node, found);
        } else {
            let (line, _) = source.place(entry.key_span.start);
            found.insert(key, WrittenValue { line, value: plain(&entry.node) });
        }
    }
}

fn plain(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Table(entries) => {
            entries.iter().map(|entry| (entry.key.clone(), plain(&entry.node))).collect()
        }
        Value::List(items) => items.iter().map(plain).collect(),
        Value::Text(text) => json!(text),
        Value::Integer(number) => json!(number),
        Value::Bool(flag) => json!(flag),
        Value::Fraction(number) => json!(number),
        Value::Other(kind) => json!(kind),
    }
}
