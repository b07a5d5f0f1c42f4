//! Reads a JSON file of a plan: typed values with positions, and findings about those of another type.
//!
//! Lenient where real files need it: a number is accepted as an id, a list as a paragraph, `null` as
//! missing. Any other type is a finding.

use std::collections::BTreeMap;
use std::ops::Range;

use afresh_core::plan::{PlanField, TaskDraft, nearest};

use crate::draft::status::TaskStanding;
use crate::draft::{DraftPlan, DraftTask};
use afresh_formats::findings::{Finding, Fix, Severity, SourceText};
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::json;
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml::values::{self, LocatedWord};

/// The most findings for one file.
const MAX_FINDINGS: usize = 200;

/// The value of a key; `None` for `null` too.
pub(crate) fn get<'n>(table: &'n Node, key: &str) -> Option<&'n Node> {
    values::get(table, key).filter(|node| !matches!(node.value, Value::Other(_)))
}

#[derive(Debug)]
pub(crate) struct JsonDocument<'a> {
    file: &'a str,
    source: SourceText<'a>,
    /// The hint for findings that have no better one.
    hint: &'static str,
    findings: Vec<Finding>,
    /// The first error since the last call of `take_fault`.
    fault: Option<String>,
    /// How many errors are contained in tasks.
    contained: usize,
    /// The number of findings at the last call of `take_fault`.
    seen: usize,
    unknown: BTreeMap<String, String>,
}

impl<'a> JsonDocument<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str, hint: &'static str) -> Self {
        let source = SourceText::new(file, text);
        let (findings, fault, contained, unknown) = (Vec::new(), None, 0, BTreeMap::new());
        Self { file, source, hint, findings, fault, contained, seen: 0, unknown }
    }

    /// Contains the errors since the last call: they block one task, for the returned reason.
    pub(crate) fn take_fault(&mut self) -> Option<String> {
        let since = &self.findings[self.seen..];
        self.contained += since.iter().filter(|finding| finding.is_error()).count();
        self.seen = self.findings.len();
        self.fault.take()
    }

    /// Makes the errors since the last call of `take_fault` warnings: their task is finished.
    pub(crate) fn downgrade_errors(&mut self) {
        self.findings[self.seen..].iter_mut().for_each(|found| {
            found.severity = found.severity.min(Severity::Warning);
        });
        self.seen = self.findings.len();
        self.fault = None;
    }

    /// Like `take_fault` for a task, if it is not finished.
    pub(crate) fn take_fault_of(&mut self, standing: &TaskStanding) -> Option<String> {
        if *standing != TaskStanding::Open && *standing != TaskStanding::Deferred {
            self.downgrade_errors();
        }
        self.take_fault()
    }

    /// The whole file as one object.
    pub(crate) fn parse(&mut self) -> Option<Node> {
        self.parse_part(&(0..self.source.text.len()))
    }

    /// The whole file as one object or list.
    pub(crate) fn parse_value(&mut self) -> Option<Node> {
        match json::parse(&self.source) {
            Ok(node) if matches!(node.value, Value::Table(_) | Value::List(_)) => Some(node),
            Ok(node) => {
                self.wrong(&node, "an object or a list");
                None
            }
            Err(finding) => {
                self.add(finding.with_hint(self.hint));
                None
            }
        }
    }

    /// A part of the file, such as a line, as one object.
    pub(crate) fn parse_part(&mut self, part: &Range<usize>) -> Option<Node> {
        match json::parse_part(&self.source, part, "the end of the object") {
            Ok(node) if matches!(node.value, Value::Table(_)) => Some(node),
            Ok(node) => {
                self.wrong(&node, "an object");
                None
            }
            Err(finding) => {
                self.add(finding.with_hint(self.hint));
                None
            }
        }
    }

    pub(crate) fn span(&self, at: &Range<usize>) -> SourceSpan {
        SourceSpan::new(self.file, at.clone())
    }

    /// A task with its id and its title, if it has them, and their positions.
    pub(crate) fn task(&mut self, node: &Node, title: &str) -> DraftTask {
        let mut task = DraftTask::new(TaskDraft::default(), self.span(&node.span));
        if let Some(id) = self.word(node, "id") {
            task.note(None, PlanField::Id, 0, self.span(&id.at));
            task.draft.id = id.text;
        }
        if let Some(title) = self.word(node, title) {
            task.note(None, PlanField::Title, 0, self.span(&title.at));
            task.draft.title = title.text;
        }
        task
    }

    /// Reports an unknown status, which counts as `taken`.
    pub(crate) fn unknown_status(&mut self, status: &LocatedWord, taken: &str, known: &[&str]) {
        let shown: String = status.text.chars().take(40).collect();
        let message = format!("unknown status {shown:?}");
        let hint = format!("it counts as {taken}; known statuses: {}", known.join(", "));
        self.warn(&status.at, "unknown-status", message, &hint);
    }

    /// A word, such as an id: a string, or a number without quotes.
    pub(crate) fn word(&mut self, table: &Node, key: &str) -> Option<LocatedWord> {
        let node = get(table, key)?;
        self.word_of(node)
    }

    pub(crate) fn word_of(&mut self, node: &Node) -> Option<LocatedWord> {
        let text = match &node.value {
            Value::Text(text) => Some(text.trim().to_owned()),
            Value::Integer(number) => Some(number.to_string()),
            // 1.2 names a subtask, and 1.10 is not 1.1: keep the spelling.
            Value::Fraction(_) => self.source.text.get(node.span.clone()).map(str::to_owned),
            _ => None,
        };
        if text.is_none() {
            self.wrong(node, "a string or a number");
        }
        text.map(|text| LocatedWord { text, at: node.span.clone() })
    }

    /// A list of words; a single value counts as a list.
    pub(crate) fn list_words(&mut self, table: &Node, key: &str) -> Vec<LocatedWord> {
        match get(table, key).map(|node| (node, &node.value)) {
            Some((_, Value::List(items))) => {
                items.iter().filter_map(|item| self.word_of(item)).collect()
            }
            Some((node, _)) => self.word_of(node).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// A paragraph; the items of a list are its lines.
    pub(crate) fn prose(&mut self, table: &Node, key: &str) -> String {
        match get(table, key).map(|node| (node, &node.value)) {
            Some((_, Value::Text(text))) => text.trim().to_owned(),
            Some((_, Value::List(items))) => {
                let lines = items.iter().filter_map(|item| self.word_of(item));
                lines.map(|line| format!("- {}", line.text)).collect::<Vec<_>>().join("\n")
            }
            Some((node, _)) => {
                self.wrong(node, "a string");
                String::new()
            }
            None => String::new(),
        }
    }

    /// An object under a key.
    pub(crate) fn object<'n>(&mut self, table: &'n Node, key: &str) -> Option<&'n Node> {
        let node = get(table, key)?;
        if !matches!(node.value, Value::Table(_)) {
            self.wrong(node, "an object");
            return None;
        }
        Some(node)
    }

    /// The items of a list of objects.
    pub(crate) fn objects<'n>(&mut self, table: &'n Node, key: &str) -> Vec<&'n Node> {
        let Some(node) = get(table, key) else { return Vec::new() };
        let Value::List(items) = &node.value else {
            self.wrong(node, "a list of objects");
            return Vec::new();
        };
        self.objects_in(items)
    }

    /// The objects of a list; anything else is reported.
    pub(crate) fn objects_in<'n>(&mut self, items: &'n [Node]) -> Vec<&'n Node> {
        let (objects, others): (Vec<_>, Vec<_>) =
            items.iter().partition(|item| matches!(item.value, Value::Table(_)));
        for other in others {
            self.wrong(other, "an object");
        }
        objects
    }

    /// Keeps unknown fields (FO-06), with a warning for those that resemble a known one (B20).
    pub(crate) fn keep_unknown(&mut self, table: &Node, path: &str, known: &[&str]) {
        for entry in values::entries(table) {
            if known.contains(&entry.key.as_str()) {
                continue;
            }
            let written = self.source.text.get(entry.node.span.clone()).unwrap_or_default();
            let name = format!("{}:{path}{}", self.file, entry.key);
            self.unknown.insert(name, written.to_owned());
            if let Some(near) = nearest(&entry.key, known.iter().copied()) {
                let shown: String = entry.key.chars().take(80).collect();
                let message = format!("unknown field {shown:?}");
                let found = self.source.finding("unknown-field", &entry.key_span, message);
                let fix = Fix::correction(entry.key_span.clone(), format!("\"{near}\""));
                let found = found.with_hint(format!("did you mean {near:?}?")).as_warning();
                self.add(found.with_fix(fix));
            }
        }
    }

    pub(crate) fn wrong(&mut self, node: &Node, expected: &str) {
        let message = format!("expected {expected}, found {}", node.value.describe());
        let found = self.source.finding("wrong-type", &node.span, message);
        self.add(found.with_hint(self.hint));
    }

    pub(crate) fn warn(&mut self, at: &Range<usize>, code: &str, message: String, hint: &str) {
        let found = self.source.finding(code, at, message);
        self.add(found.with_hint(hint).as_warning());
    }

    /// Adds a note.
    pub(crate) fn note(&mut self, at: &Range<usize>, code: &str, message: String, hint: &str) {
        let mut found = self.source.finding(code, at, message).with_hint(hint);
        found.severity = Severity::Note;
        self.add(found);
    }

    /// Adds an error.
    pub(crate) fn refuse(&mut self, at: &Range<usize>, code: &str, message: String, hint: &str) {
        let found = self.source.finding(code, at, message);
        self.add(found.with_hint(hint));
    }

    fn add(&mut self, finding: Finding) {
        // The first findings must be fixed anyway, but a file with an error must report one.
        if finding.is_error() {
            self.fault.get_or_insert_with(|| finding.message.clone());
        }
        let first_error = finding.is_error() && !self.findings.iter().any(Finding::is_error);
        if self.findings.len() < MAX_FINDINGS || first_error {
            self.findings.push(finding);
        }
    }

    /// Moves findings and unknown fields to the draft.
    pub(crate) fn close(self, drafted: &mut DraftPlan) {
        drafted.findings.extend(self.findings);
        drafted.contained += self.contained;
        drafted.unknown.extend(self.unknown);
    }
}
