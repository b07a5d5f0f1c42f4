//! The checks of every merge, each run once on the current commit (TR-01).

use afresh_core::Plan;
use afresh_core::probe::{CheckClass, ProbedCheck};
use afresh_engine::RepoContext;

use super::{DoctorLine, LineSink, UnsandboxedChecks};
use crate::config::Config;
use crate::config::policy::sandbox;
use crate::context::AppContext;
use crate::session::probe::PreparedProbe;
use crate::text::count;

pub(super) fn check_every_merge(
    context: &AppContext,
    repository: &RepoContext,
    config: &Config,
    unsandboxed: UnsandboxedChecks,
    lines: &mut LineSink<'_>,
) {
    // Without a commit there is nothing to check; another line says so.
    let has_commit = matches!(repository.git.head(), Ok(Some(_)));
    if config.settings.always.is_empty() || !has_commit {
        return;
    }
    // They are code of a repository that the user may only be about to look at.
    let is_asked = unsandboxed == UnsandboxedChecks::Run || config.sandbox.required;
    if !is_asked && sandbox::is_unavailable(&context.environment) {
        let checks = count(config.settings.always.len(), "check");
        return lines.push(DoctorLine::warn(
            "checks",
            format!(
                "{checks} of every merge not run: without a sandbox they have all your permissions"
            ),
            "install bubblewrap, or run them all the same: `afresh doctor --run-checks`",
        ));
    }
    // The sandbox has lines of its own.
    let mut notices = Vec::new();
    match PreparedProbe::for_every_merge(context, repository, config, &mut notices) {
        Ok(prepared) => {
            lines.extend(prepared.run(&Plan::without_tasks(), &|_| ()).iter().map(describe));
        }
        Err(failure) => lines.push(DoctorLine::failed("checks", &failure)),
    }
}

fn describe(probed: &ProbedCheck) -> DoctorLine {
    let command = probed.command();
    let last = probed.result.output_tail.trim_end().lines().last().unwrap_or_default();
    let last = if last.is_empty() { String::new() } else { format!(": {last}") };
    let why = if probed.detail.is_empty() { last } else { format!(": {}", probed.detail) };
    match probed.class {
        CheckClass::Vacuous | CheckClass::Guard => {
            let tests = probed.result.tests.as_ref().map(|tests| tests.executed);
            let tests = tests.and_then(|tests| usize::try_from(tests).ok());
            let tests = tests.map(|tests| format!(" ({})", count(tests, "test")));
            DoctorLine::ok("checks", format!("`{command}` passes{}", tests.unwrap_or_default()))
        }
        CheckClass::Empty => DoctorLine::warn(
            "checks",
            format!("`{command}` executes no test"),
            "correct the command under [checks], so that it finds the tests",
        ),
        CheckClass::Flaky => DoctorLine::warn(
            "checks",
            format!("`{command}` is flaky{why}"),
            "fix it, or put it in quarantine for a time: `[[checks.quarantine]]`",
        ),
        CheckClass::Unprobed => DoctorLine::warn(
            "checks",
            format!("`{command}` was not run{why}"),
            "correct the set-up, or raise `probe_limit` under [checks]",
        ),
        CheckClass::Red | CheckClass::Pending | CheckClass::Unrunnable => DoctorLine::warn(
            "checks",
            format!("`{command}` fails on the current commit{why}"),
            "repair it before a run, or set `on_red_base` under [checks]",
        ),
    }
}
