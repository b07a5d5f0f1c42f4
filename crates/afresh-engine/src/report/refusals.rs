//! What was refused to workers and checks.

use afresh_core::refusal::{Met, Refused};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefusalReport {
    pub what: Refused,
    pub detail: String,
    pub times: u64,
    /// The command of the check that met it; the worker itself otherwise.
    pub check: Option<String>,
}

impl RefusalReport {
    pub(super) fn of(met: &Met<'_>) -> Self {
        let refusal = met.refusal;
        Self {
            what: refusal.what,
            detail: refusal.detail.clone(),
            times: refusal.times,
            check: met.check.map(str::to_owned),
        }
    }
}
