//! Which commits a receipt covers.

use afresh_core::check::CheckEnd;
use afresh_proof::history::{
    CommitProblem, CommitRole, CommitTrailers, CommitVerdict, FoundNote, HistoryCommit,
    SignaturePolicy, SignatureState, refute, verify_line,
};

use crate::scene::{
    bad_signature, check, commit, commit_id, line, noted, receipt, statement, statement_of,
    tree_id, trusted, unknown_key,
};

fn judge(commits: &[HistoryCommit]) -> Vec<CommitVerdict> {
    verify_line(commits, SignaturePolicy::Optional)
}

fn code_of(commit: HistoryCommit) -> &'static str {
    let verdicts = judge(&[commit]);
    verdicts[0].problem.as_ref().map_or("none", CommitProblem::code)
}

/// TR-06: every commit with a receipt for exactly its tree is covered by itself.
#[test]
fn a_run_with_all_its_notes_is_covered() {
    let verdicts = judge(&[commit(2), commit(3), commit(4)]);
    for verdict in &verdicts {
        assert_eq!(verdict.problem, None);
        assert_eq!(verdict.covered_by, Some(verdict.commit.clone()));
        assert_eq!(verdict.signature, Some(SignatureState::Unsigned));
    }
    assert_eq!(verdicts[2].task.as_deref(), Some("T4"));
}

/// TR-06: a missing, moved, replayed or damaged note covers nothing.
#[test]
fn a_note_that_is_not_of_this_commit_covers_nothing() {
    assert_eq!(code_of(HistoryCommit { note: FoundNote::Missing, ..commit(2) }), "missing-note");
    assert_eq!(code_of(HistoryCommit { note: FoundNote::TooLarge, ..commit(2) }), "note-too-large");
    let unsigned = |said| noted(2, vec![line(said, SignatureState::Unsigned)]);
    assert_eq!(code_of(unsigned(statement(3))), "moved-note");
    let mut two = statement(2);
    two.subject.push(statement(3).subject[0].clone());
    assert_eq!(code_of(unsigned(two)), "moved-note");
    assert_eq!(code_of(unsigned(statement_of(2, &receipt(7)))), "other-tree");
    let mut said = statement(2);
    said.predicate.receipt.tree = tree_id(7);
    assert_eq!(code_of(unsigned(said)), "other-tree");
    let mut said = statement(2);
    said.predicate.run = "r-2".parse().unwrap();
    assert_eq!(code_of(unsigned(said)), "other-run");
    let mut said = statement(2);
    said.predicate.attempt = 2;
    assert_eq!(code_of(unsigned(said)), "other-task");
    let mut said = statement(2);
    said.predicate.task = "T9".parse().unwrap();
    assert_eq!(code_of(unsigned(said)), "other-task");
    let mut said = statement(2);
    said.predicate.onto = commit_id(9);
    assert_eq!(code_of(unsigned(said)), "other-parent");
}

/// TR-06: a receipt whose checks did not pass proves the opposite.
#[test]
fn a_failed_check_covers_nothing() {
    for end in [CheckEnd::Exited(1), CheckEnd::TimedOut, CheckEnd::Signaled(9)] {
        let mut failed = receipt(2);
        failed.checks.push(check("sh other.sh", end));
        let said = statement_of(2, &failed);
        assert_eq!(code_of(noted(2, vec![line(said, trusted())])), "failed-check");
    }
}

/// TR-06: a commit that afresh did not make is found, even with a note of ours on it.
#[test]
fn a_foreign_commit_is_found() {
    for trailers in [
        "",
        "Signed-off-by: me",
        "Afresh-Run: r-1",
        "Afresh-Task: T2",
        "Afresh-Run: r-1\nAfresh-Run: r-2\nAfresh-Task: T2\nAfresh-Attempt: 1",
    ] {
        let foreign = HistoryCommit { trailers: CommitTrailers::parse(trailers), ..commit(2) };
        assert_eq!(code_of(foreign), "not-made-by-afresh", "{trailers:?}");
    }
}

/// TR-06: the merge commit of `land` is named as what it is.
#[test]
fn the_merge_of_land_is_unchecked() {
    for trailers in ["Afresh-Run: r-1\nAfresh-Unchecked-Merge: r-1", "Afresh-Run: r-1"] {
        let merge = HistoryCommit {
            trailers: CommitTrailers::parse(trailers),
            parents: vec![commit_id(1), commit_id(8)],
            ..commit(2)
        };
        let verdicts = judge(&[merge]);
        assert_eq!(verdicts[0].problem, Some(CommitProblem::UncheckedMerge));
        assert_eq!(verdicts[0].role, CommitRole::LandMerge);
    }
}

/// TR-06: of the lines of a union, any valid one counts, and the best signature is reported.
#[test]
fn any_valid_line_of_a_union_counts() {
    let malformed = || afresh_proof::history::CheckedLine {
        statement: Err("no JSON".to_owned()),
        signature: SignatureState::Unsigned,
    };
    let union = noted(
        2,
        vec![
            malformed(),
            line(statement(3), trusted()),
            line(statement(2), SignatureState::Unsigned),
            line(statement(2), trusted()),
            line(statement(2), unknown_key()),
            line(statement(2), bad_signature()),
        ],
    );
    let verdicts = judge(&[union]);
    assert_eq!(verdicts[0].problem, None);
    assert_eq!(verdicts[0].signature, Some(trusted()));
    assert_eq!(code_of(noted(2, vec![malformed()])), "malformed-note");
    assert_eq!(code_of(noted(2, vec![malformed(), line(statement(3), trusted())])), "moved-note");
}

/// TR-06: an altered payload is found by its signature; unsigned and unknown keys are enough only where no signature
/// is required.
#[test]
fn signatures_count_as_far_as_they_are_trusted() {
    let with = |signature| noted(2, vec![line(statement(2), signature)]);
    assert_eq!(code_of(with(bad_signature())), "bad-signature");
    assert_eq!(code_of(with(unknown_key())), "none");
    let required = |signature| {
        let verdicts = verify_line(&[with(signature)], SignaturePolicy::Required);
        verdicts[0].problem.as_ref().map_or("none", CommitProblem::code)
    };
    assert_eq!(required(SignatureState::Unsigned), "unsigned");
    assert_eq!(required(unknown_key()), "untrusted-key");
    assert_eq!(required(bad_signature()), "bad-signature");
    assert_eq!(required(trusted()), "none");
}

/// TR-06: inside a batch, a commit is covered by the receipt of the tree that it names, if that is further up.
#[test]
fn a_commit_of_a_batch_is_covered_by_the_tree_that_it_names() {
    let inner = |digit: u8, names: u8| HistoryCommit {
        note: FoundNote::Missing,
        trailers: CommitTrailers { checked_tree: Some(tree_id(names)), ..commit(digit).trailers },
        ..commit(digit)
    };
    let verdicts = judge(&[inner(2, 4), inner(3, 4), commit(4)]);
    assert_eq!(verdicts[0].covered_by, Some(commit_id(4)));
    assert_eq!(verdicts[1].covered_by, Some(commit_id(4)));
    assert!(verdicts.iter().all(|verdict| verdict.problem.is_none()));
    // Nobody checked that tree, it is further down, or its own receipt does not count.
    let code =
        |commits: &[HistoryCommit], at: usize| judge(commits)[at].problem.clone().unwrap().code();
    assert_eq!(code(&[inner(2, 9), commit(3)], 0), "not-covered");
    assert_eq!(code(&[commit(2), inner(3, 2)], 1), "not-covered");
    let unproved = HistoryCommit { note: FoundNote::Missing, ..commit(4) };
    assert_eq!(code(&[inner(3, 4), unproved], 0), "not-covered");
    let other_run = HistoryCommit {
        trailers: CommitTrailers { run: Some("r-2".parse().unwrap()), ..inner(3, 4).trailers },
        ..inner(3, 4)
    };
    assert_eq!(code(&[other_run, commit(4)], 0), "not-covered");
}

/// TR-06, B03: what a forged note says is shown as plain, short text.
#[test]
fn problems_are_described_in_one_plain_line() {
    let mut forged = statement(2);
    forged.predicate.receipt.checks[0].end = CheckEnd::Exited(1);
    forged.predicate.receipt.checks[0].command = format!("\x1b[2J\n{}", "x".repeat(10_000));
    let verdicts = judge(&[noted(2, vec![line(forged, SignatureState::Unsigned)])]);
    let text = verdicts[0].problem.as_ref().unwrap().describe();
    assert!(text.chars().count() < 600 && !text.contains(['\x1b', '\n']), "{text}");
}

/// TR-06: a receipt that does not hold covers neither its commit nor its batch.
#[test]
fn a_refuted_receipt_covers_nothing() {
    let inner = HistoryCommit {
        note: FoundNote::Missing,
        trailers: CommitTrailers { checked_tree: Some(tree_id(3)), ..commit(2).trailers },
        ..commit(2)
    };
    let mut verdicts = judge(&[inner, commit(3), commit(4)]);
    let problem = CommitProblem::RerunFailed("`test` ended with exit code 1".to_owned());
    refute(&mut verdicts, &commit_id(3), &problem);
    let problems: Vec<_> = verdicts.iter().map(|verdict| verdict.problem.clone()).collect();
    assert_eq!(problems, [Some(problem.clone()), Some(problem), None]);
}

/// EX-16: a squashed run is covered by the receipt of its last commit, if it has exactly that tree.
#[test]
fn a_squashed_run_is_covered_by_the_receipt_of_its_last_commit() {
    let trailers = |last: u8| {
        let text = format!("Afresh-Run: r-1\nAfresh-Squashed: {}", commit_id(last));
        CommitTrailers::parse(&text)
    };
    // Commit 9 has the tree of commit 3, and the note of commit 3.
    let squashed = HistoryCommit {
        commit: commit_id(9),
        trailers: trailers(3),
        parents: vec![commit_id(7)],
        ..commit(3)
    };
    let judge = |it: &HistoryCommit| {
        verify_line(std::slice::from_ref(it), SignaturePolicy::Optional).remove(0)
    };
    let verdict = judge(&squashed);
    assert_eq!((verdict.role, verdict.problem), (CommitRole::Squash, None));
    assert_eq!(verdict.covered_by, Some(commit_id(3)));
    let changed = HistoryCommit { tree: tree_id(4), ..squashed.clone() };
    assert_eq!(judge(&changed).problem.map(|it| it.code()), Some("other-tree"));
    let moved = HistoryCommit { trailers: trailers(2), ..squashed.clone() };
    assert_eq!(judge(&moved).problem.map(|it| it.code()), Some("moved-note"));
    let without = HistoryCommit { note: FoundNote::Missing, ..squashed.clone() };
    assert_eq!(judge(&without).problem.map(|it| it.code()), Some("missing-note"));
    let text =
        format!("Afresh-Run: r-1\nAfresh-Squashed: {}\nAfresh-Unchecked-Merge: r-1", commit_id(3));
    let unchecked = HistoryCommit { trailers: CommitTrailers::parse(&text), ..squashed };
    assert_eq!(judge(&unchecked).problem.map(|it| it.code()), Some("unchecked-squash"));
}
