//! Plans of foreign formats whose tasks have criteria in prose only (FO-04).
//!
//! Their merges are checked with the repository's own test commands. Where there are none, the tasks
//! are marked as unchecked and not refused: the plan was not written for afresh.

use std::path::Path;

use afresh_core::run::settings::Settings;
use afresh_formats::project::{self, CheckKind};

use crate::notice::Notice;
use crate::plan_source::PlanFile;
use crate::setup::init;

/// How many tasks a notice lists.
const MAX_NAMED: usize = 10;

/// The settings, with the repository's own test commands where nothing else checks the tasks of a plan
/// of a foreign format.
pub(super) fn add_repository_checks(
    file: &mut PlanFile,
    settings: Settings,
    root: &Path,
    notices: &mut Vec<Notice>,
) -> Settings {
    if file.format == "native" || !settings.always.is_empty() {
        return settings;
    }
    let unchecked: Vec<String> =
        file.plan.unchecked().map(|task| task.id.to_string()).take(MAX_NAMED).collect();
    if unchecked.is_empty() {
        return settings;
    }
    let named = unchecked.join(", ");
    let always = test_commands(root);
    if always.is_empty() {
        file.plan =
            file.plan.excused("its plan has criteria in prose only, and no test command was found");
        notices.push(Notice::note(format!(
            "these tasks have no checks, and no test command was found: {named}\n  \
             hint: set `always` under [checks] in .afresh/config.toml"
        )));
    } else {
        let by = always.join("`, `");
        notices.push(Notice::note(format!(
            "these tasks have criteria in prose only, so every merge is checked with `{by}`: {named}"
        )));
    }
    Settings { always, ..settings }
}

/// The commands that test the repository; where there are none, those that build it.
pub fn test_commands(root: &Path) -> Vec<String> {
    let stacks = project::discover(&init::files::list(root));
    let of = |kind: CheckKind| -> Vec<String> {
        let checks = stacks.iter().flat_map(|stack| &stack.checks);
        checks.filter(|check| check.kind == kind).map(|check| check.command.clone()).collect()
    };
    let tests = of(CheckKind::Test);
    if tests.is_empty() { of(CheckKind::Build) } else { tests }
}
