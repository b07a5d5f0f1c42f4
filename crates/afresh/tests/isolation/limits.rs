//! Resource limits of a worker or a check, with everything that it starts: BE-07, F16.
//!
//! Without a sandbox, and in every available sandbox.
#![cfg(target_os = "linux")]

use afresh_testkit::{CommandOutput, TestRepo};

use crate::support::sandbox_levels::levels;

/// The sandbox levels: `off`, and every available one.
fn sandboxes() -> Vec<&'static str> {
    std::iter::once("off").chain(levels()).collect()
}

fn repo(config: &str) -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.config(config);
    repo
}

fn run(repo: &TestRepo, sandbox: &str, more: &[&str]) -> CommandOutput {
    let mut command = repo.command(&["run", "p.plan.toml"]);
    command.args(more).env("AFRESH_SANDBOX", sandbox);
    command.env("AFRESH_SANDBOX_READ", repo.path().join("agent.sh"));
    afresh_testkit::repo::finish(command)
}

/// As many processes as the machine can bear, in case the limit does not work.
const BOMB: &str = "python3 -c 'import os, time\n\
                    for _ in range(3000):\n    \
                        if os.fork() == 0: time.sleep(600)\n\
                    time.sleep(600)'";

/// BE-07, F16, R6: a worker that forks without end is ended with all its processes, the next one is informed, others
/// continue, and it is reported.
#[test]
fn a_worker_that_forks_without_end_is_ended_and_the_next_knows() {
    for sandbox in sandboxes() {
        let repo = repo("[sandbox]\nprocesses = 150\n");
        repo.plan_of(2);
        repo.agent(&format!(
            "prompt=$(cat)\n\
             if [ $AFRESH_TASK$AFRESH_ATTEMPT = T0011 ]; then\n{BOMB}\nfi\n\
             echo \"$prompt\" | grep -o 'more than 150 processes' > $AFRESH_TASK.txt\n\
             echo done >> $AFRESH_TASK.txt"
        ));
        run(&repo, sandbox, &["--parallel", "2"]).expect(0);
        repo.expect_no_survivors();
        let first = repo.on_branch("T001.txt").unwrap_or_default();
        assert!(first.starts_with("more than 150 processes\n"), "{sandbox}: {first}");
        assert_eq!(repo.on_branch("T002.txt").as_deref(), Some("done\n"), "{sandbox}");
        let report = repo.afresh(&["report"]).expect(0).stdout;
        assert!(
            report.contains("failed:limit: it had more than 150 processes"),
            "{sandbox}: {report}"
        );
        assert!(report.contains("processes: it had more than 150"), "{sandbox}: {report}");
        assert!(report.contains("limits: "), "{sandbox}: {report}");
    }
}

/// BE-07, F16: the memory limit is that of the whole process tree, for checks as well.
#[test]
fn a_check_that_uses_too_much_memory_fails_for_that() {
    let greedy = "python3 -c 'import os, time\n\
                  for _ in range(7):\n    \
                      if os.fork() == 0: break\n\
                  data = bytearray(os.urandom(1 << 20) * 40); time.sleep(600)'";
    for sandbox in sandboxes() {
        let repo = repo("[run]\nagent = \"mine\"\nattempts = 1\n[sandbox]\nmemory_mib = 120\n");
        repo.plan(&format!(
            "[[task]]\nid = \"T001\"\ntitle = \"t\"\nfiles = [\"T001.txt\"]\nchecks = [\"\"\"{greedy}\"\"\"]\n"
        ));
        repo.agent("cat > /dev/null; echo done > T001.txt");
        run(&repo, sandbox, &["--on-failure", "skip"]).expect(1);
        repo.expect_no_survivors();
        let error = repo.status()["tasks"][0]["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.contains("used more than 120 MiB of memory"), "{sandbox}: {error}");
    }
}

/// BE-07, R15, R16: a worker that fills its quota with many files is stopped, its other work is kept, the next one is
/// informed, others continue; the same for a check.
#[test]
fn a_worker_that_fills_its_quota_is_ended_and_the_next_knows() {
    let fill = "i=0; while [ $i -lt 400 ]; do i=$((i + 1)); head -c 1000000 /dev/urandom > fill.$i; sleep 0.02; done; sleep 600";
    for sandbox in sandboxes() {
        let repo = repo("[workspace]\nquota_mib = 30\n");
        repo.plan_of(2);
        repo.agent(&format!(
            "prompt=$(cat)\n\
             if [ $AFRESH_TASK$AFRESH_ATTEMPT = T0011 ]; then echo half > T001.txt; {fill}; fi\n\
             echo \"$prompt\" | grep -o 'more than 30 MiB of disk' > $AFRESH_TASK.txt\n\
             echo done >> $AFRESH_TASK.txt"
        ));
        run(&repo, sandbox, &["--parallel", "2"]).expect(0);
        repo.expect_no_survivors();
        let first = repo.on_branch("T001.txt").unwrap_or_default();
        assert_eq!(first, "more than 30 MiB of disk\ndone\n", "{sandbox}");
        assert_eq!(repo.on_branch("T002.txt").as_deref(), Some("done\n"), "{sandbox}");
        let salvaged_refs =
            repo.git(&["for-each-ref", "--format=%(refname)", "refs/afresh/salvage"]);
        let salvaged_ref =
            salvaged_refs.lines().find(|name| name.contains("T001.1")).expect("its work is kept");
        assert_eq!(repo.git(&["show", &format!("{salvaged_ref}:T001.txt")]), "half");
        let report = repo.afresh(&["report"]).expect(0).stdout;
        assert!(report.contains("disk: it filled more than 30 MiB"), "{sandbox}: {report}");
    }
}
