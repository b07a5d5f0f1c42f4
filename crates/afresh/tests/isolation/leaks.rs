//! Secrets in a worker's changes do not land: B36.

use afresh_testkit::TestRepo;

const KEY: &str = "correct-horse-battery-staple";
const TOKEN: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"; // afresh:allow-secret

fn repo(script: &str) -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.plan_of(1);
    repo.agent(script);
    let agent = repo.path().join("agent.sh");
    repo.write(
        ".afresh/config.toml",
        &format!(
            "[run]\nagent = \"mine\"\nattempts = 1\n[agents.mine]\nkind = \"command\"\ncommand = [\"sh\", {:?}]\nenv = [\"MY_TOKEN\"]\n",
            agent.to_string_lossy()
        ),
    );
    repo
}

fn run(repo: &TestRepo, code: i32) -> afresh_testkit::CommandOutput {
    let mut command = repo.command(&["run", "p.plan.toml", "--on-failure", "skip"]);
    command.env("MY_TOKEN", KEY);
    afresh_testkit::repo::finish(command).expect(code)
}

/// B36: a value that the worker was given, or a key of a known form, in a file that it may write: the work is rejected
/// with the place, and none of it is shown or merged.
#[test]
fn a_change_that_holds_a_secret_is_rejected_with_its_place() {
    for leak in ["echo \"token = $MY_TOKEN\"", &format!("echo {TOKEN}")] {
        let repo = repo(&format!("(echo first; {leak}) > T001.txt"));
        let ran = run(&repo, 1);
        assert!(ran.stderr.contains("T001.txt holds a secret in line 2"), "{}", ran.stderr);
        assert!(!ran.stderr.contains(KEY) && !ran.stderr.contains("ghp_0123"), "{}", ran.stderr);
        assert_eq!(repo.on_branch("T001.txt"), None);
    }
}

/// B36: existing lines are not the worker's, and an example may be marked as one.
#[test]
fn examples_and_what_was_there_before_land() {
    let repo =
        repo(&format!("echo more >> T001.txt; echo '{TOKEN} # afresh:allow-secret' >> T001.txt"));
    repo.write("T001.txt", &format!("old {TOKEN}\n"));
    repo.commit("an old key");
    run(&repo, 0);
    assert!(repo.on_branch("T001.txt").is_some_and(|text| text.contains("more")));
}
