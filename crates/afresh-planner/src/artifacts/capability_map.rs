//! What the program does: domains, capabilities and behaviors, and the flows through them (PL-04).

use afresh_core::plan::{RequirementId, RequirementScope};
use serde::{Deserialize, Serialize};

use crate::ledger::{Ledger, LedgerStatement};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapabilityMap {
    pub version: String,
    pub domains: Vec<CapabilityDomain>,
    pub flows: Vec<CapabilityFlow>,
    #[serde(default)]
    pub refinements: Vec<StatementRefinement>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapabilityDomain {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub description: String,
    pub capabilities: Vec<Capability>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capability {
    pub id: String,
    pub name: String,
    pub behaviors: Vec<Behavior>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behavior {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: BehaviorKind,
    #[serde(default)]
    pub description: String,
    /// The statements of the specification that it serves.
    pub statements: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BehaviorKind {
    Input,
    Process,
    State,
    Output,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapabilityFlow {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub is_steel_thread: bool,
    pub steps: Vec<FlowStep>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowStep {
    pub behavior_id: String,
    #[serde(default)]
    pub description: String,
}

/// A statement that holds several demands, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementRefinement {
    pub statement: String,
    pub parts: Vec<String>,
}

impl CapabilityMap {
    pub fn behaviors(&self) -> impl Iterator<Item = &Behavior> {
        let capabilities = self.domains.iter().flat_map(|domain| &domain.capabilities);
        capabilities.flat_map(|capability| &capability.behaviors)
    }

    pub fn find_behavior(&self, id: &str) -> Option<&Behavior> {
        self.behaviors().find(|behavior| behavior.id == id)
    }

    pub fn steel_threads(&self) -> impl Iterator<Item = &CapabilityFlow> {
        self.flows.iter().filter(|flow| flow.is_steel_thread)
    }

    /// Whether a behavior is a step of the steel thread.
    pub fn is_in_steel_thread(&self, behavior: &str) -> bool {
        self.steel_threads().flat_map(|flow| &flow.steps).any(|step| step.behavior_id == behavior)
    }

    /// The ledger with the parts that statements were taken into. Nothing is ever removed from it.
    #[must_use]
    pub fn refine(&self, ledger: &Ledger) -> Ledger {
        let mut refined = Ledger { version: ledger.version, statements: Vec::new() };
        for statement in &ledger.statements {
            refined.statements.push(statement.clone());
            let parts = self.refinements.iter().filter(|it| it.statement == statement.id.as_str());
            let parts = parts.flat_map(|refinement| &refinement.parts).enumerate();
            let part = |(at, words): (usize, &String)| LedgerStatement {
                id: RequirementId::new(&format!("{}.{}", statement.id, at + 1))
                    .unwrap_or_else(|| statement.id.clone()),
                quote: words.clone(),
                parent: Some(statement.id.clone()),
                by: Some("logic-architect".to_owned()),
                ..statement.clone()
            };
            let is_new = |part: &LedgerStatement| ledger.find(part.id.as_str()).is_none();
            refined.statements.extend(parts.map(part).filter(is_new));
        }
        refined
    }

    /// What is left for later, by the sections of the specification: heading and number of statements (PL-04).
    pub fn describe_exclusions(ledger: &Ledger) -> serde_json::Value {
        let mut sections: Vec<(String, &LedgerStatement, u64)> = Vec::new();
        let excluded = ledger.statements.iter().filter(|it| it.scope != RequirementScope::Active);
        let mut total = 0_u64;
        for statement in excluded {
            total += 1;
            let heading = statement.section.last().cloned().unwrap_or_default();
            match sections.iter_mut().find(|(known, ..)| *known == heading) {
                Some((_, _, count)) => *count += 1,
                None => sections.push((heading, statement, 1)),
            }
        }
        let sections = sections.into_iter().map(|(heading, first, count)| {
            serde_json::json!({
                "phase": first.reason.as_deref().and_then(phase_number),
                "heading": heading,
                "location": format!("{}:{}", first.file, first.line),
                "summary": first.reason.clone().unwrap_or_else(|| "out of scope".to_owned()),
                "count": count,
            })
        });
        serde_json::json!({
            "active_phase": 1,
            "excluded_phases": sections.collect::<Vec<_>>(),
            "total_excluded_requirements": total,
        })
    }
}

/// The number in `belongs to phase 2; …`.
fn phase_number(reason: &str) -> Option<u64> {
    let rest = reason.strip_prefix("belongs to phase ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
