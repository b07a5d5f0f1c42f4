//! JSON whose parts know their places in the file.

use std::ops::Range;

use afresh_formats::Finding;
use afresh_formats::findings::SourceText;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::json;
use afresh_formats::text::node::{Node, Value};

/// One step from a value into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKey<'a> {
    Field(&'a str),
    Item(usize),
}

impl<'a> From<&'a str> for JsonKey<'a> {
    fn from(field: &'a str) -> Self {
        Self::Field(field)
    }
}

impl From<usize> for JsonKey<'_> {
    fn from(item: usize) -> Self {
        Self::Item(item)
    }
}

/// A parsed file.
#[derive(Debug, Clone)]
pub struct LocatedJson {
    pub file: String,
    pub text: String,
    pub(super) root: Node,
}

impl LocatedJson {
    pub fn parse(file: &str, text: &str) -> Result<Self, Finding> {
        let root = json::parse(&SourceText::new(file, text))?;
        Ok(Self { file: file.to_owned(), text: text.to_owned(), root })
    }

    /// The place of a part, or of the closest part around it that exists.
    pub fn span(&self, path: &[JsonKey<'_>]) -> SourceSpan {
        let mut node = &self.root;
        let mut place: Range<usize> = 0..0;
        for key in path {
            let next = match (key, &node.value) {
                (JsonKey::Field(name), Value::Table(entries)) => {
                    entries.iter().find(|entry| entry.key == *name).map(|entry| &entry.node)
                }
                (JsonKey::Item(item), Value::List(items)) => items.get(*item),
                _ => None,
            };
            let Some(next) = next else { break };
            (node, place) = (next, next.span.clone());
        }
        SourceSpan::new(&self.file, place)
    }

    /// A finding about a part.
    pub fn finding(&self, path: &[JsonKey<'_>], code: &str, message: String) -> Finding {
        let span = self.span(path);
        SourceText::new(&self.file, &self.text).finding(code, &span.range, message)
    }
}
