//! How much of a worker's context a task will fill, computed from sizes.
//!
//! The caller reads the sizes of files from disk. The rule is documented in `docs/plan-format.md`.

use crate::pattern::FilePattern;
use crate::plan::{FileAction, FileScope, Task};

/// What an agent program's own instructions, our prompt and exploring the repository take, in tokens.
const START: u64 = 15_000;
/// A file that does not exist yet.
const NEW_FILE: u64 = 4_000;
/// One run of one check: the command and the end of its output.
const CHECK: u64 = 2_000;
/// An existing file is read once, and written about once.
const TIMES: u64 = 2;
/// Bytes of text and code per token, on average.
const BYTES_PER_TOKEN: u64 = 4;

/// The default context window, in tokens.
pub const DEFAULT_WINDOW: u64 = 200_000;

/// An estimate for one worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextEstimate {
    pub tokens: u64,
    pub window: u64,
}

impl ContextEstimate {
    /// `bytes_of` returns the size of the files that a pattern names; none if there are none.
    pub fn for_task(
        task: &Task,
        window: u64,
        bytes_of: impl Fn(&FilePattern) -> Option<u64>,
    ) -> Self {
        let words = task.title.len() + task.instructions.len();
        let words = task.steps.iter().fold(words, |sum, step| {
            sum.saturating_add(step.name.len()).saturating_add(step.instructions.len())
        });
        let checks = u64::try_from(task.all_checks().count()).unwrap_or(u64::MAX);
        let files = task.files.iter().chain(task.steps.iter().flat_map(|step| &step.files));
        let mut seen = std::collections::BTreeSet::new();
        let files = files
            .filter(|scope| seen.insert(scope.pattern.as_str()))
            .fold(0, |sum: u64, scope| sum.saturating_add(file(scope, &bytes_of)));
        let tokens = START
            .saturating_add(u64::try_from(words).unwrap_or(u64::MAX) / BYTES_PER_TOKEN)
            .saturating_add(files)
            .saturating_add(checks.saturating_mul(CHECK));
        Self { tokens, window: window.max(1) }
    }

    /// The share of the window, in whole per cent, rounded up; above 100 if it cannot fit.
    pub fn percent(&self) -> u64 {
        self.tokens.saturating_mul(100).div_ceil(self.window)
    }
}

fn file(scope: &FileScope, bytes_of: &impl Fn(&FilePattern) -> Option<u64>) -> u64 {
    match (bytes_of(&scope.pattern), scope.action) {
        // A file that is to be deleted is not read.
        (_, Some(FileAction::Delete)) => 0,
        (Some(bytes), _) => (bytes / BYTES_PER_TOKEN).saturating_mul(TIMES),
        (None, _) => NEW_FILE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TaskIndex;
    use crate::plan::{CheckDraft, FileDraft, Plan, PlanDraft, TaskDraft};

    fn task(files: &[(&str, Option<FileAction>)]) -> Task {
        let draft = TaskDraft {
            id: "T".to_owned(),
            title: "t".to_owned(),
            instructions: "x".repeat(3_999),
            files: files
                .iter()
                .map(|(path, action)| FileDraft { path: (*path).to_owned(), action: *action })
                .collect(),
            checks: vec![CheckDraft { command: "make".to_owned(), ..CheckDraft::default() }],
            ..TaskDraft::default()
        };
        let plan = PlanDraft { tasks: vec![draft], ..PlanDraft::default() };
        Plan::new(plan).expect("a plan").task(TaskIndex::new(0)).clone()
    }

    /// PL-12, sizes of files, length of the text, number of checks.
    #[test]
    fn an_estimate_is_the_sum_of_what_is_read_and_written() {
        let task =
            task(&[("old.rs", None), ("new.rs", None), ("gone.rs", Some(FileAction::Delete))]);
        let bytes = |pattern: &FilePattern| (pattern.as_str() != "new.rs").then_some(40_000);
        let estimate = ContextEstimate::for_task(&task, 200_000, bytes);
        assert_eq!(estimate.tokens, 15_000 + 1_000 + 20_000 + 4_000 + 2_000);
        assert_eq!(estimate.percent(), 21);
    }

    /// B11 and similar cases: sizes that overflow are treated as very large.
    #[test]
    fn absurd_sizes_do_not_overflow() {
        let task = task(&[("a", None), ("b", None)]);
        assert!(ContextEstimate::for_task(&task, 0, |_| Some(u64::MAX)).percent() > 100);
    }
}
