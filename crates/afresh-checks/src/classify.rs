//! What a check is worth, from how it ended before any work (TR-01).

use afresh_core::Plan;
use afresh_core::check::CheckEnd;
use afresh_core::plan::{Check, FileAction, Task};
use afresh_core::probe::CheckClass;

use crate::missing::{MissingThing, find_missing};
use crate::runners::TestReport;

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
}

impl ClassifiedCheck {
    fn new(class: CheckClass, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into() }
    }
}

/// Classifies a check. The plan tells what its tasks will create.
pub fn classify(facts: &ProbeFacts<'_>, plan: &Plan) -> ClassifiedCheck {
    if facts.is_flaky {
        return ClassifiedCheck::new(CheckClass::Flaky, "it failed and passed on the same tree");
    }
    let executed_none =
        !facts.reports.is_empty() && facts.reports.iter().all(|report| report.executed == 0);
    match facts.end {
        CheckEnd::Exited(0) if executed_none => {
            ClassifiedCheck::new(CheckClass::Empty, "it executed no test")
        }
        CheckEnd::Exited(0) if facts.check.guard => ClassifiedCheck::new(CheckClass::Guard, ""),
        CheckEnd::Exited(0) => {
            ClassifiedCheck::new(CheckClass::Vacuous, "it passes before any work")
        }
        CheckEnd::Exited(code) => classify_failure(facts, *code, plan),
        CheckEnd::TimedOut => ClassifiedCheck::new(CheckClass::Red, "it did not end in time"),
        CheckEnd::Signaled(_) | CheckEnd::OverLimit(_) | CheckEnd::NotStarted(_) => {
            ClassifiedCheck::new(CheckClass::Red, "")
        }
    }
}

fn classify_failure(facts: &ProbeFacts<'_>, code: i32, plan: &Plan) -> ClassifiedCheck {
    if let Some(error) = facts.syntax_error {
        return ClassifiedCheck::new(CheckClass::Unrunnable, error);
    }
    let executed: u64 = facts.reports.iter().map(|report| report.executed).sum();
    if executed > 0 {
        return ClassifiedCheck::new(CheckClass::Red, "");
    }
    if let Some(missing) = find_missing(code, facts.output) {
        return match find_creator(&missing, plan) {
            Some(task) => {
                let detail = format!("{}; {} creates it", missing.describe(), task.id);
                ClassifiedCheck::new(CheckClass::Pending, detail)
            }
            None => ClassifiedCheck::new(CheckClass::Unrunnable, missing.describe()),
        };
    }
    if !facts.reports.is_empty() {
        return ClassifiedCheck::new(CheckClass::Empty, "it executed no test");
    }
    ClassifiedCheck::new(CheckClass::Red, "")
}

/// The task that declares to create what is missing.
fn find_creator<'a>(missing: &MissingThing, plan: &'a Plan) -> Option<&'a Task> {
    plan.tasks().iter().find(|task| {
        let own = task.files.iter().chain(task.steps.iter().flat_map(|step| &step.files));
        own.filter(|scope| scope.action != Some(FileAction::Delete))
            .any(|scope| missing.may_be(scope.pattern.as_str()))
    })
}
