//! The rules: when a receipt covers a commit.

use std::collections::BTreeMap;

use afresh_core::ids::TreeId;

use super::commit::{
    CheckedLine, CommitRole, CommitTrailers, FoundNote, HistoryCommit, SignatureState,
};
use super::verdict::{CommitProblem, CommitVerdict, SignaturePolicy};
use crate::statement::{ReceiptPredicate, Statement};

/// A line of a note that covers its commit.
struct AcceptedLine {
    signature: SignatureState,
    receipt: Box<ReceiptPredicate>,
}

/// Judges the commits of one first-parent line. Notes are dropped as soon as they are judged.
#[derive(Debug)]
pub struct LineVerifier {
    policy: SignaturePolicy,
    /// What decides whether one commit covers another.
    commits: Vec<LineCommit>,
    verdicts: Vec<CommitVerdict>,
}

/// A commit of the line without its note.
#[derive(Debug)]
struct LineCommit {
    tree: TreeId,
    trailers: CommitTrailers,
}

impl LineVerifier {
    pub fn new(policy: SignaturePolicy) -> Self {
        Self { policy, commits: Vec::new(), verdicts: Vec::new() }
    }

    /// Adds the next commit, oldest first.
    pub fn add(&mut self, commit: HistoryCommit) {
        self.verdicts.push(judge_commit(&commit, self.policy));
        let HistoryCommit { tree, trailers, .. } = commit;
        self.commits.push(LineCommit { tree, trailers });
    }

    /// One verdict per commit: its own receipt covers it, or that of a later one.
    pub fn finish(mut self) -> Vec<CommitVerdict> {
        find_covers(&self.commits, &mut self.verdicts);
        self.verdicts
    }
}

/// Judges the commits of one first-parent line, oldest first.
pub fn verify_line(oldest_first: &[HistoryCommit], policy: SignaturePolicy) -> Vec<CommitVerdict> {
    let mut line = LineVerifier::new(policy);
    for commit in oldest_first {
        line.add(commit.clone());
    }
    line.finish()
}

/// Commits of a batch name the tree that was checked after all of them: the nearest later commit with a receipt for it
/// covers them.
fn find_covers(oldest_first: &[LineCommit], verdicts: &mut [CommitVerdict]) {
    // By tree and run: the commit, and the signature of its receipt.
    let mut covers = BTreeMap::new();
    // What is wrong with a receipt that would cover others as well.
    let mut refused: BTreeMap<_, CommitProblem> = BTreeMap::new();
    for (commit, verdict) in oldest_first.iter().zip(verdicts).rev() {
        let run = &commit.trailers.run;
        if verdict.problem.is_none() {
            let cover = (verdict.commit.clone(), verdict.signature.clone());
            covers.insert((&commit.tree, run), cover);
            continue;
        }
        if let Some(problem @ (CommitProblem::Unsigned | CommitProblem::UntrustedKey(_))) =
            &verdict.problem
        {
            refused.insert((&commit.tree, run), problem.clone());
        }
        let named = commit.trailers.checked_tree.as_ref().filter(|tree| **tree != commit.tree);
        let has_failed = matches!(verdict.problem, Some(CommitProblem::FailedCheck(_)));
        let is_inner = verdict.role == CommitRole::Task && !has_failed;
        let Some(tree) = named.filter(|_| is_inner) else { continue };
        match covers.get(&(tree, run)) {
            Some((by, signature)) => {
                verdict.covered_by = Some(by.clone());
                verdict.signature.clone_from(signature);
                verdict.problem = None;
            }
            None if refused.contains_key(&(tree, run)) => {
                verdict.problem = refused.get(&(tree, run)).cloned();
            }
            None if matches!(
                verdict.problem,
                Some(CommitProblem::MissingNote | CommitProblem::OtherTree(_))
            ) =>
            {
                verdict.problem = Some(CommitProblem::OtherCoveringTree(tree.to_string()));
            }
            None => {}
        }
    }
}

fn judge_commit(it: &HistoryCommit, policy: SignaturePolicy) -> CommitVerdict {
    let role = it.role();
    let mut verdict = CommitVerdict {
        commit: it.commit.clone(),
        tree: it.tree.clone(),
        role,
        task: it.trailers.task.as_ref().map(ToString::to_string),
        covered_by: None,
        signature: None,
        receipt: None,
        problem: None,
    };
    let judged = match role {
        CommitRole::Foreign => Err(CommitProblem::NotMadeByAfresh),
        CommitRole::LandMerge => Err(CommitProblem::UncheckedMerge),
        CommitRole::Squash if it.trailers.is_unchecked_merge => {
            Err(CommitProblem::UncheckedSquash(it.receipt_commit().to_string()))
        }
        CommitRole::Task | CommitRole::Squash => judge_note(it, policy),
    };
    match judged {
        Ok(accepted) => {
            verdict.covered_by = Some(it.receipt_commit().clone());
            verdict.signature = Some(accepted.signature);
            verdict.receipt = Some(accepted.receipt);
        }
        Err(problem) => verdict.problem = Some(problem),
    }
    verdict
}

/// Any line that covers the commit is enough; of several, the one with the best signature.
fn judge_note(it: &HistoryCommit, policy: SignaturePolicy) -> Result<AcceptedLine, CommitProblem> {
    let lines = match &it.note {
        FoundNote::Missing => return Err(CommitProblem::MissingNote),
        FoundNote::TooLarge => return Err(CommitProblem::NoteTooLarge),
        FoundNote::Lines(lines) => lines,
    };
    let mut best: Result<AcceptedLine, _> = Err(CommitProblem::MissingNote);
    for line in lines {
        let judged = judge_one(it, line, policy);
        best = match (best, judged) {
            (Ok(old), Ok(new)) => Ok(if new.signature > old.signature { new } else { old }),
            (Ok(old), Err(_)) => Ok(old),
            (Err(_), Ok(new)) => Ok(new),
            (Err(old), Err(new)) => Err(old.max(new)),
        };
    }
    best
}

fn judge_one(
    it: &HistoryCommit,
    line: &CheckedLine,
    policy: SignaturePolicy,
) -> Result<AcceptedLine, CommitProblem> {
    let statement =
        line.statement.as_ref().map_err(|why| CommitProblem::MalformedNote(why.clone()))?;
    // A forged note is named as such before anything that it says.
    if let SignatureState::Bad { why } = &line.signature {
        return Err(CommitProblem::BadSignature(why.clone()));
    }
    judge_statement(it, statement)?;
    match (&line.signature, policy) {
        (SignatureState::Unsigned, SignaturePolicy::Required) => Err(CommitProblem::Unsigned),
        (SignatureState::UnknownKey { key, why }, SignaturePolicy::Required) => {
            Err(CommitProblem::UntrustedKey(format!("{key}; {why}")))
        }
        (signature, _) => {
            let receipt = Box::new(without_paths(&statement.predicate));
            Ok(AcceptedLine { signature: signature.clone(), receipt })
        }
    }
}

/// Nothing is decided by the lists of paths, which can be long.
fn without_paths(predicate: &ReceiptPredicate) -> ReceiptPredicate {
    let mut kept = predicate.clone();
    let receipt = &mut kept.receipt;
    for paths in [&mut receipt.created, &mut receipt.modified, &mut receipt.deleted] {
        paths.clear();
    }
    receipt.differences.clear();
    kept
}

fn judge_statement(it: &HistoryCommit, statement: &Statement) -> Result<(), CommitProblem> {
    let said = &statement.predicate;
    let named = |id: Option<&str>| id.unwrap_or("which it does not name").to_owned();
    if statement.commit() != Some(it.receipt_commit().as_str()) {
        return Err(CommitProblem::MovedNote(named(statement.commit())));
    }
    if statement.tree() != Some(it.tree.as_str()) {
        return Err(CommitProblem::OtherTree(named(statement.tree())));
    }
    // Inside of a batch, the receipt is about the tree that the commit names: a later commit has to cover it.
    let is_inner = it.trailers.checked_tree.as_ref() == Some(&said.receipt.tree);
    if said.receipt.tree != it.tree && !is_inner {
        return Err(CommitProblem::OtherTree(said.receipt.tree.to_string()));
    }
    if Some(&said.run) != it.trailers.run.as_ref() {
        return Err(CommitProblem::OtherRun(said.run.to_string()));
    }
    // A squashed run is no task: the receipt is about exactly this tree, which is what counts.
    if it.role() == CommitRole::Squash {
        return judge_checks(said);
    }
    let same_task = Some(&said.task) == it.trailers.task.as_ref();
    if !same_task || it.trailers.attempt != Some(said.attempt) {
        return Err(CommitProblem::OtherTask(format!("{}.{}", said.task, said.attempt)));
    }
    if Some(&said.onto) != it.parents.first() {
        return Err(CommitProblem::OtherParent(said.onto.to_string()));
    }
    judge_checks(said)?;
    if said.receipt.tree == it.tree {
        return Ok(());
    }
    Err(CommitProblem::OtherTree(said.receipt.tree.to_string()))
}

fn judge_checks(said: &ReceiptPredicate) -> Result<(), CommitProblem> {
    match said.receipt.checks.iter().find(|check| !check.is_accepted()) {
        Some(failed) => Err(CommitProblem::FailedCheck(failed.describe())),
        None => Ok(()),
    }
}
