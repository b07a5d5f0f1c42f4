//! A repository whose workers follow a script.

use afresh_testkit::{CommandOutput, TestRepo};

/// One task `A` that lists `a.txt`; every worker follows `script`.
pub(crate) fn one_task(script: &str) -> TestRepo {
    let repo = repo(script);
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\nchecks = [\"test -s a.txt\"]\n",
    );
    repo
}

pub(crate) fn repo(script: &str) -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    configure(&repo, "");
    repo.write("script.toml", script);
    repo.commit("a script");
    repo
}

/// `more` goes to `[run]`.
pub(crate) fn configure(repo: &TestRepo, more: &str) {
    repo.write(
        ".afresh/config.toml",
        &format!(
            "[run]\nagent = \"actor\"\nbackoff = [\"10ms\"]\n{more}\n\
             [agents.actor]\nkind = \"scripted\"\nscript = \"script.toml\"\n"
        ),
    );
}

/// A script in which task `A` does `acts`.
pub(crate) fn does(acts: &str) -> String {
    format!("[[task]]\nid = \"A\"\ndo = [ {acts} ]\n")
}

/// What task `A` does in its first attempt; the second one fixes it.
pub(crate) fn fixed_on_retry(acts: &str) -> String {
    format!(
        "[[task]]\nid = \"A\"\nattempt = 1\ndo = [ {acts} ]\n\
         [[task]]\nid = \"A\"\ndo = [ {{ write = \"a.txt\", text = \"well\\n\" }} ]\n"
    )
}

/// Runs the plan; the user's files stay unchanged, and nothing is left running.
#[track_caller]
pub(crate) fn run(repo: &TestRepo, more: &[&str], code: i32) -> CommandOutput {
    let before = repo.untouched();
    let ran = repo.run(more).expect(code);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    ran
}

/// The first attempt is rejected with this reason; a fresh worker fixes it.
#[track_caller]
pub(crate) fn expect_fixed_on_retry(acts: &str, expected: &str) -> TestRepo {
    let repo = one_task(&fixed_on_retry(acts));
    let ran = run(&repo, &[], 0);
    assert!(ran.stderr.contains(expected), "no {expected:?} in\n{}", ran.stderr);
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("well\n"));
    assert_eq!(repo.status()["tasks"][0]["attempts"], 2);
    repo
}
