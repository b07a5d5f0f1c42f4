//! Cuts documents into statements.
//!
//! What states a requirement by an id is one statement, whole. Elsewhere each list item, each row of a table and each
//! sentence that demands something is one; a section that has none of these is one itself.

use std::collections::BTreeSet;
use std::ops::Range;

use afresh_core::plan::{RequirementId, RequirementKind, RequirementScope};
use afresh_core::printable;
use afresh_formats::text::markdown::{ListItem, items, tables};
use afresh_import::requirements::{
    SectionRole, SourceDocument, StatedSpan, digest, state_document,
};

use super::sentences::{DemandLevel, demands, first_paragraph};
use super::{LEDGER_VERSION, Ledger, LedgerStatement, MAX_STATEMENTS};
use crate::spec::{OutlineSection, SpecDocument, Specification, outline};

/// The longest quote, in characters.
const MAX_QUOTE_CHARS: usize = 400;

/// Which phases of a specification are planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseFilter {
    /// The first one that it has; what it does not put in a phase belongs to all.
    First,
    All,
}

/// Every statement of a specification.
pub fn cut(spec: &Specification, phases: PhaseFilter) -> Ledger {
    let mut pieces: Vec<StatementPiece> = Vec::new();
    for document in spec.statements() {
        pieces.extend(DocumentCut::new(document).pieces());
    }
    pieces.truncate(MAX_STATEMENTS);
    let of_phases: Vec<Option<u64>> = pieces.iter().map(|piece| piece.phase).collect();
    let mut ledger = Ledger { version: LEDGER_VERSION, statements: with_ids(pieces) };
    if phases == PhaseFilter::First {
        ledger.defer_later_phases(&of_phases);
    }
    ledger
}

/// A statement before it has an id.
#[derive(Debug)]
struct StatementPiece {
    own_id: Option<String>,
    parent: Option<String>,
    kind: RequirementKind,
    scope: RequirementScope,
    whole: Range<usize>,
    quote: String,
    hash: String,
    file: String,
    line: usize,
    section: Vec<String>,
    phase: Option<u64>,
}

/// Ids of the documents where they have them, else numbers in order.
fn with_ids(pieces: Vec<StatementPiece>) -> Vec<LedgerStatement> {
    let own: BTreeSet<String> = pieces.iter().filter_map(|piece| piece.own_id.clone()).collect();
    let is_taken =
        |id: &String| id.starts_with('S') && id[1..].starts_with(|c: char| c.is_ascii_digit());
    let front = if own.iter().any(is_taken) { "ST-" } else { "S" };
    let (mut used, mut number) = (BTreeSet::new(), 0);
    let mut statements = Vec::new();
    for piece in pieces {
        let named = piece.own_id.filter(|id| used.insert(id.to_uppercase()));
        let id = named.unwrap_or_else(|| {
            number += 1;
            format!("{front}{number}")
        });
        let Some(id) = RequirementId::new(&id) else { continue };
        let by = (piece.scope != RequirementScope::Active).then(|| "spec".to_owned());
        let reason = by
            .as_ref()
            .and_then(|_| piece.section.last())
            .map(|heading| format!("listed under \"{heading}\""));
        statements.push(LedgerStatement {
            id,
            kind: piece.kind,
            quote: piece.quote,
            file: piece.file,
            line: piece.line,
            hash: piece.hash,
            section: piece.section,
            parent: piece.parent.as_deref().and_then(RequirementId::new),
            scope: piece.scope,
            reason,
            by,
        });
    }
    statements
}

/// One document on its way.
struct DocumentCut<'t> {
    source: SourceDocument<'t>,
    sections: Vec<OutlineSection<'t>>,
}

impl<'t> DocumentCut<'t> {
    fn new(document: &'t SpecDocument) -> Self {
        let source = SourceDocument::new(&document.path, &document.text);
        Self { source, sections: outline(&document.text) }
    }

    fn pieces(&self) -> Vec<StatementPiece> {
        let mut pieces = self.stated();
        let mut covered: Vec<Range<usize>> =
            pieces.iter().map(|piece| piece.whole.clone()).collect();
        for section in &self.sections {
            let found = self.unit(section);
            covered.extend(found.iter().map(|piece| piece.whole.clone()));
            pieces.extend(found);
        }
        for section in &self.sections {
            let found = self.in_section(section, &covered);
            pieces.extend(found);
        }
        pieces.sort_by_key(|piece| (piece.whole.start, piece.kind == RequirementKind::Criterion));
        pieces
    }

    /// What has an id of its own.
    fn stated(&self) -> Vec<StatementPiece> {
        let stated = state_document(self.source.file, self.source.text);
        let is_own =
            |id: &str| id.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
        // `# SPEC-012: Stock levels` names the document, not a requirement that is all of it.
        let is_title = |stated: &StatedSpan| {
            let section = self.section_at(stated.whole.start);
            section.level == 1 && section.at.start == stated.whole.start && !section.is_leaf()
        };
        let titles: Vec<RequirementId> = stated
            .iter()
            .filter(|stated| is_title(stated))
            .map(|stated| stated.requirement.id.clone())
            .collect();
        let is_of_title = |stated: &StatedSpan| {
            let parent = stated.requirement.parent.as_ref();
            is_title(stated) || parent.is_some_and(|parent| titles.contains(parent))
        };
        let stated = stated.iter().filter(|stated| !is_of_title(stated)).cloned();
        let stated = stated.filter(|stated| is_own(stated.requirement.id.as_str()));
        let pieces = stated.filter_map(|stated| {
            let section = self.section_at(stated.whole.start);
            if section.role == SectionRole::Other {
                return None;
            }
            let parent =
                stated.requirement.parent.as_ref().map(|parent| parent.as_str().to_owned());
            let kind = match section.role {
                SectionRole::Criteria => RequirementKind::Criterion,
                _ => stated.requirement.kind,
            };
            let id = Some(stated.requirement.id.as_str().to_owned());
            let scope = stated.requirement.scope;
            Some(StatementPiece {
                own_id: id,
                parent,
                kind,
                scope,
                ..self.piece(section, stated.whole)
            })
        });
        pieces.collect()
    }

    /// A section that is one statement: `### Requirement: …`, `#### Scenario: …`, `### 1.2 …` below requirements.
    fn unit(&self, section: &OutlineSection<'t>) -> Vec<StatementPiece> {
        if !matches!(
            section.role,
            SectionRole::Statements
                | SectionRole::Criteria
                | SectionRole::OutOfScope
                | SectionRole::Deferred
        ) {
            return Vec::new();
        }
        let whole = section.at.start..section.own.end;
        let named = |words: &[&str]| words.iter().any(|word| section.heading.starts_with(word));
        if named(&["Scenario:", "Scenario Outline:", "Example:"]) {
            let kind = RequirementKind::Criterion;
            return vec![StatementPiece { kind, ..self.piece(section, whole) }];
        }
        if named(&["Requirement:", "Rule:"]) {
            return vec![self.piece(section, whole)];
        }
        let is_below =
            section.above.iter().any(|above| above.to_lowercase().contains("requirement"));
        match leading_number(section.heading).filter(|_| is_below && section.is_leaf()) {
            Some(number) => {
                vec![StatementPiece { own_id: Some(number), ..self.piece(section, whole) }]
            }
            None => Vec::new(),
        }
    }

    /// What a section states without ids.
    fn in_section(
        &self,
        section: &OutlineSection<'t>,
        covered: &[Range<usize>],
    ) -> Vec<StatementPiece> {
        let level = match section.role {
            SectionRole::Other => return Vec::new(),
            // A document without sections of its own says everything below its title.
            SectionRole::Background if section.level <= 1 && !self.has_sections() => {
                DemandLevel::Any
            }
            SectionRole::Background => DemandLevel::Strict,
            _ => DemandLevel::Any,
        };
        if is_about_files(section) {
            return Vec::new();
        }
        let is_free = |range: &Range<usize>| {
            !covered.iter().any(|covered| covered.start < range.end && range.start < covered.end)
        };
        let text = self.source.text;
        let mut ranges: Vec<Range<usize>> = Vec::new();
        if level == DemandLevel::Any {
            ranges.extend(outermost(items(text, section.own.clone())).map(|item| item.whole()));
            let rows = tables(text, section.own.clone()).into_iter().flat_map(|table| table.rows);
            ranges.extend(rows.map(|row| row.at));
        }
        ranges.extend(demands(text, section.own.clone(), level));
        let mut found: Vec<StatementPiece> =
            ranges.into_iter().filter(is_free).map(|range| self.piece(section, range)).collect();
        let is_silent =
            found.is_empty() && section.is_leaf() && section.role == SectionRole::Statements;
        let whole = section.at.start..section.own.end;
        let first = first_paragraph(text, section.own.clone());
        if let Some(first) = first.filter(|_| is_silent && is_free(&whole)) {
            let quote = format!("{}: {}", section.heading, &text[first]);
            let quote = one_line(&quote);
            found.push(StatementPiece {
                kind: RequirementKind::Section,
                quote,
                ..self.piece(section, whole)
            });
        }
        found
    }

    fn piece(&self, section: &OutlineSection<'t>, whole: Range<usize>) -> StatementPiece {
        let text = &self.source.text[whole.clone()];
        let above = section.above.iter().copied().chain([section.heading]);
        StatementPiece {
            own_id: None,
            parent: None,
            kind: match section.role {
                SectionRole::Criteria => RequirementKind::Criterion,
                _ => RequirementKind::Requirement,
            },
            scope: match section.role {
                SectionRole::OutOfScope => RequirementScope::OutOfScope,
                SectionRole::Deferred => RequirementScope::Deferred,
                _ => RequirementScope::Active,
            },
            quote: match text.split_once('\n') {
                // The text of a heading comes first.
                Some((heading, rest))
                    if whole.start == section.at.start && !rest.trim().is_empty() =>
                {
                    format!("{}: {}", one_line(heading), one_line(rest))
                }
                _ => one_line(text),
            },
            hash: digest(text),
            file: self.source.file.to_owned(),
            line: self.source.line(whole.start),
            section: above.filter(|heading| !heading.is_empty()).map(one_line).collect(),
            phase: section.phase,
            whole,
        }
    }

    /// Whether a section asks for something.
    fn has_sections(&self) -> bool {
        self.sections
            .iter()
            .any(|section| matches!(section.role, SectionRole::Statements | SectionRole::Criteria))
    }

    fn section_at(&self, at: usize) -> &OutlineSection<'t> {
        let last = self.sections.partition_point(|section| section.at.start <= at);
        &self.sections[last.saturating_sub(1)]
    }
}

/// Tables and lists of files are no statements: each file is accounted for by itself.
fn is_about_files(section: &OutlineSection<'_>) -> bool {
    let lower = section.heading.to_lowercase();
    lower.starts_with("files") || lower.ends_with(" files") || lower.contains("file structure")
}

fn outermost(items: Vec<ListItem<'_>>) -> impl Iterator<Item = ListItem<'_>> {
    let mut end = 0;
    items.into_iter().filter(move |item| {
        let is_outer = item.text.start >= end;
        if is_outer {
            end = item.whole().end;
        }
        is_outer
    })
}

/// `1.2` of `1.2 Title`, `3` of `3. Title`.
fn leading_number(heading: &str) -> Option<String> {
    let end = heading.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(heading.len());
    let number = heading[..end].trim_end_matches('.');
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && heading[end..].starts_with([' ', ')', ':']);
    is_number.then(|| number.to_owned())
}

/// The words of a text in one line, without marks.
fn one_line(text: &str) -> String {
    let bare = text.lines().map(|line| line.trim().trim_start_matches(['#', '>']).trim());
    let words: Vec<&str> =
        bare.flat_map(str::split_whitespace).filter(|word| *word != "|").collect();
    printable::line(&words.join(" ").replace("**", "")).chars().take(MAX_QUOTE_CHARS).collect()
}
