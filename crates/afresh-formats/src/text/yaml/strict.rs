//! YAML as a tree of nodes, from a parser's events.
//!
//! Limited in depth and size, and without aliases: a document of a kilobyte must not expand to a
//! gigabyte.

use std::collections::BTreeSet;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, options};

use super::ALIAS;
use crate::findings::{Finding, SourceText};
use crate::text::node::{Node, TableEntry, Value};

const MAX_DEPTH: usize = 64;

/// The most values in one document.
const MAX_NODES: usize = 20_000;

/// Parses a part of a file as one YAML document.
pub fn parse(source: &SourceText, part: &Range<usize>) -> Result<Node, Finding> {
    let text = source.text.get(part.clone()).unwrap_or_default();
    let limits = options! {
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        emit_comments: false,
    };
    let mut tree =
        TreeBuilder { source, text, offset: part.start, open: Vec::new(), done: None, nodes: 0 };
    for event in Parser::new_from_str_with_options(text, limits) {
        match event {
            Ok((event, span)) => {
                let bytes = span.byte_range().unwrap_or(0..0);
                tree.handle_event(event, part.start + bytes.start..part.start + bytes.end)?;
            }
            Err(error) => {
                let at = error.marker().byte_offset().unwrap_or(0).min(text.len());
                let message = format!("not valid YAML: {}", error.info());
                return Err(tree.wrong("syntax", &(part.start + at..part.start + at), message));
            }
        }
    }
    Ok(tree.done.unwrap_or(Node { value: Value::Other("nothing"), span: part.clone() }))
}

struct TreeBuilder<'a, 's> {
    source: &'a SourceText<'s>,
    text: &'a str,
    offset: usize,
    open: Vec<OpenCollection>,
    done: Option<Node>,
    nodes: usize,
}

/// A list or table that is not closed yet.
enum OpenCollection {
    List(Vec<Node>, usize),
    Table(OpenTable),
}

struct OpenTable {
    start: usize,
    entries: Vec<TableEntry>,
    keys: BTreeSet<String>,
    /// The key that waits for its value.
    waiting: Option<(String, Range<usize>)>,
}

impl OpenTable {
    fn new(start: usize) -> Self {
        Self { start, entries: Vec::new(), keys: BTreeSet::new(), waiting: None }
    }
}

impl TreeBuilder<'_, '_> {
    fn handle_event(&mut self, event: Event, at: Range<usize>) -> Result<(), Finding> {
        match event {
            Event::Scalar(text, style, ..) => {
                let value = scalar(text.into_owned(), style);
                self.add_value(Node { value, span: self.trimmed(at) })
            }
            Event::SequenceStart(..) => {
                self.open.push(OpenCollection::List(Vec::new(), at.start));
                Ok(())
            }
            Event::MappingStart(..) => {
                self.open.push(OpenCollection::Table(OpenTable::new(at.start)));
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(OpenCollection::List(items, start)) => self.add_value(Node {
                    value: Value::List(items),
                    span: self.trimmed(start..at.end),
                }),
                Some(OpenCollection::Table(table)) => {
                    let span = self.trimmed(table.start..at.end);
                    self.add_value(Node { value: Value::Table(table.entries), span })
                }
                None => Ok(()),
            },
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                let message = "YAML aliases (`*name`) are not supported".to_owned();
                Err(self.wrong(ALIAS, &at, message).with_hint("write the value itself"))
            }
            Event::DocumentStart(..) if self.done.is_some() => {
                Err(self.wrong("syntax", &at, "a second YAML document starts here".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Adds a complete value to the open collection.
    fn add_value(&mut self, node: Node) -> Result<(), Finding> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            let message = format!("more than {MAX_NODES} values");
            return Err(self.wrong("syntax", &node.span, message));
        }
        match self.open.last_mut() {
            None => self.done = Some(node),
            Some(OpenCollection::List(items, _)) => items.push(node),
            Some(OpenCollection::Table(table)) => match table.waiting.take() {
                Some((key, key_span)) => table.entries.push(TableEntry { key, key_span, node }),
                None => return self.add_key(node),
            },
        }
        Ok(())
    }

    fn add_key(&mut self, node: Node) -> Result<(), Finding> {
        let Some(key) = super::values::word(&node) else {
            let message = format!("expected a key, found {}", node.value.kind());
            return Err(self.wrong("syntax", &node.span, message));
        };
        let Some(OpenCollection::Table(table)) = self.open.last_mut() else { return Ok(()) };
        if !table.keys.insert(key.clone()) {
            let message = format!("duplicate key {key:?}");
            return Err(self.wrong("syntax", &node.span, message));
        }
        table.waiting = Some((key, node.span));
        Ok(())
    }

    /// The range without trailing white space, which the parser includes in a block.
    fn trimmed(&self, at: Range<usize>) -> Range<usize> {
        let (start, end) = (at.start - self.offset, at.end.saturating_sub(self.offset));
        let shown = self.text.get(start..end).map_or(0, |text| text.trim_end().len());
        at.start..at.start + shown
    }

    fn wrong(&self, code: &str, at: &Range<usize>, message: String) -> Finding {
        self.source.finding(code, at, message)
    }
}

/// The value of a scalar.
fn scalar(text: String, style: ScalarStyle) -> Value {
    if style == ScalarStyle::Plain { plain(text) } else { Value::Text(text) }
}

/// The value of a scalar without quotes.
pub(super) fn plain(text: String) -> Value {
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Other("nothing"),
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    if let Ok(number) = text.parse::<i64>()
        && number.to_string() == text
    {
        return Value::Integer(number);
    }
    if let Ok(number) = text.parse::<f64>()
        && number.is_finite()
        && number.to_string() == text
    {
        return Value::Fraction(number);
    }
    Value::Text(text)
}
