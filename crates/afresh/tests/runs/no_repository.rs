//! Directories without a repository, or with one that has no commit: EX-12.

use afresh_testkit::TestRepo;
use serde_json::Value;

/// A directory with a plan, a configuration and a file of the user's.
fn directory() -> TestRepo {
    let repo = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    repo.config("");
    repo.plan_of(1);
    repo.write("notes.txt", "mine\n");
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo
}

#[track_caller]
fn refused(repo: &TestRepo, kind: &str) {
    let before = repo.untouched();
    let error: Value = repo.run(&["--json"]).expect(2).json()["error"].clone();
    assert_eq!(error["kind"], kind, "{error}");
    assert!(error["help"].as_str().is_some_and(|help| help.contains("--init-git")), "{error}");
    let ran = repo.run(&[]).expect(2);
    assert!(ran.stderr.contains("--init-git"), "{}", ran.stderr);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
}

/// After `--init-git`: an empty first commit, and every file of the user's unchanged and untracked.
#[track_caller]
fn initialised(repo: &TestRepo) {
    let files = ["notes.txt", "p.plan.toml", ".afresh/config.toml"];
    let read = |name: &&str| std::fs::read(repo.root().join(name)).expect("a file");
    let before: Vec<Vec<u8>> = files.iter().map(read).collect();
    repo.run(&["--init-git"]).expect(0);
    repo.expect_no_survivors();
    assert_eq!(files.iter().map(read).collect::<Vec<_>>(), before);
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "1");
    assert_eq!(repo.git(&["ls-tree", "-r", "HEAD"]), "");
    let status = repo.git(&["status", "--porcelain", "-uall"]);
    let mut lines: Vec<&str> = status.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["?? .afresh/config.toml", "?? notes.txt", "?? p.plan.toml"]);
    assert_eq!(repo.landed(), ["T001"]);
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    assert_eq!(repo.git(&["ls-tree", "-r", "--name-only", &branch]), "T001.txt");
    // A second time changes nothing.
    repo.run(&["--init-git"]).expect(0);
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "1");
}

/// EX-12.
#[test]
fn a_directory_without_a_repository_is_refused_with_a_hint() {
    let repo = directory();
    refused(&repo, "repository");
    assert!(!repo.root().join(".git").exists());
    // Showing a plan needs no repository.
    repo.afresh(&["show", "p.plan.toml"]).expect(0);
    assert!(!repo.state().exists());
}

/// EX-12.
#[test]
fn a_repository_without_a_commit_is_refused_with_a_hint() {
    let repo = directory();
    repo.git(&["init", "-q", "-b", "main"]);
    refused(&repo, "unborn");
    repo.afresh(&["show", "p.plan.toml"]).expect(0);
}

/// EX-12.
#[test]
fn init_git_makes_a_repository_and_leaves_the_files_alone() {
    initialised(&directory());
}

/// EX-12.
#[test]
fn init_git_makes_the_first_commit_of_an_unborn_repository() {
    let repo = directory();
    repo.git(&["init", "-q", "-b", "trunk"]);
    initialised(&repo);
    assert_eq!(repo.git(&["symbolic-ref", "HEAD"]), "refs/heads/trunk");
}

/// EX-12: what the user has already staged stays staged, and out of the first commit.
#[test]
fn init_git_leaves_the_index_alone() {
    let repo = directory();
    repo.git(&["init", "-q", "-b", "main"]);
    repo.git(&["add", "notes.txt"]);
    let index = std::fs::read(repo.root().join(".git/index")).expect("an index");
    repo.run(&["--init-git"]).expect(0);
    assert_eq!(std::fs::read(repo.root().join(".git/index")).expect("an index"), index);
    assert_eq!(repo.git(&["ls-tree", "-r", "HEAD"]), "");
    assert_eq!(repo.git(&["status", "--porcelain", "notes.txt"]), "A  notes.txt");
}

/// EX-12: a bad plan is refused before a repository is created for it.
#[test]
fn nothing_is_initialised_for_a_plan_that_cannot_run() {
    let repo = directory();
    repo.plan("");
    repo.run(&["--init-git"]).expect(2);
    repo.plan("[[task]]\nid = \"T\"\ntitle = \"unchecked\"\nfiles = [\"a.txt\"]\n");
    repo.run(&["--init-git"]).expect(2);
    assert!(!repo.root().join(".git").exists(), "a repository was made for nothing");
}

/// EX-12: a plan can be outside of the repository that it is for.
#[test]
fn a_plans_target_selects_the_repository_and_its_configuration() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.agent("echo x > a.txt");
    let plans = repo.path().join("plans");
    std::fs::create_dir(&plans).expect("a directory");
    let plan = |target: &str| {
        let task = "[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"a.txt\"]\nno_check = \"x\"\n";
        let text = format!("version = 1\ntarget = {target:?}\n{task}");
        std::fs::write(plans.join("p.plan.toml"), text).expect("written");
    };
    let run = || {
        let mut command = repo.command(&["run", "p.plan.toml"]);
        command.current_dir(&plans);
        afresh_testkit::repo::finish(command)
    };
    plan("../nowhere");
    let refused = run().expect(2);
    assert!(refused.stderr.contains("cannot use the plan's target"), "{}", refused.stderr);
    // Commands that only show the plan do not need the repository yet.
    let mut show = repo.command(&["show", "p.plan.toml"]);
    show.current_dir(&plans);
    let output = afresh_testkit::repo::finish(show).expect(0);
    assert!(
        output.stderr.starts_with("warning: cannot use the plan's target"),
        "{}",
        output.stderr
    );
    assert!(output.stdout.contains("1 task in 1 wave"), "{}", output.stdout);
    plan("../repo");
    run().expect(0);
    assert_eq!(repo.landed(), ["T"]);
    repo.expect_no_survivors();
}
