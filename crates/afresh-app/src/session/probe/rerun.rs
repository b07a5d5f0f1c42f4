//! Running the checks of receipts again, on the commits that they are about (TR-06).

use std::collections::BTreeSet;

use afresh_core::check::{CheckOutcome, CheckResult};
use afresh_core::ids::CommitId;
use afresh_core::plan::Check;
use afresh_engine::{RepoContext, StandaloneProbe};
use afresh_proof::history::{CommitProblem, CommitVerdict, refute};

use super::{ProbeOptions, execution_config, open_probe};
use crate::config::Config;
use crate::context::AppContext;
use crate::error::AppError;
use crate::notice::Notice;

/// Workspaces for checks that are ready.
#[derive(Debug)]
pub struct PreparedRerun {
    probe: StandaloneProbe,
    /// What the configuration asks of every merge: a forged receipt may leave it out.
    always: Vec<Check>,
    reruns: u32,
}

impl PreparedRerun {
    pub fn prepare(
        context: &AppContext,
        repository: &RepoContext,
        config: &Config,
        options: &ProbeOptions,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, AppError> {
        let execution = execution_config(context, repository, config, options, notices)?;
        let always = config.settings.always.iter().map(|command| Check::from_command(command));
        let (always, reruns) = (always.collect(), config.settings.rerun);
        Ok(Self { probe: open_probe(repository, execution)?, always, reruns })
    }

    /// Runs the checks of every receipt again; on the last commit, also those that the configuration asks of every
    /// merge. Receipts that do not hold no longer cover anything. Returns what is to be known besides.
    pub fn run(
        &self,
        verdicts: &mut [CommitVerdict],
        on_start: &dyn Fn(&CommitVerdict, usize),
    ) -> Vec<Notice> {
        let mut notices = Vec::new();
        let last = verdicts.iter().rposition(|verdict| verdict.receipt.is_some());
        for at in 0..verdicts.len() {
            let verdict = &verdicts[at];
            let Some(receipt) = verdict.receipt.as_ref().filter(|_| verdict.problem.is_none())
            else {
                continue;
            };
            let results = &receipt.receipt.checks;
            let excused = results.iter().filter(|result| result.excuse.is_some());
            let excused: BTreeSet<String> = excused.map(|result| result.command.clone()).collect();
            let checks = self.checks_to_run(results, last == Some(at));
            on_start(verdict, checks.len());
            let commit = verdict.commit.clone();
            match self.judge(&commit, checks, &excused) {
                Ok(ignored) => notices.extend(ignored.into_iter().map(Notice::note)),
                Err(problem) => refute(verdicts, &commit, &problem),
            }
        }
        notices
    }

    fn checks_to_run(&self, results: &[CheckResult], is_last: bool) -> Vec<Check> {
        let own = results.iter().map(|result| Check::from_command(&result.command));
        let always = self.always.iter().filter(|_| is_last).cloned();
        let mut seen = BTreeSet::new();
        own.chain(always).filter(|check| seen.insert(check.command.clone())).collect()
    }

    /// The failures that the receipt itself excuses; an error if another check fails.
    fn judge(
        &self,
        commit: &CommitId,
        checks: Vec<Check>,
        excused: &BTreeSet<String>,
    ) -> Result<Vec<String>, CommitProblem> {
        let results = match self.probe.rerun(commit, checks, self.reruns) {
            CheckOutcome::Ran(results) => results,
            CheckOutcome::Stopped => Vec::new(),
            CheckOutcome::Impossible(why) => return Err(CommitProblem::RerunImpossible(why)),
        };
        let mut ignored = Vec::new();
        for failed in results.iter().filter(|result| !result.passed()) {
            if !excused.contains(&failed.command) {
                return Err(CommitProblem::RerunFailed(failed.describe()));
            }
            let id = &commit.as_str()[..10];
            ignored.push(format!("{id}: {}, which its receipt excuses", failed.describe()));
        }
        Ok(ignored)
    }
}
