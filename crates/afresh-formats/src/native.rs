//! The program's own plan format: `*.plan.toml`, or the same data as `*.plan.json`.
//!
//! A reading never stops at the first problem: everything that is wrong is reported at once, each
//! with its place. A field that is nearly a known one is an error, because a misspelt `checks` must
//! not silently mean "no checks" (B20); any other unknown field is kept and warned about (FO-06).

use std::collections::BTreeMap;
use std::ops::Range;

use afresh_core::Plan;
use afresh_core::plan::{
    CheckDraft, ContextLevel, Field, FileAction, FileDraft, Place, PlanDraft, Problem, ProblemKind,
    StepDraft, TaskDraft, Tier, nearest,
};

use crate::finding::{Finding, Severity, Source};
use crate::node::{Entry, Node, Value};
use crate::{json, toml};

/// The largest plan file that is read, in bytes.
pub const MAX_PLAN_BYTES: usize = 64 * 1024 * 1024;

/// More findings than this say nothing new; the rest is counted.
const MAX_FINDINGS: usize = 1_000;

const FORMAT_HELP: &str = "`afresh schema plan` describes the format";

/// The fields of the file, of a task, of a step, of a file entry and of a check entry.
pub const PLAN_FIELDS: &[&str] = &["version", "name", "spec", "task"];
pub const TASK_FIELDS: &[&str] = &[
    "id", "title", "do", "needs", "files", "checks", "no_check", "steps", "tier", "context",
    "agent",
];
pub const STEP_FIELDS: &[&str] = &["name", "do", "files", "checks"];
pub const FILE_FIELDS: &[&str] = &["path", "action"];
pub const CHECK_FIELDS: &[&str] = &["name", "run", "red_first"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Toml,
    Json,
}

impl Syntax {
    /// By the file's name; TOML unless it says JSON.
    pub fn of(file: &str) -> Self {
        let extension = file.rsplit('.').next().unwrap_or_default();
        if extension.eq_ignore_ascii_case("json") { Self::Json } else { Self::Toml }
    }
}

/// What came of reading a file.
#[derive(Debug)]
pub struct Reading {
    /// None where a finding is an error.
    pub plan: Option<Plan>,
    pub findings: Vec<Finding>,
    /// Fields that we do not know, by their path, as they were written (FO-06).
    pub unknown: BTreeMap<String, String>,
}

/// Reads a plan from the bytes of a file.
pub fn read(file: &str, bytes: &[u8]) -> Reading {
    let failed =
        |finding| Reading { plan: None, findings: vec![finding], unknown: BTreeMap::new() };
    if bytes.len() > MAX_PLAN_BYTES {
        let message =
            format!("the file has {} bytes; at most {MAX_PLAN_BYTES} are read", bytes.len());
        let finding = Finding::of_file(file, "too-large", message);
        return failed(finding.with_help("split it into several plans"));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => return failed(not_utf8(file, bytes, error.valid_up_to())),
    };
    // A text of several lines must not hand carriage returns to a shell (B18).
    let text = text.replace("\r\n", "\n");
    let source = Source::new(file, &text);
    if text.trim().is_empty() {
        let finding = Finding::of_file(file, "empty-plan", "the plan is empty: nothing to do")
            .with_help("add a [[task]] with an id, a title and a check");
        return failed(finding);
    }
    let parsed = match Syntax::of(file) {
        Syntax::Toml => toml::parse(&source),
        Syntax::Json => json::parse(&source),
    };
    match parsed {
        Ok(root) => Reader::new(&source).read(&root),
        Err(finding) => failed(finding.with_help(FORMAT_HELP)),
    }
}

fn not_utf8(file: &str, bytes: &[u8], offset: usize) -> Finding {
    let valid = String::from_utf8_lossy(&bytes[..offset]);
    let source = Source::new(file, &valid);
    let message = format!("byte {offset} is not UTF-8 (0x{:02x})", bytes[offset]);
    source.finding("not-utf8", &(offset..offset), message).with_help("save the file as UTF-8")
}

/// Where the parts of one task are.
#[derive(Debug, Default, Clone)]
struct Places {
    whole: Range<usize>,
    fields: BTreeMap<(Option<usize>, Field), Vec<Range<usize>>>,
}

struct Reader<'a, 's> {
    source: &'a Source<'s>,
    findings: Vec<Finding>,
    /// Findings that were only counted, and the worst of them.
    more: usize,
    worst: Severity,
    places: Vec<Places>,
    unknown: BTreeMap<String, String>,
}

impl<'a, 's> Reader<'a, 's> {
    fn new(source: &'a Source<'s>) -> Self {
        Self {
            source,
            findings: Vec::new(),
            more: 0,
            worst: Severity::Warning,
            places: Vec::new(),
            unknown: BTreeMap::new(),
        }
    }

    fn read(mut self, root: &Node) -> Reading {
        let draft = self.plan(root);
        let readable = self.worst < Severity::Error && !self.findings.iter().any(Finding::is_error);
        let mut plan = None;
        match Plan::new(draft) {
            Ok(read) => plan = Some(read).filter(|_| readable),
            Err(problems) => {
                for problem in problems.iter().filter(|p| readable || is_no_consequence(p)) {
                    let at = self.span(&problem.place);
                    self.find(Severity::Error, &at, |reader| reader.locate(problem));
                }
            }
        }
        self.findings.sort_by_key(|finding| (finding.line, finding.column));
        if self.more > 0 {
            let message = format!("and {} more problems", self.more);
            let mut finding = Finding::of_file(self.source.name, "more", message);
            finding.severity = self.worst;
            self.findings.push(finding.with_help("mend these first"));
        }
        Reading { plan, findings: self.findings, unknown: self.unknown }
    }

    /// Takes a finding down, unless that place could not be read anyway or there are enough.
    fn find(
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

    fn locate(&self, problem: &Problem) -> Finding {
        let at = self.span(&problem.place);
        let mut message = problem.message.clone();
        if let Some(related) = &problem.related {
            let (line, _) = self.source.place(self.span(related).start);
            message = format!("{message} (the first is at line {line})");
        }
        let mut finding = self.source.finding(problem.kind.code(), &at, message);
        finding.help.clone_from(&problem.help);
        finding
    }

    fn span(&self, place: &Place) -> Range<usize> {
        let Some(places) = place.task.and_then(|at| self.places.get(at)) else { return 0..0 };
        let spans = places.fields.get(&(place.step, place.field));
        spans
            .and_then(|spans| spans.get(place.item).or(spans.first()))
            .unwrap_or(&places.whole)
            .clone()
    }

    fn plan(&mut self, root: &Node) -> PlanDraft {
        let mut draft = PlanDraft::default();
        let Value::Table(entries) = &root.value else {
            self.wrong(root, "a table with `version`, `name` and `task`");
            return draft;
        };
        let mut versioned = false;
        for entry in entries {
            match entry.key.as_str() {
                "version" => {
                    versioned = true;
                    if entry.node.value != Value::Integer(1) {
                        let finding = self.source.finding(
                            "version",
                            &entry.node.span,
                            "only version 1 is known",
                        );
                        self.findings.push(finding.with_help("write `version = 1`"));
                    }
                }
                "name" => draft.name = self.text(&entry.node),
                "spec" => draft.spec = Some(self.text(&entry.node)),
                "task" => draft.tasks = self.tasks(&entry.node),
                _ => self.unknown_field("", PLAN_FIELDS, entry),
            }
        }
        if !versioned {
            let finding = Finding::of_file(
                self.source.name,
                "version",
                "the plan says no version; 1 is assumed",
            );
            self.findings.push(finding.as_warning().with_help("write `version = 1` at the top"));
        }
        draft
    }

    fn tasks(&mut self, node: &Node) -> Vec<TaskDraft> {
        let Value::List(items) = &node.value else {
            self.wrong(node, "a list of tasks");
            return Vec::new();
        };
        items.iter().map(|item| self.task(item)).collect()
    }

    fn task(&mut self, node: &Node) -> TaskDraft {
        let at = self.places.len();
        self.places.push(Places { whole: node.span.clone(), fields: BTreeMap::new() });
        let mut draft = TaskDraft::default();
        let Value::Table(entries) = &node.value else {
            self.wrong(node, "a task: a table with `id`, `title` and `checks`");
            return draft;
        };
        for entry in entries {
            let value = &entry.node;
            match entry.key.as_str() {
                "id" => draft.id = self.noted_text(at, Field::Id, value),
                "title" => draft.title = self.noted_text(at, Field::Title, value),
                "do" => draft.instructions = self.text(value),
                "needs" => draft.needs = self.texts(at, None, Field::Needs, value),
                "files" => draft.files = self.files(at, None, value),
                "checks" => draft.checks = self.checks(at, None, value),
                "no_check" => draft.no_check = Some(self.noted_text(at, Field::NoCheck, value)),
                "steps" => draft.steps = self.steps(at, value),
                "tier" => {
                    draft.tier = self.word(
                        value,
                        &[
                            ("small", Tier::Small),
                            ("standard", Tier::Standard),
                            ("large", Tier::Large),
                        ],
                    );
                }
                "context" => {
                    draft.context = self.word(
                        value,
                        &[
                            ("minimal", ContextLevel::Minimal),
                            ("standard", ContextLevel::Standard),
                            ("full", ContextLevel::Full),
                        ],
                    );
                }
                "agent" => draft.agent = Some(self.text(value)),
                _ => self.unknown_field(&format!("task.{at}."), TASK_FIELDS, entry),
            }
        }
        draft
    }

    fn steps(&mut self, at: usize, node: &Node) -> Vec<StepDraft> {
        let Value::List(items) = &node.value else {
            self.wrong(node, "a list of steps");
            return Vec::new();
        };
        items.iter().enumerate().map(|(number, item)| self.step(at, number, item)).collect()
    }

    fn step(&mut self, at: usize, number: usize, node: &Node) -> StepDraft {
        let mut draft = StepDraft::default();
        let Value::Table(entries) = &node.value else {
            self.wrong(node, "a step: a table with `name` and `do`");
            return draft;
        };
        for entry in entries {
            let value = &entry.node;
            match entry.key.as_str() {
                "name" => draft.name = self.text(value),
                "do" => draft.instructions = self.text(value),
                "files" => draft.files = self.files(at, Some(number), value),
                "checks" => draft.checks = self.checks(at, Some(number), value),
                _ => {
                    let path = format!("task.{at}.steps.{number}.");
                    self.unknown_field(&path, STEP_FIELDS, entry);
                }
            }
        }
        draft
    }

    fn files(&mut self, at: usize, step: Option<usize>, node: &Node) -> Vec<FileDraft> {
        self.items(at, step, Field::Files, node, "a list of paths")
            .iter()
            .enumerate()
            .map(|(item, node)| self.file(&path_of(at, step, "files", item), node))
            .collect()
    }

    fn file(&mut self, path: &str, node: &Node) -> FileDraft {
        let mut draft = FileDraft::default();
        match &node.value {
            Value::Text(path) => draft.path.clone_from(path),
            Value::Table(entries) => {
                for entry in entries {
                    match entry.key.as_str() {
                        "path" => draft.path = self.text(&entry.node),
                        "action" => {
                            draft.action = self.word(
                                &entry.node,
                                &[
                                    ("create", FileAction::Create),
                                    ("modify", FileAction::Modify),
                                    ("delete", FileAction::Delete),
                                ],
                            );
                        }
                        _ => self.unknown_field(path, FILE_FIELDS, entry),
                    }
                }
            }
            _ => self.wrong(node, "a path, or { path = \"…\", action = \"create\" }"),
        }
        draft
    }

    fn checks(&mut self, at: usize, step: Option<usize>, node: &Node) -> Vec<CheckDraft> {
        self.items(at, step, Field::Checks, node, "a list of commands")
            .iter()
            .enumerate()
            .map(|(item, node)| self.check(&path_of(at, step, "checks", item), node))
            .collect()
    }

    fn check(&mut self, path: &str, node: &Node) -> CheckDraft {
        let mut draft = CheckDraft::default();
        match &node.value {
            Value::Text(command) => draft.command.clone_from(command),
            Value::Table(entries) => {
                for entry in entries {
                    match entry.key.as_str() {
                        "name" => draft.name = Some(self.text(&entry.node)),
                        "run" => draft.command = self.text(&entry.node),
                        "red_first" => match entry.node.value {
                            Value::Bool(flag) => draft.red_first = flag,
                            _ => self.wrong(&entry.node, "true or false"),
                        },
                        _ => self.unknown_field(path, CHECK_FIELDS, entry),
                    }
                }
            }
            _ => self.wrong(node, "a command, or { run = \"…\", red_first = true }"),
        }
        draft
    }

    /// The items of a list, with their places noted.
    fn items<'n>(
        &mut self,
        at: usize,
        step: Option<usize>,
        field: Field,
        node: &'n Node,
        expected: &str,
    ) -> &'n [Node] {
        let Value::List(items) = &node.value else {
            self.wrong(node, expected);
            return &[];
        };
        let spans = items.iter().map(|item| item.span.clone()).collect();
        self.places[at].fields.insert((step, field), spans);
        items
    }

    fn texts(&mut self, at: usize, step: Option<usize>, field: Field, node: &Node) -> Vec<String> {
        self.items(at, step, field, node, "a list of texts")
            .iter()
            .map(|item| self.text(item))
            .collect()
    }

    fn noted_text(&mut self, at: usize, field: Field, node: &Node) -> String {
        self.places[at].fields.insert((None, field), vec![node.span.clone()]);
        self.text(node)
    }

    fn text(&mut self, node: &Node) -> String {
        if let Value::Text(text) = &node.value {
            return text.clone();
        }
        self.wrong(node, "a text");
        String::new()
    }

    fn word<T: Copy>(&mut self, node: &Node, words: &[(&str, T)]) -> Option<T> {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        if let Value::Text(text) = &node.value
            && let Some((_, value)) = words.iter().find(|(word, _)| word == text)
        {
            return Some(*value);
        }
        self.wrong(node, &format!("one of: {}", known.join(", ")));
        None
    }

    fn wrong(&mut self, node: &Node, expected: &str) {
        let message = format!("expected {expected}, found {}", node.value.shown());
        self.find(Severity::Error, &node.span, |reader| {
            reader.source.finding("wrong-type", &node.span, message).with_help(FORMAT_HELP)
        });
    }

    fn unknown_field(&mut self, path: &str, known: &[&str], entry: &Entry) {
        let key = entry.key.as_str();
        let shown: String = key.chars().take(80).collect();
        let near = alias(key).or_else(|| nearest(key, known.iter().copied()));
        let severity = if near.is_some() { Severity::Error } else { Severity::Warning };
        self.find(severity, &entry.key_span, |reader| {
            let message = format!("unknown field {shown:?}");
            let finding = reader.source.finding("unknown-field", &entry.key_span, message);
            match near {
                Some(near) => finding.with_help(format!("did you mean {near:?}?")),
                None => finding.with_help("it is kept, but means nothing here"),
            }
        });
        let written = self.source.text.get(entry.node.span.clone()).unwrap_or_default();
        self.unknown.insert(format!("{path}{key}"), written.to_owned());
    }
}

/// A problem of its own, and not what follows from a field that could not be read.
fn is_no_consequence(problem: &Problem) -> bool {
    !matches!(
        problem.kind,
        ProblemKind::Empty | ProblemKind::MissingTitle | ProblemKind::UnknownNeed
    )
}

/// Where an item of a list is, for the names of unknown fields.
fn path_of(at: usize, step: Option<usize>, list: &str, item: usize) -> String {
    match step {
        Some(step) => format!("task.{at}.steps.{step}.{list}.{item}."),
        None => format!("task.{at}.{list}.{item}."),
    }
}

/// What people write for our fields when they know other formats.
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
