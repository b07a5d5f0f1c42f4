//! Workers that make false claims, or do what they may not: B03, B24 to B31, B34, RE-03.
//!
//! Every story ends the same way: the user's checkout is unchanged, and nothing is left running.

use std::os::unix::fs::PermissionsExt;

use afresh_testkit::{CommandOutput, TestRepo};
use serde_json::Value;

fn repo() -> TestRepo {
    TestRepo::new(env!("CARGO_BIN_EXE_afresh"))
}

/// One task `T` that writes `a.txt`; `more` are fields of the plan.
fn plan(repo: &TestRepo, more: &str) {
    repo.plan(&format!("[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\"]\n{more}\n"));
}

/// Runs the plan; R5 and R6 hold whatever the worker does.
#[track_caller]
fn run(repo: &TestRepo, code: i32) -> CommandOutput {
    let before = repo.untouched();
    let ran = repo.run(&["--on-failure", "skip"]).expect(code);
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    ran
}

/// The status of the only task.
fn task(repo: &TestRepo) -> Value {
    repo.status()["tasks"][0].clone()
}

/// The work of all three workers is rejected with this reason, and none of it is on the branch.
#[track_caller]
fn rejected(repo: &TestRepo, reason: &str) {
    run(repo, 1);
    let task = task(repo);
    assert_eq!((&task["state"], &task["attempts"]), (&"skipped".into(), &3.into()), "{task}");
    let error = task["error"].as_str().expect("an error");
    assert!(error.contains(reason), "{reason:?} is not in {error:?}");
    assert_eq!(repo.landed(), [""; 0]);
    // The next worker got the reason (EX-04).
    let prompt = repo.prompt("T", 2);
    assert!(prompt.contains(reason), "{reason:?} is not in {prompt}");
}

const CLAIM: &str = "echo OUTPUT_JSON_START; echo '{\"status\":\"COMPLETED\",\"files_modified\":[\"a.txt\"]}'; echo OUTPUT_JSON_END";

/// A claim of success that declares a deviation on these files.
fn declares(file: &str) -> String {
    format!(
        "echo OUTPUT_JSON_START\necho '{{\"status\":\"COMPLETED\",\"deviations\":[{{\"rule\":3,\"description\":\"it was in the way\",\"files\":[\"{file}\"]}}]}}'\necho OUTPUT_JSON_END"
    )
}

/// B24.
#[test]
fn a_claim_of_success_that_the_check_denies_is_a_failure() {
    let repo = repo();
    plan(&repo, "checks = [\"grep -q right a.txt\"]");
    repo.agent(&format!("echo wrong > a.txt; {CLAIM}"));
    let ran = run(&repo, 1);
    let task = task(&repo);
    assert_eq!(task["state"], "skipped");
    // Claim and fact side by side.
    for text in [task["error"].as_str().expect("an error"), &ran.stderr] {
        assert!(text.contains("although the worker reported success"), "{text}");
        assert!(text.contains("`grep -q right a.txt` ended with exit code 1"), "{text}");
    }
    assert_eq!(repo.landed(), [""; 0]);
    // R16: its work is kept.
    let saved = repo.git(&["for-each-ref", "--format=%(refname)", "refs/afresh/salvage"]);
    assert_eq!(saved.lines().count(), 3, "{saved}");
}

/// B25, EX-11: with and without a report.
#[test]
fn a_success_that_changed_nothing_is_not_a_success() {
    for script in [CLAIM, "true"] {
        let repo = repo();
        plan(&repo, "checks = [\"true\"]");
        repo.agent(script);
        rejected(&repo, "no-op");
    }
}

/// B26: the files are listed for the person and for the next worker.
#[test]
fn undeclared_files_are_rejected_and_listed() {
    let repo = repo();
    plan(&repo, "checks = [\"true\"]");
    repo.agent("echo x > a.txt; echo y > other.txt; mkdir sub; echo z > sub/third.txt");
    rejected(&repo, "other.txt is outside the task's files and was not declared");
    assert!(repo.prompt("T", 2).contains("sub/third.txt is outside the task's files"));
    assert!(task(&repo)["error"].as_str().is_some_and(|error| error.contains("and 1 more")));
}

/// B27: a test that existed before, by its path, even if it is declared and the checks pass.
#[test]
fn a_test_that_is_not_listed_is_never_edited() {
    for test in ["tests/greet.sh", "src/greet_test.go", "test_greet.py"] {
        let repo = repo();
        repo.write(test, "exit 1\n");
        repo.commit("a test");
        plan(&repo, "checks = [\"true\"]");
        repo.agent(&format!("echo x > a.txt; echo exit 0 > {test}; {}", declares(test)));
        rejected(&repo, &format!("{test} is a test that the checks rest on"));
    }
}

/// B28: a script that the check calls is part of the check.
#[test]
fn a_script_that_the_check_calls_is_not_edited() {
    let repo = repo();
    repo.write("ci/verify.sh", "exit 1\n");
    repo.commit("the check");
    plan(&repo, "checks = [\"sh ./ci/verify.sh\"]");
    repo.agent(&format!(
        "echo x > a.txt; echo exit 0 > ci/verify.sh; {}",
        declares("ci/verify.sh")
    ));
    rejected(&repo, "ci/verify.sh is a test that the checks rest on");
}

/// B28: the plan is pinned, even for a task that lists it.
#[test]
fn the_plan_is_not_edited() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\", \"p.plan.toml\"]\nchecks = [\"test -e never\"]\n",
    );
    repo.commit("the plan is in the repository");
    repo.agent(&format!(
        "echo x > a.txt; sed 's/test -e never/true/' p.plan.toml > p; mv p p.plan.toml; {}",
        declares("p.plan.toml")
    ));
    rejected(&repo, "p.plan.toml is a file that controls this run");
}

/// B28.
#[test]
fn the_configuration_is_not_edited() {
    let repo = repo();
    plan(&repo, "checks = [\"true\"]");
    repo.agent(&format!(
        "echo x > a.txt; echo '[run]' > .afresh/config.toml; {}",
        declares(".afresh/config.toml")
    ));
    rejected(&repo, ".afresh/config.toml tells agents, hooks or other tools what to do");
}

/// B28: everything that a run reads at its start is recorded with its hash; the next session reports what has
/// changed, and the journal has both.
#[test]
fn a_change_of_what_a_run_rests_on_is_reported() {
    let repo = repo();
    repo.write(".afresh/patterns.md", "tabs\n");
    repo.plan_of(1);
    repo.agent("cat > /dev/null; echo x > T001.txt");
    repo.run(&[]).expect(0);
    assert!(!repo.run(&[]).expect(0).stderr.contains("changed since"));
    repo.write(".afresh/patterns.md", "blanks\n");
    let stderr = repo.run(&[]).expect(0).stderr;
    assert!(stderr.contains("changed since the last session"), "{stderr}");
    assert!(stderr.contains(".afresh/patterns.md") && !stderr.contains("config.toml"), "{stderr}");
    let log = repo.afresh(&["logs"]).expect(0).stdout;
    assert!(log.contains("settings-changed"), "{log}");
}

/// B28: a worker that finds the user's own files cannot change the run that is underway.
#[test]
fn the_run_uses_the_plan_that_was_pinned_at_its_start() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"first\"\ntitle = \"work\"\nfiles = [\"a.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"second\"\ntitle = \"work\"\nneeds = [\"first\"]\nfiles = [\"b.txt\"]\nchecks = [\"grep -q right b.txt\"]\n",
    );
    let plan = repo.root().join("p.plan.toml");
    repo.agent(&format!(
        "if [ $AFRESH_TASK = first ]; then echo x > a.txt; sed 's/grep -q right b.txt/true/' {plan:?} > p && cat p > {plan:?}; rm p\n\
         else echo wrong > b.txt; fi"
    ));
    repo.run(&["--on-failure", "skip"]).expect(1);
    assert_eq!(repo.landed(), ["first"]);
    repo.expect_no_survivors();
}

/// B29: every ref of the user's is where it was; `run` compares them byte by byte.
#[test]
fn a_worker_moves_no_ref_but_its_own() {
    let repo = repo();
    repo.git(&["branch", "feature"]);
    repo.git(&["tag", "v1"]);
    plan(&repo, "checks = [\"test -s a.txt\"]");
    let root = repo.root();
    repo.agent(&format!(
        "exec > {log:?} 2>&1; set -x\n\
         git remote -v; git push origin HEAD:main :feature; git push --force --all\n\
         git checkout -b elsewhere && echo x > a.txt && git add a.txt && git commit -m 'on another branch'\n\
         git branch -f main HEAD; git update-ref refs/heads/main HEAD; git tag -f v1 HEAD\n\
         git for-each-ref --format='delete %(refname)' | git update-ref --no-deref --stdin\n\
         git symbolic-ref HEAD refs/heads/nowhere; rm -rf .git/refs/heads .git/packed-refs; true",
        log = repo.path().join("worker.log"),
    ));
    let refs = repo.git(&["for-each-ref", "refs/heads/main", "refs/heads/feature", "refs/tags"]);
    run(&repo, 0);
    assert_eq!(
        repo.git(&["for-each-ref", "refs/heads/main", "refs/heads/feature", "refs/tags"]),
        refs
    );
    assert_eq!(
        repo.git(&["-C", root.to_str().expect("UTF-8"), "symbolic-ref", "HEAD"]),
        "refs/heads/main"
    );
    assert_eq!(repo.landed(), ["T"]);
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("x\n"));
    assert_eq!(repo.on_branch("README.md").as_deref(), Some("hello\n"));
}

/// B30: the harvest is the difference to the base, whatever happened to the history.
#[test]
fn a_rewritten_base_is_harvested_as_a_difference_to_the_base() {
    for rewrite in [
        "git add a.txt; git commit -q --amend -m rewritten",
        "git checkout -q --orphan new; git add a.txt; git commit -q -m 'a new beginning'",
        "git add a.txt; git commit -q -m mine; git reset -q --soft HEAD~1; git commit -q --amend -m squashed",
        "git replace --graft HEAD; git add a.txt; git commit -q -m grafted",
    ] {
        let repo = repo();
        let base = repo.git(&["rev-parse", "main"]);
        plan(&repo, "checks = [\"test -s a.txt\"]");
        repo.agent(&format!("echo x > a.txt; {rewrite}"));
        run(&repo, 0);
        let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
        assert_eq!(repo.git(&["rev-parse", "main"]), base);
        assert_eq!(repo.git(&["rev-parse", &format!("{branch}^1")]), base, "{rewrite}");
        // One commit of ours on the base, and none of the worker's behind it.
        assert_eq!(
            repo.git(&["rev-list", "--count", &format!("main..{branch}")]),
            "1",
            "{rewrite}"
        );
        assert_eq!(repo.git(&["diff", "--name-only", "main", &branch]), "a.txt", "{rewrite}");
        assert_eq!(repo.git(&["for-each-ref", "refs/replace"]), "");
    }
}

/// B31: whatever a worker puts where git would look for it, our git does not run it.
#[test]
fn nothing_that_a_worker_plants_for_git_is_ever_run() {
    let canary = "w=$PWD; t=\"$CANARY\"; printf '#!/bin/sh\\ntouch %s\\n' \"$t\" > \"$t.sh\"; chmod +x \"$t.sh\"";
    for plant in [
        "git config core.fsmonitor \"$t.sh\"; git config core.hooksPath \"$w/hooks\"; mkdir hooks; cp \"$t.sh\" hooks/post-checkout; cp \"$t.sh\" hooks/pre-commit; rm -r hooks",
        "for h in post-checkout pre-commit post-index-change reference-transaction post-merge; do mkdir -p .git/hooks; cp \"$t.sh\" .git/hooks/$h; done",
        "git config filter.x.clean \"$t.sh\"; git config filter.x.smudge \"$t.sh\"; git config filter.x.process \"$t.sh\"; mkdir -p .git/info; echo '* filter=x diff=x merge=x' > .git/info/attributes; git config diff.x.command \"$t.sh\"; git config merge.x.driver \"$t.sh\"",
        "mv .git moved.git; cp -r moved.git \"$t.git\"; rm -r moved.git; git --git-dir=\"$t.git\" config core.fsmonitor \"$t.sh\"; echo \"gitdir: $t.git\" > .git",
        "rm -r .git; git init -q .; git config core.fsmonitor \"$t.sh\"; git config core.sshCommand \"$t.sh\"; git config alias.status \"!$t.sh\"",
        "echo \"$t.git\" > .git/commondir; git init -q --bare \"$t.git\"; git --git-dir=\"$t.git\" config core.fsmonitor \"$t.sh\"",
        "git config --global core.fsmonitor \"$t.sh\" || true; echo \"$t.git/objects\" > .git/objects/info/alternates",
    ] {
        let repo = repo();
        let planted = repo.path().join("canary");
        plan(&repo, "checks = [\"test -s a.txt\"]");
        // A home of the worker's own: without a sandbox, afresh does not protect the user's.
        repo.agent(&format!(
            "CANARY={planted:?}; HOME={home:?}; export HOME; {canary}\n{plant}\nrm -f \"$t\"; echo x > a.txt",
            home = repo.path().join("worker-home"),
        ));
        std::fs::create_dir(repo.path().join("worker-home")).expect("a directory");
        run(&repo, 0);
        assert!(repo.path().join("canary.sh").exists(), "nothing was planted by: {plant}");
        assert!(!planted.exists(), "afresh ran what was planted by: {plant}");
        assert_eq!(repo.on_branch("a.txt").as_deref(), Some("x\n"), "{plant}");
    }
}

/// B03 at the harvest: a link that leads out never lands, even if it is listed, and its target is not read or
/// written.
#[test]
fn a_link_that_leads_out_is_rejected_at_the_harvest() {
    for (make, shown) in [
        ("ln -s \"$OUT\" a.txt", "a.txt"),
        ("ln -s ../../../etc/passwd a.txt", "a.txt"),
        ("ln -s .git/config a.txt", "a.txt"),
        ("rm -r dir; ln -s \"$OUT\" dir", "dir"),
    ] {
        let repo = repo();
        repo.write("dir/kept.txt", "kept\n");
        repo.commit("a directory");
        let outside = repo.path().join("outside");
        std::fs::create_dir(&outside).expect("a directory");
        std::fs::write(outside.join("secret.txt"), "secret\n").expect("written");
        repo.plan(
            "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\", \"dir\"]\nchecks = [\"true\"]\n",
        );
        repo.agent(&format!("OUT={outside:?}; {make}"));
        rejected(&repo, &format!("{shown} is a symbolic link that leaves the repository"));
        assert_eq!(std::fs::read_to_string(outside.join("secret.txt")).expect("read"), "secret\n");
        assert_eq!(std::fs::read_dir(outside).expect("a directory").count(), 1);
    }
}

/// RE-03: claimed and actual changes, side by side, for work that landed.
#[test]
fn claimed_and_changed_files_that_differ_are_in_the_status() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\", \"b.txt\", \"c.txt\"]\nchecks = [\"true\"]\n",
    );
    repo.agent(
        "echo x > a.txt; echo x > c.txt\necho OUTPUT_JSON_START\n\
         echo '{\"status\":\"COMPLETED\",\"files_modified\":[\"./a.txt\",\"b.txt\"],\"commits\":[\"0123456\"]}'\necho OUTPUT_JSON_END",
    );
    run(&repo, 0);
    let task = task(&repo);
    let mut differences: Vec<&str> = task["differences"]
        .as_array()
        .expect("differences")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    differences.sort_unstable();
    assert_eq!(
        differences,
        ["b.txt was claimed, but did not change", "c.txt changed, but was not claimed"]
    );
    // Hashes that a worker reports are replaced by ours.
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    assert_eq!(task["commits"], serde_json::json!([repo.git(&["rev-parse", &branch])]));
}

/// B34, R15: one line without an end. Memory is limited by the address space of the program and its supervisors; the
/// log is capped; the answer at the end is still read; the run continues.
#[test]
fn a_line_of_a_gigabyte_is_capped_and_the_run_continues() {
    let repo = repo();
    repo.config("[run]\nagent = \"mine\"\noutput_limit = 1000000\nparallel = 1\n");
    repo.plan_of(2);
    repo.agent(
        "echo x > $AFRESH_TASK.txt\n\
         if [ $AFRESH_TASK = T001 ]; then head -c 1000000000 /dev/zero | tr '\\0' x; fi",
    );
    let before = repo.untouched();
    let mut limited = std::process::Command::new("sh");
    let inner = repo.command(&["run", "p.plan.toml"]);
    limited.args(["-c", "ulimit -v 1000000 && exec \"$@\"", "sh"]).arg(inner.get_program());
    limited.args(inner.get_args()).current_dir(repo.root()).stdin(std::process::Stdio::null());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    afresh_testkit::repo::finish(limited).expect(0);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    assert_eq!(repo.landed().len(), 2);
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    let log = repo.state().join("attempts").join(run).join("T001.1/stdout.log");
    let size = log.metadata().expect("a transcript").len();
    assert!((1..=1_100_000).contains(&size), "the transcript has {size} bytes");
    assert_eq!(log.metadata().expect("a transcript").permissions().mode() & 0o111, 0);
}
