//! The plans of one project, before they are a plan of ours.

use crate::plan_md::parse::document::PlanDocument;

/// A PLAN.md and what its place says about it.
#[derive(Debug)]
pub struct PlanMember {
    pub document: PlanDocument,
    /// The id of its task, unique in the set.
    pub id: String,
    pub title: String,
    /// What others may call it: its file's name, without `-PLAN.md`.
    pub stem: String,
    pub number: Option<PlanNumber>,
    /// Which of the phases it belongs to.
    pub phase: usize,
    /// Plans with the same are those that a short name can mean.
    pub space: usize,
    /// Why there is nothing to do.
    pub done_before: Option<String>,
}

/// `02.1-03`: phase and plan, as numbers that can be compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlanNumber {
    pub phase: Vec<u64>,
    pub plan: u64,
}

/// Plans that run before the next phase does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanPhase {
    pub name: String,
    /// Which phases must be finished before.
    pub needs: Vec<usize>,
}

#[derive(Debug, Default)]
pub struct PlanSet {
    pub phases: Vec<PlanPhase>,
    pub members: Vec<PlanMember>,
}

impl PlanNumber {
    /// The number that a name starts with, and how long it is: `02.1-03`, `2-3`.
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

/// The number of a phase that a name starts with, and how long it is: `02`, `02.1`.
pub fn phase_number(name: &str) -> Option<(Vec<u64>, usize)> {
    let end = name.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(name.len());
    let digits = name[..end].trim_end_matches('.');
    let parts: Option<Vec<u64>> = digits.split('.').map(|part| part.parse().ok()).collect();
    Some((parts?, digits.len()))
}
