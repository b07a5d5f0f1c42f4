//! Applies the fixes that findings propose, and verifies each of them.
//!
//! A fix is kept only if the files, read again, no longer have its finding and have no new one, and
//! if the plan is unchanged (unless the fix is a correction). Any other fix is refused. Writing the
//! files is left to the caller.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `edits` | edits of a file's bytes |

mod edits;

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Plan;

use crate::findings::{Finding, Fix};
use crate::folder::{PatchedFolder, PlanFolder};
pub use edits::apply_edits;

/// The most times a plan is read again to verify fixes.
const MAX_READINGS: usize = 200;

/// Everything that linting a plan's files gives.
#[derive(Debug)]
pub struct LintResult {
    pub plan: Option<Plan>,
    pub findings: Vec<Finding>,
}

/// The outcome of applying fixes.
#[derive(Debug, Default)]
pub struct AppliedFixes {
    /// The new bytes of files, by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Findings that were fixed.
    pub done: Vec<Finding>,
    /// Findings whose fix did not remove them, or caused a new one.
    pub refused: Vec<Finding>,
}

/// Applies every fix that can be verified. `bytes` are the current contents of the files that may change.
pub fn apply_fixes(
    folder: &dyn PlanFolder,
    bytes: &BTreeMap<String, Vec<u8>>,
    look: &dyn Fn(&dyn PlanFolder) -> LintResult,
) -> AppliedFixes {
    let mut state = PatchedFolder::new(folder, bytes.clone());
    let mut now = look(&state);
    let mut applied = AppliedFixes::default();
    let all: Vec<Finding> = fixable(&now).cloned().collect();
    if let Some((next, then)) = attempt(&state, &now, &all, look) {
        applied.done = all;
        (state, now) = (next, then);
    }
    // All at once did not pass, or uncovered more findings: try one at a time.
    let mut refused = BTreeSet::new();
    for _ in 0..MAX_READINGS {
        let next = fixable(&now)
            .find(|found| !refused.contains(&FindingKey::from_finding(found)))
            .cloned();
        let Some(finding) = next else { break };
        let tried = attempt(&state, &now, std::slice::from_ref(&finding), look);
        if let Some((next, then)) = tried {
            applied.done.push(finding);
            (state, now) = (next, then);
        } else {
            refused.insert(FindingKey::from_finding(&finding));
            applied.refused.push(finding);
        }
    }
    applied.files = state.into_changed();
    applied.files.retain(|path, new| bytes.get(path) != Some(new));
    applied
}

fn fixable(look: &LintResult) -> impl Iterator<Item = &Finding> {
    look.findings.iter().filter(|finding| finding.fix.is_some())
}

/// The files with these findings fixed, and their lint result. `None` if that is not an improvement.
fn attempt<'f>(
    state: &PatchedFolder<'f>,
    before: &LintResult,
    findings: &[Finding],
    look: &dyn Fn(&dyn PlanFolder) -> LintResult,
) -> Option<(PatchedFolder<'f>, LintResult)> {
    if findings.is_empty() {
        return None;
    }
    let mut by_file: BTreeMap<&str, Vec<&Fix>> = BTreeMap::new();
    for finding in findings {
        by_file.entry(&finding.file).or_default().push(finding.fix.as_ref()?);
    }
    let mut next = state.clone();
    for (file, fixes) in by_file {
        let edits = fixes.iter().flat_map(|fix| &fix.edits);
        let fixed = apply_edits(next.changed(file)?, edits)?;
        next.change(file, fixed);
    }
    let after = look(&next);
    is_better(before, &after, findings).then_some((next, after))
}

fn is_better(before: &LintResult, after: &LintResult, fixed: &[Finding]) -> bool {
    let keeps = fixed.iter().all(|finding| finding.fix.as_ref().is_some_and(|fix| fix.keeps_plan));
    let same = before.plan.is_none() || before.plan == after.plan;
    let readable = after.plan.is_some() || before.plan.is_none();
    // A syntax error hides every other problem of its file.
    let hidden = fixed.iter().any(|finding| finding.code == "syntax");
    let (was, is, applied) = (count(&before.findings), count(&after.findings), count(fixed));
    let of = |counted: &BTreeMap<FindingKey, usize>, kind| counted.get(kind).copied().unwrap_or(0);
    let gone = if hidden {
        // Reading stops at the first syntax error, so the next one may have the same message.
        let place =
            |finding: &Finding| (FindingKey::from_finding(finding), finding.line, finding.column);
        let now: BTreeSet<_> = after.findings.iter().map(place).collect();
        !fixed.iter().any(|finding| now.contains(&place(finding)))
    } else {
        applied.iter().all(|(kind, fixed)| of(&is, kind) + fixed <= of(&was, kind))
    };
    let nothing_new = hidden || is_no_more(&before.findings, &after.findings);
    readable && gone && nothing_new && (same || !keeps)
}

/// Whether no file has more findings of any code than before. Messages are not compared, because
/// they may list other findings.
fn is_no_more(before: &[Finding], after: &[Finding]) -> bool {
    let mut left: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for finding in before {
        *left.entry((&finding.file, &finding.code)).or_default() += 1;
    }
    after.iter().all(|finding| {
        left.get_mut(&(finding.file.as_str(), finding.code.as_str()))
            .and_then(|left| left.checked_sub(1).map(|less| *left = less))
            .is_some()
    })
}

/// Identifies a finding independent of its position.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct FindingKey {
    file: String,
    code: String,
    message: String,
}

impl FindingKey {
    fn from_finding(finding: &Finding) -> Self {
        let Finding { file, code, message, .. } = finding.clone();
        Self { file, code, message }
    }
}

fn count(findings: &[Finding]) -> BTreeMap<FindingKey, usize> {
    let mut counted = BTreeMap::new();
    for finding in findings {
        *counted.entry(FindingKey::from_finding(finding)).or_default() += 1;
    }
    counted
}
