//! A Markdown document that states requirements: by ids (`- **FR-001**: …`, `### R1: …`, tables with ids),
//! as numbered headings (`### Requirement 2: …`) with criteria, or as lists below headings such as
//! `## Acceptance Criteria`.

use std::collections::BTreeMap;
use std::ops::Range;

use afresh_core::plan::{RequirementKind, RequirementScope};
use afresh_formats::text::markdown::{Heading, ListItem, headings, items, lines_from, tables};

use super::ids::{leading_id, slug};
use super::ledger::{LedgerBuilder, StatedRequirement};
use super::scope::{is_about_other_things, scope_of, scope_of_item, states_requirements};
use crate::prose::leading_number;

/// A file with its lines.
#[derive(Debug)]
pub struct SourceDocument<'t> {
    pub file: &'t str,
    pub text: &'t str,
    /// Where each line starts.
    starts: Vec<usize>,
}

impl<'t> SourceDocument<'t> {
    pub fn new(file: &'t str, text: &'t str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { file, text, starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// Where a part of the text stands; none for a text from elsewhere.
    pub(super) fn range_of(&self, part: &str) -> Option<Range<usize>> {
        let start = part.as_ptr().addr().checked_sub(self.text.as_ptr().addr())?;
        let end = start.checked_add(part.len())?;
        (end <= self.text.len()).then_some(start..end)
    }

    /// Where a line starts, counted from 1; the end of the text for one that it does not have.
    pub fn start_of(&self, line: usize) -> usize {
        self.starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    /// The line of a byte, counted from 1.
    pub fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }
}

/// Which requirements of a document tasks cite together or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequirementFamilies {
    /// All of them.
    Document,
    /// Those whose ids start with the same letters: tasks cite stories, and not what else is stated.
    Letters,
}

/// Adds everything that a document states.
pub fn add_document(
    ledger: &mut LedgerBuilder<'_>,
    document: &SourceDocument<'_>,
    families: RequirementFamilies,
) {
    let reader = DocumentReader::new(document, families);
    reader.add_headings(ledger);
    reader.add_items(ledger);
    reader.add_tables(ledger);
}

/// A heading that states a requirement.
struct StatedHeading<'t> {
    id: String,
    title: &'t str,
    body: Range<usize>,
}

struct DocumentReader<'t> {
    document: &'t SourceDocument<'t>,
    families: RequirementFamilies,
    headings: Vec<Heading<'t>>,
    /// The heading above each.
    parents: Vec<Option<usize>>,
}

impl<'t> DocumentReader<'t> {
    fn new(document: &'t SourceDocument<'t>, families: RequirementFamilies) -> Self {
        let headings = headings(document.text);
        let (mut parents, mut open) = (Vec::with_capacity(headings.len()), Vec::<usize>::new());
        for (at, heading) in headings.iter().enumerate() {
            while open.pop_if(|above| headings[*above].level >= heading.level).is_some() {}
            parents.push(open.last().copied());
            open.push(at);
        }
        Self { document, families, headings, parents }
    }

    /// The headings whose sections a place belongs to, the innermost first.
    fn above(&self, at: usize) -> impl Iterator<Item = &Heading<'t>> {
        let last = self.headings.partition_point(|heading| heading.at.start <= at).checked_sub(1);
        let chain = std::iter::successors(last, |at| self.parents[*at]);
        chain.map(|at| &self.headings[at])
    }

    fn add_headings(&self, ledger: &mut LedgerBuilder<'_>) {
        for heading in &self.headings {
            let Some(stated) = stated_heading(heading) else { continue };
            let Some(scope) = self.scope_at(heading.at.start) else { continue };
            let whole = heading.at.start..heading.body.end;
            self.state(ledger, stated.id.clone(), stated.title, whole, scope);
            self.add_criteria(ledger, &stated, scope);
        }
    }

    /// The numbered criteria of a requirement that is a heading.
    fn add_criteria(
        &self,
        ledger: &mut LedgerBuilder<'_>,
        stated: &StatedHeading<'t>,
        scope: RequirementScope,
    ) {
        let text = self.document.text;
        let labelled = criteria_of(text, stated.body.clone());
        for (number, item) in labelled.iter().enumerate() {
            let own = item_id(item).map(|(id, _)| id.to_owned());
            let words = item.text.text;
            let numbered = leading_number(words).filter(|(id, _)| id.contains('.'));
            let id = own
                .or_else(|| numbered.map(|(id, _)| id.to_owned()))
                .unwrap_or_else(|| format!("{}.{}", stated.id, number + 1));
            let criterion = StatedRequirement {
                id,
                kind: RequirementKind::Criterion,
                title: words,
                whole: &text[item.whole()],
                at: item.text.range(),
                parent: Some(stated.id.clone()),
                scope: scope_of_item(words).unwrap_or(scope),
                note: None,
                family: self.family(&stated.id),
            };
            ledger.add(self.document, criterion);
        }
    }

    /// List items that start with an id, and those of sections that state requirements.
    fn add_items(&self, ledger: &mut LedgerBuilder<'_>) {
        let text = self.document.text;
        let all = items(text, 0..text.len());
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for item in &all {
            let Some(scope) = self.scope_at(item.text.start) else { continue };
            let scope = scope_of_item(item.text.text).unwrap_or(scope);
            if ledger.is_task_at(self.document.file, &item.text.range()) {
                continue;
            }
            if let Some((id, title)) = item_id(item) {
                self.state(ledger, id.to_owned(), title, item.whole(), scope);
                continue;
            }
            if item.indent > 0 {
                continue;
            }
            let Some(heading) = self.section_of(item.text.start) else { continue };
            if !is_listed(heading.text, scope) || self.is_inside_stated(item.text.start) {
                continue;
            }
            let section = slug(heading.text);
            let count = counts.entry(section.clone()).or_default();
            *count += 1;
            let id = format!("{section}.{count}");
            self.state(ledger, id, item.text.text, item.whole(), scope);
        }
    }

    /// Rows of tables with ids and texts.
    fn add_tables(&self, ledger: &mut LedgerBuilder<'_>) {
        let text = self.document.text;
        for table in tables(text, 0..text.len()) {
            let id = table.column(&["id", "req", "req id", "requirement id", "#", "ref", "key"]);
            let texts = ["requirement", "description", "text", "statement", "criterion", "feature"];
            let words = table.column(&texts).filter(|words| Some(*words) != id);
            let (id, Some(words)) = (id, words) else { continue };
            for row in &table.rows {
                let Some(scope) = self.scope_at(row.at.start) else { continue };
                let title = row.cell(Some(words));
                let cell = row.cell(id).text.trim_matches(['*', '`', ' ']);
                let named = leading_id(cell).filter(|end| *end == cell.len() && id.is_some());
                let id = match named {
                    Some(_) => cell.to_owned(),
                    None if scope == RequirementScope::OutOfScope => {
                        format!("out-of-scope/{}", slug(title.text))
                    }
                    None => continue,
                };
                self.state(ledger, id, title.text.trim_matches(['*', ' ']), row.at.clone(), scope);
            }
        }
    }

    fn state(
        &self,
        ledger: &mut LedgerBuilder<'_>,
        id: String,
        title: &str,
        whole: Range<usize>,
        scope: RequirementScope,
    ) {
        let family = self.family(&id);
        let requirement = StatedRequirement {
            id,
            kind: RequirementKind::Requirement,
            title,
            whole: &self.document.text[whole.clone()],
            at: whole.start..whole.start + title.len().min(whole.len()),
            parent: None,
            scope,
            note: None,
            family,
        };
        ledger.add(self.document, requirement);
    }

    fn family(&self, id: &str) -> String {
        let file = self.document.file;
        match self.families {
            RequirementFamilies::Document => file.to_owned(),
            RequirementFamilies::Letters => {
                let letters = id.trim_end_matches(|c: char| c.is_ascii_digit() || ".-".contains(c));
                format!("{file} {letters}")
            }
        }
    }

    /// The scope of a place by the headings above it; none where they are about other things.
    fn scope_at(&self, at: usize) -> Option<RequirementScope> {
        let mut scope = None;
        for heading in self.above(at) {
            scope = scope.or_else(|| scope_of(heading.text));
            if scope.is_none() && is_about_other_things(heading.text) && heading.level > 1 {
                return None;
            }
        }
        Some(scope.unwrap_or(RequirementScope::Active))
    }

    fn section_of(&self, at: usize) -> Option<&Heading<'t>> {
        self.above(at).next()
    }

    /// Whether a place belongs to a heading that states a requirement itself.
    fn is_inside_stated(&self, at: usize) -> bool {
        self.above(at).any(|heading| stated_heading(heading).is_some())
    }
}

/// Whether the items of a section are requirements without ids.
fn is_listed(heading: &str, scope: RequirementScope) -> bool {
    scope != RequirementScope::Active || states_requirements(heading)
}

/// `R1: Title`, `FR-001 — Title`, `Requirement 2: Title`, `User Story 1 - Title (Priority: P1)`.
fn stated_heading<'t>(heading: &Heading<'t>) -> Option<StatedHeading<'t>> {
    let bare = heading.text.trim_start_matches(['*', '`', '[']);
    let stated = |id: String, rest: &'t str| {
        let title =
            rest.trim_start_matches(['*', '`', ']', ':', '：', '.', ')', ' ', '-', '—', '–']);
        let title = if title.is_empty() { bare } else { title };
        Some(StatedHeading { id, title, body: heading.body.clone() })
    };
    for (word, front) in [("Requirement ", ""), ("User Story ", "US"), ("Story ", "US")] {
        let Some(rest) = bare.strip_prefix(word) else { continue };
        if let Some(end) = leading_id(rest) {
            return stated(rest[..end].to_owned(), &rest[end..]);
        }
        if let Some((number, _)) = leading_number(rest) {
            return stated(format!("{front}{number}"), &rest[number.len()..]);
        }
    }
    let end = leading_id(bare)?;
    stated(bare[..end].to_owned(), &bare[end..])
}

/// The id that an item starts with and the words after it: `**FR-001**: a`, `[R1] a`, `R1. a`, `AC1 a`.
pub(crate) fn item_id<'t>(item: &ListItem<'t>) -> Option<(&'t str, &'t str)> {
    let text = item.text.text.trim_start_matches("~~");
    let bare = text.trim_start_matches(['*', '`', '[', '(', '_']);
    let end = leading_id(bare)?;
    let (id, rest) = bare.split_at(end);
    let title = rest.trim_start_matches(['*', '`', ']', ')', '_', ' ']);
    let marked = title.len() < rest.len() || rest.starts_with([':', '.', '—', '–']);
    let title = title.trim_start_matches([':', '.', '-', '—', '–', '*', ' ']);
    (marked && !title.is_empty()).then_some((id, title))
}

/// The outermost items below `Acceptance Criteria` or `Acceptance Scenarios`, or else the numbered ones.
fn criteria_of(text: &str, within: Range<usize>) -> Vec<ListItem<'_>> {
    let labelled = labelled_criteria(text, within.clone());
    if !labelled.is_empty() {
        return labelled;
    }
    let all = items(text, within);
    outermost(all.into_iter().filter(|item| is_numbered(text, item)).collect())
}

const CRITERIA_LABELS: &[&str] = &[
    "acceptance criteria",
    "acceptance scenarios",
    "success criteria",
    "definition of done",
    "must-haves",
    "must haves",
    "done when",
];

/// The outermost items below a label of criteria, up to the next heading or label.
pub(crate) fn labelled_criteria(text: &str, within: Range<usize>) -> Vec<ListItem<'_>> {
    let own = &text[within.clone()];
    let mut from = None;
    let mut end = within.end;
    for line in lines_from(own, within.start) {
        let bare = line.text.trim().trim_start_matches(['#', '-', '*', '_', ' ']);
        let lower = bare.to_lowercase();
        let is_label = CRITERIA_LABELS.iter().any(|label| lower.starts_with(label));
        if is_label && from.is_none() {
            from = Some(line.end());
        } else if from.is_some() && is_heading_or_label(line.text) {
            end = line.start;
            break;
        }
    }
    let Some(from) = from else { return Vec::new() };
    outermost(items(text, from.min(end)..end))
}

/// `## Next`, `**Dependencies:** …` at the start of a line.
fn is_heading_or_label(line: &str) -> bool {
    let bare = line.trim();
    bare.starts_with('#')
        || (bare.starts_with("**") && bare.contains(":**") || bare.ends_with(":**"))
}

fn outermost(items: Vec<ListItem<'_>>) -> Vec<ListItem<'_>> {
    let top = items.iter().map(|item| item.indent).min().unwrap_or_default();
    items.into_iter().filter(|item| item.indent == top).collect()
}

fn is_numbered(text: &str, item: &ListItem<'_>) -> bool {
    let start = text[..item.text.start].rfind('\n').map_or(0, |at| at + 1);
    text[start..item.text.start].trim_start().starts_with(|c: char| c.is_ascii_digit())
}
