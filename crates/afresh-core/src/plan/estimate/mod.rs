//! How much of a worker's context a task will fill, computed from sizes.
//!
//! The caller reads the sizes of files from disk. The rule is documented in `docs/plan-format.md`.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`forecast`] | what a plan is expected to take: tokens, cost, time |
//! | [`history`] | what earlier tasks took, compared with their estimates |
//! | [`schedule`] | how long tasks take together |
//! | [`tokens`] | how many tokens a text has |

pub mod forecast;
pub mod history;
pub mod schedule;
pub mod tokens;

use crate::pattern::FilePattern;
use crate::plan::{FileAction, FileScope, Task};

/// What an agent program's own instructions, our prompt and exploring the repository take, in tokens.
const START: u64 = 15_000;
/// A new file of code; other kinds are shorter.
const NEW_CODE: u64 = 4_000;
const NEW_TEST: u64 = 3_000;
const NEW_DOCUMENT: u64 = 1_500;
const NEW_CONFIG: u64 = 800;
/// The most that editing an existing file takes, besides reading it.
const MAX_EDIT: u64 = 6_000;
/// Thinking about one statement of a specification, and trying its result.
const STATEMENT: u64 = 600;
/// One run of one check: the command and the end of its output.
const CHECK: u64 = 2_000;

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
        let steps = task.steps.iter().flat_map(|step| [&step.name, &step.instructions]);
        let texts = [&task.title, &task.instructions].into_iter().chain(steps);
        let words = texts.map(|text| tokens::estimate_text(text)).fold(0, u64::saturating_add);
        let checks = u64::try_from(task.all_checks().count()).unwrap_or(u64::MAX);
        let files = task.files.iter().chain(task.steps.iter().flat_map(|step| &step.files));
        let mut seen = std::collections::BTreeSet::new();
        let files = files
            .filter(|scope| seen.insert(scope.pattern.as_str()))
            .fold(0, |sum: u64, scope| sum.saturating_add(file(scope, &bytes_of)));
        let tokens = START
            .saturating_add(words)
            .saturating_add(files)
            .saturating_add(checks.saturating_mul(CHECK));
        Self { tokens, window: window.max(1) }
    }

    /// What a file costs: an existing one is read once and edited, a new one is written. `existing` is its size in
    /// tokens.
    pub fn file_tokens(path: &str, action: Option<FileAction>, existing: Option<u64>) -> u64 {
        match (existing, action) {
            // A file that is to be deleted is not read.
            (_, Some(FileAction::Delete)) => 0,
            (Some(tokens), _) => tokens.saturating_add(tokens.min(MAX_EDIT)),
            (None, _) => new_file_tokens(path),
        }
    }

    /// What the work costs without its files.
    pub fn work_tokens(spec_tokens: u64, statements: usize) -> u64 {
        let statements = u64::try_from(statements).unwrap_or(u64::MAX).saturating_mul(STATEMENT);
        START.saturating_add(spec_tokens).saturating_add(statements)
    }

    /// The share of the window, in whole per cent, rounded up; above 100 if it cannot fit.
    pub fn percent(&self) -> u64 {
        self.tokens.saturating_mul(100).div_ceil(self.window)
    }
}

fn file(scope: &FileScope, bytes_of: &impl Fn(&FilePattern) -> Option<u64>) -> u64 {
    let path = scope.pattern.as_str();
    let existing = bytes_of(&scope.pattern).map(|bytes| tokens::estimate_file(path, bytes));
    ContextEstimate::file_tokens(path, scope.action, existing)
}

fn new_file_tokens(path: &str) -> u64 {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_test = name.contains("test") || name.contains("spec.") || path.contains("tests/");
    match ending {
        "md" | "txt" | "rst" | "adoc" => NEW_DOCUMENT,
        "toml" | "json" | "yaml" | "yml" | "ini" | "cfg" | "env" | "lock" => NEW_CONFIG,
        _ if is_test => NEW_TEST,
        _ => NEW_CODE,
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
            instructions: "word ".repeat(999),
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
        assert_eq!(estimate.tokens, 15_000 + 1_000 + (10_000 + 6_000) + 4_000 + 2_000);
        assert_eq!(estimate.percent(), 19);
    }

    /// AU-03: the kind of a file and what is done with it decide what it costs.
    #[test]
    fn a_file_costs_what_its_kind_and_action_say() {
        let new = |path: &str| ContextEstimate::file_tokens(path, None, None);
        assert_eq!(
            (new("a.rs"), new("tests/a.py"), new("README.md"), new("a.json")),
            (4_000, 3_000, 1_500, 800)
        );
        let edited = |tokens: u64| ContextEstimate::file_tokens("a.rs", None, Some(tokens));
        assert_eq!((edited(1_000), edited(50_000)), (2_000, 56_000));
    }

    /// B11 and similar cases: sizes that overflow are treated as very large.
    #[test]
    fn absurd_sizes_do_not_overflow() {
        let task = task(&[("a", None), ("b", None)]);
        assert!(ContextEstimate::for_task(&task, 0, |_| Some(u64::MAX)).percent() > 100);
    }
}
