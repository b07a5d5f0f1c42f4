//! The PLAN.md files of a project.

use crate::plan_md::parse::document::PlanDocument;
use afresh_formats::findings::Finding;

/// A PLAN.md with what its path says about it.
#[derive(Debug)]
pub struct PlanMember {
    pub document: PlanDocument,
    /// The id of its task, unique in the set.
    pub id: String,
    pub title: String,
    /// The name of its file without `-PLAN.md`, which dependencies may use.
    pub stem: String,
    pub number: Option<PlanNumber>,
    /// The index of its phase.
    pub phase: usize,
    /// The namespace of short names.
    pub space: usize,
    /// Why it is already done.
    pub done_before: Option<String>,
    /// Why its file cannot be read.
    pub fault: Option<Finding>,
}

/// `02.1-03`: the numbers of phase and plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlanNumber {
    pub phase: Vec<u64>,
    pub plan: u64,
}

/// A phase: its plans run before those of the next one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanPhase {
    pub name: String,
    /// The phases that must be finished before.
    pub needs: Vec<usize>,
}

#[derive(Debug, Default)]
pub struct PlanSet {
    pub phases: Vec<PlanPhase>,
    pub members: Vec<PlanMember>,
}

impl PlanNumber {
    /// The number that a name starts with, and its length: `02.1-03`, `2-3`.
    pub fn leading(name: &str) -> Option<(Self, usize)> {
        let (phase, phase_end) = phase_number(name)?;
        let rest = name[phase_end..].strip_prefix('-')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let plan = rest[..digits].parse().ok()?;
        // `01-2fa` is a phase with a name, not its second plan.
        let ends = rest[digits..].chars().next().is_none_or(|c| !c.is_ascii_alphabetic());
        ends.then_some((Self { phase, plan }, phase_end + 1 + digits))
    }
}

/// The number of a phase that a name starts with, and its length: `02`, `02.1`.
pub fn phase_number(name: &str) -> Option<(Vec<u64>, usize)> {
    let end = name.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(name.len());
    let digits = name[..end].trim_end_matches('.');
    let parts: Option<Vec<u64>> = digits.split('.').map(|part| part.parse().ok()).collect();
    Some((parts?, digits.len()))
}
