//! What a check is worth, from how it ended before any work (TR-01).

use afresh_core::Plan;
use afresh_core::check::CheckEnd;
use afresh_core::plan::Check;
use afresh_core::probe::{CheckClass, UnrunnableCause};
use afresh_core::process::describe_signal;

use crate::command::ReadCommand;
use crate::missing::lines::FailedOutput;
use crate::missing::{MissingKind, MissingThing, NeededBy, find_in, find_reported};
use crate::planned::{PlannedProvider, file_places, find_provider, find_test_author, join_path};
use crate::runners::{TestReport, TestRunner, relative_path};
use crate::tally::add_up;
use crate::text::detail_line;
use crate::usage::find_usage_error;

/// How a check ended on the tree that the work starts from.
#[derive(Debug, Clone, Copy)]
pub struct ProbeFacts<'a> {
    pub check: &'a Check,
    pub end: &'a CheckEnd,
    /// Everything that it printed.
    pub output: &'a str,
    /// The test reports in its output and in the files that it wrote.
    pub reports: &'a [TestReport],
    /// Whether it failed before it passed, or the other way round, on the same tree.
    pub is_flaky: bool,
    /// What the shell says about the command line, if it is no valid one.
    pub syntax_error: Option<&'a str>,
}

/// A class, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassifiedCheck {
    pub class: CheckClass,
    /// One line; empty if the class says it all.
    pub detail: String,
    /// Why it cannot run; none if it can.
    pub cause: Option<UnrunnableCause>,
    /// Where a file that it misses may be, from the root of the repository.
    pub missing_paths: Vec<String>,
}

impl ClassifiedCheck {
    fn new(class: CheckClass, detail: &str) -> Self {
        let detail = detail_line(detail);
        Self { class, detail, cause: None, missing_paths: Vec::new() }
    }

    fn unrunnable(cause: UnrunnableCause, detail: &str) -> Self {
        Self { cause: Some(cause), ..Self::new(CheckClass::Unrunnable, detail) }
    }

    /// The same, where what is missing exists in the user's checkout.
    #[must_use]
    pub fn as_uncommitted(self) -> Self {
        let detail = format!(
            "{} in the commit: it exists in your checkout, and is not committed",
            self.detail
        );
        Self {
            missing_paths: self.missing_paths,
            ..Self::unrunnable(UnrunnableCause::Uncommitted, &detail)
        }
    }
}

/// Classifies a check. The plan tells what its tasks will create.
pub fn classify(facts: &ProbeFacts<'_>, plan: &Plan) -> ClassifiedCheck {
    if facts.is_flaky {
        return ClassifiedCheck::new(CheckClass::Flaky, "it failed and passed on the same tree");
    }
    let command = ReadCommand::new(&facts.check.command);
    let classified = match facts.end {
        CheckEnd::Exited(0) => classify_pass(facts, &command, plan),
        CheckEnd::Exited(code) => classify_failure(facts, *code, &command, plan),
        CheckEnd::TimedOut => ClassifiedCheck::new(CheckClass::Red, "it did not end in time"),
        CheckEnd::Signaled(signal) => {
            let detail = format!("it was ended by {}", describe_signal(*signal));
            ClassifiedCheck::new(CheckClass::Red, &detail)
        }
        CheckEnd::OverLimit(excess) => {
            let detail = format!("it {}, and was ended", excess.describe());
            ClassifiedCheck::new(CheckClass::Red, &detail)
        }
        CheckEnd::NotStarted(why) => {
            let detail = format!("it could not be started: {why}");
            ClassifiedCheck::new(CheckClass::Unprobed, &detail)
        }
    };
    if facts.check.guard && classified.class == CheckClass::Red {
        return name_broken_guard(&classified.detail);
    }
    classified
}

/// A guard passes before the work and after it.
fn name_broken_guard(detail: &str) -> ClassifiedCheck {
    let reason = if detail.is_empty() { String::new() } else { format!(": {detail}") };
    let detail = format!("it is a guard, which should pass before the work, and it fails{reason}");
    ClassifiedCheck::new(CheckClass::Red, &detail)
}

fn classify_pass(facts: &ProbeFacts<'_>, command: &ReadCommand, plan: &Plan) -> ClassifiedCheck {
    if !facts.reports.is_empty() && count_executed(facts.reports) == 0 {
        return classify_none(facts, command, plan);
    }
    if facts.check.guard {
        return ClassifiedCheck::new(CheckClass::Guard, "");
    }
    ClassifiedCheck::new(CheckClass::Vacuous, &describe_pass(facts, command))
}

/// Why a check passes before any work, as far as that is known.
fn describe_pass(facts: &ProbeFacts<'_>, command: &ReadCommand) -> String {
    let executed = count_executed(facts.reports);
    let failures = describe_failures(facts.reports);
    if !failures.is_empty() {
        return format!("it passes although {failures}: its exit code is not that of the tests");
    }
    // Go says how many packages pass, not how many tests.
    if executed > 0 && facts.reports.iter().all(|report| report.runner != TestRunner::Go) {
        return format!("it passes before any work: {}", count_tests(executed));
    }
    // `! grep -q x nothere` passes, because nothing can be found in a file that does not exist.
    let failed = FailedOutput::new(command, 0, facts.output);
    let missing =
        find_reported(&failed).into_iter().find(|missing| missing.needed_by == NeededBy::Check);
    match missing.filter(|_| !command.is_opaque()) {
        Some(missing) => format!("it passes although {}", missing.describe()),
        None => "it passes before any work".to_owned(),
    }
}

fn classify_failure(
    facts: &ProbeFacts<'_>,
    code: i32,
    command: &ReadCommand,
    plan: &Plan,
) -> ClassifiedCheck {
    if let Some(error) = facts.syntax_error {
        return ClassifiedCheck::unrunnable(UnrunnableCause::Malformed, error);
    }
    if count_executed(facts.reports) > 0 {
        return ClassifiedCheck::new(CheckClass::Red, &describe_failures(facts.reports));
    }
    let failed = FailedOutput::new(command, code, facts.output);
    let missing = find_in(&failed);
    if let Some(classified) = classify_missing(&missing, command, plan) {
        return classified;
    }
    if let Some(error) = find_usage_error(&failed) {
        return ClassifiedCheck::unrunnable(UnrunnableCause::Malformed, &error);
    }
    let ended_empty = |report: &TestReport| {
        report.found_none && report.runner.code_of_none() == Some(failed.code)
    };
    if facts.reports.iter().any(ended_empty) {
        return classify_none(facts, command, plan);
    }
    let failures = describe_failures(facts.reports);
    let inside = missing.iter().find_map(|thing| {
        let is_plain = matches!(thing.kind, MissingKind::Program | MissingKind::File);
        let script = thing.from.as_ref().filter(|_| is_plain)?;
        Some(format!("{}; {script} needs it", thing.describe()))
    });
    let detail = inside.filter(|_| failures.is_empty()).unwrap_or(failures);
    ClassifiedCheck::new(CheckClass::Red, &detail)
}

/// What a check does not find: declared by a task, or not. None if only the code needs it, and no task declares it.
fn classify_missing(
    missing: &[MissingThing],
    command: &ReadCommand,
    plan: &Plan,
) -> Option<ClassifiedCheck> {
    let mut pending = None;
    for thing in missing {
        let shown = MissingThing { name: shown_name(thing, command), ..thing.clone() };
        let provider = find_provider(thing, command, plan);
        let detail = provider.map_or_else(
            || shown.describe(),
            |provider| format!("{}; {}", shown.describe(), provider.describe(&shown.name)),
        );
        match (provider, thing.needed_by) {
            (Some(PlannedProvider::TooLate { .. }), NeededBy::Check) => {
                return Some(ClassifiedCheck::unrunnable(UnrunnableCause::CreatedLater, &detail));
            }
            (None, NeededBy::Check) => {
                let found = ClassifiedCheck::unrunnable(UnrunnableCause::Missing, &detail);
                return Some(ClassifiedCheck {
                    missing_paths: file_places(thing, command),
                    ..found
                });
            }
            // The task may change the code so that it needs something else.
            (Some(_), _) => {
                pending.get_or_insert(ClassifiedCheck::new(CheckClass::Pending, &detail));
            }
            (None, NeededBy::Code) => {}
        }
    }
    pending
}

/// A path as the command writes it, or else its end: workspaces are in different directories.
fn shown_name(missing: &MissingThing, command: &ReadCommand) -> String {
    let name = missing.name.as_str();
    if missing.kind == MissingKind::JavascriptModule && name.starts_with('.') {
        return name.to_owned();
    }
    if !name.starts_with('/') {
        return join_path("", name).unwrap_or_else(|| name.to_owned());
    }
    let words = command.calls.iter().flat_map(|call| &call.words);
    let bare = |word: &String| word.trim_start_matches("./").trim_end_matches("/...").to_owned();
    let written =
        words.map(bare).find(|word| !word.is_empty() && name.ends_with(&format!("/{word}")));
    let importer = missing.from.as_deref().and_then(|from| from.rsplit_once('/'));
    let beside =
        importer.and_then(|(directory, _)| name.strip_prefix(directory)?.strip_prefix('/'));
    written.unwrap_or_else(|| beside.unwrap_or(relative_path(name)).to_owned())
}

/// No test was executed: those that would be are declared by a task, or there are none.
fn classify_none(facts: &ProbeFacts<'_>, command: &ReadCommand, plan: &Plan) -> ClassifiedCheck {
    let runners: Vec<TestRunner> = facts.reports.iter().map(|report| report.runner).collect();
    let Some(author) = find_test_author(&runners, command, plan) else {
        return ClassifiedCheck::new(CheckClass::Empty, "it executed no test");
    };
    let class = match author {
        PlannedProvider::InTime(_) => CheckClass::Pending,
        PlannedProvider::TooLate { .. } => CheckClass::Empty,
    };
    ClassifiedCheck::new(class, &format!("it executed no test; {}", author.describe("")))
}

fn count_executed(reports: &[TestReport]) -> u64 {
    add_up(reports).map_or(0, |tally| tally.executed)
}

fn count_tests(number: u64) -> String {
    if number == 1 { "1 test".to_owned() } else { format!("{number} tests") }
}

/// `2 tests fail: a, b`.
fn describe_failures(reports: &[TestReport]) -> String {
    let mut failed = reports.iter().flat_map(|report| &report.failed);
    let number = reports.iter().map(|report| report.failed.len()).max().unwrap_or(0);
    let first = failed.next();
    if let Some(name) = first.filter(|_| count_executed(reports) == 0) {
        return format!("it fails before any test is executed, at {name}");
    }
    match (number, first) {
        (0, _) | (_, None) => String::new(),
        (1, Some(name)) => format!("1 test fails: {name}"),
        (number, Some(name)) => format!("{number} tests fail, such as {name}"),
    }
}
