//! Carrying out what findings propose, and proving that it does what they say.
//!
//! A fix counts only if the files, read again, no longer have its finding and have no other one
//! instead; and if the plan stays the same, unless the finding says what was meant instead. What
//! cannot be proved is left alone. Writing is for others.
//!
//! | module | idea |
//! | --- | --- |
//! | `edits` | changes of a file's bytes that leave all others as they were |

mod edits;

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Plan;

use crate::findings::{Finding, Fix};
use crate::folder::{PatchedFolder, PlanFolder};
pub use edits::apply_edits;

/// How often a plan is read again to mend it.
const MAX_READINGS: usize = 200;

/// What is found in a plan's files, all of it.
#[derive(Debug)]
pub struct LintResult {
    pub plan: Option<Plan>,
    pub findings: Vec<Finding>,
}

/// What could be mended.
#[derive(Debug, Default)]
pub struct AppliedFixes {
    /// The new bytes of files, by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What is gone, as it was found.
    pub done: Vec<Finding>,
    /// What would not have been gone, or would have brought something else.
    pub refused: Vec<Finding>,
}

/// Mends what is safe to mend. `bytes` are the files that may be changed, as they are.
pub fn apply_fixes(
    folder: &dyn PlanFolder,
    bytes: &BTreeMap<String, Vec<u8>>,
    look: &dyn Fn(&dyn PlanFolder) -> LintResult,
) -> AppliedFixes {
    let mut state = PatchedFolder::new(folder, bytes.clone());
    let mut now = look(&state);
    let mut mended = AppliedFixes::default();
    let all: Vec<Finding> = fixable(&now).cloned().collect();
    if let Some((next, then)) = attempt(&state, &now, &all, look) {
        mended.done = all;
        (state, now) = (next, then);
    }
    // Together they were too much, or they showed more of the same: one at a time.
    let mut refused = BTreeSet::new();
    for _ in 0..MAX_READINGS {
        let next = fixable(&now)
            .find(|found| !refused.contains(&FindingKey::from_finding(found)))
            .cloned();
        let Some(finding) = next else { break };
        let tried = attempt(&state, &now, std::slice::from_ref(&finding), look);
        if let Some((next, then)) = tried {
            mended.done.push(finding);
            (state, now) = (next, then);
        } else {
            refused.insert(FindingKey::from_finding(&finding));
            mended.refused.push(finding);
        }
    }
    mended.files = state.into_changed();
    mended.files.retain(|path, new| bytes.get(path) != Some(new));
    mended
}

fn fixable(look: &LintResult) -> impl Iterator<Item = &Finding> {
    look.findings.iter().filter(|finding| finding.fix.is_some())
}

/// The files with these findings mended, and what is found in them then; none where it is not
/// proved that this is better.
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
    // What could not be read at all hid whatever else is wrong with it.
    let hidden = fixed.iter().any(|finding| finding.code == "syntax");
    let (was, is, mended) = (count(&before.findings), count(&after.findings), count(fixed));
    let of = |counted: &BTreeMap<FindingKey, usize>, kind| counted.get(kind).copied().unwrap_or(0);
    let gone = if hidden {
        // Reading ends at the first of several, so the next one may be of the same kind.
        let place =
            |finding: &Finding| (FindingKey::from_finding(finding), finding.line, finding.column);
        let now: BTreeSet<_> = after.findings.iter().map(place).collect();
        !fixed.iter().any(|finding| now.contains(&place(finding)))
    } else {
        mended.iter().all(|(kind, fixed)| of(&is, kind) + fixed <= of(&was, kind))
    };
    let nothing_new = hidden || is_no_more(&before.findings, &after.findings);
    readable && gone && nothing_new && (same || !keeps)
}

/// Is there no file with more findings of a code than before? A message may change with what it
/// lists.
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

/// What tells findings apart, wherever they move to.
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
