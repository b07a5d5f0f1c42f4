//! The block of `key: value` lines in front of a document, between two lines `---`.
//!
//! What the values mean is YAML's business, or that of a scanner where it is not YAML; here it is
//! only found, with the place of each of its keys.

use std::ops::Range;

use super::fence;
use super::lines::{TextLine, lines, lines_from};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frontmatter<'a> {
    /// What stands between the two lines.
    pub text: &'a str,
    /// Where that is.
    pub at: Range<usize>,
    /// Where the document goes on after it.
    pub body: usize,
    /// Whether the closing line is there; without it, the block ends where its keys do.
    pub closed: bool,
}

/// A key at the start of a line, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontmatterKey<'a> {
    pub name: &'a str,
    pub at: Range<usize>,
    /// Everything up to the next key, without the space around it.
    pub value: &'a str,
    pub value_at: Range<usize>,
}

impl<'a> Frontmatter<'a> {
    /// The frontmatter on the first line of a document; blank lines may stand before it.
    pub fn first(text: &'a str) -> Option<Self> {
        let opening = lines(text).find(|line| !line.text.trim().is_empty())?;
        is_mark(&opening).then(|| Self::behind(text, &opening))
    }

    /// The frontmatter of a document that may say something before it: a heading, a quote. Also
    /// read where it is a code block of YAML.
    pub fn early(text: &'a str) -> Option<Self> {
        for line in lines(text) {
            let said = line.text.trim();
            if is_mark(&line) {
                return Some(Self::behind(text, &line));
            }
            if let Some(language) = fence::info(line.text) {
                let yaml = matches!(language, "yaml" | "yml");
                return yaml.then(|| Self::behind(text, &line));
            }
            let introduction = said.is_empty() || said.starts_with("# ") || said.starts_with('>');
            if !introduction {
                return None;
            }
        }
        None
    }

    /// What stands behind the line that opens it, up to the line that closes it.
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

/// The key that a line starts with, and what stands behind its colon.
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
    fn keys_have_their_places_and_values() {
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
    fn it_may_stand_behind_a_heading_a_quote_or_in_a_code_block() {
        let plain = [("id", "SPEC-1")];
        assert_eq!(keys("# Title\n\n> **SPLIT:** see\n\n---\nid: SPEC-1\n---\n"), plain);
        assert_eq!(keys("# Title\n```yaml\nid: SPEC-1\n```\n"), plain);
        assert!(Frontmatter::first("# Title\n---\nid: SPEC-1\n---\n").is_none());
        assert!(Frontmatter::early("Some text.\n---\nid: SPEC-1\n---\n").is_none());
        assert!(Frontmatter::early("# T\n```sh\nid: SPEC-1\n```\n").is_none());
    }

    #[test]
    fn without_its_end_it_ends_where_its_keys_end() {
        let text = "---\nplan: 01\nfiles:\n  - a\n\n<objective>\nnote: no\n";
        let block = Frontmatter::first(text).unwrap();
        assert!(!block.closed);
        assert_eq!(keys(text), [("plan", "01"), ("files", "- a")]);
        assert_eq!(&text[block.body..], "\n<objective>\nnote: no\n");
    }
}
