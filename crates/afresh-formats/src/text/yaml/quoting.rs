//! Makes a frontmatter valid YAML by quoting the values that break it.
//!
//! `"src\.ts"` becomes `'src\.ts'`, `a: b: c` becomes `a: 'b: c'`, `"a", "b"` becomes
//! `['a', 'b']`. Proposed only if the result parses and means the same.

use std::ops::Range;

use super::{lenient, strict};
use crate::findings::{Fix, SourceText, TextEdit};
use crate::text::markdown::lines::{TextLine, lines_from};
use crate::text::node::{Node, Value};

/// The fix that makes a part of a file valid YAML with the value `meant`. `None` if quotes alone are
/// not enough.
pub(super) fn propose(source: &SourceText, part: &Range<usize>, meant: &Node) -> Option<Fix> {
    let text = source.text.get(part.clone())?;
    let lines = lines_from(text, part.start);
    let edits: Vec<TextEdit> = lines.filter_map(|line| requoted(source, &line)).collect();
    if edits.is_empty() {
        return None;
    }
    let mut fixed = String::with_capacity(text.len());
    let mut at = part.start;
    for edit in &edits {
        fixed.push_str(&source.text[at..edit.range.start]);
        fixed.push_str(&edit.text);
        at = edit.range.end;
    }
    fixed.push_str(&source.text[at..part.end]);
    let again = strict::parse(&SourceText::new(source.name, &fixed), &(0..fixed.len())).ok()?;
    is_same(&again, meant).then_some(Fix { edits, keeps_plan: true })
}

/// An edit that quotes the value of a line, if it is not valid YAML.
fn requoted(source: &SourceText, line: &TextLine) -> Option<TextEdit> {
    let mut rest = line.trimmed();
    while let Some(inner) = rest.text.strip_prefix("- ") {
        rest = rest.part(inner.trim_start());
    }
    if let Some((key, value)) = rest.text.split_once(':')
        && key.chars().all(|c| c.is_alphanumeric() || "_-".contains(c))
        && value.starts_with(' ')
    {
        rest = rest.part(value.trim_start());
    }
    // A comment after the value stays.
    let rest = rest.part(lenient::without_comment(rest.text));
    let value = rest.text;
    // The start of a list, a table or a block scalar cannot be quoted.
    if value.is_empty() || value.starts_with(['{', '|', '>', '#']) || is_yaml(value) {
        return None;
    }
    let text = match lenient::value(source.text, &rest.range()).value {
        Value::Text(text) => quoted(&text),
        Value::List(items) => {
            let texts: Option<Vec<String>> = items.iter().map(word).collect();
            format!("[{}]", texts?.join(", "))
        }
        _ => return None,
    };
    Some(TextEdit { range: rest.range(), text })
}

/// Whether the text is one valid YAML value after a key.
fn is_yaml(value: &str) -> bool {
    let alone = format!("key: {value}");
    let parsed = strict::parse(&SourceText::new("", &alone), &(0..alone.len()));
    parsed.is_ok_and(|node| super::values::entries(&node).len() == 1)
}

fn word(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) => Some(quoted(text)),
        _ => super::values::word(node),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Whether both have the same value, ignoring positions.
fn is_same(a: &Node, b: &Node) -> bool {
    match (&a.value, &b.value) {
        (Value::Table(a), Value::Table(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| a.key == b.key && is_same(&a.node, &b.node))
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::markdown::Frontmatter;

    /// The frontmatter after the proposed fix.
    fn fixed(lines: &str) -> Option<String> {
        let text = format!("---\nphase: 01\n{lines}\nwave: 1\n---\n");
        let source = SourceText::new("PLAN.md", &text);
        let block = Frontmatter::first(&text).expect("the text has a frontmatter");
        let (_, trouble) = crate::text::yaml::frontmatter(&source, &block);
        let fix = trouble.expect("it is not valid YAML").fix?;
        let fixed =
            crate::findings::fixes::apply_edits(text.as_bytes(), &fix.edits).expect("it fits");
        let fixed = String::from_utf8(fixed).expect("text");
        let start = "---\nphase: 01\n";
        Some(fixed[start.len()..fixed.len() - "\nwave: 1\n---\n".len()].to_owned())
    }

    #[test]
    fn quotes_fix_invalid_values() {
        for (wrong, right) in [
            (r#"a: "x\.y""#, r"a: 'x\.y'"),
            ("a: it's: so", "a: 'it''s: so'"),
            (r#"contains: "a", "b""#, "contains: ['a', 'b']"),
            ("a: `code` here", "a: '`code` here'"),
            ("a: b: c  # why", "a: 'b: c'  # why"),
            ("files:\n  - *.ts\n  - b.ts", "files:\n  - '*.ts'\n  - b.ts"),
            (
                "m:\n  - path: a\n    p: \"\\d+\"\n  - path: b: c",
                "m:\n  - path: a\n    p: '\\d+'\n  - path: 'b: c'",
            ),
        ] {
            assert_eq!(fixed(wrong).as_deref(), Some(right), "{wrong}");
        }
    }

    #[test]
    fn problems_that_quotes_cannot_fix_have_no_fix() {
        for wrong in ["plan: 01\nplan: 02", "\tindented: with a tab"] {
            assert_eq!(fixed(wrong), None, "{wrong}");
        }
    }
}
