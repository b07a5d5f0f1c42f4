//! What was measured before the work, in lines for a terminal.

use afresh_core::Run;
use afresh_core::ids::TaskId;
use afresh_core::probe::{CheckClass, ProbedCheck, count_classes};

use super::count;

/// How many lines of one kind are shown; the report has the rest.
const MAX_LINES: usize = 12;

/// A line about the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseLine {
    /// One word.
    pub mark: &'static str,
    /// The tasks that it concerns, or `-`.
    pub who: String,
    pub text: String,
    pub matters: bool,
}

impl BaseLine {
    fn new(mark: &'static str, who: &str, text: String) -> Self {
        Self { mark, who: who.to_owned(), text, matters: true }
    }
}

/// What people should know before the first worker starts.
pub fn describe(run: &Run, checks: &[ProbedCheck]) -> Vec<BaseLine> {
    let always = &run.settings().always;
    let (of_merges, own) = split_checks(always, checks);
    let text = summarize(always, checks);
    let mut lines = vec![BaseLine { matters: false, ..BaseLine::new("probed", "-", text) }];
    lines.extend(of_merges.iter().filter_map(|probed| describe_baseline(run, probed)));
    let weak = own
        .iter()
        .filter(|probed| probed.class.proves_nothing() || probed.class == CheckClass::Flaky);
    let weak: Vec<BaseLine> = weak.map(|probed| describe_own(run, probed)).collect();
    let left = weak.len().saturating_sub(MAX_LINES);
    lines.extend(weak.into_iter().take(MAX_LINES));
    if left > 0 {
        let text = format!("and {left} more checks prove nothing; `afresh report` lists them");
        lines.push(BaseLine::new("probed", "-", text));
    }
    let unprobed: Vec<&&ProbedCheck> =
        own.iter().filter(|probed| probed.class == CheckClass::Unprobed).collect();
    if let Some(first) = unprobed.first() {
        let number = count(unprobed.len(), "check");
        lines.push(BaseLine::new("unprobed", "-", format!("{number} not run: {}", first.detail)));
    }
    let unproved = run.unproved_tasks();
    for task in unproved.iter().take(MAX_LINES) {
        let text = "no check of its own can prove it done".to_owned();
        lines.push(BaseLine::new("unproved", task.task.id.as_str(), text));
    }
    lines
}

/// The checks of every merge, and those of tasks.
fn split_checks<'a>(
    always: &[String],
    checks: &'a [ProbedCheck],
) -> (Vec<&'a ProbedCheck>, Vec<&'a ProbedCheck>) {
    checks.iter().partition(|probed| always.iter().any(|command| command == probed.command()))
}

/// One line about all of them. A check of every merge that passes is as it should be.
pub fn summarize(always: &[String], checks: &[ProbedCheck]) -> String {
    let (of_merges, own) = split_checks(always, checks);
    let mut parts = Vec::new();
    if !own.is_empty() {
        let classes = count_classes(own.iter().copied());
        parts.push(format!("{} of tasks before any work: {classes}", count(own.len(), "check")));
    }
    let passing = of_merges.iter().filter(|probed| probed.result.passed()).count();
    if passing > 0 {
        let pass = if passing == 1 { "passes" } else { "pass" };
        parts.push(format!("{} of every merge {pass}", count(passing, "check")));
    }
    if parts.is_empty() {
        parts.push("measured before any work".to_owned());
    }
    parts.join("; ")
}

/// A check of every merge that does not pass yet.
fn describe_baseline(run: &Run, probed: &ProbedCheck) -> Option<BaseLine> {
    let command = probed.command();
    let text = match probed.class {
        CheckClass::Vacuous | CheckClass::Guard => return None,
        CheckClass::Empty => format!("`{command}` executes no test so far"),
        CheckClass::Pending => format!("`{command}` cannot pass yet: {}", probed.detail),
        CheckClass::Unprobed => format!("`{command}` was not measured: {}", probed.detail),
        CheckClass::Flaky if probed.result.passed() => {
            format!("`{command}` failed and passed on the same tree")
        }
        CheckClass::Flaky | CheckClass::Red | CheckClass::Unrunnable => {
            let failed = probed.result.tests.as_ref().map_or(0, |tests| tests.failed.len());
            let tests =
                if failed == 0 { String::new() } else { format!(" ({})", count(failed, "test")) };
            let blame = if run.settings().quarantine_of(command).is_some() {
                "it is in quarantine"
            } else {
                "no task is blamed for what fails now"
            };
            format!("`{command}` fails before any work{tests}; {blame}")
        }
    };
    Some(BaseLine::new("baseline", "-", text))
}

fn describe_own(run: &Run, probed: &ProbedCheck) -> BaseLine {
    let command = probed.command();
    let tasks = run.plan().tasks().iter();
    let tasks = tasks.filter(|task| task.all_checks().any(|check| check.command == command));
    let ids: Vec<&str> = tasks.map(|task| TaskId::as_str(&task.id)).take(3).collect();
    let detail = match probed.detail.as_str() {
        "" => String::new(),
        detail => format!(": {detail}"),
    };
    BaseLine::new(probed.class.word(), &ids.join(","), format!("`{command}`{detail}"))
}
