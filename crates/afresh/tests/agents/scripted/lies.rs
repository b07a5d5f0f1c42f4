//! Workers that make false claims, and change files outside of their task.

use super::scene::{does, expect_fixed_on_retry, fixed_on_retry, one_task, run};

/// B24: it claims to be done; the check disagrees, and a fresh worker fixes it.
#[test]
fn a_lie_is_caught_by_the_check() {
    let script = does("{ write = \"a.txt\", text = \"\" }, { claim = [\"a.txt\"] }");
    let repo = one_task(&script);
    run(&repo, &["--on-failure", "skip"], 1);
    let error = repo.status()["tasks"][0]["error"].as_str().expect("an error").to_owned();
    assert!(error.contains("although the worker reported success"), "{error}");
    expect_fixed_on_retry(
        "{ write = \"a.txt\", text = \"\" }, { claim = [\"a.txt\"] }",
        "test -s a.txt",
    );
}

/// B25: it claims that it changed a file, and changed nothing.
#[test]
fn a_claim_without_a_change_is_no_work() {
    expect_fixed_on_retry("{ claim = [\"a.txt\"] }", "no-op");
}

/// B26: a change outside of its task is rejected, unless it is declared with a reason.
#[test]
fn what_is_not_its_own_is_rejected_unless_declared() {
    let acts = "{ write = \"a.txt\", text = \"well\\n\" }, { write = \"other.txt\", text = \"x\" }";
    let repo = expect_fixed_on_retry(acts, "other.txt");
    assert_eq!(repo.on_branch("other.txt"), None);
    let declared = "{ claim = [\"a.txt\"], deviations = [ { rule = 3, description = \"it was in the way\", files = [\"other.txt\"] } ] }";
    let repo = one_task(&does(&format!("{acts}, {declared}")));
    run(&repo, &[], 0);
    assert_eq!(repo.on_branch("other.txt").as_deref(), Some("x"));
}

/// B27: a worker may not change existing tests.
#[test]
fn a_test_is_not_its_own() {
    let repo = one_task(&fixed_on_retry(
        "{ write = \"a.txt\", text = \"x\" }, { write = \"tests/test_a.sh\", text = \"exit 0\" }",
    ));
    repo.write("tests/test_a.sh", "exit 1\n");
    repo.commit("a test");
    let ran = run(&repo, &[], 0);
    assert!(ran.stderr.contains("tests/test_a.sh"), "{}", ran.stderr);
    assert_eq!(repo.on_branch("tests/test_a.sh").as_deref(), Some("exit 1\n"));
}

/// B28: a worker may change neither plan nor script nor configuration, declared or not, and the run continues with
/// what was pinned, even if the script changes in the user's checkout meanwhile.
#[test]
fn plan_script_and_configuration_are_pinned() {
    for path in ["p.plan.toml", "script.toml", ".afresh/config.toml"] {
        let repo = one_task(&fixed_on_retry(&format!(
            "{{ write = \"a.txt\", text = \"x\" }}, {{ append = \"{path}\", text = \"# mine\\n\" }},\n\
             {{ claim = [\"a.txt\"], deviations = [ {{ description = \"better\", files = [\"{path}\"] }} ] }}"
        )));
        repo.commit("all of it");
        let ran = run(&repo, &[], 0);
        assert!(ran.stderr.contains(&format!("rejected A.1 {path} ")), "{path}: {}", ran.stderr);
    }
    let repo = one_task("");
    let file = repo.root().join("script.toml");
    let script = fixed_on_retry(&format!(
        "{{ run = \"echo nonsense >'{}'\" }}, {{ fail = \"once more\" }}",
        file.display()
    ));
    repo.write("script.toml", &script);
    repo.run(&[]).expect(0);
    assert_eq!(std::fs::read_to_string(file).expect("the script"), "nonsense\n");
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("well\n"));
}

/// RE-03: if claim and fact differ and the work is good, both are reported.
#[test]
fn a_claim_that_differs_is_reported() {
    let script = does("{ write = \"a.txt\", text = \"x\" }, { claim = [\"b.txt\"] }");
    let repo = one_task(&script);
    run(&repo, &[], 0);
    let status = repo.status()["tasks"][0].to_string();
    assert!(status.contains("b.txt was claimed, but did not change"), "{status}");
}
