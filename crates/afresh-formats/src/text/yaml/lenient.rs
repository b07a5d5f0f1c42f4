//! Values from lines that are not valid YAML.
//!
//! Understands `[a, b]`, `- item`, `key: value` and quotes, nested by indentation; everything else is
//! text. It never fails and drops nothing.

use std::ops::Range;

use super::strict::plain;
use crate::text::markdown::lines::{TextLine, lines_from};
use crate::text::node::{Node, TableEntry, Value};

/// Lines nested deeper than this are text.
const MAX_DEPTH: usize = 16;

/// The value in this part of a text.
pub fn value(text: &str, part: &Range<usize>) -> Node {
    let inside = text.get(part.clone()).unwrap_or_default();
    // The part starts after its key, so the indentation of its first line was cut off.
    let line_start = text[..part.start.min(text.len())].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line_start..part.start.min(text.len())];
    let first_indent = if before.trim().is_empty() { before.len() } else { usize::MAX };
    let mut lines: Vec<IndentedLine> = lines_from(inside, part.start)
        .filter(|line| !line.text.trim().is_empty())
        .map(|line| IndentedLine { indent: line.indent(), line: line.trimmed() })
        .collect();
    match lines.first_mut() {
        None => Node { value: Value::Other("nothing"), span: part.clone() },
        Some(first) if first_indent < usize::MAX => {
            first.indent = first_indent;
            block(&lines, 0)
        }
        Some(_) => folded(&lines),
    }
}

#[derive(Clone, Copy)]
struct IndentedLine<'a> {
    indent: usize,
    line: TextLine<'a>,
}

/// The lines below a key: a list, a table, or text.
fn block(lines: &[IndentedLine], depth: usize) -> Node {
    let Some(first) = lines.first() else {
        return Node { value: Value::Other("nothing"), span: 0..0 };
    };
    if depth >= MAX_DEPTH {
        return folded(lines);
    }
    let at = span(lines);
    if item(&first.line).is_some() {
        let items = groups(lines, |line| item(&line.line).is_some());
        let nodes = items.into_iter().map(|group| list_item(group, depth)).collect();
        return Node { value: Value::List(nodes), span: at };
    }
    if key(&first.line).is_some() {
        let keyed = groups(lines, |line| key(&line.line).is_some());
        let entries = keyed.into_iter().filter_map(|group| entry(group, depth)).collect();
        return Node { value: Value::Table(entries), span: at };
    }
    folded(lines)
}

/// Splits the lines into groups. Each starts with a line of the same kind as the first, indented no
/// deeper.
fn groups<'l, 'a>(
    lines: &'l [IndentedLine<'a>],
    opens: impl Fn(&IndentedLine<'a>) -> bool,
) -> Vec<&'l [IndentedLine<'a>]> {
    let level = lines.first().map_or(0, |first| first.indent);
    let mut starts: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.indent <= level && opens(line))
        .map(|(at, _)| at)
        .collect();
    starts.push(lines.len());
    starts.windows(2).map(|pair| &lines[pair[0]..pair[1]]).collect()
}

fn list_item(group: &[IndentedLine], depth: usize) -> Node {
    let first = group[0];
    let Some(inner) = item(&first.line) else { return folded(group) };
    let deeper = first.indent + (inner.start - first.line.start);
    if inner.text.is_empty() {
        return block(&group[1..], depth + 1);
    }
    if key(&inner).is_some() {
        let mut lines = group.to_vec();
        lines[0] = IndentedLine { indent: deeper, line: inner };
        return block(&lines, depth + 1);
    }
    let mut lines = group.to_vec();
    lines[0].line = inner;
    folded(&lines)
}

fn entry(group: &[IndentedLine], depth: usize) -> Option<TableEntry> {
    let (name, inner) = key(&group[0].line)?;
    let node = if inner.text.is_empty() {
        let mut node = block(&group[1..], depth + 1);
        if group.len() == 1 {
            node.span = name.range();
        }
        node
    } else {
        let mut lines = group.to_vec();
        lines[0].line = inner;
        folded(&lines)
    };
    Some(TableEntry { key: name.text.to_owned(), key_span: name.range(), node })
}

/// The lines as one value.
fn folded(lines: &[IndentedLine]) -> Node {
    let at = span(lines);
    let text = lines.iter().map(|line| line.line.text).collect::<Vec<_>>().join(" ");
    let one_line = lines.len() == 1;
    Node { value: scalar(&text, one_line.then_some(at.start)), span: at }
}

fn span(lines: &[IndentedLine]) -> Range<usize> {
    match (lines.first(), lines.last()) {
        (Some(first), Some(last)) => first.line.start..last.line.end(),
        _ => 0..0,
    }
}

/// The text after a dash.
fn item<'a>(line: &TextLine<'a>) -> Option<TextLine<'a>> {
    let rest = line.text.strip_prefix('-')?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| line.part(rest.trim()))
}

/// The key before a colon and the text after it.
fn key<'a>(line: &TextLine<'a>) -> Option<(TextLine<'a>, TextLine<'a>)> {
    let (name, rest) = line.text.split_once(':')?;
    let word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    let spaced = rest.is_empty() || rest.starts_with([' ', '\t']);
    (word && spaced).then(|| (line.part(name), line.part(rest.trim())))
}

/// A list in brackets, quoted strings, or a plain value. Positions are exact only on one line.
fn scalar(text: &str, start: Option<usize>) -> Value {
    let text = without_comment(text.trim());
    let bracketed = text.strip_prefix('[').map(|inner| inner.strip_suffix(']').unwrap_or(inner));
    if let Some(inner) = bracketed {
        return Value::List(parts(inner, start.map(|at| at + 1)));
    }
    // `contains: "a", "b"` is meant as a list.
    let several = parts(text, start);
    if text.starts_with(['"', '\'']) && several.len() > 1 {
        return Value::List(several);
    }
    unquoted(text)
}

/// The parts between commas outside of quotes.
fn parts(text: &str, start: Option<usize>) -> Vec<Node> {
    let mut cuts = vec![0];
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ',') => cuts.push(at + 1),
            _ => {}
        }
    }
    cuts.push(text.len() + 1);
    let part = |pair: &[usize]| {
        let whole = &text[pair[0]..pair[1] - 1];
        let lead = whole.len() - whole.trim_start().len();
        let bare = whole.trim();
        let at = start.map_or(0, |start| start + pair[0] + lead);
        (!bare.is_empty()).then(|| Node { value: unquoted(bare), span: at..at + bare.len() })
    };
    cuts.windows(2).filter_map(part).collect()
}

/// The value without its quotes, if it has them on both ends.
fn unquoted(text: &str) -> Value {
    let inside = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    match (inside('"'), inside('\'')) {
        // An escape that YAML does not know is taken literally.
        (Some(text), _) => Value::Text(text.replace("\\\"", "\"").replace("\\\\", "\\")),
        (None, Some(text)) => Value::Text(text.replace("''", "'")),
        (None, None) => plain(text.to_owned()),
    }
}

/// The text without ` # comment`, unless that may be inside quotes.
pub(super) fn without_comment(text: &str) -> &str {
    match text.find(" #") {
        Some(at) if !text[at..].contains(['"', '\'', ']']) => text[..at].trim_end(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value in a readable notation.
    fn shown(node: &Node) -> String {
        match &node.value {
            Value::Table(entries) => {
                let all: Vec<_> =
                    entries.iter().map(|e| format!("{}: {}", e.key, shown(&e.node))).collect();
                format!("{{{}}}", all.join(", "))
            }
            Value::List(items) => {
                format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
            Value::Text(text) => format!("{text:?}"),
            other => other.describe(),
        }
    }

    fn read(text: &str) -> String {
        let at = text.find(':').unwrap() + 1;
        let bare = text[at..].trim_start();
        let start = text.len() - bare.len();
        shown(&value(text, &(start..text.len())))
    }

    #[test]
    fn lists_keep_items_that_are_not_yaml() {
        assert_eq!(
            read("files: [src/**/*.ts, \"a, b\", *.md]"),
            r#"["src/**/*.ts", "a, b", "*.md"]"#
        );
        assert_eq!(
            read("files:\n  - *.ts\n  - a: b: c\n  - `x`"),
            r#"["*.ts", {a: "b: c"}, "`x`"]"#
        );
        assert_eq!(read("files:\n- a\n- b # note"), r#"["a", "b"]"#);
        assert_eq!(read("deps: [\"01\", 02"), r#"["01", "02"]"#);
        assert_eq!(read("deps: 01-01, 01-02"), r#""01-01, 01-02""#);
    }

    #[test]
    fn tables_keep_what_is_not_yaml_as_text() {
        let text = "must_haves:\n  truths:\n    - \"it's: `fine`\"\n  artifacts:\n    - path: src/a.ts\n      contains: \"a\", \"b\"\n    - path: b\n      pattern: \"x\\.y\"";
        assert_eq!(
            read(text),
            r#"{truths: ["it's: `fine`"], artifacts: [{path: "src/a.ts", contains: ["a", "b"]}, {path: "b", pattern: "x\\.y"}]}"#
        );
    }

    #[test]
    fn too_deep_nesting_is_text() {
        let deep: Vec<String> = (0..100).map(|depth| " ".repeat(depth) + "a:").collect();
        assert!(read(&deep.join("\n")).contains("a: a:"));
    }
}
