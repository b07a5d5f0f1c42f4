//! What changed between two ledgers of the same specification, and which ids stay (PL-19).

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::plan::RequirementId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ledger, LedgerStatement};

/// How alike two statements are, in per cent, that are taken for the same one in other words.
const ALIKE: usize = 50;

/// What an edit of the specification did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerChanges {
    pub added: Vec<RequirementId>,
    /// In other words, or in another scope.
    pub changed: Vec<RequirementId>,
    pub dropped: Vec<RequirementId>,
    pub kept: Vec<RequirementId>,
}

impl LedgerChanges {
    pub fn between(before: &Ledger, now: &Ledger) -> Self {
        let old: BTreeMap<&RequirementId, &LedgerStatement> =
            before.statements.iter().map(|statement| (&statement.id, statement)).collect();
        let mut changes = Self::default();
        for statement in &now.statements {
            let list = match old.get(&statement.id) {
                None => &mut changes.added,
                Some(old) if (&old.hash, old.scope) == (&statement.hash, statement.scope) => {
                    &mut changes.kept
                }
                Some(_) => &mut changes.changed,
            };
            list.push(statement.id.clone());
        }
        let new: BTreeSet<&RequirementId> =
            now.statements.iter().map(|statement| &statement.id).collect();
        let gone = before.statements.iter().filter(|statement| !new.contains(&statement.id));
        changes.dropped = gone.map(|statement| statement.id.clone()).collect();
        changes
    }

    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.dropped.is_empty()
    }
}

impl Ledger {
    /// Statements without ids of their own keep the ids that they had: those with the same words, then those that are
    /// most alike. What a person decided about them stays, too.
    pub fn keep_ids_of(&mut self, before: &Self) {
        let is_assigned = |id: &RequirementId| {
            let id = id.as_str();
            let rest = id.strip_prefix("ST-").or_else(|| id.strip_prefix('S'));
            rest.is_some_and(|rest| {
                !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        let mut free: Vec<&LedgerStatement> =
            before.statements.iter().filter(|statement| is_assigned(&statement.id)).collect();
        let mut number =
            free.iter().filter_map(|statement| number_of(&statement.id)).max().unwrap_or(0);
        let mut open: Vec<usize> = Vec::new();
        for (at, statement) in self.statements.iter_mut().enumerate() {
            if !is_assigned(&statement.id) {
                continue;
            }
            match free.iter().position(|old| old.hash == statement.hash) {
                Some(same) => statement.id = free.remove(same).id.clone(),
                None => open.push(at),
            }
        }
        for at in open {
            let statement = &mut self.statements[at];
            let likeness = |old: &LedgerStatement| alike(&old.quote, &statement.quote);
            let best = (0..free.len()).max_by_key(|position| likeness(free[*position]));
            let best = best.filter(|position| likeness(free[*position]) >= ALIKE);
            if let Some(position) = best {
                statement.id = free.remove(position).id.clone();
                continue;
            }
            number += 1;
            let front: String =
                statement.id.as_str().chars().take_while(|c| !c.is_ascii_digit()).collect();
            if let Some(id) = RequirementId::new(&format!("{front}{number}")) {
                statement.id = id;
            }
        }
        self.keep_decisions_of(before);
    }

    fn keep_decisions_of(&mut self, before: &Self) {
        let by_person = |statement: &&LedgerStatement| {
            statement.by.as_deref().is_some_and(|by| !matches!(by, "spec" | "phase"))
        };
        let decided: BTreeMap<&RequirementId, &LedgerStatement> = before
            .statements
            .iter()
            .filter(by_person)
            .map(|statement| (&statement.id, statement))
            .collect();
        for statement in &mut self.statements {
            let same = decided.get(&statement.id).filter(|old| old.hash == statement.hash);
            if let Some(old) = same {
                statement.scope = old.scope;
                statement.reason.clone_from(&old.reason);
                statement.by.clone_from(&old.by);
            }
        }
    }
}

fn number_of(id: &RequirementId) -> Option<u64> {
    id.as_str().trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()
}

/// The share of words that two texts have in common, in per cent.
fn alike(one: &str, other: &str) -> usize {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let (one, other) = (words(one), words(other));
    let common = one.intersection(&other).count();
    let all = one.union(&other).count();
    (common * 100).checked_div(all).unwrap_or(0)
}
