//! The outcome of the previous attempt.

use std::fmt::Write as _;

use afresh_core::check::CheckResult;
use afresh_core::plan::FileAction;
use afresh_core::rejection::Rejection;

use crate::bundle::Bundle;

/// The most characters of a failing check's output.
const MAX_OUTPUT_CHARS: usize = 4_000;

/// Why the previous attempt was rejected: facts, never its transcript (PR-07).
pub(super) fn render_feedback(bundle: &Bundle) -> String {
    let mut text = String::new();
    let Some(rejection) = &bundle.feedback else { return text };
    let _ = writeln!(
        text,
        "This is attempt {} (at most {} count). You start from {}.\n{}",
        bundle.attempt.number,
        bundle.attempts_allowed,
        if bundle.first_step > 1 { "its last finished step" } else { "a clean tree" },
        rejection.describe()
    );
    match rejection {
        Rejection::OutOfScope { violations } => {
            for violation in violations.iter().take(50) {
                let _ = writeln!(text, "- {} {}", violation.path, violation.why.explain());
            }
        }
        Rejection::ChecksFailed { results }
        | Rejection::BrokenMerge { results, .. }
        | Rejection::NotRed { results } => {
            outputs(&mut text, results);
        }
        Rejection::ReviewRejected { issues, .. } => {
            text.push_str("Its checks passed, but a reviewer wants this changed:\n");
            text.push_str(&super::review::wanted_changes(issues));
        }
        Rejection::Conflict { detail, .. } => {
            let _ = writeln!(text, "```text\n{}\n```", tail(detail));
        }
        Rejection::GaveUp { output, .. } if !output.is_empty() => {
            let _ = writeln!(text, "```text\n{}\n```", tail(output));
        }
        Rejection::Unintelligible { excerpt, .. } => {
            let _ = writeln!(text, "```text\n{}\n```", tail(excerpt));
        }
        Rejection::FilesMissing { paths } => {
            let _ = writeln!(
                text,
                "Create {}, at exactly this path. If the task is better done without it, list it in `deviations` and \
                 say why.",
                paths.join(", ")
            );
        }
        Rejection::NoChange => {
            // Some agents print a file instead of writing it (PL-09).
            let created =
                bundle.task.files.iter().filter(|it| it.action == Some(FileAction::Create));
            let created: Vec<&str> = created.map(|it| it.pattern.as_str()).take(10).collect();
            if !created.is_empty() {
                let _ = writeln!(
                    text,
                    "Nothing was written. Write {} with your file tool, to exactly this path; printing the text is \
                     not enough.",
                    created.join(", ")
                );
            }
        }
        _ => {}
    }
    if let Some(failure) = bundle.repeated_failure.as_ref().filter(|it| it.attempts > 1) {
        let _ = writeln!(
            text,
            "The last {} attempts failed in the same way. Do not repeat what they did: first find out why \
             this output appears, then solve it differently. If the check itself is wrong, report \
             NEEDS_DECISION.",
            failure.attempts
        );
    }
    text
}

fn outputs(text: &mut String, results: &[CheckResult]) {
    for result in results.iter().filter(|result| !result.is_accepted()) {
        let _ = writeln!(
            text,
            "{}; the end of its output:\n```text\n{}\n```",
            result.describe(),
            tail(&result.output_tail)
        );
    }
}

/// The last characters, where compilers and tests report errors.
fn tail(text: &str) -> String {
    let count = text.chars().count();
    text.trim_end().chars().skip(count.saturating_sub(MAX_OUTPUT_CHARS)).collect()
}
