//! The scope table: five counts against their limits.

use std::collections::BTreeSet;

use afresh_core::plan::{RequirementId, RequirementKind};
use serde::Serialize;

use crate::discovery::RepositoryFiles;
use crate::ledger::{Ledger, LedgerStatement};
use crate::spec::files::{SpecFile, SpecFileAction};

/// Thresholds, from the section `[audit]` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AuditLimits {
    pub create: u64,
    pub modify: u64,
    pub lines: u64,
    pub criteria: u64,
    pub requirements: u64,
    /// The share of the context that one worker may fill, in per cent.
    pub context: u8,
}

impl Default for AuditLimits {
    fn default() -> Self {
        Self { create: 5, modify: 3, lines: 1_000, criteria: 10, requirements: 15, context: 50 }
    }
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScopeMetric {
    pub name: &'static str,
    pub value: u64,
    pub threshold: u64,
    pub state: MetricState,
    /// What was counted, where that helps: the largest file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricState {
    Ok,
    /// At the limit.
    Warning,
    /// Above it.
    Exceeded,
}

impl MetricState {
    fn of(value: u64, threshold: u64) -> Self {
        match value.cmp(&threshold) {
            std::cmp::Ordering::Less => Self::Ok,
            std::cmp::Ordering::Equal => Self::Warning,
            std::cmp::Ordering::Greater => Self::Exceeded,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Exceeded => "exceeded",
        }
    }
}

/// Larger files are not read to count their lines.
const MAX_COUNTED_BYTES: u64 = 4 * 1024 * 1024;
const BYTES_PER_LINE: u64 = 36;

pub(super) fn measure(
    ledger: &Ledger,
    files: &[SpecFile],
    repository: &dyn RepositoryFiles,
    limits: &AuditLimits,
) -> Vec<ScopeMetric> {
    let count = |action: SpecFileAction| files.iter().filter(|file| file.action == action).count();
    let largest = files
        .iter()
        .filter(|file| file.action == SpecFileAction::Modify)
        .map(|file| (lines(repository, &file.path), file.path.clone()))
        .max();
    let largest = largest.filter(|(lines, _)| *lines > 0);
    let (lines, path) = largest.map_or((0, None), |(lines, path)| (lines, Some(path)));
    let criteria = ledger.active().filter(|statement| statement.is_criterion()).count();
    let metric = |name, value: usize, threshold| {
        let value = u64::try_from(value).unwrap_or(u64::MAX);
        let state = MetricState::of(value, threshold);
        ScopeMetric { name, value, threshold, state, detail: None }
    };
    let of_file = ScopeMetric {
        name: "largest file to modify, lines",
        value: lines,
        threshold: limits.lines,
        state: MetricState::of(lines, limits.lines),
        detail: path,
    };
    vec![
        metric("files to create", count(SpecFileAction::Create), limits.create),
        metric("files to modify", count(SpecFileAction::Modify), limits.modify),
        of_file,
        metric("acceptance criteria", criteria, limits.criteria),
        metric("requirements", requirements(ledger).len(), limits.requirements),
    ]
}

/// What is counted as a requirement: statements that are no criteria and no parts of others. Where a specification has
/// sections for requirements, those of other sections are remarks.
pub(super) fn requirements(ledger: &Ledger) -> Vec<&LedgerStatement> {
    let parents: BTreeSet<&RequirementId> =
        ledger.active().map(|statement| &statement.id).collect();
    let is_part = |statement: &LedgerStatement| {
        statement.parent.as_ref().is_some_and(|parent| parents.contains(parent))
    };
    let is_whole = |it: &&LedgerStatement| it.kind != RequirementKind::Criterion && !is_part(it);
    let all: Vec<&LedgerStatement> = ledger.active().filter(is_whole).collect();
    let own: Vec<&LedgerStatement> = all.iter().copied().filter(|it| is_listed(it)).collect();
    if own.is_empty() { all } else { own }
}

fn is_listed(statement: &LedgerStatement) -> bool {
    let is_named = |heading: &String| {
        let lower = heading.to_lowercase();
        lower.contains("requirement") || lower.contains("user stor")
    };
    statement.section.iter().any(is_named)
}

fn lines(repository: &dyn RepositoryFiles, path: &str) -> u64 {
    let Some(bytes) = repository.bytes_of(path) else { return 0 };
    if bytes > MAX_COUNTED_BYTES {
        return bytes / BYTES_PER_LINE;
    }
    let text = repository.text(path);
    text.map_or(bytes / BYTES_PER_LINE, |text| {
        u64::try_from(text.lines().count()).unwrap_or(u64::MAX)
    })
}
