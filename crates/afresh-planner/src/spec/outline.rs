//! The sections of a document, and what their statements are.

use std::ops::Range;

use afresh_formats::text::markdown::{Frontmatter, headings};
use afresh_import::requirements::SectionRole;

/// The text below one heading, up to the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineSection<'t> {
    /// Empty before the first heading.
    pub heading: &'t str,
    pub level: usize,
    /// Of the heading's text.
    pub at: Range<usize>,
    /// Without the sections below.
    pub own: Range<usize>,
    /// With the sections below.
    pub body: Range<usize>,
    pub role: SectionRole,
    /// The phase that the section is about, by its heading or one above: `Phase 2`.
    pub phase: Option<u64>,
    /// The sections above it, the outermost first.
    pub above: Vec<&'t str>,
}

impl OutlineSection<'_> {
    /// Whether no section is below it.
    pub fn is_leaf(&self) -> bool {
        self.own == self.body
    }
}

/// Every section of a document. The role of a section is its own, or that of the one above if that one is about
/// something that is not asked for.
pub fn outline(text: &str) -> Vec<OutlineSection<'_>> {
    let found = headings(text);
    let start = Frontmatter::early(text).map_or(0, |block| block.body);
    let first = found.first().map_or(text.len(), |heading| line_start(text, heading.at.start));
    let mut sections = vec![OutlineSection {
        heading: "",
        level: 0,
        at: start.min(first)..start.min(first),
        own: start.min(first)..first,
        body: start.min(first)..first,
        role: SectionRole::Background,
        phase: None,
        above: Vec::new(),
    }];
    let mut open: Vec<usize> = Vec::new();
    let mut title = String::new();
    for heading in found {
        while open.pop_if(|above| sections[*above].level >= heading.level).is_some() {}
        let parent = open.last().map(|at| &sections[*at]);
        let is_title = heading.level == 1 && parent.is_none();
        if is_title && title.is_empty() {
            title = heading.text.to_lowercase();
        }
        let own_role = match SectionRole::of(heading.text) {
            _ if is_title => SectionRole::Background,
            // `Notes` are what an application for notes is about.
            SectionRole::Background
                if title.contains(heading.text.to_lowercase().trim_end_matches('s')) =>
            {
                SectionRole::Statements
            }
            role => role,
        };
        let role = match parent.map(|parent| parent.role) {
            Some(role @ (SectionRole::Other | SectionRole::OutOfScope | SectionRole::Deferred)) => {
                role
            }
            Some(role @ SectionRole::Criteria) if own_role == SectionRole::Statements => role,
            // Below the title, everything is said; below `Background`, nothing is asked for.
            Some(role @ SectionRole::Background)
                if own_role == SectionRole::Statements
                    && parent.is_some_and(|parent| parent.level > 1)
                    && !heading.text.to_lowercase().contains("requirement") =>
            {
                role
            }
            _ => own_role,
        };
        let mut above = parent.map(|parent| parent.above.clone()).unwrap_or_default();
        above.extend(parent.map(|parent| parent.heading));
        let phase = phase_of(heading.text).or_else(|| parent.and_then(|parent| parent.phase));
        open.push(sections.len());
        sections.push(OutlineSection {
            heading: heading.text,
            level: heading.level,
            at: heading.at,
            own: heading.own,
            body: heading.body,
            role,
            phase,
            above,
        });
    }
    sections
}

/// `Phase 2: Search`, `## Milestone 3`, `Part 1 — …` at the start of a heading.
fn phase_of(heading: &str) -> Option<u64> {
    let lower = heading.trim_start_matches(['*', '_', ' ']).to_lowercase();
    let rest =
        ["phase ", "milestone ", "stage "].iter().find_map(|word| lower.strip_prefix(word))?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}
