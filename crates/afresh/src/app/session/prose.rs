//! Tasks that their plan proves by prose only (FO-04).
//!
//! They are judged by the commands that the repository itself is tested with; where there are none,
//! they are labelled, and not refused: the plan was not written for us.

use std::path::Path;

use afresh_core::settings::Settings;
use afresh_formats::project::{self, CheckKind};

use crate::app::init;
use crate::app::plan_source::PlanFile;
use crate::terminal::output::Output;

/// How many tasks are named.
const MAX_NAMED: usize = 10;

/// Sees to it that something judges every task of a plan that was not written for us.
pub(super) fn judge(file: &mut PlanFile, settings: &mut Settings, root: &Path, output: &Output) {
    if file.format == "native" || !settings.always.is_empty() {
        return;
    }
    let unchecked: Vec<String> =
        file.plan.unchecked().map(|task| task.id.to_string()).take(MAX_NAMED).collect();
    if unchecked.is_empty() {
        return;
    }
    let named = unchecked.join(", ");
    settings.always = commands(root);
    if settings.always.is_empty() {
        file.plan = file.plan.excused("its plan gives prose only, and no test command was found");
        output.note(&format!(
            "note: nothing proves these tasks done, and no test command was found: {named}\n      \
             set `always` under [checks] in .afresh/config.toml"
        ));
    } else {
        let by = settings.always.join("`, `");
        output.note(&format!(
            "note: these tasks have prose for criteria, so every merge is judged by `{by}`: {named}"
        ));
    }
}

/// What the repository is tested with; what builds it, where there are no tests.
fn commands(root: &Path) -> Vec<String> {
    let stacks = project::discover(&init::files::list(root));
    let of = |kind: CheckKind| -> Vec<String> {
        let checks = stacks.iter().flat_map(|stack| &stack.checks);
        checks.filter(|check| check.kind == kind).map(|check| check.command.clone()).collect()
    };
    let tests = of(CheckKind::Test);
    if tests.is_empty() { of(CheckKind::Build) } else { tests }
}
