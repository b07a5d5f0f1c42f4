//! The rules: when a receipt covers a commit.

use super::commit::{CheckedLine, CommitRole, FoundNote, HistoryCommit, SignatureState};
use super::verdict::{CommitProblem, CommitVerdict, SignaturePolicy};
use crate::statement::{ReceiptPredicate, Statement};

/// A line of a note that covers its commit.
struct AcceptedLine {
    signature: SignatureState,
    receipt: Box<ReceiptPredicate>,
}

/// Judges the commits of one first-parent line, oldest first.
pub fn verify_line(oldest_first: &[HistoryCommit], policy: SignaturePolicy) -> Vec<CommitVerdict> {
    let mut verdicts: Vec<CommitVerdict> =
        oldest_first.iter().map(|it| judge_commit(it, policy)).collect();
    for (at, commit) in oldest_first.iter().enumerate() {
        let Some(tree) = commit.trailers.checked_tree.as_ref().filter(|tree| **tree != commit.tree)
        else {
            continue;
        };
        if verdicts[at].role != CommitRole::Task || verdicts[at].problem.is_none() {
            continue;
        }
        let run = &commit.trailers.run;
        let above = oldest_first.iter().zip(&verdicts).skip(at + 1);
        let cover = above
            .filter(|(other, verdict)| {
                other.tree == *tree && other.trailers.run == *run && verdict.problem.is_none()
            })
            .map(|(_, verdict)| (verdict.commit.clone(), verdict.signature.clone()))
            .next();
        let verdict = &mut verdicts[at];
        match cover {
            Some((by, signature)) => {
                (verdict.covered_by, verdict.signature) = (Some(by), signature);
                verdict.problem = None;
            }
            None if verdict.problem == Some(CommitProblem::MissingNote) => {
                verdict.problem = Some(CommitProblem::OtherCoveringTree(tree.to_string()));
            }
            None => {}
        }
    }
    verdicts
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
        CommitRole::Task => judge_note(it, policy),
    };
    match judged {
        Ok(accepted) => {
            verdict.covered_by = Some(it.commit.clone());
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
            let receipt = Box::new(statement.predicate.clone());
            Ok(AcceptedLine { signature: signature.clone(), receipt })
        }
    }
}

fn judge_statement(it: &HistoryCommit, statement: &Statement) -> Result<(), CommitProblem> {
    let said = &statement.predicate;
    let named = |id: Option<&str>| id.unwrap_or("which it does not name").to_owned();
    if statement.commit() != Some(it.commit.as_str()) {
        return Err(CommitProblem::MovedNote(named(statement.commit())));
    }
    if statement.tree() != Some(it.tree.as_str()) {
        return Err(CommitProblem::OtherTree(named(statement.tree())));
    }
    if said.receipt.tree != it.tree {
        return Err(CommitProblem::OtherTree(said.receipt.tree.to_string()));
    }
    if Some(&said.run) != it.trailers.run.as_ref() {
        return Err(CommitProblem::OtherRun(said.run.to_string()));
    }
    let same_task = Some(&said.task) == it.trailers.task.as_ref();
    if !same_task || it.trailers.attempt != Some(said.attempt) {
        return Err(CommitProblem::OtherTask(format!("{}.{}", said.task, said.attempt)));
    }
    if Some(&said.onto) != it.parents.first() {
        return Err(CommitProblem::OtherParent(said.onto.to_string()));
    }
    match said.receipt.checks.iter().find(|check| !check.is_accepted()) {
        Some(failed) => Err(CommitProblem::FailedCheck(failed.describe())),
        None => Ok(()),
    }
}
