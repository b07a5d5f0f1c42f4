//! Tags in a text that is not XML.
//!
//! `<name attribute="value">` up to the first `</name>`; between them, `&&`, `<` and generics are
//! plain text. Nothing is expanded, so the text cannot grow and no other file is read.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// The longest opening tag, in bytes.
const MAX_TAG_BYTES: usize = 4096;

/// An opening tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningTag<'a> {
    pub name: &'a str,
    pub at: Range<usize>,
    attributes: &'a str,
    /// `<name/>`, without a closing tag.
    pub is_whole: bool,
}

/// A tag and its contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanTag<'a> {
    pub opening: OpeningTag<'a>,
    /// The contents, trimmed.
    pub inner: Range<usize>,
    pub is_closed: bool,
}

/// The tags of a part of a text.
#[derive(Debug, Default)]
pub struct PlanTags<'a> {
    pub known: Vec<PlanTag<'a>>,
    /// Unknown tags at the start of a line, outside of known tags.
    pub unknown: Vec<OpeningTag<'a>>,
}

impl<'a> OpeningTag<'a> {
    /// The opening tag at this byte, if there is one.
    pub fn parse(text: &'a str, at: usize) -> Option<Self> {
        let rest = text.get(at..)?.strip_prefix('<')?;
        let name_end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)))?;
        let name = &rest[..name_end];
        let behind = &rest[name_end..];
        if !name.starts_with(|c: char| c.is_ascii_alphabetic())
            || !behind.starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/')
        {
            return None;
        }
        let end = closing_bracket(behind)?;
        let attributes = behind[..end].trim_end();
        let is_whole = attributes.ends_with('/');
        let attributes = attributes.trim_end_matches('/');
        Some(Self { name, at: at..at + 1 + name_end + end + 1, attributes, is_whole })
    }

    /// The value of an attribute.
    pub fn attribute(&self, wanted: &str) -> Option<&'a str> {
        let mut rest = self.attributes.trim_start();
        while !rest.is_empty() {
            let name_end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(name_end);
            let Some(behind) = behind.trim_start().strip_prefix('=') else {
                rest = behind.trim_start();
                continue;
            };
            let behind = behind.trim_start();
            let (value, after) = match behind.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let inside = &behind[1..];
                    inside.split_once(quote).unwrap_or((inside, ""))
                }
                _ => behind.split_at(behind.find(char::is_whitespace).unwrap_or(behind.len())),
            };
            if name == wanted {
                return Some(value);
            }
            rest = after.trim_start();
        }
        None
    }
}

/// The `>` that ends an opening tag: the first outside of quotes, or the first at all if a quote is not
/// closed.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut first = None;
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < MAX_TAG_BYTES) {
        match (quote, c) {
            (None, '>') => return Some(at),
            // The next tag starts before this one ends.
            (None, '<') => break,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            (Some(_), '>') => first = first.or(Some(at)),
            _ => {}
        }
    }
    first
}

/// The tags with these names in a part of a text, without nested ones. Comments are skipped.
pub fn tags<'a>(text: &'a str, part: Range<usize>, names: &[&str]) -> PlanTags<'a> {
    let mut found = PlanTags::default();
    // Names without a further closing tag, so that it is not searched for again.
    let mut never_closed = BTreeSet::new();
    let mut at = part.start;
    while let Some(offset) = text[at..part.end].find('<') {
        at += offset;
        if text[at..part.end].starts_with("<!--") {
            at = text[at..part.end].find("-->").map_or(part.end, |end| at + end + 3);
            continue;
        }
        let opening = OpeningTag::parse(text, at).filter(|opening| opening.at.end <= part.end);
        let Some(opening) = opening else {
            at += 1;
            continue;
        };
        if !names.contains(&opening.name) {
            at = opening.at.end;
            if starts_line(text, opening.at.start) {
                found.unknown.push(opening);
            }
            continue;
        }
        let start = opening.at.end;
        let closing = format!("</{}>", opening.name);
        let end = if opening.is_whole {
            Some(start)
        } else if never_closed.contains(opening.name) {
            None
        } else {
            text[start..part.end].find(&closing).map(|end| start + end)
        };
        let inner_end = end.unwrap_or_else(|| {
            never_closed.insert(opening.name);
            next_known(text, start..part.end, names)
        });
        at = end.map_or(inner_end, |end| if opening.is_whole { end } else { end + closing.len() });
        let is_closed = end.is_some();
        found.known.push(PlanTag { opening, inner: trim(text, start..inner_end), is_closed });
    }
    found
}

/// The next line that starts with one of these tags, opening or closing.
fn next_known(text: &str, part: Range<usize>, names: &[&str]) -> usize {
    let known = |at: usize| {
        let rest = text[at + 1..].strip_prefix('/').unwrap_or(&text[at + 1..]);
        names.iter().any(|name| {
            rest.strip_prefix(name).is_some_and(|rest| rest.starts_with(['>', ' ', '\n', '/']))
        })
    };
    let mut brackets = text[part.clone()].match_indices('<').map(|(at, _)| part.start + at);
    brackets.find(|at| starts_line(text, *at) && known(*at)).unwrap_or(part.end)
}

/// Whether only white space is before it on its line.
fn starts_line(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

/// The range without the white space around it.
pub fn trim(text: &str, part: Range<usize>) -> Range<usize> {
    let inside = &text[part.clone()];
    let start = part.start + (inside.len() - inside.trim_start().len());
    start..(start + inside.trim().len())
}

/// The text with its entities replaced, if it was escaped.
///
/// A text that also contains a bare `&` was not escaped, so its entities are literal.
pub fn unescape(text: &str) -> Cow<'_, str> {
    const ENTITIES: [(&str, char); 6] = [
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&quot;", '"'),
        ("&apos;", '\''),
        ("&#39;", '\''),
        ("&amp;", '&'),
    ];
    let entity = |rest: &str| ENTITIES.iter().find(|(name, _)| rest.starts_with(name)).copied();
    let mut places = text.match_indices('&').map(|(at, _)| entity(&text[at..])).peekable();
    if places.peek().is_none() || places.any(|found| found.is_none()) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let Some((name, c)) = entity(&rest[at..]) else { break };
        plain.push_str(&rest[..at]);
        plain.push(c);
        rest = &rest[at + name.len()..];
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(&str, &str, bool)> {
        tags(text, 0..text.len(), &["name", "action", "verify", "files"])
            .known
            .iter()
            .map(|tag| (tag.opening.name, &text[tag.inner.clone()], tag.is_closed))
            .collect()
    }

    /// Generics, comparisons and shell operators are text.
    #[test]
    fn the_contents_of_a_tag_are_plain_text() {
        let text = "<name>Vec<T> & co</name>\n<action>if a < b && c > d { <verify> }</action><verify>test a && test b</verify>";
        assert_eq!(
            shown(text),
            [
                ("name", "Vec<T> & co", true),
                ("action", "if a < b && c > d { <verify> }", true),
                ("verify", "test a && test b", true),
            ]
        );
    }

    #[test]
    fn an_unclosed_tag_ends_at_the_next_one() {
        let text =
            "<name>one\n  <action>two <b>\n<verify>three</verify>\n<!-- <files>x</files> -->";
        assert_eq!(
            shown(text),
            [("name", "one", false), ("action", "two <b>", false), ("verify", "three", true)]
        );
    }

    #[test]
    fn attributes_are_read_in_any_quotes() {
        let text = "<task type=\"auto\" name='a -> \"b\"' tdd = true gate>";
        let opening = OpeningTag::parse(text, 0).unwrap();
        let shown = ["type", "name", "tdd", "gate", "b"].map(|name| opening.attribute(name));
        assert_eq!(shown, [Some("auto"), Some("a -> \"b\""), Some("true"), None, None]);
        assert_eq!(opening.at.end, text.len());
        let broken = OpeningTag::parse("<task name=\"open>\n<name>x", 0).unwrap();
        assert_eq!((broken.at.end, broken.attribute("name")), (17, Some("open")));
        assert_eq!(OpeningTag::parse("<task name=x", 0), None);
        assert_eq!(OpeningTag::parse("<tasks>", 0).map(|tag| tag.name), Some("tasks"));
    }

    /// B16: an entity is one character or itself.
    #[test]
    fn entities_are_replaced_only_in_escaped_text() {
        assert_eq!(unescape("a &amp;&amp; b &lt; c"), "a && b < c");
        assert_eq!(unescape("&amp;lt;"), "&lt;");
        assert_eq!(unescape("a && echo '&amp;'"), "a && echo '&amp;'");
        assert_eq!(unescape("echo '&amp;' && b"), "echo '&amp;' && b");
        assert_eq!(unescape("&lol9; &amp;"), "&lol9; &amp;");
    }
}
