//! Remembers passed checks: a check that passed on a tree is not run on it again. Only passes are kept, and only
//! as long as this driver runs; a failed check always runs again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use afresh_core::check::CheckResult;
use afresh_core::ids::TreeId;

#[derive(Debug, Default)]
pub(crate) struct CheckCache(Mutex<BTreeMap<(TreeId, String), CheckResult>>);

impl CheckCache {
    pub(crate) fn find(&self, tree: &TreeId, command: &str) -> Option<CheckResult> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = seen.get(&(tree.clone(), command.to_owned()))?;
        Some(CheckResult { reused: true, ..found.clone() })
    }

    pub(crate) fn note(&self, tree: &TreeId, result: &CheckResult) {
        if result.passed() {
            let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            seen.insert((tree.clone(), result.command.clone()), result.clone());
        }
    }
}
