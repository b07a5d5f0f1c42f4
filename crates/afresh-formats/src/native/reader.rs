//! Collects findings and positions, and reads plain values.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use afresh_core::Plan;
use afresh_core::plan::{
    PlanDraft, PlanField, PlanProblem, ProblemKind, ProblemLocation, TaskDraft, nearest,
};

use super::FORMAT_HINT;
use crate::findings::{Finding, Fix, Severity, SourceText};
use crate::reading::{PartialPlan, PlanReading, SourceSpan, TaskPlaces};
use crate::text::node::{Node, TableEntry, Value};
use crate::text::yaml::values::get;

/// The most findings that are listed; the rest is counted.
const MAX_FINDINGS: usize = 1_000;
/// How often tasks with problems are taken out to find the readable part.
const MAX_ROUNDS: usize = 20;

/// The ranges of a task and its parts.
#[derive(Debug, Default, Clone)]
pub(super) struct TaskRanges {
    pub(super) whole: Range<usize>,
    pub(super) fields: BTreeMap<(Option<usize>, PlanField), Vec<Range<usize>>>,
}

impl TaskRanges {
    fn in_file(&self, file: &Arc<str>) -> TaskPlaces {
        let span = |at: &Range<usize>| SourceSpan::in_file(file, at.clone());
        let parts = self.fields.iter().flat_map(|((step, field), items)| {
            items.iter().enumerate().map(|(item, at)| ((*step, *field, item), span(at)))
        });
        TaskPlaces { whole: span(&self.whole), parts: parts.collect() }
    }
}

pub(super) struct NativePlanReader<'a, 's> {
    pub(super) source: &'a SourceText<'s>,
    pub(super) findings: Vec<Finding>,
    /// The number of findings that were only counted, and the worst severity.
    more: usize,
    worst: Severity,
    pub(super) places: Vec<TaskRanges>,
    /// See [`PlanReading::target`].
    pub(super) target: Option<String>,
    unknown: BTreeMap<String, String>,
    /// The tasks with values that could not be read.
    unreadable: BTreeSet<usize>,
}

impl<'a, 's> NativePlanReader<'a, 's> {
    pub(super) fn new(source: &'a SourceText<'s>) -> Self {
        Self {
            source,
            findings: Vec::new(),
            more: 0,
            worst: Severity::Warning,
            places: Vec::new(),
            target: None,
            unknown: BTreeMap::new(),
            unreadable: BTreeSet::new(),
        }
    }

    pub(super) fn read(mut self, root: &Node) -> PlanReading {
        let draft = self.plan(root);
        let readable = self.worst < Severity::Error && !self.findings.iter().any(Finding::is_error);
        // Without all ids, it is not known which dependencies exist.
        let ids_are_known = draft.tasks.iter().all(|task| !task.id.is_empty());
        let is_independent = |problem: &PlanProblem| match problem.kind {
            ProblemKind::Empty => readable,
            ProblemKind::UnknownNeed => readable || ids_are_known,
            _ => true,
        };
        let (mut plan, mut part) = (None, None);
        match Plan::from_draft(&draft) {
            Ok(read) if readable => plan = Some(read),
            Ok(_) => part = self.readable_part(&draft, &[]),
            Err(problems) => {
                for problem in problems.iter().filter(|problem| is_independent(problem)) {
                    let at = self.span(&problem.place);
                    self.add_finding(Severity::Error, &at, |reader| reader.locate(problem));
                }
                part = self.readable_part(&draft, &problems);
            }
        }
        self.findings.sort_by_key(|finding| (finding.line, finding.column));
        if self.more > 0 {
            let message = format!("{} more findings are not listed", self.more);
            let mut finding = Finding::for_file(self.source.name, "more", message);
            finding.severity = self.worst;
            self.findings.push(finding.with_hint("fix the listed ones first"));
        }
        let file: Arc<str> = self.source.name.into();
        let places = self.places.iter().map(|places| places.in_file(&file)).collect();
        let Self { findings, target, unknown, .. } = self;
        PlanReading { plan, part, findings, target, unknown, places, ..PlanReading::default() }
    }

    /// The tasks without problems, as a plan that can be linted.
    fn readable_part(&self, draft: &PlanDraft, problems: &[PlanProblem]) -> Option<PartialPlan> {
        let file: Arc<str> = self.source.name.into();
        let mut faulty = self.unreadable.clone();
        // What a task needs does not matter here.
        let is_order = |kind| matches!(kind, ProblemKind::UnknownNeed | ProblemKind::Cycle);
        let own = problems.iter().filter(|problem| !is_order(problem.kind));
        faulty.extend(own.filter_map(|problem| problem.place.task));
        for _ in 0..MAX_ROUNDS {
            let kept: Vec<usize> =
                (0..draft.tasks.len()).filter(|at| !faulty.contains(at)).collect();
            let without_needs = |at: &usize| {
                let task = draft.tasks[*at].clone();
                TaskDraft { needs: Vec::new(), ..task }
            };
            let tasks: Vec<TaskDraft> = kept.iter().map(without_needs).collect();
            match Plan::new(PlanDraft { tasks, ..PlanDraft::default() }) {
                Ok(plan) => {
                    let places = kept.iter().map(|at| self.places[*at].in_file(&file)).collect();
                    return Some(PartialPlan { plan, places });
                }
                Err(more) => {
                    let found: Vec<usize> =
                        more.iter().filter_map(|p| kept.get(p.place.task?).copied()).collect();
                    if found.is_empty() {
                        return None;
                    }
                    faulty.extend(found);
                }
            }
        }
        None
    }

    /// Adds a finding, unless the value there has the wrong type anyway or the limit is reached.
    pub(super) fn add_finding(
        &mut self,
        severity: Severity,
        at: &Range<usize>,
        finding: impl FnOnce(&Self) -> Finding,
    ) {
        if self.findings.len() >= MAX_FINDINGS {
            self.more += 1;
            self.worst = self.worst.max(severity);
            return;
        }
        let place = self.source.place(at.start);
        let unread =
            |other: &Finding| other.code == "wrong-type" && (other.line, other.column) == place;
        if !self.findings.iter().any(unread) {
            let finding = Finding { severity, ..finding(self) };
            self.findings.push(finding);
        }
    }

    pub(super) fn locate(&self, problem: &PlanProblem) -> Finding {
        let at = self.span(&problem.place);
        let mut finding = self.source.finding(problem.kind.code(), &at, problem.message.as_str());
        if let Some(related) = &problem.related {
            let other = self.source.related(&self.span(related), "first defined here");
            finding.add_first_place(other);
        }
        finding.hint.clone_from(&problem.hint);
        finding
    }

    pub(super) fn span(&self, place: &ProblemLocation) -> Range<usize> {
        let Some(places) = place.task.and_then(|at| self.places.get(at)) else { return 0..0 };
        let spans = places.fields.get(&(place.step, place.field));
        spans
            .and_then(|spans| spans.get(place.item).or(spans.first()))
            .unwrap_or(&places.whole)
            .clone()
    }

    /// The items of a list; records their positions.
    pub(super) fn items<'n>(
        &mut self,
        at: usize,
        step: Option<usize>,
        field: PlanField,
        node: &'n Node,
        expected: &str,
    ) -> &'n [Node] {
        let Value::List(items) = &node.value else {
            self.wrong_type(node, expected);
            return &[];
        };
        // The position of a file in long form is that of its path.
        let path = |item: &'n Node| get(item, "path").filter(|_| field == PlanField::Files);
        let spans = items.iter().map(|item| path(item).unwrap_or(item).span.clone()).collect();
        self.places[at].fields.insert((step, field), spans);
        items
    }

    pub(super) fn texts(
        &mut self,
        at: usize,
        step: Option<usize>,
        field: PlanField,
        node: &Node,
    ) -> Vec<String> {
        self.items(at, step, field, node, "a list of strings")
            .iter()
            .map(|item| self.text(item))
            .collect()
    }

    pub(super) fn noted_text(&mut self, at: usize, field: PlanField, node: &Node) -> String {
        self.places[at].fields.insert((None, field), vec![node.span.clone()]);
        self.text(node)
    }

    pub(super) fn text(&mut self, node: &Node) -> String {
        if let Value::Text(text) = &node.value {
            return text.clone();
        }
        self.wrong_type(node, "a string");
        String::new()
    }

    pub(super) fn word<T: Copy>(&mut self, node: &Node, words: &[(&str, T)]) -> Option<T> {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        if let Value::Text(text) = &node.value
            && let Some((_, value)) = words.iter().find(|(word, _)| word == text)
        {
            return Some(*value);
        }
        self.wrong_type(node, &format!("one of: {}", known.join(", ")));
        None
    }

    pub(super) fn wrong_type(&mut self, node: &Node, expected: &str) {
        let message = format!("expected {expected}, found {}", node.value.describe());
        self.unreadable.extend(self.places.len().checked_sub(1));
        self.add_finding(Severity::Error, &node.span, |reader| {
            reader.source.finding("wrong-type", &node.span, message).with_hint(FORMAT_HINT)
        });
    }

    /// The field that an entry of a table is read as. A misspelt one is an error, and read as the one
    /// that was meant, so that everything else that is wrong with the plan is reported too. Empty
    /// for any other unknown field.
    pub(super) fn known_field<'e>(
        &mut self,
        path: impl FnOnce() -> String,
        known: &'static [&'static str],
        (table, entry): (&[TableEntry], &'e TableEntry),
    ) -> &'e str {
        if known.contains(&entry.key.as_str()) {
            return &entry.key;
        }
        let meant = self.unknown_field(&path(), known, entry);
        let is_free = |field: &&str| table.iter().all(|other| other.key != *field);
        meant.filter(is_free).unwrap_or_default()
    }

    /// Reports an unknown field; returns the one that was meant.
    fn unknown_field(
        &mut self,
        path: &str,
        known: &'static [&'static str],
        entry: &TableEntry,
    ) -> Option<&'static str> {
        let key = entry.key.as_str();
        let shown: String = key.chars().take(80).collect();
        let meant = alias(key).filter(|word| known.contains(word));
        let near = meant.or_else(|| nearest(key, known.iter().copied()));
        let severity = if near.is_some() { Severity::Error } else { Severity::Warning };
        self.add_finding(severity, &entry.key_span, |reader| {
            let message = format!("unknown field {shown:?}");
            let finding = reader.source.finding("unknown-field", &entry.key_span, message);
            match near {
                Some(near) => {
                    let written = reader.source.text.get(entry.key_span.clone());
                    let quote =
                        if written.is_some_and(|key| key.starts_with('"')) { "\"" } else { "" };
                    finding.with_hint(format!("did you mean {near:?}?")).with_fix(Fix::correction(
                        entry.key_span.clone(),
                        format!("{quote}{near}{quote}"),
                    ))
                }
                None => finding.with_hint(elsewhere(key)),
            }
        });
        let written = self.source.text.get(entry.node.span.clone()).unwrap_or_default();
        self.unknown.insert(format!("{path}{key}"), written.to_owned());
        near
    }
}

/// What to do about a field that has no meaning where it is; it may have one elsewhere.
fn elsewhere(key: &str) -> String {
    if !matches!(key, "guard" | "red_first") {
        return "it is kept but has no effect".to_owned();
    }
    format!("it belongs to a check: `checks = [{{ run = \"COMMAND\", {key} = true }}]`")
}

/// Names of our fields in other formats.
fn alias(key: &str) -> Option<&'static str> {
    let lower = key.to_ascii_lowercase();
    Some(match lower.as_str() {
        "verify" | "verfiy" | "check" | "test" | "tests" | "acceptance" | "acceptance_criteria" => {
            "checks"
        }
        "depends_on" | "depends" | "dependencies" | "deps" | "after" | "requires" => "needs",
        "description" | "action" | "instructions" | "prompt" | "body" => "do",
        "name" => "title",
        "tasks" => "task",
        "file" | "paths" => "files",
        "step" => "steps",
        _ => return None,
    })
}
