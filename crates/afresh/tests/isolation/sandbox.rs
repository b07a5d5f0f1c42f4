//! Workers and checks in their sandboxes: R5, B22, F16, F22. `hostile_worker` tries everything at once.
//!
//! Every level that this machine supports is tested; any other one is reported as skipped.
#![cfg(target_os = "linux")]

use std::fs;
use std::net::TcpListener;

use afresh_testkit::{CommandOutput, TestRepo};

use crate::support::sandbox_levels::levels;

fn repo() -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    let home = repo.path().join("home");
    fs::create_dir_all(home.join(".ssh")).expect("a directory");
    fs::write(home.join(".ssh/id_rsa"), "PRIVATE-KEY-OF-MINE").expect("written");
    fs::write(home.join("precious.txt"), "precious").expect("written");
    repo
}

/// `afresh run` with a sandbox that also allows the worker's script.
fn run(repo: &TestRepo, level: &str, more: &[&str]) -> CommandOutput {
    let mut command = repo.command(&["run", "p.plan.toml"]);
    command.args(more).env("AFRESH_SANDBOX", level);
    command.env("AFRESH_SANDBOX_READ", repo.path().join("agent.sh"));
    afresh_testkit::repo::finish(command)
}

fn shown(path: &std::path::Path) -> String {
    path.display().to_string()
}

/// R5: a worker cannot see the workspace of another.
#[test]
fn a_worker_does_not_see_the_workspaces_of_others() {
    for level in levels() {
        let repo = repo();
        repo.config("");
        repo.plan_of(2);
        let cache = shown(&repo.cache());
        repo.agent(&format!(
            "cat > /dev/null\necho started > $AFRESH_TASK.txt\n\
             echo mine > own.secret; sleep 0.3\n\
             find {cache} -name '*.secret' 2> /dev/null >> $AFRESH_TASK.txt; rm own.secret"
        ));
        run(&repo, level, &["--parallel", "2"]).expect(0);
        for task in ["T001.txt", "T002.txt"] {
            let output = repo.on_branch(task).unwrap_or_default();
            assert!(
                output.starts_with("started") && output.matches(".secret").count() < 2,
                "{level}: {output}"
            );
        }
    }
}

/// B22: a check that would delete the home directory, or connect to the network, does neither; if the user allows it,
/// it has network access.
#[test]
fn a_check_is_in_a_sandbox_without_network() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let call =
        format!("python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 5)'");
    for level in levels() {
        let repo = repo();
        repo.config("");
        repo.agent("cat > /dev/null; echo $AFRESH_ATTEMPT >> T1.txt");
        let plan = |check: &str| {
            repo.plan(&format!("[[task]]\nid = \"T1\"\ntitle = \"t\"\nfiles = [\"T1.txt\"]\nchecks = ['''true; rm -rf ~ 2> /dev/null; {check}''']\n"));
        };
        plan(&format!("! {call}"));
        run(&repo, level, &[]).expect(0);
        assert!(repo.path().join("home/precious.txt").exists(), "{level}");
        plan(&call);
        run(&repo, level, &["--check-network"]).expect(0);
    }
}

/// F16: a program that needs too much memory, or writes too large a file, fails, and its worker and the run continue.
#[test]
fn a_greedy_worker_harms_no_other() {
    for level in levels() {
        let repo = repo();
        repo.config("[sandbox]\nmemory_mib = 200\nfile_mib = 2\n");
        repo.plan_of(1);
        repo.agent(
            "cat > /dev/null\n\
             python3 -c 'bytearray(1 << 30)' 2> /dev/null && echo memory >> T001.txt\n\
             head -c 9000000 /dev/zero > \"$TMPDIR/large\" 2> /dev/null && echo file >> T001.txt\n\
             echo done >> T001.txt",
        );
        run(&repo, level, &[]).expect(0);
        assert_eq!(repo.on_branch("T001.txt").as_deref(), Some("done\n"), "{level}");
    }
}

/// AG-09, F15: inside a sandbox too, a worker is asked to stop before it is killed, and all its processes end.
#[test]
fn a_sandboxed_worker_gets_a_signal_before_it_is_killed() {
    for level in levels() {
        let repo = repo();
        repo.config(
            "[run]\nagent = \"mine\"\nattempt_timeout = \"1s\"\ntimeout_action = \"skip\"\n",
        );
        repo.plan_of(1);
        repo.agent("cat > /dev/null\ntrap 'echo asked; exit 0' TERM\n(setsid sleep 600 &)\nwhile :; do sleep 0.05; done");
        run(&repo, level, &[]).expect(1);
        repo.expect_no_survivors();
        let output = repo.afresh(&["logs", "T001"]).stdout;
        assert!(output.contains("asked"), "{level}: {output}");
    }
}

/// F22: if a required sandbox is missing, nothing runs. If a project turns it off, it stays on.
#[test]
fn what_is_required_is_there_or_nothing_runs() {
    let repo = repo();
    repo.config("[sandbox]\nlevel = \"required\"\n");
    repo.plan_of(1);
    repo.agent("cat > /dev/null; echo x > $AFRESH_TASK.txt");
    let before = repo.untouched();
    let refused = run(&repo, "off", &[]).expect(2);
    assert!(refused.stderr.contains("requires a sandbox"), "{}", refused.stderr);
    assert_eq!(repo.status()["run"], serde_json::Value::Null);
    repo.untouched().expect_same_as(&before);
    for level in levels() {
        repo.config("[sandbox]\nlevel = \"off\"\n");
        let ran = run(&repo, level, &["--new"]).expect(0);
        assert!(ran.stderr.contains("a project cannot turn the sandbox off"), "{}", ran.stderr);
        let word = repo.status()["sandbox"].as_str().unwrap_or_default().to_lowercase();
        assert!(word.contains(level), "{level}: {word}");
    }
}

/// B22: running without a sandbox gives one loud warning, or a note if the user asked for it.
#[test]
fn without_a_sandbox_one_notice_says_so() {
    let repo = repo();
    repo.config("");
    repo.plan_of(1);
    repo.agent("cat > /dev/null; echo x > $AFRESH_TASK.txt");
    let ran = run(&repo, "off", &[]).expect(0);
    assert_eq!(ran.stderr.matches("the sandbox is off").count(), 1, "{}", ran.stderr);
    assert_eq!(repo.status()["sandbox"], "none");
    let report = repo.afresh(&["report"]).expect(0).stdout;
    assert!(report.contains("sandbox: none"), "{report}");
}
