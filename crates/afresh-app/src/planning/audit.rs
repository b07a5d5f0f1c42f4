//! The audit of a specification for the configured agent and model (AU-01 to AU-05).

use afresh_core::estimate::DEFAULT_WINDOW;
use afresh_core::plan::ModelTier;
use afresh_planner::audit::{AuditConfig, SpecAudit, audit};
use afresh_planner::spec::Specification;

use super::checkout::CheckoutFiles;
use crate::config::Config;

/// Audits a specification against the checkout.
pub fn audit_spec(spec: &Specification, files: &CheckoutFiles, config: &Config) -> SpecAudit {
    let window = model_window(config);
    audit(spec, files, &AuditConfig { limits: config.audit, window })
}

/// The context window of the model that does tasks of ordinary size, in tokens.
pub fn model_window(config: &Config) -> u64 {
    let agent = config.agent.as_ref().and_then(|name| config.agents.get(name));
    let model = agent.and_then(|agent| agent.model(ModelTier::Standard));
    model.map_or(DEFAULT_WINDOW, |model| config.prices.window(model))
}
