//! Receipts of a run that landed, and in a patch.

use std::fs;
use std::process::Command;

use super::{finished, prepared, problems, verify};

/// TR-06: a run that landed as a fast-forward is covered on the user's branch.
#[test]
fn a_fast_forward_is_covered() {
    let repo = finished(2);
    let ran = repo.afresh(&["land"]).expect(0);
    assert!(!ran.stderr.contains("git push"), "there is no remote: {}", ran.stderr);
    assert_eq!(problems(&repo, &[]), ["-", "-"]);
    assert_eq!(verify(&repo, &[])["ref"], "HEAD");
}

/// TR-06: the merge commit of `land`, which nobody checked, is named as such; the run below it is covered.
#[test]
fn the_merge_of_land_is_named_as_unchecked() {
    let repo = finished(2);
    repo.write("mine.txt", "mine\n");
    repo.commit("mine");
    repo.afresh(&["land"]).expect(0);
    assert_eq!(problems(&repo, &[]), ["-", "-", "unchecked-merge"]);
    let ran = repo.afresh(&["verify-run"]).expect(1);
    assert!(ran.stdout.contains("(land)"), "{}", ran.stdout);
    let merge = repo.git(&["rev-parse", "--short=10", "HEAD"]);
    assert!(ran.stderr.contains(&format!("afresh verify-run {merge}^2")), "{}", ran.stderr);
    assert_eq!(problems(&repo, &["HEAD^2"]), ["-", "-"]);
}

/// TR-06: of what `land` merged, the run is verified, and not the user's own commits that it started from; a history
/// with several such merges is verified merge by merge.
#[test]
fn only_the_run_of_a_merged_branch_is_verified() {
    let repo = prepared(2);
    repo.git(&["switch", "-q", "-c", "feature"]);
    repo.write("feature.txt", "mine\n");
    repo.commit("a feature of the user's");
    repo.run(&["--parallel", "1"]).expect(0);
    let base = repo.git(&["rev-parse", "main"]);
    repo.git(&["switch", "-q", "main"]);
    for name in ["one", "two"] {
        repo.write(&format!("{name}.txt"), "mine\n");
        repo.commit(name);
    }
    repo.afresh(&["land"]).expect(0);
    assert_eq!(problems(&repo, &[]), ["-", "-", "unchecked-merge"]);
    let mine = "not-made-by-afresh";
    let whole = ["HEAD", "--base", base.as_str()];
    assert_eq!(problems(&repo, &whole), [mine, mine, "-", "-", "unchecked-merge"]);
}

/// TR-06: with a remote, `land` names the command that pushes the receipts too, and the command works.
#[test]
fn the_command_that_pushes_receipts_is_printed() {
    let repo = finished(1);
    repo.git(&["init", "-q", "--bare", "../remote.git"]);
    repo.git(&["remote", "add", "upstream", "../remote.git"]);
    repo.git(&["switch", "-q", "-c", "it's;mine"]);
    let dry = repo.afresh(&["land", "--dry-run"]).expect(0);
    assert!(!dry.stderr.contains("git push"), "{}", dry.stderr);
    let ran = repo.afresh(&["land"]).expect(0);
    let command = r"git push upstream 'it'\''s;mine' refs/notes/afresh";
    assert!(ran.stderr.contains(&format!("`{command}` pushes it with its receipts")), "{ran:?}");
    assert_eq!(repo.afresh(&["land", "--json"]).expect(0).json()["push"], command);
    let pushed = Command::new("sh").args(["-c", command]).current_dir(repo.root()).output();
    assert!(pushed.as_ref().is_ok_and(|output| output.status.success()), "{pushed:?}");
    let remote = repo.path().join("remote.git");
    let remote = remote.to_str().expect("a path");
    repo.afresh(&["-C", remote, "verify-run", "it's;mine"]).expect(0);
}

/// TR-06: a patch has the receipts as text, and applies as before.
#[test]
fn a_patch_has_the_receipts_as_text() {
    let repo = finished(2);
    repo.afresh(&["land", "--patch", "../run.patch"]).expect(0);
    let file = fs::read_to_string(repo.path().join("run.patch")).expect("written");
    let (_, below) = file.split_once("\n---\n").expect("a separator");
    let (receipts, _) = below.split_once("diff --git").expect("changes");
    assert!(receipts.starts_with("Receipts:\n* T00"), "{receipts}");
    assert_eq!(receipts.matches("(unsigned), commit ").count(), 2, "{receipts}");
    assert!(receipts.contains("  exit 0 after "), "{receipts}");
    let documents: Vec<&str> =
        receipts.lines().filter_map(|line| line.strip_prefix("Afresh-Receipt: ")).collect();
    assert_eq!(documents.len(), 2);
    for document in documents {
        let json: serde_json::Value = serde_json::from_str(document).expect("JSON");
        assert_eq!(json["_type"], "https://in-toto.io/Statement/v1");
    }
    repo.git(&["am", "-q", "../run.patch"]);
    let tree = |name: &str| repo.git(&["rev-parse", &format!("{name}^{{tree}}")]);
    assert_eq!(tree("HEAD"), tree("afresh/test-1"));
    assert_eq!(repo.git(&["log", "-1", "--format=%b"]), "* T001 task 1\n* T002 task 2");
}
