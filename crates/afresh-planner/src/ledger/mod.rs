//! The requirement ledger (PL-15): every statement of a specification with an id, a quote, a line and a hash.
//!
//! Made by the program from the structure of the documents. Agents may add to it; no agent removes from it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `cut` | cuts documents into statements |
//! | `sentences` | sentences that demand something |
//! | [`conflicts`] | statements that cannot both be met |
//! | [`changes`] | what changed since an earlier ledger, and which ids stay |

pub mod changes;
pub mod conflicts;
mod cut;
mod sentences;

pub use cut::{PhaseFilter, cut};

use afresh_core::plan::{
    Requirement, RequirementId, RequirementKind, RequirementLink, RequirementScope,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the file's format.
pub const LEDGER_VERSION: u32 = 1;

/// The most statements of one specification.
pub const MAX_STATEMENTS: usize = 5_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ledger {
    pub version: u32,
    pub statements: Vec<LedgerStatement>,
}

/// One statement of a specification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerStatement {
    pub id: RequirementId,
    #[serde(default)]
    pub kind: RequirementKind,
    /// Its words, in one line, cut where it is long.
    pub quote: String,
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// Of all its words.
    pub hash: String,
    /// The headings above it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub section: Vec<String>,
    /// The statement that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RequirementId>,
    #[serde(default)]
    pub scope: RequirementScope,
    /// Why it is not in scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who says so: `spec`, `phase`, or a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl LedgerStatement {
    pub fn is_active(&self) -> bool {
        self.scope == RequirementScope::Active
    }

    pub fn is_criterion(&self) -> bool {
        self.kind == RequirementKind::Criterion
    }

    /// As a plan holds it.
    pub fn to_requirement(&self) -> Requirement {
        Requirement {
            id: self.id.clone(),
            kind: self.kind,
            text: self.quote.clone(),
            file: self.file.clone(),
            line: self.line,
            digest: self.hash.clone(),
            parent: self.parent.clone(),
            scope: self.scope,
            link: RequirementLink::Stated,
            note: self.reason.clone(),
        }
    }
}

impl Ledger {
    /// The statements that the work has to meet.
    pub fn active(&self) -> impl Iterator<Item = &LedgerStatement> {
        self.statements.iter().filter(|statement| statement.is_active())
    }

    pub fn find(&self, id: &str) -> Option<&LedgerStatement> {
        self.statements.iter().find(|statement| statement.id.as_str().eq_ignore_ascii_case(id))
    }

    /// Leaves what belongs to later phases for later: all above the first one that the specification has.
    pub fn defer_later_phases(&mut self, phases: &[Option<u64>]) {
        let Some(stated) = phases.iter().flatten().min().copied() else { return };
        // Beside a `Phase 2` alone, everything else is what comes before it.
        let has_others = phases.iter().any(Option::is_none);
        let first = if has_others { stated.min(1) } else { stated };
        for (statement, phase) in self.statements.iter_mut().zip(phases) {
            let Some(phase) = phase.filter(|phase| *phase > first && statement.is_active()) else {
                continue;
            };
            statement.scope = RequirementScope::Deferred;
            statement.reason = Some(format!("belongs to phase {phase}; phase {first} is planned"));
            statement.by = Some("phase".to_owned());
        }
    }
}
