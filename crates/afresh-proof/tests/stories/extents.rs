//! Where a run begins.

use afresh_core::ids::CommitId;
use afresh_proof::history::commit::CommitTrailers as Trailers;
use afresh_proof::history::{CommitTrailers, default_extent};

use crate::scene::commit_id;

/// Newest first: the digit of each commit, its trailers, its number of parents.
fn extent(history: &[(u8, &str, usize)], bases: &[(u8, u8)]) -> Option<(usize, String)> {
    let parsed: Vec<(CommitId, Trailers, usize)> = history
        .iter()
        .map(|(digit, text, parents)| (commit_id(*digit), CommitTrailers::parse(text), *parents))
        .collect();
    let commits: Vec<_> = parsed
        .iter()
        .map(|(commit, trailers, parents)| afresh_proof::history::ExtentCommit {
            commit,
            trailers,
            parents: *parents,
        })
        .collect();
    let named = |commit: &CommitId| {
        let found = bases.iter().find(|(of, _)| commit_id(*of) == *commit);
        found.map(|(_, base)| commit_id(*base))
    };
    default_extent(&commits, named).map(|found| (found.commits, found.run.to_string()))
}

const A: &str = "Afresh-Run: a\nAfresh-Task: T1\nAfresh-Attempt: 1";
const B: &str = "Afresh-Run: b\nAfresh-Task: T1\nAfresh-Attempt: 1";
const LAND: &str = "Afresh-Run: b\nAfresh-Unchecked-Merge: b";

/// TR-06: the newest run, down to the base that its notes name, or else to its first commit.
#[test]
fn the_newest_run_is_meant() {
    let some = |count: usize, run: &str| Some((count, run.to_owned()));
    assert_eq!(extent(&[(4, B, 1), (3, B, 1), (2, A, 1), (1, "", 0)], &[]), some(2, "b"));
    assert_eq!(extent(&[(9, "", 1), (4, B, 1), (2, A, 1)], &[]), some(2, "b"));
    assert_eq!(extent(&[(2, "", 1), (1, "", 0)], &[]), None);
    // A person's commit between base and run is found: the notes name the base.
    assert_eq!(extent(&[(4, B, 1), (3, "", 1), (2, "", 1)], &[(4, 2)]), some(2, "b"));
    // A forged base does not hide older commits of the run.
    assert_eq!(extent(&[(4, B, 1), (3, "", 1), (2, B, 1), (1, "", 0)], &[(4, 3)]), some(3, "b"));
    assert_eq!(extent(&[(4, B, 1), (3, B, 1)], &[(4, 77)]), some(2, "b"));
}

/// TR-06: below the merge of `land` are the user's own commits.
#[test]
fn the_merge_of_land_ends_the_first_parent_line() {
    assert_eq!(extent(&[(4, LAND, 2), (3, "", 1), (2, B, 1)], &[]), Some((1, "b".to_owned())));
}
