//! `afresh land`: merges a finished run into the user's branch, with the real program.

use std::fs;

use crate::support::git::{in_front_of_path, put_git};
use crate::support::{WORKER, repo};
use afresh_testkit::TestRepo;

/// A repository with a finished run of two tasks.
fn finished() -> TestRepo {
    let repo = repo();
    repo.plan_of(2);
    repo.commit("a plan");
    repo.agent(WORKER);
    repo.run(&[]).expect(0);
    repo
}

fn head(repo: &TestRepo) -> String {
    repo.git(&["rev-parse", "main"])
}

/// EX-10: the user's branch moves to the run's branch; a second time reports that; uncommitted work stays.
#[test]
fn a_finished_run_lands_on_the_users_branch() {
    let repo = finished();
    repo.write("README.md", "changed, not committed\n");
    repo.write("untracked.txt", "mine\n");
    let ran = repo.afresh(&["land"]).expect(0);
    assert_eq!(ran.stdout, "");
    assert!(
        ran.stderr.contains("landed afresh/test-1 on main: fast-forward, 2 files"),
        "{}",
        ran.stderr
    );
    assert_eq!(head(&repo), repo.git(&["rev-parse", "afresh/test-1"]));
    assert_eq!(repo.git(&["status", "--porcelain"]), " M README.md\n?? untracked.txt");
    let again = repo.afresh(&["land", "--json"]).expect(0).json();
    assert_eq!((&again["way"], &again["branch"]), (&"already".into(), &"main".into()));
}

/// EX-10: files of the user in the way, and a conflict, are reported with their paths; exit 1, and every byte is
/// unchanged.
#[test]
fn obstacles_are_reported_and_kept() {
    let repo = finished();
    repo.write("T001.txt", "mine\n");
    let before = repo.untouched();
    let ran = repo.afresh(&["land"]).expect(1);
    insta::assert_snapshot!(ran.stderr);
    let error = repo.afresh(&["land", "--json"]).expect(1).json();
    assert_eq!(error["error"]["kind"], "in-the-way");
    repo.untouched().expect_same_as(&before);
    // The hint stashes what is in the way, and neither the plan nor the configuration.
    repo.write("p.plan.toml", "changed");
    repo.git(&["stash", "push", "--quiet", "-u", "--", "T001.txt"]);
    assert_eq!(fs::read_to_string(repo.root().join("p.plan.toml")).expect("it is kept"), "changed");
    repo.git(&["stash", "pop", "--quiet"]);
    repo.git(&["checkout", "--quiet", "p.plan.toml"]);
    repo.commit("mine");
    let before = repo.untouched();
    let ran = repo.afresh(&["land"]).expect(1);
    insta::assert_snapshot!(ran.stderr);
    repo.untouched().expect_same_as(&before);
}

/// EX-10: `--dry-run` reports what would happen, and writes nothing.
#[test]
fn a_dry_run_changes_nothing() {
    let repo = finished();
    repo.write("other.txt", "mine\n");
    repo.commit("mine");
    let before = repo.untouched();
    let planned = repo.afresh(&["land", "--dry-run", "--json"]).expect(0).json();
    assert_eq!((&planned["way"], &planned["to"]), (&"merge".into(), &serde_json::Value::Null));
    assert_eq!(planned["files"], serde_json::json!(["T001.txt", "T002.txt"]));
    repo.untouched().expect_same_as(&before);
    let ran = repo.afresh(&["land"]).expect(0);
    assert!(ran.stderr.contains("afresh has not checked the combination"), "{}", ran.stderr);
    assert_eq!(
        repo.git(&["log", "-1", "--format=%s|%(trailers:only=true)"]),
        "Merge run test-1: test|Afresh-Run: test-1\nAfresh-Unchecked-Merge: test-1"
    );
}

/// EX-10: an unfinished run lands only on request, with what is done.
#[test]
fn an_unfinished_run_lands_only_in_part_and_on_request() {
    let repo = repo();
    repo.plan_of(2);
    repo.commit("a plan");
    repo.agent("[ $AFRESH_TASK = T001 ] && echo x > T001.txt");
    repo.run(&["--on-failure", "skip"]).expect(1);
    let before = repo.untouched();
    let ran = repo.afresh(&["land"]).expect(1);
    assert!(ran.stderr.contains("run test-1 is unfinished: 1 done, 1 skipped"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--partial"), "{}", ran.stderr);
    repo.untouched().expect_same_as(&before);
    repo.afresh(&["land", "--partial"]).expect(0);
    assert!(repo.root().join("T001.txt").is_file());
    let again = repo.afresh(&["land"]).expect(1);
    assert!(again.stderr.contains("what run test-1 has done is already in main"), "{again:?}");
    assert!(!again.stderr.contains("--partial"), "{again:?}");
}

/// EX-10: `--patch` writes one patch that gives the same tree, and touches nothing else.
#[test]
fn a_patch_is_written_instead() {
    let repo = finished();
    let before = head(&repo);
    repo.afresh(&["land", "--patch", "../run.patch"]).expect(0);
    assert_eq!(head(&repo), before);
    let file = fs::read_to_string(repo.path().join("run.patch")).expect("written");
    assert_eq!(
        repo.afresh(&["land", "--patch", "-"]).expect(0).stdout.lines().nth(4),
        file.lines().nth(4)
    );
    repo.git(&["am", "-q", "../run.patch"]);
    assert_eq!(
        repo.git(&["rev-parse", "HEAD^{tree}"]),
        repo.git(&["rev-parse", "afresh/test-1^{tree}"])
    );
    assert_eq!(repo.git(&["log", "-1", "--format=%s%n%b"]), "test\n* T001 task 1\n* T002 task 2");
}

/// EX-10, F02: if landing is killed after any of its calls of git, the next one finishes it, and nothing of the user's
/// is lost.
#[test]
fn a_kill_at_any_call_of_git_is_recovered_from() {
    let repo = finished();
    let base = head(&repo);
    let count = repo.path().join("count");
    let directory = put_git(
        &repo,
        &format!(
            "n=$(($(cat '{0}' 2>/dev/null || echo 0) - 1)); echo $n > '{0}'\n\
             if [ $n = 0 ]; then \"$git\" \"$@\"; kill -9 $PPID; exit 1; fi",
            count.display()
        ),
    );
    repo.write("README.md", "changed, not committed\n");
    for calls in 1.. {
        fs::write(&count, calls.to_string()).expect("written");
        let mut command = repo.command(&["land"]);
        command.env("PATH", in_front_of_path(&directory));
        let killed = afresh_testkit::repo::finish(command);
        let ran = repo.afresh(&["land"]).expect(0);
        assert_eq!(
            head(&repo),
            repo.git(&["rev-parse", "afresh/test-1"]),
            "after {calls}: {ran:?}"
        );
        assert_eq!(repo.git(&["status", "--porcelain"]), " M README.md", "after {calls}");
        repo.git(&["stash", "-q"]);
        repo.git(&["reset", "-q", "--hard", &base]);
        repo.git(&["stash", "pop", "-q"]);
        // The `cat-file` process outlives the landing, and so kills nothing.
        let left = fs::read_to_string(&count).expect("counted");
        if left.trim().parse::<i64>().expect("a number") > 0 {
            assert_eq!(killed.code, Some(0), "{}", killed.stderr);
            assert!(calls > 8, "too few calls were seen: {calls}");
            return;
        }
    }
}

/// EX-10: a stash does not take a file that git ignores, so the hint is another one.
#[test]
fn an_ignored_file_in_the_way_is_to_be_moved() {
    let repo = finished();
    fs::write(repo.root().join(".git/info/exclude"), "T001.txt\n").expect("written");
    repo.write("T001.txt", "mine\n");
    let ran = repo.afresh(&["land"]).expect(1);
    assert!(ran.stderr.contains("T001.txt exists, and git ignores it"), "{ran:?}");
    assert!(ran.stderr.contains("move or rename it") && !ran.stderr.contains("stash"), "{ran:?}");
    repo.write("T002.txt", "mine\n");
    let both = repo.afresh(&["land"]).expect(1);
    assert!(both.stderr.contains("T002.txt exists and is untracked"), "{both:?}");
    assert!(both.stderr.contains("move aside what git ignores"), "{both:?}");
    assert_eq!(fs::read_to_string(repo.root().join("T001.txt")).expect("kept"), "mine\n");
}

/// EX-10: the advice at the end of a run, and that of `land`, can be followed.
#[test]
fn advice_about_landing_can_be_followed() {
    let repo = repo();
    repo.plan_of(2);
    repo.commit("a plan");
    repo.agent("exit 1");
    repo.run(&["--no-input"]).expect(4);
    let nothing = repo.afresh(&["land"]).expect(1);
    assert!(nothing.stderr.contains("nothing of run test-1 is done yet"), "{nothing:?}");
    assert!(!nothing.stderr.contains("--partial"), "{nothing:?}");
    repo.agent(WORKER);
    let one = repo.run(&["--new", "--task", "T001"]).expect(0);
    assert!(one.stderr.contains("`afresh land --partial` merges it"), "{one:?}");
    repo.afresh(&["land", "--partial"]).expect(0);
    assert!(repo.root().join("T001.txt").exists());
    // HU-08: nobody drives it, so it is not running.
    let report = repo.afresh(&["report"]).expect(0).stdout;
    assert!(report.starts_with("# test: not finished\n"), "{report}");
}

/// EX-10, EX-16: `--squash` lands one commit with the tree that was checked, which names the run, its tasks and their
/// commits; its receipt is found, also where the run's own commits are gone.
#[test]
fn a_run_lands_as_one_commit() {
    let repo = finished();
    let (base, tip) = (head(&repo), repo.git(&["rev-parse", "afresh/test-1"]));
    let planned = repo.afresh(&["land", "--squash", "--dry-run", "--json"]).expect(0).json();
    assert_eq!((&planned["way"], head(&repo)), (&"squash".into(), base.clone()));
    repo.write("README.md", "changed, not committed\n");
    repo.afresh(&["land", "--squash"]).expect(0);
    assert_eq!(repo.git(&["rev-parse", "HEAD^"]), base, "one commit on the user's branch");
    assert_eq!(
        repo.git(&["rev-parse", "HEAD^{tree}"]),
        repo.git(&["rev-parse", &format!("{tip}^{{tree}}")])
    );
    assert_eq!(repo.git(&["status", "--porcelain"]), " M README.md");
    let message = repo.git(&["log", "-1", "--format=%B"]);
    assert!(message.starts_with("test\n\n- "), "{message}");
    assert!(message.contains(&format!("- {} T", &tip[..10])), "{message}");
    assert!(message.ends_with(&format!("Afresh-Run: test-1\nAfresh-Squashed: {tip}")), "{message}");
    // A second time there is nothing to land.
    let again = repo.afresh(&["land", "--squash", "--json"]).expect(0).json();
    assert_eq!(again["way"], "already");
    // What is left of the run is removed, because its content is in the branch; the receipt still covers it.
    repo.git(&["stash", "-q"]);
    repo.afresh(&["clean"]).expect(0);
    assert_eq!(repo.git(&["branch", "--list", "afresh/*"]), "");
    let verified = repo.afresh(&["verify-run", "--json"]).expect(0).json();
    let commits = verified["commits"].as_array().expect("commits");
    assert_eq!(commits.len(), 1, "{verified}");
    assert_eq!(commits[0]["covered_by"], tip.as_str());
    let text = repo.afresh(&["verify-run"]).expect(0).stdout;
    assert!(text.contains("(squash)"), "{text}");
}

/// EX-10: on a branch that has moved on, no check ran on the one commit; `verify-run` says that.
#[test]
fn a_squash_onto_other_commits_is_not_covered() {
    let repo = finished();
    repo.write("other.txt", "mine\n");
    repo.commit("mine");
    let ran = repo.afresh(&["land", "--squash"]).expect(0);
    assert!(ran.stderr.contains("afresh has not checked the combination"), "{}", ran.stderr);
    assert!(repo.root().join("T001.txt").is_file() && repo.root().join("other.txt").is_file());
    let verified = repo.afresh(&["verify-run", "--json"]).expect(1).json();
    assert_eq!(verified["commits"][0]["problem"], "unchecked-squash", "{verified}");
    let tip = repo.git(&["rev-parse", "afresh/test-1"]);
    let text = repo.afresh(&["verify-run"]).expect(1).stderr;
    assert!(text.contains(&format!("afresh verify-run {}", &tip[..10])), "{text}");
    // A receipt of another tree covers nothing, whatever the trailers say.
    repo.git(&[
        "commit",
        "-q",
        "--amend",
        "-m",
        &format!("x\n\nAfresh-Run: test-1\nAfresh-Squashed: {tip}"),
    ]);
    let forged = repo.afresh(&["verify-run", "--json"]).expect(1).json();
    assert_eq!(forged["commits"][0]["problem"], "other-tree", "{forged}");
}
