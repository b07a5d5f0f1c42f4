//! YAML: the values of a frontmatter, each with its position.
//!
//! About one in twelve frontmatters in the wild is not valid YAML: a backslash in double quotes, a bare
//! colon, a glob that looks like an alias. So the block is parsed strictly first; if that fails, each
//! key is parsed on its own, strictly again, and then by a line scanner. One finding reports this, at
//! the place where the YAML breaks.
//!
//! Text keeps its spelling: `01` is not 1, and `02.10` is not 2.1. A plain number becomes a number
//! only if it would be written the same way again.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`strict`] | YAML as a tree of nodes; limited size; no aliases |
//! | [`lenient`] | the same tree from any lines |
//! | `quoting` | quotes that make a block valid YAML again |
//! | [`values`] | words, lists and keys from a tree |

pub mod lenient;
mod quoting;
pub mod strict;
pub mod values;

use crate::findings::{Finding, SourceText};
use crate::text::limits::MAX_FRONTMATTER_BYTES;
use crate::text::markdown::Frontmatter;
use crate::text::node::{Node, TableEntry, Value};

/// The code of a finding about an alias. Such a document is refused.
pub const ALIAS: &str = "yaml-alias";

/// Parses a frontmatter. The finding says what is wrong with its YAML.
pub fn frontmatter(source: &SourceText, block: &Frontmatter) -> (Node, Option<Finding>) {
    if block.at.len() > MAX_FRONTMATTER_BYTES {
        let message = format!("the frontmatter is larger than {MAX_FRONTMATTER_BYTES} bytes");
        let found = source.finding("too-large", &(block.at.start..block.at.start), message);
        return (empty(block), Some(found.with_hint("move most of it below the frontmatter")));
    }
    let trouble = match strict::parse(source, &block.at) {
        Ok(node) if matches!(node.value, Value::Table(_)) => return (node, None),
        Ok(node) if matches!(node.value, Value::Other(_)) => return (empty(block), None),
        Ok(node) => source.finding(
            "frontmatter-invalid",
            &node.span,
            format!("the frontmatter is {}, not `key: value` lines", node.value.kind()),
        ),
        Err(finding) if finding.code == ALIAS => return (empty(block), Some(finding)),
        Err(finding) => finding,
    };
    let node = by_key(source, block);
    let fix = quoting::propose(source, &block.at, &node);
    let trouble = Finding { code: "frontmatter-invalid".to_owned(), fix, ..trouble }
        .as_warning()
        .with_hint("it was read line by line instead; put the value in single quotes");
    (node, Some(trouble))
}

/// Parses each key on its own, so that a problem with one does not hide the others.
fn by_key(source: &SourceText, block: &Frontmatter) -> Node {
    let entries = block.keys().into_iter().map(|key| {
        let whole = key.at.start..key.value_at.end.max(key.at.end);
        let alone = strict::parse(source, &whole).ok().and_then(|node| match node.value {
            Value::Table(mut entries) if entries.len() == 1 => entries.pop().map(|e| e.node),
            _ => None,
        });
        let node = alone.unwrap_or_else(|| lenient::value(source.text, &key.value_at));
        TableEntry { key: key.name.to_owned(), key_span: key.at, node }
    });
    Node { value: Value::Table(entries.collect()), span: block.at.clone() }
}

fn empty(block: &Frontmatter) -> Node {
    Node { value: Value::Table(Vec::new()), span: block.at.clone() }
}

#[cfg(test)]
mod tests {
    use super::values::{get, list_words, word};
    use super::*;

    /// The values and the finding.
    fn read(text: &str) -> (Node, Option<Finding>) {
        let source = SourceText::new("01-01-PLAN.md", text);
        frontmatter(&source, &Frontmatter::first(text).expect("the text has a frontmatter"))
    }

    fn list(node: &Node, key: &str) -> Vec<String> {
        get(node, key)
            .map(list_words)
            .unwrap_or_default()
            .into_iter()
            .map(|word| word.text)
            .collect()
    }

    fn text(node: &Node, key: &str) -> String {
        get(node, key).and_then(word).unwrap_or_default()
    }

    /// Ids that look like numbers, octal ones too, keep their spelling.
    #[test]
    fn numbers_keep_their_spelling() {
        let (node, trouble) = read(
            "---\nphase: 02.10\nplan: 01\nwave: 2\nlong: 0x1F\ndepends_on: [01, 1_0, 08]\n---\n",
        );
        assert_eq!(trouble, None);
        let all = ["phase", "plan", "wave", "long"].map(|key| text(&node, key));
        assert_eq!(all, ["02.10", "01", "2", "0x1F"]);
        assert_eq!(list(&node, "depends_on"), ["01", "1_0", "08"]);
    }

    #[test]
    fn a_broken_key_does_not_hide_the_others() {
        let broken = [
            "must_haves:\n  key_links:\n    - pattern: \"fetch\\.get\"",
            "contains: \"a\", \"b\"",
            "note: this: is not: yaml",
            "note: `code` and more",
            "files: *.ts",
            "plan: 01\nplan: 02",
            "\tindented: with a tab",
        ];
        for line in broken {
            let text = format!(
                "---\nphase: 01-a\n{line}\ndepends_on:\n  - 01-01\nfiles_modified: [a.ts, b/*.ts]\n---\n"
            );
            let (node, trouble) = read(&text);
            let trouble = trouble.unwrap_or_else(|| panic!("no finding for {line:?}"));
            assert_eq!(trouble.code, "frontmatter-invalid", "{line:?}");
            assert!(!trouble.is_error() && trouble.line >= 2, "{trouble:?}");
            assert_eq!(list(&node, "depends_on"), ["01-01"], "{line:?}");
            assert_eq!(list(&node, "files_modified"), ["a.ts", "b/*.ts"], "{line:?}");
        }
    }

    /// B15: aliases are refused before anything grows.
    #[test]
    fn aliases_are_refused() {
        let first = "a0: &a0 [x, x, x, x, x, x, x, x, x]".to_owned();
        let level = |at: usize| {
            let alias = format!("*a{}", at - 1);
            format!("a{at}: &a{at} [{}]", vec![alias; 9].join(", "))
        };
        let lines: Vec<String> = std::iter::once(first).chain((1..30).map(level)).collect();
        let (node, trouble) = read(&format!("---\n{}\n---\n", lines.join("\n")));
        let trouble = trouble.expect("a finding");
        assert!(trouble.is_error());
        assert_eq!((trouble.code.as_str(), trouble.line, trouble.column), (ALIAS, 3, 10));
        assert!(values::entries(&node).is_empty());
    }

    /// B15: depth is limited too, and values that are too deep are text.
    #[test]
    fn depth_is_bounded() {
        let text = format!("---\ndepends_on: [01]\ndeep: {}\n---\n", "[".repeat(100_000));
        let (node, trouble) = read(&text);
        assert_eq!(trouble.map(|found| found.line), Some(3));
        assert_eq!(list(&node, "depends_on"), ["01"]);
    }

    #[test]
    fn values_have_positions() {
        let text = "---\nfiles:\n  - src/a.ts\n  - 'b c'\nwave: 3\n---\n";
        let (node, _) = read(text);
        let files = list_words(get(&node, "files").expect("files"));
        let shown: Vec<&str> = files.iter().map(|word| &text[word.at.clone()]).collect();
        assert_eq!(shown, ["src/a.ts", "'b c'"]);
        assert_eq!(&text[get(&node, "wave").expect("wave").span.clone()], "3");
    }

    #[test]
    fn a_remark_after_a_colon_does_not_lose_a_file() {
        let (node, _) = read("---\nfiles:\n  - src/a.ts: new\n  - [b, c]\n---\n");
        assert_eq!(list(&node, "files"), ["src/a.ts: new", "b", "c"]);
    }
}
