//! The rules of a worker.

use std::fmt::Write as _;

use crate::bundle::{Bundle, ReportChannel};

pub(super) fn rules(bundle: &Bundle) -> String {
    let task = &bundle.task;
    let mut text = String::from(
        "- Work only in this directory, a private clone. Do not push, and leave git's configuration alone. Commits are \
         optional.\n",
    );
    for line in &bundle.surroundings {
        let _ = writeln!(text, "- {line}");
    }
    if task.all_checks().next().is_some() || !bundle.always.is_empty() {
        text.push_str(
            "- Run the checks yourself before you report. They are run again on a clean checkout, and that decides.\n",
        );
    }
    let (issue, log) = match bundle.reports_by {
        ReportChannel::Commands => ("`afresh issue TEXT`", "`afresh log INFO WORD MESSAGE`"),
        _ => ("the tool `issue`", "the tool `log`"),
    };
    let listed = if task.lists_files() { "the listed files" } else { "what the task needs" };
    let _ = writeln!(
        text,
        "- Change only {listed}. More is allowed for (1) a bug, (2) something critical that is missing, (3) something \
         that blocks you: change it, and list it in `deviations` with that number. (4) A change of architecture: stop, \
         and report NEEDS_DECISION. (5) Anything else: leave it, and note it with {issue}."
    );
    let configured = if task.lists_files() {
        "Add configuration of test runners, linters or builds only if it is listed."
    } else {
        "List new configuration of test runners, linters or builds in `deviations`."
    };
    let _ = writeln!(
        text,
        "- Do not weaken, skip or remove existing tests or checks; new tests that the task asks for are fine. \
         {configured} Delete only listed files."
    );
    let _ = write!(text, "- To tell the people of this run something, use {log}.");
    text
}
