//! Requirements and what proves them: `afresh trace`.
//!
//! The data is [`RequirementTrace`](afresh_core::status::trace::RequirementTrace), which serialises to JSON by itself.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`markdown`] | for a pull request |
//! | [`text`] | for a terminal |

pub mod markdown;
pub mod text;

use afresh_core::check::CheckExcuse;
use afresh_core::status::trace::TracedCheck;

/// The length at which ids of commits and trees are shown.
const SHORT_ID: usize = 10;

fn short(id: &str) -> &str {
    &id[..id.len().min(SHORT_ID)]
}

/// How a check ended, and what it showed before, in a few words.
fn describe_check(check: &TracedCheck) -> String {
    let mut words = Vec::new();
    match (check.exit, &check.tree) {
        (Some(code), _) => words.push(format!("exit {code}")),
        (None, Some(_)) => words.push("did not end".to_owned()),
        (None, None) => words.push("has not run".to_owned()),
    }
    words.extend(check.class.map(|class| format!("{class} before")));
    words.extend(check.flaky.then(|| "flaky".to_owned()));
    words.extend(check.excuse.as_ref().map(|excuse| match excuse {
        CheckExcuse::FailedBefore => "excused: it failed before".to_owned(),
        CheckExcuse::Quarantined(reason) => format!("excused: {reason}"),
        CheckExcuse::OnlyMeasured => "only measured".to_owned(),
    }));
    if check.tree.is_some() && !check.proves {
        words.push("proves nothing".to_owned());
    }
    words.join(", ")
}
