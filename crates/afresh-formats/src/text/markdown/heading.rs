//! Headings (`## Tasks`) and their sections.

use std::ops::Range;

use super::fence::{FenceTracker, LineKind};
use super::lines::{TextLine, lines};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading<'a> {
    /// 1 to 6.
    pub level: usize,
    /// The text without the marks around it.
    pub text: &'a str,
    /// The range of the text.
    pub at: Range<usize>,
    /// The section, up to the next heading of the same level or above.
    pub body: Range<usize>,
    /// The text up to the next heading of any level.
    pub own: Range<usize>,
}

/// The headings of a document, except those in code blocks.
pub fn headings(text: &str) -> Vec<Heading<'_>> {
    let mut fences = FenceTracker::within(text, 0..text.len());
    let mut found: Vec<Heading<'_>> = Vec::new();
    // Headings whose section has not ended yet, each deeper than the one before.
    let mut open: Vec<usize> = Vec::new();
    for line in lines(text) {
        if fences.kind(&line) != LineKind::Text {
            continue;
        }
        let Some((level, words)) = parse(&line) else { continue };
        if let Some(last) = found.last_mut() {
            last.own.end = line.start;
        }
        while let Some(above) = open.pop_if(|above| found[*above].level >= level) {
            found[above].body.end = line.start;
        }
        open.push(found.len());
        let under = (line.end() + 1).min(text.len())..text.len();
        let (at, own) = (words.range(), under.clone());
        found.push(Heading { level, text: words.text, at, body: under, own });
    }
    found
}

/// The level and the text, if the line is a heading.
fn parse<'a>(line: &TextLine<'a>) -> Option<(usize, TextLine<'a>)> {
    // Four spaces of indentation make it code.
    if line.indent() > 3 {
        return None;
    }
    let marked = line.text.trim();
    let level = marked.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &marked[level..];
    let words = rest.trim();
    let spaced = rest.is_empty() || rest.starts_with([' ', '\t']);
    // `## Tasks ##` is the same heading.
    let bare = words.trim_end_matches('#');
    let words = if bare.is_empty() || bare.ends_with(' ') { bare.trim_end() } else { words };
    ((1..=6).contains(&level) && spaced).then(|| (level, line.part(words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_has_its_section() {
        let text = "# A\none\n## B\ntwo\n### C ##\nthree\n## D\n```\n# no\n```\n#no\n    # no\n# E";
        let shown: Vec<_> = headings(text)
            .iter()
            .map(|h| (h.level, h.text, &text[h.own.clone()], h.body == h.own))
            .collect();
        assert_eq!(
            shown,
            [
                (1, "A", "one\n", false),
                (2, "B", "two\n", false),
                (3, "C", "three\n", true),
                (2, "D", "```\n# no\n```\n#no\n    # no\n", true),
                (1, "E", "", true),
            ]
        );
        assert!(headings(text).iter().all(|heading| &text[heading.at.clone()] == heading.text));
    }
}
