//! Where a contest between agents stands.

use crate::check::CheckResult;
use crate::harvest::Harvest;
use crate::outcome::Outcome;
use crate::run::ActiveAttempt;
use crate::step::FinishedStep;

/// Turns, entries and the winner of one contest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContestState {
    /// How many turns are over: with an entry, with a rejection that counts, or because an agent could not start.
    pub turns: u32,
    /// In the order in which they passed their checks.
    pub entries: Vec<ContestEntry>,
    /// Whose work was chosen: only this agent continues, if the work cannot land.
    pub winner: Option<String>,
}

/// Work that passed its checks and waits for that of the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContestEntry {
    pub work: ActiveAttempt,
    pub harvest: Harvest,
    pub results: Vec<CheckResult>,
    pub outcome: Option<Outcome>,
    pub differences: Vec<String>,
    pub steps: Vec<FinishedStep>,
}
