//! What `afresh verify-run` finds.

use std::fs;

use afresh_testkit::TestRepo;

use super::{BRANCH, finished, note_of, prepared, problems, put_note, verify};
use crate::support::repo;

/// TR-06: a run with all its notes is covered; the table says by what.
#[test]
fn a_run_with_its_notes_is_covered() {
    let repo = finished(2);
    let json = verify(&repo, &[]);
    let commits = json["commits"].as_array().expect("commits");
    assert_eq!((commits.len(), &json["run"]), (2, &"test-1".into()));
    assert_eq!(json["base"], repo.git(&["rev-parse", "main"]).as_str());
    let last = &commits[1];
    assert_eq!(last["commit"], repo.git(&["rev-parse", BRANCH]).as_str());
    assert_eq!(last["tree"], repo.git(&["rev-parse", &format!("{BRANCH}^{{tree}}")]).as_str());
    assert_eq!((&last["covered_by"], &last["signed"]), (&last["commit"], &false.into()));
    assert_eq!(last["signature"]["state"], "unsigned");
    let ran = repo.afresh(&["verify-run", BRANCH]).expect(0);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("commit      task  covered by  signed    problem"), "{lines:?}");
    assert!(lines[1].ends_with("itself      unsigned  -"), "{lines:?}");
    assert!(ran.stderr.contains("2 of 2 commits in afresh/test-1 covered by receipts"), "{ran:?}");
    // Neither state nor cache is needed.
    fs::remove_dir_all(repo.state()).expect("removed");
    fs::remove_dir_all(repo.cache()).expect("removed");
    assert_eq!(problems(&repo, &[]), ["-", "-"]);
}

/// TR-06: a missing, moved, replayed or altered note is found.
#[test]
fn notes_that_do_not_belong_to_their_commit_are_found() {
    let repo = finished(2);
    let (first, second) = (note_of(&repo, &format!("{BRANCH}^")), note_of(&repo, BRANCH));
    repo.git(&["notes", "--ref=afresh", "remove", BRANCH]);
    assert_eq!(problems(&repo, &[]), ["-", "missing-note"]);
    let ran = repo.afresh(&["verify-run"]).expect(1);
    let fetch = "git fetch origin refs/notes/afresh:refs/notes/afresh";
    assert!(ran.stderr.contains(fetch), "{}", ran.stderr);
    put_note(&repo, BRANCH, &first);
    assert_eq!(problems(&repo, &[]), ["-", "moved-note"]);
    // The receipt of an earlier state, given out as one for this commit.
    let commit = repo.git(&["rev-parse", BRANCH]);
    let before = repo.git(&["rev-parse", &format!("{BRANCH}^")]);
    put_note(&repo, BRANCH, &first.replace(&before, &commit));
    assert_eq!(problems(&repo, &[]), ["-", "other-tree"]);
    put_note(&repo, BRANCH, &second.replace("{\"exited\":0}", "{\"exited\":1}"));
    assert_eq!(problems(&repo, &[]), ["-", "failed-check"]);
    put_note(&repo, BRANCH, &second.replace("\"test-1\"", "\"test-9\""));
    assert_eq!(problems(&repo, &[]), ["-", "other-run"]);
    // A forged line beside the real one changes nothing.
    put_note(&repo, BRANCH, &format!("{first}\nnonsense\n{second}\n"));
    assert_eq!(problems(&repo, &[]), ["-", "-"]);
}

/// TR-06: a commit that afresh did not make is found, on top and in between, even with a copied message.
#[test]
fn commits_of_others_are_found() {
    let repo = finished(2);
    repo.git(&["switch", "-q", BRANCH]);
    repo.write("mine.txt", "mine\n");
    repo.commit("mine");
    assert_eq!(problems(&repo, &[]), ["-", "-", "not-made-by-afresh"]);
    let message = repo.git(&["log", "-1", "--format=%B", "HEAD^"]);
    repo.git(&["commit", "-q", "--amend", "-m", &message]);
    assert_eq!(problems(&repo, &[]), ["-", "-", "missing-note"]);
    let copied = note_of(&repo, "HEAD^");
    put_note(&repo, "HEAD", &copied);
    assert_eq!(problems(&repo, &[]), ["-", "-", "moved-note"]);
    // An amended commit of a run is another commit.
    repo.git(&["reset", "-q", "--hard", "HEAD^"]);
    repo.write("T002.txt", "changed afterwards\n");
    repo.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    assert_eq!(problems(&repo, &[]), ["-", "missing-note"]);
}

/// A commit with a forged message and a forged, unsigned receipt, which says that its check passed.
fn forge_commit(repo: &TestRepo, check: &str) {
    let note = note_of(repo, BRANCH);
    let id = |name: &str| repo.git(&["rev-parse", name]);
    let (tip, tree) = (id(BRANCH), id(&format!("{BRANCH}^{{tree}}")));
    let onto = id(&format!("{BRANCH}^"));
    repo.git(&["switch", "-q", BRANCH]);
    repo.write("T002.txt", "");
    repo.git(&["add", "-A"]);
    let message = repo.git(&["log", "-1", "--format=%B"]);
    repo.git(&["commit", "-q", "-m", &message]);
    let forged = note.replace(&tree, &id("HEAD^{tree}")).replace(&onto, "ONTO");
    let forged = forged.replace(&tip, &id("HEAD")).replace("ONTO", &tip);
    put_note(repo, "HEAD", &forged.replace("test -s T002.txt", check));
}

/// TR-06: a whole forged receipt is accepted as long as it is unsigned; running its checks again finds it.
#[test]
fn running_the_checks_again_finds_a_forged_receipt() {
    let repo = finished(2);
    let ran = repo.afresh(&["verify-run", "--rerun"]).expect(0);
    assert!(ran.stderr.contains("running 1 check of T001"), "{}", ran.stderr);
    forge_commit(&repo, "test -s T002.txt");
    assert_eq!(problems(&repo, &[]), ["-", "-", "-"]);
    assert_eq!(problems(&repo, &["--rerun"]), ["-", "-", "rerun-failed"]);
    assert_eq!(problems(&repo, &["--require-signed"]), ["unsigned"; 3]);
    repo.expect_no_survivors();
}

/// TR-06: a forged receipt may name a check that proves nothing; what the configuration asks of every merge is run on
/// the last commit all the same.
#[test]
fn checks_of_every_merge_run_again_on_the_last_commit() {
    let repo = finished(2);
    forge_commit(&repo, "true");
    assert_eq!(problems(&repo, &["--rerun"]), ["-", "-", "-"]);
    repo.config("[checks]\nalways = [\"test -s T002.txt\"]");
    assert_eq!(problems(&repo, &["--rerun"]), ["-", "-", "rerun-failed"]);
    let json = verify(&repo, &["--rerun"]);
    let detail = json["commits"][2]["detail"].as_str().expect("a detail");
    assert!(detail.contains("`test -s T002.txt` ended with exit code 1"), "{detail}");
}

/// TR-06: a forged receipt cannot excuse a check, neither its own nor one of every merge.
#[test]
fn an_excuse_of_a_forged_receipt_is_not_believed() {
    let repo = finished(2);
    forge_commit(&repo, "test -s T002.txt");
    let forged = note_of(&repo, "HEAD");
    let command = "\"command\":\"test -s T002.txt\"";
    for excuse in ["\"failed-before\"", "\"only-measured\"", "{\"quarantined\":\"timing\"}"] {
        put_note(
            &repo,
            "HEAD",
            &forged.replace(command, &format!("{command},\"excuse\":{excuse}")),
        );
        assert_eq!(problems(&repo, &[]), ["-", "-", "-"], "{excuse}");
        repo.config("");
        assert_eq!(problems(&repo, &["--rerun"]), ["-", "-", "rerun-failed"], "{excuse}");
        repo.config("[checks]\nalways = [\"test -s T002.txt\"]");
        assert_eq!(problems(&repo, &["--rerun"]), ["-", "-", "rerun-failed"], "{excuse}");
    }
    // What this clone lets fail itself is another matter.
    repo.config(
        "[checks]\n[[checks.quarantine]]\ncommand = \"test -s T002.txt\"\nreason = \"timing\"\nuntil = \"2999-12-31\"",
    );
    assert_eq!(problems(&repo, &["--rerun"]), ["-", "-", "-"]);
}

/// TR-02, TR-06: a failure of the base is verified by running it there; checks that did not simply pass are named.
#[test]
fn a_failure_of_the_base_is_verified_and_named() {
    let repo = prepared(1);
    repo.config(
        "[run]\nagent = \"mine\"\n[checks]\nalways = [\"test -s never.txt\"]\non_red_base = \"continue\"",
    );
    repo.commit("a red base");
    repo.run(&[]).expect(0);
    let ran = repo.afresh(&["verify-run", "--rerun"]).expect(0);
    assert!(ran.stderr.contains("as on the commit before it"), "{}", ran.stderr);
    assert!(
        ran.stdout.contains("`test -s never.txt` failed, as before the work"),
        "{}",
        ran.stdout
    );
    let caveats = verify(&repo, &[])["commits"][0]["caveats"].clone();
    assert_eq!(caveats[0]["kind"], "failed-before", "{caveats}");
    assert_eq!(caveats[0]["check"], "test -s never.txt");
}

/// TR-06: with `--base`, everything after it counts; without a run there is nothing to verify.
#[test]
fn a_base_can_be_named() {
    let repo = prepared(1);
    let ran = repo.afresh(&["verify-run"]).expect(2);
    assert!(ran.stderr.contains("no commit of HEAD was made by a run"), "{}", ran.stderr);
    assert_eq!(problems(&repo, &["HEAD", "--base", "HEAD^"]), ["not-made-by-afresh"]);
    repo.run(&[]).expect(0);
    assert_eq!(problems(&repo, &[BRANCH, "--base", "main"]), ["-"]);
    assert_eq!(problems(&repo, &[BRANCH, "--base", "main^"]), ["not-made-by-afresh", "-"]);
    let empty = repo.afresh(&["verify-run", BRANCH, "--base", BRANCH, "--json"]).expect(2).json();
    assert_eq!(empty["error"]["kind"], "nothing-to-verify", "{empty}");
    for args in [&["nonsense"][..], &["--base", "nonsense"], &["--", "--all"]] {
        let args = [&["verify-run", "--json"], args].concat();
        let error = repo.afresh(&args).expect(2).json();
        assert_eq!(error["error"]["kind"], "unknown-commit", "{error}");
    }
}

/// TR-06: it works in a bare clone; a clone without the notes, or a shallow one, gets a good error.
#[test]
fn other_clones_can_verify() {
    let repo = finished(2);
    let clone = |name: &str, options: &[&str]| {
        let source = format!("file://{}", repo.root().display());
        let target = repo.path().join(name).to_str().expect("a path").to_owned();
        let args = [&["clone", "-q", "--branch", BRANCH], options, &[&source, &target]].concat();
        repo.git(&args);
        target
    };
    let notes = "refs/notes/afresh:refs/notes/afresh";
    let bare = clone("bare", &["--bare"]);
    let ran = repo.afresh(&["-C", &bare, "verify-run"]).expect(1);
    assert!(ran.stderr.contains("this clone has no notes; fetch them"), "{}", ran.stderr);
    repo.git(&["-C", &bare, "fetch", "-q", "origin", notes]);
    repo.afresh(&["-C", &bare, "verify-run"]).expect(0);
    let shallow = clone("shallow", &["--depth", "2"]);
    repo.git(&["-C", &shallow, "fetch", "-q", "origin", notes]);
    let ran = repo.afresh(&["-C", &shallow, "verify-run"]).expect(2);
    assert!(ran.stderr.contains("this is a shallow clone"), "{}", ran.stderr);
    assert!(ran.stderr.contains("git fetch --unshallow"), "{}", ran.stderr);
    repo.git(&["-C", &shallow, "fetch", "-q", "--unshallow"]);
    repo.afresh(&["-C", &shallow, "verify-run"]).expect(0);
}

/// TR-06: the last run of a branch is meant, and an empty repository has none.
#[test]
fn the_newest_run_is_verified() {
    let repo = finished(1);
    repo.afresh(&["land"]).expect(0);
    repo.write("T001.txt", "");
    repo.commit("undone");
    repo.run(&["--new"]).expect(0);
    assert_eq!(problems(&repo, &["afresh/test-2"]), ["-"]);
    // The user's own commit is behind the first run, and in front of the second.
    assert_eq!(problems(&repo, &["main"]), ["-", "not-made-by-afresh"]);
    let empty = crate::support::repo();
    empty.git(&["checkout", "-q", "--orphan", "nothing"]);
    let ran = empty.afresh(&["verify-run"]).expect(2);
    assert!(ran.stderr.contains("has no commit yet"), "{}", ran.stderr);
    drop(repo);
    let outside = repo_outside();
    let ran = outside.afresh(&["verify-run"]).expect(2);
    assert!(ran.stderr.contains("is not inside one"), "{}", ran.stderr);
}

fn repo_outside() -> TestRepo {
    let repo = repo();
    fs::remove_dir_all(repo.root().join(".git")).expect("removed");
    repo
}
