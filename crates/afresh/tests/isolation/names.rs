//! Names that another file system takes for `.git`, changes of a mode, and daemons of checks: refused or reported by
//! name.

use std::fs;

use crate::support::{repo, run_section};

/// Names that `git fsck --strict` takes for `.git`.
const LIKE_GIT: [&str; 5] = [
    ".gi\u{200c}t/config",
    ".g\u{200d}it/hooks/x",
    "sub/\u{feff}.GIT/x",
    ".git::$INDEX_ALLOCATION/x",
    "sub/.git:x",
];

/// B04: such a name in a plan is refused.
#[test]
fn a_plan_cannot_name_what_is_git_elsewhere() {
    for name in LIKE_GIT {
        let repo = repo();
        repo.agent("true");
        repo.plan(&format!(
            "[[task]]\nid = \"T1\"\ntitle = \"a\"\nfiles = [\"{name}\"]\ndo = \"x\"\nchecks = [\"true\"]\n"
        ));
        let refused = repo.run(&[]).expect(2);
        let stderr = refused.stderr;
        let reasons = ["names git's own directory", "holds a control character"];
        assert!(reasons.iter().any(|reason| stderr.contains(reason)), "{name:?}: {stderr}");
    }
}

/// B04: such a name is not merged, whatever the scope allows; the branch passes the strictest checks of a host.
#[test]
fn a_harvest_with_a_name_that_is_git_elsewhere_is_rejected() {
    for name in LIKE_GIT {
        let repo = repo();
        repo.config(&run_section("attempts = 1\nscope = \"open\""));
        repo.commit("config");
        repo.plan_of(1);
        let directory = name.rsplit_once('/').map_or(".", |(directory, _)| directory);
        repo.agent(&format!(
            "mkdir -p '{directory}'; echo x > '{name}'; echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt"
        ));
        let ran = repo.run(&["--on-failure", "skip"]);
        let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
        let listed =
            repo.git(&["-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", &branch]);
        assert!(!listed.contains(name), "{name:?}: {}", ran.stderr);
        let (url, host) = (format!("file://{}", repo.root().display()), repo.path().join("host"));
        let host = host.display().to_string();
        // What a host does with a push.
        let strict =
            ["-c", "transfer.fsckObjects=true", "clone", "-q", "--bare", "--single-branch"];
        repo.git(&[&strict[..], &["--branch", &branch, &url, &host]].concat());
    }
}

/// A change of a mode alone is rejected with the mode.
#[test]
fn a_rejected_change_of_a_mode_names_the_mode() {
    let repo = repo();
    repo.config(&run_section("attempts = 1"));
    repo.write("tool.sh", "echo\n");
    repo.commit("config");
    repo.plan_of(1);
    repo.agent("chmod +x tool.sh; echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    let ran = repo.run(&["--on-failure", "skip"]).expect(1);
    assert!(ran.stderr.contains("only its mode changed, to 100755"), "{}", ran.stderr);
}

/// R6: a daemon that a worker leaves is ended, and the log, the report and the progress say so; so do they of a link
/// to another repository, of which nothing is taken.
#[test]
fn a_daemon_of_a_worker_and_a_link_that_is_not_taken_are_reported() {
    let repo = repo();
    repo.agent(
        "setsid sleep 1000 >/dev/null 2>&1 & echo x > a.txt; \
         git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),vendored",
    );
    repo.plan(
        "[[task]]\nid = \"T1\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\ndo = \"x\"\nchecks = [\"test -s a.txt\"]\n",
    );
    let ran = repo.run(&[]).expect(0);
    let report = repo.afresh(&["report"]).expect(0).stdout;
    let log = fs::read_to_string(repo.state().join("activity.log")).expect("a log");
    for text in [&ran.stderr, &report, &log] {
        assert!(text.contains("left running"), "{text}");
        assert!(text.contains("only files are: vendored"), "{text}");
    }
    repo.expect_no_survivors();
}

/// R6: a daemon that a check leaves is ended, and the log and the report say so.
#[test]
fn a_daemon_of_a_check_is_ended_and_reported() {
    let repo = repo();
    repo.agent("echo x > a.txt");
    repo.plan(
        "[[task]]\nid = \"T1\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\ndo = \"x\"\n\
         checks = [\"setsid sleep 1000 >/dev/null 2>&1 & test -s a.txt\"]\n",
    );
    repo.run(&[]).expect(0);
    let report = repo.afresh(&["report", "--json"]).expect(0).stdout;
    assert!(report.contains("left running"), "{report}");
    let log = fs::read_to_string(repo.state().join("activity.log")).expect("a log");
    assert!(log.contains("left running"), "{log}");
    repo.expect_no_survivors();
}
