//! Checks JSON against one of our own schemas: the part of JSON Schema that they use, with everything reported at once
//! and every message at its place.

use afresh_formats::Finding;
use afresh_formats::findings::SourceText;
use afresh_formats::text::node::{Node, TableEntry, Value};
use serde_json::Value as JsonValue;

use super::located::LocatedJson;

/// The most findings about one file.
const MAX_FINDINGS: usize = 50;

/// Everything in which the file differs from the schema.
pub(super) fn check(schema: &JsonValue, json: &LocatedJson) -> Vec<Finding> {
    let source = SourceText::new(&json.file, &json.text);
    let mut checker = SchemaChecker { root: schema, source, findings: Vec::new() };
    checker.check(schema, &json.root, "the file");
    checker.findings.truncate(MAX_FINDINGS);
    checker.findings
}

struct SchemaChecker<'a> {
    root: &'a JsonValue,
    source: SourceText<'a>,
    findings: Vec<Finding>,
}

impl SchemaChecker<'_> {
    fn check(&mut self, schema: &JsonValue, node: &Node, what: &str) {
        if let Some(name) = schema["$ref"].as_str() {
            let root = self.root;
            let name = name.trim_start_matches("#/definitions/");
            return self.check(&root["definitions"][name], node, what);
        }
        let Some(expected) = schema["type"].as_str() else { return };
        match (expected, &node.value) {
            ("object", Value::Table(entries)) => self.check_object(schema, node, entries, what),
            ("array", Value::List(items)) => self.check_array(schema, node, items, what),
            ("string", Value::Text(text)) => self.check_text(schema, node, text, what),
            ("integer", Value::Integer(number)) => {
                let least = schema["minimum"].as_i64().unwrap_or(i64::MIN);
                if *number < least {
                    self.report(node, format!("{what} is {number}; the least is {least}"));
                }
            }
            ("boolean", Value::Bool(_)) | ("number", Value::Integer(_) | Value::Fraction(_)) => {}
            (expected, found) => {
                let message = format!("{what} is {}, not {}", found.kind(), describe(expected));
                self.report(node, message);
            }
        }
    }

    fn check_object(
        &mut self,
        schema: &JsonValue,
        node: &Node,
        entries: &[TableEntry],
        what: &str,
    ) {
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(JsonValue::as_str) {
            if !entries.iter().any(|entry| entry.key == name) {
                self.report(node, format!("{what} has no {name:?}"));
            }
        }
        for entry in entries {
            let part = &schema["properties"][&entry.key];
            if !part.is_null() {
                self.check(part, &entry.node, &format!("{:?}", entry.key));
            }
        }
    }

    fn check_array(&mut self, schema: &JsonValue, node: &Node, items: &[Node], what: &str) {
        let least = schema["minItems"].as_u64().unwrap_or(0);
        if (items.len() as u64) < least {
            let message = format!("{what} has {} of at least {least} entries", items.len());
            self.report(node, message);
        }
        for item in items {
            self.check(&schema["items"], item, &format!("an entry of {what}"));
        }
    }

    fn check_text(&mut self, schema: &JsonValue, node: &Node, text: &str, what: &str) {
        let shown: String = text.chars().take(60).collect();
        if let Some(words) = schema["enum"].as_array() {
            let words: Vec<&str> = words.iter().filter_map(JsonValue::as_str).collect();
            if !words.contains(&text) {
                let message = format!("{what} is {shown:?}, not one of {}", words.join(", "));
                self.report(node, message);
            }
        }
        if let Some(pattern) = schema["pattern"].as_str()
            && !matches_id(pattern, text)
        {
            self.report(node, format!("{what} is {shown:?}; expected {}", example(pattern)));
        }
        let least = schema["minLength"].as_u64().unwrap_or(0);
        if (text.trim().chars().count() as u64) < least {
            let message = if least == 1 {
                format!("{what} is empty")
            } else {
                format!("{what} says too little: {shown:?}")
            };
            self.report(node, message);
        }
    }

    fn report(&mut self, node: &Node, message: String) {
        let finding = self.source.finding("wrong-form", &node.span, message);
        self.findings.push(finding.with_hint("`afresh schema` prints the form of each artifact"));
    }
}

fn describe(expected: &str) -> &'static str {
    match expected {
        "object" => "an object",
        "array" => "a list",
        "string" => "a string",
        "boolean" => "true or false",
        _ => "a number",
    }
}

/// Our patterns are all a letter and digits: `^T[0-9]+$`.
fn matches_id(pattern: &str, text: &str) -> bool {
    let letter = pattern.trim_start_matches('^').split('[').next().unwrap_or_default();
    let digits = text.strip_prefix(letter).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn example(pattern: &str) -> String {
    let letter = pattern.trim_start_matches('^').split('[').next().unwrap_or_default();
    format!("{letter}1, {letter}2 and so on")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifacts::ArtifactKind;

    /// PL-09: every part of our schemas is one that is checked.
    #[test]
    fn schemas_use_only_what_is_checked() {
        fn walk(kind: ArtifactKind, schema: &JsonValue) {
            let known =
                ["$schema", "title", "description", "type", "required", "properties", "items"];
            let more =
                ["enum", "pattern", "minLength", "minItems", "minimum", "$ref", "definitions"];
            let Some(fields) = schema.as_object() else { return };
            for (name, value) in fields {
                assert!(
                    known.contains(&name.as_str()) || more.contains(&name.as_str()),
                    "{kind:?}: {name}"
                );
                match name.as_str() {
                    "properties" | "definitions" => {
                        value
                            .as_object()
                            .expect("an object")
                            .values()
                            .for_each(|it| walk(kind, it));
                    }
                    "items" => walk(kind, value),
                    "pattern" => {
                        let text = value.as_str().expect("a text");
                        assert!(text.starts_with('^') && text.ends_with("[0-9]+$"), "{text}");
                    }
                    _ => {}
                }
            }
        }
        for kind in ArtifactKind::ALL {
            walk(*kind, &kind.schema());
        }
    }

    /// PL-09: everything that is wrong is reported at once, each with its place.
    #[test]
    fn everything_that_is_wrong_is_reported_at_once() {
        let text = "{\"version\": \"2\",\n \"scenarios\": [\n  {\"id\": \"X1\", \"task\": \"\",\n   \"statements\": [],\n   \"scenario\": \"short\", \"files\": \"a\", \"command\": 7}]}";
        let json = LocatedJson::parse("acceptance.json", text).expect("JSON");
        let findings = check(&ArtifactKind::Acceptance.schema(), &json);
        let found: Vec<String> =
            findings.iter().map(|it| format!("{}:{}", it.line, it.message)).collect();
        assert_eq!(
            found,
            [
                "1:\"version\" is \"2\", not one of 1.0",
                "3:\"id\" is \"X1\"; expected A1, A2 and so on",
                "3:\"task\" is empty",
                "4:\"statements\" has 0 of at least 1 entries",
                "5:\"scenario\" says too little: \"short\"",
                "5:\"files\" is a string, not a list",
                "5:\"command\" is a number, not a string",
            ]
        );
    }
}
