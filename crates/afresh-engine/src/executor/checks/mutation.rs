//! A mutation test of what lands: deliberate faults in the change, and how many of them the tests notice (TR-07).

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use afresh_checks::read_mutation_report;
use afresh_core::check::{CheckEnd, CheckResult};
use afresh_core::ids::CommitId;
use afresh_core::plan::Check;
use afresh_core::run::settings::MutationRule;

use super::command::CheckCommand;
use super::round::CheckRound;
use super::slots::OccupiedSlot;
use crate::executor::causes::describe;
use crate::layout::text;
use crate::worker_files::open_plain;

/// No larger report is read.
const MAX_REPORT_BYTES: u64 = 64 * 1024 * 1024;
/// Where tools put their reports, below the directory that they are given or in the workspace.
const REPORTS: &[&str] = &[
    "mutants.out/outcomes.json",
    "outcomes.json",
    "mutation.json",
    "reports/mutation/mutation.json",
];

impl CheckRound<'_> {
    /// Runs the mutation test on a clean checkout; none if it was stopped.
    pub(super) fn test_mutants(
        &self,
        slot: &OccupiedSlot<'_>,
        rule: &MutationRule,
        since: &CommitId,
    ) -> Result<Option<CheckResult>, String> {
        if !slot.prepare(self.on)? {
            return Ok(None);
        }
        let tree = self.shared.pool.tree(slot.place());
        let place = tree.join(".git/afresh-mutants");
        let diff = place.join("change.diff");
        let out = place.join("out");
        self.write_diff(since, &diff, &out)?;
        let check = Check { name: "mutants".to_owned(), ..Check::from_command(&rule.command) };
        let command = CheckCommand {
            check: &check,
            ticket: self.ticket,
            attempt: self.request.attempt.as_ref(),
            log: self.new_log(self.request.checks().count(), 0)?,
            limit: self.shared.config.check_timeout,
            variables: vec![("AFRESH_DIFF", text(&diff)), ("AFRESH_MUTANTS", text(&out))],
        };
        let Some(ended) = slot.run(&command)? else { return Ok(None) };
        let mut result = ended.result;
        let report = find_report(&[&out, &tree]);
        result.mutants = report.and_then(|json| read_mutation_report(&json, rule.required_percent));
        if result.mutants.is_none() && result.end == CheckEnd::Exited(0) {
            let why = "it wrote no report that can be read into $AFRESH_MUTANTS".to_owned();
            result.end = CheckEnd::NotStarted(why);
        }
        if let Some(mutants) = &result.mutants {
            let lines = mutants.unnoticed.iter().map(|name| format!("not noticed: {name}\n"));
            result.output_tail = lines.collect();
        }
        Ok(Some(result))
    }

    fn write_diff(&self, since: &CommitId, diff: &Path, out: &Path) -> Result<(), String> {
        let repository = self.shared.pool.repository();
        let change = repository.diff_text(since, self.on.tree).map_err(|error| describe(&error))?;
        let failed = |error: std::io::Error| format!("cannot write {}: {error}", diff.display());
        fs::create_dir_all(out).map_err(failed)?;
        fs::write(diff, change).map_err(failed)
    }
}

/// The first report that is there; links are not followed.
fn find_report(directories: &[&PathBuf]) -> Option<Vec<u8>> {
    let paths = directories.iter().flat_map(|at| REPORTS.iter().map(|name| at.join(name)));
    paths.into_iter().find_map(|path| {
        let file = open_plain(&path).ok()?;
        let mut bytes = Vec::new();
        file.take(MAX_REPORT_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    })
}
