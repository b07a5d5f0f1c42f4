//! The execution scope check (AU-01 to AU-05): how large a specification is, measured against limits, and how it
//! could be divided.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`metrics`] | the scope table |
//! | [`groups`] | groups that fit a worker, by rule |
//! | `units` | the parts of the work: statements and the files that they name |
//! | [`section`] | the section `## Implementation Tasks`: found, generated, replaced |

pub mod groups;
pub mod metrics;
pub mod section;
mod units;

use afresh_core::estimate::ContextEstimate;
use afresh_core::estimate::tokens::estimate_file;
use serde::Serialize;

use crate::discovery::RepositoryFiles;
use crate::ledger::{Ledger, PhaseFilter, cut};
use crate::spec::Specification;
use crate::spec::files::{SpecFile, SpecFileAction, files};
use groups::UnitGroup;
use metrics::{AuditLimits, MetricState, ScopeMetric};
use section::ImplementationTasks;

/// What the audit is made for.
#[derive(Debug, Clone)]
pub struct AuditConfig {
    pub limits: AuditLimits,
    /// The context window of the model that will work, in tokens.
    pub window: u64,
}

/// A specification, measured.
#[derive(Debug, Clone)]
pub struct SpecAudit {
    pub metrics: Vec<ScopeMetric>,
    /// For one worker that does all of it.
    pub estimate: ContextEstimate,
    pub verdict: AuditVerdict,
    pub mode: ExecutionMode,
    pub groups: Vec<UnitGroup>,
    /// Where the groups are from.
    pub source: GroupSource,
    /// Ids of groups that can be worked on together, in order.
    pub waves: Vec<Vec<String>>,
    pub files: Vec<SpecFile>,
    pub ledger: Ledger,
    /// Files that are to be changed or deleted and that the repository does not have.
    pub missing: Vec<String>,
    /// Why no groups fit, one line per part that is too large.
    pub too_large: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuditVerdict {
    Approved,
    NeedsDecomposition,
    NeedsSplit,
}

impl AuditVerdict {
    pub fn word(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::NeedsDecomposition => "needs-decomposition",
            Self::NeedsSplit => "needs-split",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExecutionMode {
    /// One worker does all of it.
    Single,
    Orchestrated,
}

impl ExecutionMode {
    pub fn word(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Orchestrated => "orchestrated",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupSource {
    /// There is nothing to divide.
    None,
    /// The specification has them.
    Written,
    /// Made by rule.
    Generated,
}

/// Measures a specification against the repository.
pub fn audit(
    spec: &Specification,
    repository: &dyn RepositoryFiles,
    config: &AuditConfig,
) -> SpecAudit {
    let ledger = cut(spec, PhaseFilter::All);
    let files = files(spec, |path| repository.bytes_of(path).is_some());
    let metrics = metrics::measure(&ledger, &files, repository, &config.limits);
    let sizes = AuditedSizes { repository };
    let units = units::units(spec, &ledger, &files);
    let all: Vec<&units::AuditUnit> = units.iter().collect();
    let window = config.window.max(1);
    let estimator =
        groups::GroupEstimator { spec_tokens: spec.tokens(), window, files: &files, sizes: &sizes };
    let estimate = ContextEstimate { tokens: estimator.tokens(&all), window };
    let exceeds = metrics.iter().any(|metric| metric.state == MetricState::Exceeded)
        || estimate.percent() > u64::from(config.limits.context);
    let written = ImplementationTasks::find(spec)
        .filter(|section| !section.is_generated)
        .map(|section| section.groups);
    let (source, division) = match written {
        Some(groups) if !groups.is_empty() => {
            (GroupSource::Written, groups::GroupDivision::written(groups))
        }
        _ if exceeds => {
            let soft = config.window.saturating_mul(u64::from(config.limits.context)) / 100;
            (GroupSource::Generated, groups::divide(&units, &estimator, soft))
        }
        _ => (GroupSource::None, groups::GroupDivision::default()),
    };
    let verdict = match (exceeds, division.too_large.is_empty()) {
        (false, _) => AuditVerdict::Approved,
        (true, true) => AuditVerdict::NeedsDecomposition,
        (true, false) => AuditVerdict::NeedsSplit,
    };
    let waves = groups::waves(&division.groups);
    let is_parallel = waves.iter().any(|wave| wave.len() > 1);
    let is_divided = division.groups.len() > 1;
    let is_large = estimate.percent() > u64::from(config.limits.context);
    let mode = if is_divided && (is_parallel || is_large) {
        ExecutionMode::Orchestrated
    } else {
        ExecutionMode::Single
    };
    let groups::GroupDivision { groups, too_large } = division;
    let missing = files.iter().filter(|file| {
        let changes = matches!(file.action, SpecFileAction::Modify | SpecFileAction::Delete);
        changes && repository.bytes_of(&file.path).is_none()
    });
    let missing = missing.map(|file| file.path.clone()).collect();
    SpecAudit {
        metrics,
        estimate,
        verdict,
        mode,
        groups,
        source,
        waves,
        files,
        ledger,
        missing,
        too_large,
    }
}

impl SpecAudit {
    /// `small`, `medium` or `large`, as a share of the window.
    pub fn size_word(&self) -> &'static str {
        match self.estimate.percent() {
            0..=30 => "small",
            31..=50 => "medium",
            _ => "large",
        }
    }
}

/// What files cost a worker.
struct AuditedSizes<'a> {
    repository: &'a dyn RepositoryFiles,
}

impl AuditedSizes<'_> {
    fn tokens(&self, file: &SpecFile) -> u64 {
        let read =
            self.repository.bytes_of(&file.path).map(|bytes| estimate_file(&file.path, bytes));
        let action = file.action.to_plan();
        match (file.action, read) {
            (SpecFileAction::Read, read) => read.unwrap_or(0),
            (_, read) => ContextEstimate::file_tokens(&file.path, action, read),
        }
    }
}
