//! What workers and checks were denied.

use afresh_core::denial::{DenialContext, DeniedAction};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct DenialReport {
    pub what: DeniedAction,
    pub detail: String,
    pub times: u64,
    /// The command of the check that was denied; none for the worker itself.
    pub check: Option<String>,
}

impl DenialReport {
    pub(super) fn from_context(met: &DenialContext<'_>) -> Self {
        let refusal = met.refusal;
        Self {
            what: refusal.what,
            detail: refusal.detail.clone(),
            times: refusal.times,
            check: met.check.map(str::to_owned),
        }
    }
}
