//! Criteria in JSON: texts, objects with a text, or one text with a line for each.

use std::ops::Range;

use afresh_formats::findings::SourceText;
use afresh_formats::text::json;
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml::values::{get, word};

/// A text in a JSON file, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JsonText {
    pub(crate) text: String,
    pub(crate) at: Range<usize>,
}

/// The object at this place, or none if it cannot be read.
pub(crate) fn parse_object(file: &str, text: &str, at: &Range<usize>) -> Option<Node> {
    let at = at.start.min(text.len())..at.end.min(text.len());
    text.get(at.clone())?;
    json::parse_part(&SourceText::new(file, text), &at, "the end of the object").ok()
}

/// The texts under a key; a text of several lines is one for each.
pub(crate) fn texts(node: &Node, key: &str) -> Vec<JsonText> {
    let Some(node) = get(node, key) else { return Vec::new() };
    match &node.value {
        Value::List(items) => items.iter().filter_map(text_of).collect(),
        Value::Text(text) => {
            let lines =
                text.lines().map(|line| line.trim().trim_start_matches(['-', '*', '•', ' ']));
            let lines = lines.map(|line| line.trim_start_matches("[ ]").trim_start_matches("[x]"));
            let lines = lines.map(str::trim).filter(|line| !line.is_empty());
            lines.map(|line| JsonText { text: line.to_owned(), at: node.span.clone() }).collect()
        }
        _ => Vec::new(),
    }
}

fn text_of(node: &Node) -> Option<JsonText> {
    let keys = ["text", "criterion", "description", "title"];
    let text = word(node).or_else(|| keys.iter().find_map(|key| get(node, key).and_then(word)))?;
    let text = text.trim().to_owned();
    (!text.is_empty()).then(|| JsonText { text, at: node.span.clone() })
}
