//! List items: `- word`, `* word`, `1. word`, with or without a check box, and the lines that belong
//! to each.

use std::ops::Range;

use super::check_box;
use super::fence::{FenceTracker, LineKind};
use super::lines::{TextLine, lines_from};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListItem<'a> {
    /// The text of its first line, without bullet and check box.
    pub text: TextLine<'a>,
    /// Bytes of white space before the bullet.
    pub indent: usize,
    /// The state of its check box, if it has one.
    pub ticked: Option<bool>,
    /// `- [ ]* …`: not needed.
    pub is_optional: bool,
    /// The lines below the first one that belong to it.
    pub below: Range<usize>,
}

impl ListItem<'_> {
    /// From its text to the last line that belongs to it.
    pub fn whole(&self) -> Range<usize> {
        let end = if self.below.is_empty() { self.text.end() } else { self.below.end };
        self.text.start..end
    }

    fn ends_at(&mut self, end: usize) {
        self.below.end = end.max(self.below.start);
    }
}

/// The items of all lists in a part of a document, except those in code blocks. Nested items come
/// after their parent.
pub fn items(text: &str, within: Range<usize>) -> Vec<ListItem<'_>> {
    let mut fences = FenceTracker::within(text, within.clone());
    let mut found: Vec<ListItem<'_>> = Vec::new();
    // Items to which a line may still belong, each indented deeper than the one before.
    let mut open: Vec<usize> = Vec::new();
    let mut after_blank = false;
    // The end of the last line that is not blank.
    let mut end = within.start;
    for line in lines_from(&text[within.clone()], within.start) {
        let kind = fences.kind(&line);
        let blank = line.text.trim().is_empty();
        let item = if kind == LineKind::Text { parse(&line) } else { None };
        let heading = kind == LineKind::Text && line.text.starts_with('#');
        let apart = after_blank && matches!(kind, LineKind::Text | LineKind::Opening) && !blank;
        if item.is_some() || heading || apart {
            let depth = if heading { 0 } else { line.indent() };
            while let Some(above) = open.pop_if(|above| found[*above].indent >= depth) {
                found[above].ends_at(end);
            }
        }
        if !blank {
            end = line.end();
        }
        if let Some(ItemStart { text: words, ticked, is_optional }) = item {
            let under = (line.end() + 1).min(within.end);
            open.push(found.len());
            found.push(ListItem {
                text: words,
                indent: line.indent(),
                ticked,
                is_optional,
                below: under..under,
            });
        }
        after_blank = blank;
    }
    for above in open {
        found[above].ends_at(end);
    }
    found
}

/// The first line of an item.
struct ItemStart<'a> {
    text: TextLine<'a>,
    ticked: Option<bool>,
    is_optional: bool,
}

/// The text of an item and its check box, if the line starts one.
fn parse<'a>(line: &TextLine<'a>) -> Option<ItemStart<'a>> {
    if let Some(found) = check_box::parse(line) {
        let text = TextLine { text: found.text, start: found.at.start };
        let (ticked, is_optional) = (Some(found.ticked), found.is_optional);
        return Some(ItemStart { text, ticked, is_optional });
    }
    let marked = line.text.trim_start();
    let digits = marked.bytes().take_while(u8::is_ascii_digit).count();
    let rest = if digits > 0 {
        marked[digits..].strip_prefix(['.', ')'])?
    } else {
        marked.strip_prefix(['-', '*', '+'])?
    };
    let words = rest.strip_prefix([' ', '\t'])?.trim();
    let text = line.part(words);
    (!words.is_empty()).then_some(ItemStart { text, ticked: None, is_optional: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indented_lines_belong_to_the_item_above() {
        let text = "- [x] 1.0 all\n  more\n  - [ ] 1.1 part\n    - detail\n\n    code\n- next\n\nparagraph\n1. last\n## Heading\n- other";
        let shown: Vec<_> = items(text, 0..text.len())
            .iter()
            .map(|item| (item.indent, item.ticked, item.text.text, &text[item.below.clone()]))
            .collect();
        assert_eq!(
            shown,
            [
                (0, Some(true), "1.0 all", "  more\n  - [ ] 1.1 part\n    - detail\n\n    code"),
                (2, Some(false), "1.1 part", "    - detail\n\n    code"),
                (4, None, "detail", ""),
                (0, None, "next", ""),
                (0, None, "last", ""),
                (0, None, "other", ""),
            ]
        );
    }

    #[test]
    fn rules_emphasis_and_code_are_not_items() {
        let text = "---\n**Bold:** x\n-x\n```\n- code\n```\n- a\n  ```\n- code\n  ```\n- b";
        let words: Vec<_> = items(text, 0..text.len()).iter().map(|item| item.text.text).collect();
        assert_eq!(words, ["a", "b"]);
    }
}
