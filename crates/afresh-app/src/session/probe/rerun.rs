//! Running the checks of receipts again, on the commits that they are about (TR-06).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use afresh_core::check::{CheckExcuse, CheckOutcome, CheckResult};
use afresh_core::ids::CommitId;
use afresh_core::plan::Check;
use afresh_core::run::KnownFailure;
use afresh_engine::{RepoContext, StandaloneProbe};
use afresh_proof::history::{CommitProblem, CommitVerdict, refute};
use afresh_proof::statement::ReceiptPredicate;

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
    /// Commands that the configuration lets fail: a forged receipt may excuse anything.
    quarantined: BTreeSet<String>,
    /// The mutation test of the configuration, which needs the change of its task and is not run again.
    mutation: Option<String>,
    reruns: u32,
    /// How the checks of every merge end on commits before merges.
    before: RefCell<BTreeMap<CommitId, Vec<CheckResult>>>,
}

/// A commit with its receipt.
#[derive(Debug, Clone, Copy)]
struct RerunSubject<'a> {
    commit: &'a CommitId,
    receipt: &'a ReceiptPredicate,
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
        let settings = &config.settings;
        let always = settings.always.iter().map(|command| Check::from_command(command));
        let quarantined = settings.quarantine.iter().map(|entry| entry.command.clone());
        Ok(Self {
            probe: open_probe(repository, execution)?,
            always: always.collect(),
            quarantined: quarantined.collect(),
            mutation: settings.mutation.as_ref().map(|rule| rule.command.clone()),
            reruns: settings.rerun,
            before: RefCell::default(),
        })
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
            let checks = self.checks_to_run(&receipt.receipt.checks, last == Some(at));
            on_start(verdict, checks.len());
            let commit = verdict.commit.clone();
            match self.judge(RerunSubject { commit: &commit, receipt }, checks) {
                Ok(ignored) => notices.extend(ignored.into_iter().map(Notice::note)),
                Err(problem) => refute(verdicts, &commit, &problem),
            }
        }
        notices
    }

    fn checks_to_run(&self, results: &[CheckResult], is_last: bool) -> Vec<Check> {
        let is_mutation = |check: &Check| self.mutation.as_ref() == Some(&check.command);
        let own = results.iter().map(|result| Check::from_command(&result.command));
        let own = own.filter(|check| !is_mutation(check));
        let always = self.always.iter().filter(|_| is_last).cloned();
        let mut seen = BTreeSet::new();
        own.chain(always).filter(|check| seen.insert(check.command.clone())).collect()
    }

    /// The failures that do not count; an error if another check fails.
    fn judge(
        &self,
        subject: RerunSubject<'_>,
        checks: Vec<Check>,
    ) -> Result<Vec<String>, CommitProblem> {
        let results = self.run_checks(subject.commit, checks)?;
        let mut ignored = Vec::new();
        for failed in results.iter().filter(|result| !result.passed()) {
            let Some(why) = self.find_excuse(subject, failed)? else {
                return Err(CommitProblem::RerunFailed(failed.describe()));
            };
            let id = &subject.commit.as_str()[..10];
            ignored.push(format!("{id}: {}, {why}", failed.describe()));
        }
        Ok(ignored)
    }

    /// Why a failure does not count, by what this clone knows itself: a receipt alone excuses nothing.
    fn find_excuse(
        &self,
        subject: RerunSubject<'_>,
        failed: &CheckResult,
    ) -> Result<Option<&'static str>, CommitProblem> {
        if self.quarantined.contains(&failed.command) {
            return Ok(Some("which is in quarantine here"));
        }
        let receipt = &subject.receipt.receipt;
        let said = receipt.checks.iter().find(|result| result.command == failed.command);
        let is_said = said.is_some_and(|said| said.excuse == Some(CheckExcuse::FailedBefore));
        let is_always = self.always.iter().any(|check| check.command == failed.command);
        // A task's own check is never excused so.
        if !is_said || !is_always {
            return Ok(None);
        }
        let before = self.run_before(&subject.receipt.onto)?;
        let known = before.iter().find(|result| result.command == failed.command);
        let known = known.and_then(KnownFailure::from_result);
        let is_repeated = known.is_some_and(|known| known.is_repeated_by(failed));
        Ok(is_repeated.then_some("as on the commit before it"))
    }

    /// The checks of every merge on the commit that a merge was built on.
    fn run_before(&self, onto: &CommitId) -> Result<Vec<CheckResult>, CommitProblem> {
        if let Some(known) = self.before.borrow().get(onto) {
            return Ok(known.clone());
        }
        let results = self.run_checks(onto, self.always.clone())?;
        self.before.borrow_mut().insert(onto.clone(), results.clone());
        Ok(results)
    }

    fn run_checks(
        &self,
        commit: &CommitId,
        checks: Vec<Check>,
    ) -> Result<Vec<CheckResult>, CommitProblem> {
        match self.probe.rerun(commit, checks, self.reruns) {
            CheckOutcome::Ran(results) => Ok(results),
            CheckOutcome::Stopped => Ok(Vec::new()),
            CheckOutcome::Impossible(why) => Err(CommitProblem::RerunImpossible(why)),
        }
    }
}
