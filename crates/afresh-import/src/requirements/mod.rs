//! The requirements of a plan's documents, and which tasks cite them (TR-05).
//!
//! Runs after a plan was read. Each format says where its requirements stand and how tasks cite them;
//! what they have in common is here.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`document`] | a Markdown document that states requirements |
//! | `ids` | ids of requirements, and where a text names them |
//! | [`ledger`] | collects requirements and citations |
//! | `links` | citations of nothing, requirements that no task serves |
//! | `objects` | criteria in JSON |
//! | `scope` | headings that say what is deferred, left out, or no requirement |
//! | [`sources`] | the text of each task in its own file |
//! | [`spec`] | the specification of a plan of the native format |

pub mod document;
mod ids;
pub mod ledger;
mod links;
pub(crate) mod objects;
mod scope;
pub mod sources;
pub mod spec;

use std::ops::Range;

use afresh_core::Plan;
use afresh_core::plan::Requirement;
use afresh_formats::folder::{MemoryFolder, PlanFolder};
use afresh_formats::reading::PlanReading;

pub use document::{RequirementFamilies, SourceDocument, add_document};
pub(crate) use ids::mentions;
pub use ids::{leading_id, slug};
pub use ledger::{LedgerBuilder, StatedRequirement, digest};
pub use spec::SectionRole;

/// How a format adds its requirements and citations.
pub type RequirementRule = fn(&mut LedgerBuilder<'_>);

/// Adds requirements to a plan that was read, and findings about them.
pub fn attach(
    folder: &dyn PlanFolder,
    reading: &mut PlanReading,
    rule: impl FnOnce(&mut LedgerBuilder<'_>, &Plan),
) {
    let Some(plan) = reading.plan.take() else { return };
    let mut ledger = LedgerBuilder::new(folder, &plan, &reading.places);
    rule(&mut ledger, &plan);
    spec::add_sections(&mut ledger, &plan);
    let traced = ledger.finish();
    let findings = links::findings(folder, &traced, reading);
    reading.findings.extend(findings);
    reading.plan = Some(traced.add_to(plan));
}

/// A requirement that a document states by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedSpan {
    pub requirement: Requirement,
    /// All that it says.
    pub whole: Range<usize>,
}

/// What a Markdown document states, without a plan.
pub fn state_document(file: &str, text: &str) -> Vec<StatedSpan> {
    let folder = MemoryFolder::default();
    let mut ledger = LedgerBuilder::without_tasks(&folder);
    add_document(&mut ledger, &SourceDocument::new(file, text), RequirementFamilies::Document);
    let entries = ledger.into_entries().into_iter();
    entries.map(|entry| StatedSpan { requirement: entry.requirement, whole: entry.whole }).collect()
}
