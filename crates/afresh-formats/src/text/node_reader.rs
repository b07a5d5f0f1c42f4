//! Reads typed values from a tree of nodes and collects findings about those of another type.
//!
//! What the values mean is up to the format's reader.

use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use afresh_core::plan::nearest;

use crate::findings::{Finding, SourceText};
use crate::text::duration;
use crate::text::node::{Node, TableEntry, Value};

/// The most findings for one file.
const MAX_FINDINGS: usize = 200;

#[derive(Debug)]
pub struct NodeReader<'a, 's> {
    source: &'a SourceText<'s>,
    /// The code of every finding, which names the format.
    code: &'static str,
    findings: Vec<Finding>,
}

impl<'a, 's> NodeReader<'a, 's> {
    pub fn new(source: &'a SourceText<'s>, code: &'static str) -> Self {
        Self { source, code, findings: Vec::new() }
    }

    /// All findings in the order of the file; those about other files come last.
    pub fn into_findings(mut self) -> Vec<Finding> {
        let own = self.source.name;
        self.findings.sort_by_key(|found| (found.file != own, found.line, found.column));
        self.findings
    }

    /// The line of a range, counted from 1.
    pub fn line(&self, at: &Range<usize>) -> usize {
        self.source.place(at.start).0
    }

    pub fn entries<'n>(&mut self, node: &'n Node) -> &'n [TableEntry] {
        if let Value::Table(entries) = &node.value {
            return entries;
        }
        self.wrong_type(node, "a table");
        &[]
    }

    pub fn list<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        if let Value::List(items) = &node.value {
            return items;
        }
        self.wrong_type(node, what);
        &[]
    }

    pub fn text(&mut self, node: &Node) -> Option<String> {
        if let Value::Text(text) = &node.value {
            return Some(text.clone());
        }
        self.wrong_type(node, "a string");
        None
    }

    pub fn texts(&mut self, node: &Node) -> Option<Vec<String>> {
        let Value::List(items) = &node.value else {
            self.wrong_type(node, "a list of strings");
            return None;
        };
        items.iter().map(|item| self.text(item)).collect()
    }

    pub fn flag(&mut self, node: &Node) -> Option<bool> {
        if let Value::Bool(flag) = node.value {
            return Some(flag);
        }
        self.wrong_type(node, "true or false");
        None
    }

    /// A whole number within these bounds.
    pub fn number(&mut self, node: &Node, bounds: RangeInclusive<u64>) -> Option<u64> {
        if let Value::Integer(number) = node.value
            && let Ok(number) = u64::try_from(number)
            && bounds.contains(&number)
        {
            return Some(number);
        }
        let expected = format!("a whole number from {} to {}", bounds.start(), bounds.end());
        self.wrong_type(node, &expected);
        None
    }

    /// A number within these bounds; NaN is rejected.
    pub fn fraction(&mut self, node: &Node, bounds: RangeInclusive<f64>) -> Option<f64> {
        let number = match node.value {
            Value::Fraction(number) => Some(number),
            #[expect(clippy::cast_precision_loss, reason = "far within the bounds it is exact")]
            Value::Integer(number) => Some(number as f64),
            _ => None,
        };
        if let Some(number) = number.filter(|number| bounds.contains(number)) {
            return Some(number);
        }
        self.wrong_type(node, &format!("a number from {} to {}", bounds.start(), bounds.end()));
        None
    }

    pub fn duration(&mut self, node: &Node) -> Option<Duration> {
        if let Value::Text(text) = &node.value
            && let Some(span) = duration::parse(text)
        {
            return Some(span);
        }
        self.wrong_type(node, "a duration such as \"30m\", \"5s\" or \"500ms\"");
        None
    }

    pub fn word<T: Copy>(&mut self, node: &Node, words: &[(&str, T)]) -> Option<T> {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.word_by(node, &known, |text| {
            words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
        })
    }

    /// Like `word`, with a function that gives the meaning.
    pub fn word_by<T>(
        &mut self,
        node: &Node,
        known: &[&str],
        meaning: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        if let Value::Text(text) = &node.value
            && let Some(value) = meaning(text)
        {
            return Some(value);
        }
        self.wrong_type(node, &format!("one of: {}", known.join(", ")));
        None
    }

    /// Reports a value of the wrong type.
    pub fn wrong_type(&mut self, node: &Node, expected: &str) {
        let message = format!("expected {expected}, found {}", node.value.describe());
        self.problem(&node.span, message, None);
    }

    /// Reports an unknown key, with the nearest known one as a hint.
    pub fn unknown_key(&mut self, entry: &TableEntry, known: &[&str]) {
        let shown: String = entry.key.chars().take(80).collect();
        let hint = nearest(&entry.key, known.iter().copied()).map_or_else(
            || format!("known keys: {}", known.join(", ")),
            |near| format!("did you mean {near:?}?"),
        );
        self.problem(&entry.key_span, format!("unknown key {shown:?}"), Some(hint));
    }

    pub fn problem(&mut self, at: &Range<usize>, message: String, hint: Option<String>) {
        let mut finding = self.finding(self.code, at, message);
        finding.hint = hint;
        self.add(finding);
    }

    /// A finding in this file with another code.
    pub fn finding(&self, code: &str, at: &Range<usize>, message: String) -> Finding {
        self.source.finding(code, at, message)
    }

    pub fn add(&mut self, finding: Finding) {
        // The first findings must be fixed anyway, but a file with an error must report one.
        let first_error = finding.is_error() && !self.findings.iter().any(Finding::is_error);
        if self.findings.len() < MAX_FINDINGS || first_error {
            self.findings.push(finding);
        }
    }
}
