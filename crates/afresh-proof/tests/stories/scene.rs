//! A small history with receipts.

use afresh_core::check::{CheckEnd, CheckResult, Receipt};
use afresh_core::ids::{AttemptId, CommitId, TreeId};
use afresh_core::input::MergedTree;
use afresh_core::outcome::Deviation;
use afresh_core::plan::Check;
use afresh_proof::history::{
    CheckedLine, CommitTrailers, FoundNote, HistoryCommit, SignatureState,
};
use afresh_proof::{MergeReceipt, ProofTools, Statement};

pub(crate) fn commit_id(digit: u8) -> CommitId {
    CommitId::new(format!("{digit:02x}").repeat(20)).unwrap()
}

pub(crate) fn tree_id(digit: u8) -> TreeId {
    TreeId::new(format!("{:02x}", digit | 0x80).repeat(20)).unwrap()
}

pub(crate) fn check(command: &str, end: CheckEnd) -> CheckResult {
    CheckResult {
        duration_ms: 1_200,
        output_digest: "ab".repeat(32),
        output_tail: "the secret-free end of an output".to_owned(),
        ..CheckResult::new(&Check::from_command(command), end)
    }
}

pub(crate) fn receipt(tree: u8) -> Receipt {
    Receipt {
        covered_by: None,
        review: None,
        tree: tree_id(tree),
        checks: vec![check("sh test.sh", CheckEnd::Exited(0))],
        created: vec!["a.txt".to_owned()],
        modified: vec![],
        deleted: vec![],
        differences: vec![],
        unexecuted_tests: vec![],
        criteria: vec![],
        deviations: vec![Deviation {
            rule: 1,
            description: "the worker's own words".to_owned(),
            files: vec!["b.txt".to_owned()],
        }],
        notes: Some("the worker's own words".to_owned()),
    }
}

/// The statement of the commit with this digit: task `T<digit>`, on top of the digit below.
pub(crate) fn statement(digit: u8) -> Statement {
    statement_of(digit, &receipt(digit))
}

pub(crate) fn statement_of(digit: u8, receipt: &Receipt) -> Statement {
    let attempt = AttemptId { task: format!("T{digit}").parse().unwrap(), number: 1 };
    let merged = MergedTree::new(commit_id(digit - 1), commit_id(digit), receipt.tree.clone());
    MergeReceipt {
        run: &"r-1".parse().unwrap(),
        attempt: &attempt,
        base: &commit_id(1),
        merged: &merged,
        receipt,
        tools: &ProofTools { afresh: "0.1.0".to_owned(), sandbox: "bubblewrap".to_owned() },
        at_seconds: 1_794_857_400,
    }
    .to_statement()
}

pub(crate) fn line(statement: Statement, signature: SignatureState) -> CheckedLine {
    CheckedLine { statement: Ok(Box::new(statement)), signature }
}

/// The commit with this digit, as afresh makes it, with its own receipt.
pub(crate) fn commit(digit: u8) -> HistoryCommit {
    HistoryCommit {
        commit: commit_id(digit),
        tree: tree_id(digit),
        parents: vec![commit_id(digit - 1)],
        trailers: CommitTrailers::parse(&format!(
            "Afresh-Run: r-1\nAfresh-Task: T{digit}\nAfresh-Attempt: 1"
        )),
        note: FoundNote::Lines(vec![line(statement(digit), SignatureState::Unsigned)]),
    }
}

pub(crate) fn noted(digit: u8, lines: Vec<CheckedLine>) -> HistoryCommit {
    HistoryCommit { note: FoundNote::Lines(lines), ..commit(digit) }
}

pub(crate) fn trusted() -> SignatureState {
    SignatureState::Trusted { key: "SHA256:k".to_owned(), signer: "me@example.org".to_owned() }
}

pub(crate) fn unknown_key() -> SignatureState {
    SignatureState::UnknownKey { key: "SHA256:x".to_owned(), why: "nobody knows it".to_owned() }
}

pub(crate) fn bad_signature() -> SignatureState {
    SignatureState::Bad { why: "incorrect signature".to_owned() }
}
