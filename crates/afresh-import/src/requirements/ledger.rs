//! Collects requirements and citations, and turns them into what a plan holds.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use afresh_core::Plan;
use afresh_core::plan::{
    MAX_REQUIREMENTS, Requirement, RequirementId, RequirementKind, RequirementLink,
    RequirementScope,
};
use afresh_core::printable::join_lines;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{SourceSpan, TaskPlaces};

use super::document::{RequirementFamilies, SourceDocument, add_document, labelled_criteria};
use super::ids::{IdMention, mentions};
use super::sources::{TaskSources, TracedTask};

/// The longest text of a requirement that is kept, in characters.
const MAX_TEXT_CHARS: usize = 400;
/// How much of its whole text counts, in bytes: lists may be nested deeply.
const MAX_DIGEST_BYTES: usize = 16 * 1024;
/// The most citations of one plan.
const MAX_CITATIONS: usize = 250_000;

/// A requirement as a document states it.
#[derive(Debug, Clone)]
pub struct StatedRequirement<'t> {
    pub id: String,
    pub kind: RequirementKind,
    /// Its first words.
    pub title: &'t str,
    /// All that it says, the first words too.
    pub whole: &'t str,
    pub at: Range<usize>,
    pub parent: Option<String>,
    pub scope: RequirementScope,
    pub note: Option<String>,
    /// Requirements that tasks cite together or not at all.
    pub family: String,
}

impl<'t> StatedRequirement<'t> {
    /// A criterion without a requirement of its own.
    pub fn criterion(id: String, text: &'t str, at: Range<usize>) -> Self {
        let family = id.clone();
        Self {
            id,
            kind: RequirementKind::Criterion,
            title: text,
            whole: text,
            at,
            parent: None,
            scope: RequirementScope::Active,
            note: None,
            family,
        }
    }
}

/// A requirement, and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct LedgerEntry {
    pub(crate) requirement: Requirement,
    pub(crate) span: SourceSpan,
    /// All that it says.
    pub(crate) whole: Range<usize>,
    family: String,
}

/// A task that names a requirement.
#[derive(Debug, Clone)]
pub(crate) struct RequirementCitation {
    pub(crate) task: usize,
    pub(crate) id: String,
    pub(crate) span: SourceSpan,
}

/// What a format's rule fills.
pub struct LedgerBuilder<'a> {
    pub folder: &'a dyn PlanFolder,
    pub sources: TaskSources,
    pub(super) places: &'a [TaskPlaces],
    entries: Vec<LedgerEntry>,
    /// By uppercase id.
    by_id: BTreeMap<String, usize>,
    citations: Vec<RequirementCitation>,
    /// By file.
    prefixes: BTreeMap<String, String>,
}

impl std::fmt::Debug for LedgerBuilder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LedgerBuilder").field("entries", &self.entries).finish_non_exhaustive()
    }
}

impl<'a> LedgerBuilder<'a> {
    pub(super) fn new(folder: &'a dyn PlanFolder, plan: &Plan, places: &'a [TaskPlaces]) -> Self {
        let sources = TaskSources::new(folder, plan, places);
        let (entries, by_id, citations) = (Vec::new(), BTreeMap::new(), Vec::new());
        let prefixes = BTreeMap::new();
        Self { folder, sources, places, entries, by_id, citations, prefixes }
    }

    /// For documents without a plan.
    pub(super) fn without_tasks(folder: &'a dyn PlanFolder) -> Self {
        let sources = TaskSources::default();
        let (entries, by_id, citations) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { folder, sources, places: &[], entries, by_id, citations, prefixes: BTreeMap::new() }
    }

    pub(super) fn into_entries(self) -> Vec<LedgerEntry> {
        self.entries
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The text of a document beside the plan.
    pub fn text(&self, path: &str) -> Option<String> {
        self.folder.finished_text(path).filter(|text| !text.is_empty())
    }

    /// Adds what a Markdown document beside the plan states, if it exists.
    pub fn add_file(&mut self, path: &str, families: RequirementFamilies) {
        if let Some(text) = self.text(path) {
            add_document(self, &SourceDocument::new(path, &text), families);
        }
    }

    /// The ids of this document get a prefix: several documents number theirs alike.
    pub fn prefix_ids(&mut self, file: &str, prefix: String) {
        self.prefixes.insert(file.into(), prefix);
    }

    fn prefixed(&self, file: &str, id: &str) -> String {
        self.prefixes.get(file).map_or_else(|| id.to_owned(), |prefix| format!("{prefix}{id}"))
    }

    pub(super) fn is_task_at(&self, file: &str, range: &Range<usize>) -> bool {
        self.sources.is_task_at(file, range)
    }

    /// Adds a requirement; the first one with an id counts.
    pub fn add(&mut self, document: &SourceDocument<'_>, mut stated: StatedRequirement<'_>) {
        stated.id = self.prefixed(document.file, &stated.id);
        stated.parent = stated.parent.map(|parent| self.prefixed(document.file, &parent));
        let Some(id) = RequirementId::new(&stated.id) else { return };
        let key = id.as_str().to_uppercase();
        if self.by_id.contains_key(&key) || self.entries.len() >= MAX_REQUIREMENTS {
            return;
        }
        let title = join_lines(stated.title).replace("**", "");
        let title: String = title.chars().take(MAX_TEXT_CHARS).collect();
        let requirement = Requirement {
            id,
            kind: stated.kind,
            text: title.split_whitespace().collect::<Vec<_>>().join(" "),
            file: document.file.to_owned(),
            line: document.line(stated.at.start),
            digest: digest(stated.whole),
            parent: stated.parent.as_deref().and_then(RequirementId::new),
            scope: stated.scope,
            link: RequirementLink::Stated,
            note: stated.note,
        };
        self.by_id.insert(key, self.entries.len());
        let span = SourceSpan::new(document.file, stated.at);
        let whole = document.range_of(stated.whole).unwrap_or_else(|| span.range.clone());
        self.entries.push(LedgerEntry { requirement, span, whole, family: stated.family });
    }

    pub fn knows(&self, id: &str) -> bool {
        self.by_id.contains_key(&id.to_uppercase())
    }

    /// A task names a requirement here.
    pub fn cite(&mut self, task: usize, id: &str, span: SourceSpan) {
        if self.citations.len() < MAX_CITATIONS {
            self.citations.push(RequirementCitation { task, id: id.to_owned(), span });
        }
    }

    /// A criterion that is stated with its own tasks.
    pub fn add_to_tasks(
        &mut self,
        document: &SourceDocument<'_>,
        stated: StatedRequirement<'_>,
        tasks: &[usize],
    ) {
        let id = self.prefixed(document.file, &stated.id);
        let span = SourceSpan::new(document.file, stated.at.clone());
        self.add(document, stated);
        for task in tasks {
            self.cite(*task, &id, span.clone());
        }
    }

    /// Cites every requirement that a task names by its id, in its own lines and in its title.
    pub fn cite_mentions(&mut self) {
        for task in 0..self.sources.tasks.len() {
            let place = self.sources.tasks[task].place.clone();
            let text = self.sources.text(&place.file);
            let own = self.sources.own_range(task);
            let mut named: Vec<IdMention> = mentions(&text[own.clone()], own.start);
            let in_title = mentions(&self.sources.tasks[task].title, 0).into_iter();
            named.extend(in_title.map(|found| IdMention { at: place.range.clone(), ..found }));
            self.cite_known(task, &place, named);
        }
    }

    fn cite_known(&mut self, task: usize, place: &SourceSpan, named: Vec<IdMention>) {
        let mut seen = BTreeSet::new();
        for found in named {
            let id = self.prefixed(&place.file, &found.id);
            if self.knows(&id) && seen.insert(id.to_uppercase()) {
                self.cite(task, &id, SourceSpan::in_file(&place.file, found.at));
            }
        }
    }

    /// Criteria that tasks state in their own lines, below a label such as `Acceptance Criteria:`.
    pub fn add_task_criteria(&mut self) {
        for file in self.sources.files() {
            let text = self.sources.text(&file);
            let document = SourceDocument::new(&file, &text);
            for task in self.sources.of_file(&file).to_vec() {
                let own = self.sources.own_range(task);
                let name = self.sources.tasks[task].id.to_string();
                for (number, item) in labelled_criteria(&text, own).iter().enumerate() {
                    let id = format!("{name}/{}", number + 1);
                    let stated =
                        StatedRequirement::criterion(id, item.text.text, item.text.range());
                    self.add_to_tasks(&document, stated, &[task]);
                }
            }
        }
    }

    /// Ids that tasks cite where no document states any: each is a requirement without a text.
    pub fn state_cited(&mut self) {
        let files: BTreeSet<Arc<str>> =
            self.citations.iter().map(|cited| Arc::clone(&cited.span.file)).collect();
        let texts = files.into_iter().map(|file| (self.sources.text(&file), file));
        let texts: Vec<(Arc<str>, Arc<str>)> = texts.collect();
        let documents: BTreeMap<&str, SourceDocument<'_>> =
            texts.iter().map(|(text, file)| (&**file, SourceDocument::new(file, text))).collect();
        for cited in self.citations.clone() {
            let Some(document) = documents.get(&*cited.span.file) else { continue };
            self.add(
                document,
                StatedRequirement {
                    id: cited.id.clone(),
                    kind: RequirementKind::Requirement,
                    title: "",
                    whole: "",
                    at: cited.span.range.clone(),
                    parent: None,
                    scope: RequirementScope::Active,
                    note: None,
                    family: "cited".to_owned(),
                },
            );
        }
    }

    /// The ids of the requirements so far, with their parents.
    pub fn known_ids(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.entries.iter().map(|entry| {
            let parent = entry.requirement.parent.as_ref().map(RequirementId::as_str);
            (entry.requirement.id.as_str(), parent)
        })
    }

    pub(crate) fn entries_mut(&mut self) -> impl Iterator<Item = &mut Requirement> {
        self.entries.iter_mut().map(|entry| &mut entry.requirement)
    }

    pub(super) fn finish(mut self) -> TracedPlan {
        let key = |id: &str| id.to_uppercase();
        // A task is no requirement of the file that it stands in, unless its format says so by a citation.
        let own: BTreeSet<String> =
            self.sources.tasks.iter().map(|task| key(task.id.as_str())).collect();
        let cited: BTreeSet<String> = self.citations.iter().map(|cited| key(&cited.id)).collect();
        self.entries.retain(|entry| {
            let id = key(entry.requirement.id.as_str());
            let is_beside = self.sources.of_file(&entry.requirement.file).is_empty();
            is_beside || !own.contains(&id) || cited.contains(&id)
        });
        let ids = self.entries.iter().map(|entry| key(entry.requirement.id.as_str()));
        let by_id: BTreeMap<String, usize> = ids.zip(0..).collect();
        let mut served: Vec<Vec<RequirementId>> = vec![Vec::new(); self.sources.tasks.len()];
        let (mut families, mut unknown) = (BTreeSet::new(), Vec::new());
        for cited in self.citations {
            let Some(entry) = by_id.get(&key(&cited.id)).map(|at| &self.entries[*at]) else {
                unknown.push(cited);
                continue;
            };
            families.insert(entry.family.clone());
            let id = &entry.requirement.id;
            if !served[cited.task].contains(id) {
                served[cited.task].push(id.clone());
            }
        }
        for entry in &mut self.entries {
            let is_active = entry.requirement.scope == RequirementScope::Active;
            if is_active && !families.contains(&entry.family) {
                entry.requirement.link = RequirementLink::WholePlan;
            }
        }
        TracedPlan { entries: self.entries, tasks: self.sources.tasks, served, unknown }
    }
}

/// A plan's requirements, resolved.
#[derive(Debug)]
pub(crate) struct TracedPlan {
    pub(crate) entries: Vec<LedgerEntry>,
    pub(crate) tasks: Vec<TracedTask>,
    /// What each task cites.
    pub(crate) served: Vec<Vec<RequirementId>>,
    /// Citations of nothing.
    pub(crate) unknown: Vec<RequirementCitation>,
}

impl TracedPlan {
    pub(super) fn add_to(self, plan: Plan) -> Plan {
        let requirements = self.entries.into_iter().map(|entry| entry.requirement).collect();
        let tasks = self.tasks.into_iter().map(|task| task.id);
        plan.with_requirements(requirements, tasks.zip(self.served))
    }
}

/// A hash of what a text says: FNV-1a of its words, without boxes.
pub fn digest(text: &str) -> String {
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at < MAX_DIGEST_BYTES).last();
    let text = if text.len() > MAX_DIGEST_BYTES { &text[..end.unwrap_or(0)] } else { text };
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let is_mark = |word: &&str| matches!(*word, "[" | "]" | "-" | "*" | "[x]" | "[X]" | "[ ]");
    for word in text.split_whitespace().filter(|word| !is_mark(word)) {
        for byte in word.bytes().chain([b' ']) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
