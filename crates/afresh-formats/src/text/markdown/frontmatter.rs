//! Frontmatter: the `key: value` lines at the start of a document, between two lines `---`.
//!
//! This only finds the block and its keys. The values are parsed by [`crate::text::yaml`].

use std::ops::Range;

use super::fence;
use super::lines::{TextLine, lines, lines_from};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frontmatter<'a> {
    /// The text between the two lines.
    pub text: &'a str,
    /// The range of the text.
    pub at: Range<usize>,
    /// Where the rest of the document starts.
    pub body: usize,
    /// Whether the closing line exists; without it, the block ends after its last key.
    pub closed: bool,
}

/// A key at the start of a line, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontmatterKey<'a> {
    pub name: &'a str,
    pub at: Range<usize>,
    /// Everything up to the next key, trimmed.
    pub value: &'a str,
    pub value_at: Range<usize>,
}

impl<'a> Frontmatter<'a> {
    /// The frontmatter on the first line of a document, after any blank lines.
    pub fn first(text: &'a str) -> Option<Self> {
        let opening = lines(text).find(|line| !line.text.trim().is_empty())?;
        is_mark(&opening).then(|| Self::behind(text, &opening))
    }

    /// The frontmatter of a document that may have a heading or a quote before it. A YAML code block
    /// counts too.
    pub fn early(text: &'a str) -> Option<Self> {
        for line in lines(text) {
            let words = line.text.trim();
            if is_mark(&line) {
                return Some(Self::behind(text, &line));
            }
            if let Some(language) = fence::info(line.text) {
                let yaml = matches!(language, "yaml" | "yml");
                return yaml.then(|| Self::behind(text, &line));
            }
            let introduction =
                words.is_empty() || words.starts_with("# ") || words.starts_with('>');
            if !introduction {
                return None;
            }
        }
        None
    }

    /// The block after its opening line, up to its closing line.
    fn behind(text: &'a str, opening: &TextLine) -> Self {
        let start = (opening.end() + 1).min(text.len());
        let code = fence::info(opening.text).is_some();
        let mut keys_end = start;
        for line in lines_from(&text[start..], start) {
            let closes = if code { fence::info(line.text) == Some("") } else { is_mark(&line) };
            if closes || line.text.trim_end() == "..." {
                let at = start..line.start;
                let body = (line.end() + 1).min(text.len());
                return Self { text: &text[at.clone()], at, body, closed: true };
            }
            let belongs = key(&line).is_some() || line.text.starts_with([' ', '\t', '-']);
            if belongs && keys_end == line.start {
                keys_end = (line.end() + 1).min(text.len());
            }
        }
        let at = start..keys_end;
        Self { text: &text[at.clone()], at, body: keys_end, closed: false }
    }

    /// Its keys, in order.
    pub fn keys(&self) -> Vec<FrontmatterKey<'a>> {
        let mut keys: Vec<FrontmatterKey<'a>> = Vec::new();
        for line in lines_from(self.text, self.at.start) {
            let Some((name, value)) = key(&line) else { continue };
            if let Some(last) = keys.last_mut() {
                last.value_at.end = line.start;
            }
            let (at, value_at) = (name.range(), value.start..self.at.end);
            keys.push(FrontmatterKey { name: name.text, at, value: "", value_at });
        }
        for key in &mut keys {
            let whole = TextLine {
                text: &self.text
                    [key.value_at.start - self.at.start..key.value_at.end - self.at.start],
                start: key.value_at.start,
            };
            let bare = whole.trimmed();
            (key.value, key.value_at) = (bare.text, bare.range());
        }
        keys
    }
}

fn is_mark(line: &TextLine) -> bool {
    line.text.trim_end() == "---"
}

/// The key that a line starts with, and the text after its colon.
fn key<'a>(line: &TextLine<'a>) -> Option<(TextLine<'a>, TextLine<'a>)> {
    let (name, value) = line.text.split_once(':')?;
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let named = !name.is_empty() && !name.starts_with('-') && name.trim_end().chars().all(word);
    let spaced = value.is_empty() || value.starts_with([' ', '\t']);
    (named && spaced).then(|| (line.part(name.trim_end()), line.part(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<(&str, &str)> {
        let block = Frontmatter::early(text).unwrap();
        for key in block.keys() {
            assert_eq!((&text[key.at.clone()], &text[key.value_at.clone()]), (key.name, key.value));
        }
        block.keys().iter().map(|key| (key.name, key.value)).collect()
    }

    #[test]
    fn keys_have_positions_and_values() {
        let text = "---\nphase: 01\ndepends_on:\n  - 01-01\n  - \"a: b\"\n- c\nempty:\n---\n# Body\nkey: no";
        assert_eq!(
            keys(text),
            [("phase", "01"), ("depends_on", "- 01-01\n  - \"a: b\"\n- c"), ("empty", "")]
        );
        let block = Frontmatter::first(text).unwrap();
        assert!(block.closed);
        assert_eq!(&text[block.body..], "# Body\nkey: no");
    }

    #[test]
    fn it_may_follow_a_heading_or_a_quote_or_be_a_code_block() {
        let plain = [("id", "SPEC-1")];
        assert_eq!(keys("# Title\n\n> **SPLIT:** see\n\n---\nid: SPEC-1\n---\n"), plain);
        assert_eq!(keys("# Title\n```yaml\nid: SPEC-1\n```\n"), plain);
        assert!(Frontmatter::first("# Title\n---\nid: SPEC-1\n---\n").is_none());
        assert!(Frontmatter::early("Some text.\n---\nid: SPEC-1\n---\n").is_none());
        assert!(Frontmatter::early("# T\n```sh\nid: SPEC-1\n```\n").is_none());
    }

    #[test]
    fn an_unclosed_block_ends_after_its_keys() {
        let text = "---\nplan: 01\nfiles:\n  - a\n\n<objective>\nnote: no\n";
        let block = Frontmatter::first(text).unwrap();
        assert!(!block.closed);
        assert_eq!(keys(text), [("plan", "01"), ("files", "- a")]);
        assert_eq!(&text[block.body..], "\n<objective>\nnote: no\n");
    }
}
