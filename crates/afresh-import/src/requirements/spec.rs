//! The specification of a plan of the native format, and the sections of a specification that states no
//! requirements.

use afresh_core::Plan;
use afresh_core::plan::{PlanField, RequirementKind, RequirementScope, Task};
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::headings;

use super::document::{RequirementFamilies, SourceDocument, add_document};
use super::ids::{mentions, slug};
use super::ledger::{LedgerBuilder, StatedRequirement};
use super::scope::{is_about_other_things, scope_of};

/// What the statements of a section are, by its heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionRole {
    /// They ask for something.
    Statements,
    /// How it is known that the work is done.
    Criteria,
    OutOfScope,
    Deferred,
    /// What the reader should know.
    Background,
    /// About the document, its history, or the work itself.
    Other,
}

impl SectionRole {
    pub fn of(heading: &str) -> Self {
        match scope_of(heading) {
            Some(RequirementScope::OutOfScope) => return Self::OutOfScope,
            Some(RequirementScope::Deferred) => return Self::Deferred,
            Some(RequirementScope::Active) | None => {}
        }
        let lower = heading.to_lowercase();
        let is_criteria = ["criteria", "definition of done", "done when", "acceptance"];
        if is_criteria.iter().any(|words| lower.contains(words)) {
            return Self::Criteria;
        }
        if is_about_other_things(heading) {
            return Self::Other;
        }
        let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
        let is_common = COMMON_SECTIONS.iter().chain(BACKGROUND).any(|words| bare == *words);
        if is_common { Self::Background } else { Self::Statements }
    }
}

/// More sections that ask for nothing, by their whole heading.
const BACKGROUND: &[&str] = &[
    "table of contents",
    "additional notes",
    "problem",
    "problem statement",
    "purpose",
    "why this matters",
    "comparison",
    "comparison: before vs after",
    "rationale",
    "architecture diagram",
    "diagram",
    "implementation order",
    "delta",
];

/// Sections of every specification that ask for nothing.
const COMMON_SECTIONS: &[&str] = &[
    "overview",
    "introduction",
    "background",
    "context",
    "contents",
    "summary",
    "motivation",
    "status",
    "why",
    "notes",
    "see also",
];

/// The most sections that count.
const MAX_SECTIONS: usize = 200;

/// Adds the documents of a native plan, and what its tasks cite in `requirements`.
pub fn add_native(ledger: &mut LedgerBuilder<'_>, plan: &Plan, documents: &[String]) {
    for path in documents {
        if let Some(text) = ledger.text(path) {
            let document = SourceDocument::new(path, &text);
            add_document(ledger, &document, RequirementFamilies::Document);
        }
    }
    let states_some = !ledger.is_empty();
    for (at, task) in plan.tasks().iter().enumerate() {
        for (item, id) in task.requirements.iter().enumerate() {
            let span = match ledger.places.get(at) {
                Some(places) => places.locate(None, PlanField::Requirements, item).clone(),
                None => SourceSpan::new(".", 0..0),
            };
            ledger.cite(at, id.as_str(), span);
        }
    }
    if !states_some {
        ledger.state_cited();
    } else if plan.tasks().iter().all(|task| task.requirements.is_empty()) {
        for (at, task) in plan.tasks().iter().enumerate() {
            cite_texts(ledger, at, task);
        }
    }
}

/// Where no task lists requirements, it serves those that its texts name.
fn cite_texts(ledger: &mut LedgerBuilder<'_>, at: usize, task: &Task) {
    let steps = task.steps.iter().flat_map(|step| [&step.name, &step.instructions]);
    let place = ledger.sources.tasks.get(at).map(|task| task.place.clone());
    for text in [&task.title, &task.instructions].into_iter().chain(steps) {
        for found in mentions(text, 0) {
            if let Some(place) = place.clone().filter(|_| ledger.knows(&found.id)) {
                ledger.cite(at, &found.id, place);
            }
        }
    }
}

/// Where nothing else is stated, the sections of the specification are what tasks serve.
pub(super) fn add_sections(ledger: &mut LedgerBuilder<'_>, plan: &Plan) {
    let Some(file) = plan.spec.as_deref().filter(|_| ledger.is_empty()) else { return };
    let Some(text) = ledger.text(file) else { return };
    let document = SourceDocument::new(file, &text);
    let mut titles = Vec::new();
    for heading in headings(&text).into_iter().filter(|heading| (2..4).contains(&heading.level)) {
        let lower = heading.text.to_lowercase();
        let is_common = COMMON_SECTIONS.iter().any(|words| lower.starts_with(words));
        if is_common || is_about_other_things(heading.text) || titles.len() >= MAX_SECTIONS {
            continue;
        }
        let id = slug(heading.text);
        titles.push((id.clone(), lower));
        let whole = heading.at.start..heading.own.end;
        let section = StatedRequirement {
            id,
            kind: RequirementKind::Section,
            title: heading.text,
            whole: &text[whole],
            at: heading.at.clone(),
            parent: None,
            scope: scope_of(heading.text).unwrap_or(RequirementScope::Active),
            note: None,
            family: "sections".to_owned(),
        };
        ledger.add(&document, section);
    }
    for task in 0..ledger.sources.tasks.len() {
        let place = ledger.sources.tasks[task].place.clone();
        let text = ledger.sources.text(&place.file);
        let own = text[ledger.sources.own_range(task)].to_lowercase();
        for (id, title) in &titles {
            let named = own.contains(&format!(".md#{id}"))
                || (title.contains(' ') && title.len() > 7 && own.contains(title.as_str()));
            if named {
                ledger.cite(task, id, place.clone());
            }
        }
    }
}
