//! Edits of JSON that keep its layout.

use afresh_formats::findings::SourceText;
use afresh_formats::text::json;
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml::values::{entries, get};

use super::edits::MarkEdit;

/// The whole text as one value.
pub(super) fn parse(file: &str, text: &str) -> Option<Node> {
    json::parse(&SourceText::new(file, text)).ok()
}

/// Sets a member of an object; `None` if it has that value already, or if this is no object.
pub(super) fn set_member(
    text: &str,
    object: &Node,
    key: &str,
    value: &serde_json::Value,
) -> Option<MarkEdit> {
    let Value::Table(members) = &object.value else { return None };
    if let Some(old) = get(object, key) {
        let is_same = serde_json::from_str::<serde_json::Value>(&text[old.span.clone()])
            .is_ok_and(|old| old == *value);
        return (!is_same).then(|| MarkEdit { at: old.span.clone(), text: value.to_string() });
    }
    let name = serde_json::Value::from(key).to_string();
    let Some(last) = members.last() else {
        let at = object.span.start + 1..object.span.end - 1;
        return Some(MarkEdit { at, text: format!("{name}: {value}") });
    };
    // As the member before it is laid out: the space before its key, and after its colon.
    let before = &text[..last.key_span.start];
    let space = &before[before.trim_end_matches([' ', '\t', '\n', '\r']).len()..];
    let colon = &text[last.key_span.end..last.node.span.start];
    let at = last.node.span.end..last.node.span.end;
    Some(MarkEdit { at, text: format!(",{space}{name}{colon}{value}") })
}

/// The object in a tree that has exactly this place.
pub(super) fn object_at<'n>(root: &'n Node, place: &std::ops::Range<usize>) -> Option<&'n Node> {
    let is_table = matches!(root.value, Value::Table(_));
    if root.span == *place && is_table {
        return Some(root);
    }
    let holds = |node: &&Node| node.span.start <= place.start && place.end <= node.span.end;
    let inner = match &root.value {
        Value::Table(_) => entries(root).iter().map(|entry| &entry.node).find(holds),
        Value::List(items) => items.iter().find(holds),
        _ => None,
    };
    inner.and_then(|inner| object_at(inner, place))
}

/// The text of a member.
pub(super) fn member_text<'n>(object: &'n Node, key: &str) -> Option<&'n str> {
    match &get(object, key)?.value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// The items of a list.
pub(super) fn items<'n>(object: &'n Node, key: &str) -> &'n [Node] {
    match get(object, key).map(|node| &node.value) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with(text: &str, key: &str, value: &serde_json::Value) -> String {
        let root = parse("x.json", text).expect("JSON");
        let Some(edit) = set_member(text, &root, key, value) else { return text.to_owned() };
        format!("{}{}{}", &text[..edit.at.start], edit.text, &text[edit.at.end..])
    }

    #[test]
    fn a_member_is_set_in_the_layout_of_the_others() {
        assert_eq!(with(r#"{"a": 1}"#, "a", &json!("x")), r#"{"a": "x"}"#);
        assert_eq!(
            with("{\n  \"a\" : 1\n}\n", "b", &json!(2)),
            "{\n  \"a\" : 1,\n  \"b\" : 2\n}\n"
        );
        assert_eq!(with(r#"{"a":1,"c":2}"#, "b", &json!(true)), r#"{"a":1,"c":2,"b":true}"#);
        assert_eq!(with("{ }", "b", &json!(null)), r#"{"b": null}"#);
        assert_eq!(with("[1]", "b", &json!(1)), "[1]");
        assert_eq!(with(r#"{"a" :  "x"}"#, "a", &json!("x")), r#"{"a" :  "x"}"#);
    }
}
