//! Whether a JSON text is what a JSON Schema says, with a place for everything that is not.
//!
//! It knows the words that our own published schemas use, and no others: `type`, `properties`,
//! `required`, `items`, `enum`, `const`, `minimum`, `maximum`, `anyOf`, `oneOf`, `$ref`.

use serde_json::Value as Schema;

use crate::findings::{Finding, SourceText};
use crate::text::json;
use crate::text::node::{Node, TableEntry, Value};

/// How deep schemas may refer to each other.
const MAX_DEPTH: usize = 128;

/// Everything in which the text is not as the schema says; nothing where it is.
pub fn check(file: &str, text: &str, schema: &Schema, code: &str) -> Vec<Finding> {
    let source = SourceText::new(file, text);
    match json::parse(&source) {
        Ok(node) => {
            let mut checker = Checker { source: &source, root: schema, code, findings: Vec::new() };
            checker.value(&node, schema, "", 0);
            checker.findings
        }
        Err(finding) => vec![finding],
    }
}

struct Checker<'a, 's> {
    source: &'a SourceText<'s>,
    root: &'a Schema,
    code: &'a str,
    findings: Vec<Finding>,
}

impl Checker<'_, '_> {
    /// `path` is the way to the value, as in `task.checks[0]`.
    fn value(&mut self, node: &Node, schema: &Schema, path: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        if let Some(target) = schema["$ref"].as_str().and_then(|name| self.defined(name)) {
            self.value(node, &target.clone(), path, depth + 1);
        }
        if !is_of_type(&node.value, &schema["type"]) {
            let wanted = words(&schema["type"]);
            return self.find(node, path, &format!("is {}, not {wanted}", node.value.kind()));
        }
        self.bounds(node, schema, path);
        for key in ["anyOf", "oneOf"] {
            if let Some(ways) = schema[key].as_array() {
                self.one_of(node, ways, path, depth);
            }
        }
        match &node.value {
            Value::Table(entries) => self.table(node, entries, schema, path, depth),
            Value::List(items) if !schema["items"].is_null() => {
                for (number, item) in items.iter().enumerate() {
                    self.value(item, &schema["items"], &format!("{path}[{number}]"), depth + 1);
                }
            }
            _ => {}
        }
    }

    fn table(
        &mut self,
        node: &Node,
        entries: &[TableEntry],
        schema: &Schema,
        path: &str,
        depth: usize,
    ) {
        let missing = schema["required"].as_array().into_iter().flatten();
        for name in missing.filter_map(Schema::as_str) {
            if !entries.iter().any(|entry| entry.key == name) {
                self.find(node, path, &format!("has no {name:?}"));
            }
        }
        for entry in entries {
            let known = &schema["properties"][&entry.key];
            if !known.is_null() {
                self.value(&entry.node, known, &below(path, &entry.key), depth + 1);
            }
        }
    }

    /// One way is enough; what is wrong is told by the way that comes nearest.
    fn one_of(&mut self, node: &Node, ways: &[Schema], path: &str, depth: usize) {
        let mut nearest: Option<Vec<Finding>> = None;
        for way in ways {
            let before = self.findings.len();
            self.value(node, way, path, depth + 1);
            let found = self.findings.split_off(before);
            if found.is_empty() {
                return;
            }
            // A null is never what was meant where something is there.
            let is_null = way["type"] == "null";
            if !is_null && nearest.as_ref().is_none_or(|known| found.len() < known.len()) {
                nearest = Some(found);
            }
        }
        self.findings.extend(nearest.into_iter().flatten());
    }

    fn bounds(&mut self, node: &Node, schema: &Schema, path: &str) {
        let allowed = match (schema["enum"].as_array(), &schema["const"]) {
            (Some(words), _) => Some(words.clone()),
            (None, Schema::Null) => None,
            (None, one) => Some(vec![one.clone()]),
        };
        if let Some(allowed) = allowed
            && !allowed.iter().any(|one| is(&node.value, one))
        {
            let shown: Vec<String> = allowed.iter().map(ToString::to_string).collect();
            let wanted = format!("is {}, not {}", node.value.describe(), shown.join(" or "));
            self.find(node, path, &wanted);
        }
        let Some(number) = number(&node.value) else { return };
        if schema["minimum"].as_f64().is_some_and(|least| number < least) {
            self.find(node, path, &format!("is less than {}", schema["minimum"]));
        }
        if schema["maximum"].as_f64().is_some_and(|most| number > most) {
            self.find(node, path, &format!("is more than {}", schema["maximum"]));
        }
    }

    fn defined(&self, name: &str) -> Option<&Schema> {
        self.root.pointer(name.strip_prefix('#')?)
    }

    fn find(&mut self, node: &Node, path: &str, what: &str) {
        let path = if path.is_empty() { "the document" } else { path };
        // All of a long object would be marked; its beginning says enough.
        let at = node.span.start..node.span.end.min(node.span.start + 1);
        self.findings.push(self.source.finding(self.code, &at, format!("{path} {what}")));
    }
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Is it what `type` says, if that says anything?
fn is_of_type(value: &Value, wanted: &Schema) -> bool {
    match wanted {
        Schema::String(word) => is_a(value, word),
        Schema::Array(words) => {
            words.iter().filter_map(Schema::as_str).any(|word| is_a(value, word))
        }
        _ => true,
    }
}

fn is_a(value: &Value, word: &str) -> bool {
    match word {
        "object" => matches!(value, Value::Table(_)),
        "array" => matches!(value, Value::List(_)),
        "string" => matches!(value, Value::Text(_)),
        "integer" => matches!(value, Value::Integer(_)),
        "number" => matches!(value, Value::Integer(_) | Value::Fraction(_)),
        "boolean" => matches!(value, Value::Bool(_)),
        "null" => matches!(value, Value::Other("null")),
        _ => false,
    }
}

fn is(value: &Value, wanted: &Schema) -> bool {
    match (value, wanted) {
        (Value::Text(text), Schema::String(word)) => text == word,
        (Value::Integer(number), Schema::Number(word)) => word.as_i64() == Some(*number),
        (Value::Bool(flag), Schema::Bool(word)) => flag == word,
        _ => false,
    }
}

#[expect(clippy::cast_precision_loss, reason = "limits of schemas are small")]
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Fraction(number) => Some(*number),
        _ => None,
    }
}

fn words(wanted: &Schema) -> String {
    match wanted {
        Schema::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Schema::as_str).collect();
            words.join(" or ")
        }
        one => one.as_str().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(text: &str) -> Vec<String> {
        let schema = json!({
            "type": "object",
            "required": ["name", "part"],
            "properties": {
                "name": {"type": "string"},
                "size": {"type": ["integer", "null"], "minimum": 0, "maximum": 9},
                "part": {"anyOf": [{"$ref": "#/$defs/Part"}, {"type": "null"}]},
            },
            "$defs": {"Part": {
                "type": "object",
                "required": ["kind"],
                "properties": {
                    "kind": {"oneOf": [{"enum": ["a", "b"]}, {"const": "c"}]},
                    "list": {"type": "array", "items": {"type": "boolean"}},
                },
            }},
        });
        let findings = check("f.json", text, &schema, "x");
        findings.iter().map(|f| format!("{}:{} {}", f.line, f.column, f.message)).collect()
    }

    #[test]
    fn what_follows_its_schema_is_accepted_with_what_nobody_knows() {
        let none: [&str; 0] = [];
        assert_eq!(told(r#"{"name": "n", "part": null, "more": 1}"#), none);
        assert_eq!(
            told(r#"{"name": "n", "size": 9, "part": {"kind": "c", "list": [true]}}"#),
            none
        );
    }

    /// FO-06: everything that is wrong, each with its place and the way to it.
    #[test]
    fn everything_that_is_wrong_is_told_with_its_place() {
        assert_eq!(
            told("{\"size\": -1,\n \"part\": {\"kind\": \"d\",\n  \"list\": [true, 1]}}"),
            [
                "1:1 the document has no \"name\"",
                "1:10 size is less than 0",
                "2:19 part.kind is \"d\", not \"a\" or \"b\"",
                "3:18 part.list[1] is a number, not boolean",
            ]
        );
        assert_eq!(told("{\"name\": 1, \"size\": 10, \"part\": 3}").len(), 3);
        assert_eq!(told("[]"), ["1:1 the document is a list, not object"]);
        assert_eq!(told("{").len(), 1);
    }
}
