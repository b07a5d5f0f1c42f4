//! One worker that tries everything: R5, R6, B22, B28, B29, B31, F16, BE-07.
//!
//! It writes outside of its clone, changes refs, hooks and configuration of the repository, reads files of others,
//! signals other processes, changes its own checks, plants files for git, forks without end and fills the disk. None of
//! it succeeds, it is reported, and none of it is on the branch.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};

use afresh_testkit::{CommandOutput, TestRepo};

use crate::support::sandbox_levels::levels;

/// What its run needs, with a state directory that is not below the checkout.
struct Scene {
    repo: TestRepo,
    state: PathBuf,
    level: &'static str,
}

/// As many processes as the machine can bear, in case the limit does not work.
const FORK: &str = "python3 -c 'import os, time\n\
                    for _ in range(3000):\n    \
                        if os.fork() == 0: time.sleep(600)\n\
                    time.sleep(600)'";
/// The same for the disk.
const FILL: &str = "for n in $(seq 400); do head -c 1000000 /dev/zero > filler-$n; done; sleep 600";

impl Scene {
    fn new(level: &'static str) -> Self {
        let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
        let (home, state) = (repo.path().join("home"), repo.path().join("state-elsewhere"));
        fs::create_dir_all(home.join(".ssh")).expect("a directory");
        fs::write(home.join(".ssh/id_rsa"), "PRIVATE-KEY-OF-MINE").expect("written");
        fs::write(home.join("precious.txt"), "precious").expect("written");
        fs::create_dir_all(repo.cache().join("of-another")).expect("a directory");
        fs::write(repo.cache().join("of-another/work"), "theirs").expect("written");
        repo.config(
            "[run]\nagent = \"mine\"\nattempts = 4\nbackoff = [\"0s\"]\n[workspace]\nquota_mib = 60\n\
             [sandbox]\nprocesses = 150\n",
        );
        repo.write(
            "check.sh",
            "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 5)' 2> /dev/null\n\
             test -s T1.txt\n",
        );
        repo.commit("a start");
        repo.plan(
            "[[task]]\nid = \"T1\"\ntitle = \"t\"\nfiles = [\"T1.txt\", \"tried.txt\"]\n\
             checks = [\"sh check.sh\"]\n",
        );
        Self { repo, state, level }
    }

    fn afresh(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = self.repo.command(arguments);
        command.env("AFRESH_STATE", &self.state).env("AFRESH_SANDBOX", self.level);
        command.env("AFRESH_SANDBOX_READ", self.repo.path().join("agent.sh"));
        afresh_testkit::repo::finish(command)
    }

    /// Commands of which none may succeed.
    fn tries(&self) -> Vec<String> {
        let shown = |path: &Path| path.display().to_string();
        let (root, home) = (shown(&self.repo.root()), shown(&self.repo.path().join("home")));
        let (state, cache) = (shown(&self.state), shown(&self.repo.cache()));
        let pid = std::process::id();
        vec![
            format!("echo x > {root}/evil.txt"),
            format!("echo x > {root}/p.plan.toml"),
            format!("echo x >> {root}/.git/config"),
            format!("echo x > {root}/.git/hooks/post-commit"),
            format!("echo x > {root}/.git/refs/heads/evil"),
            format!("git --git-dir {root}/.git update-ref refs/heads/evil HEAD"),
            format!("git --git-dir {root}/.git branch -D main"),
            format!("git push {root} HEAD:refs/heads/evil"),
            format!("cat {home}/.ssh/id_rsa"),
            format!("cat {home}/precious.txt"),
            format!("cat {state}/journal.db"),
            format!("echo x > {state}/STOP"),
            format!("cat {cache}/of-another/work"),
            format!("kill -0 {pid}"),
            "echo x > /etc/evil".to_owned(),
        ]
    }

    fn worker(&self) {
        let home = self.repo.path().join("home");
        let home = home.display();
        let tries: String = self.tries().iter().fold(String::new(), |all, it| {
            all + &format!(
                "if setsid sh -c '{it}' > /dev/null 2>&1; then echo '{it}' >> tried.txt; fi\n"
            )
        });
        self.repo.agent(&format!(
            "cat > prompt.txt; rm prompt.txt\n\
             echo honest > T1.txt; : > tried.txt\n\
             {tries}\
             git config core.fsmonitor 'touch {home}/fired'; mkdir -p .git/hooks\n\
             printf '#!/bin/sh\\ntouch {home}/fired\\n' > .git/hooks/post-checkout; chmod +x .git/hooks/*\n\
             case $AFRESH_ATTEMPT in\n\
             1) echo true > check.sh; echo >> p.plan.toml; mkdir .claude; echo '{{}}' > .claude/settings.json\n\
                echo x > /etc/evil;;\n\
             2) rm -rf .git; echo 'gitdir: {home}' > .git\n{FORK}; exit 3;;\n\
             3) {FILL}; exit 3;;\n\
             esac\n\
             rm -rf {home} 2> /dev/null; true"
        ));
    }
}

/// R5, R6, B22, B28, B29, B31, F16, BE-07: none of it succeeds, everything measurable is reported, and its honest
/// work lands.
#[test]
fn a_worker_that_tries_everything_achieves_nothing() {
    for level in levels() {
        let scene = Scene::new(level);
        scene.worker();
        let repo = &scene.repo;
        let before = repo.untouched();
        let stderr = scene.afresh(&["run", "p.plan.toml"]).expect(0).stderr;
        repo.untouched().expect_same_as(&before);
        repo.expect_no_survivors();
        let landed = |path: &str| repo.git(&["show", &format!("afresh/test-1:{path}")]);
        assert_eq!(landed("T1.txt"), "honest", "{level}");
        assert_eq!(landed("tried.txt"), "", "{level}: these worked");
        let changed = repo.git(&["diff", "--name-only", "main", "afresh/test-1"]);
        assert_eq!(changed.trim(), "T1.txt\ntried.txt", "{level}");
        assert!(repo.path().join("home/precious.txt").exists(), "{level}");
        assert!(!repo.path().join("home/fired").exists(), "{level}: git ran it");
        // The next worker's prompt lists everything that the first one may not change.
        let prompt = scene.state.join("attempts/test-1/T1.2/prompt.md");
        let prompt = fs::read_to_string(prompt).expect("a prompt");
        for path in [".claude/settings.json", "check.sh", "p.plan.toml"] {
            assert!(prompt.contains(&format!("- {path} ")), "{level}: no {path} in {prompt}");
        }
        expect_reported(level, &stderr, &scene.afresh(&["report"]).expect(0).stdout);
    }
}

fn expect_reported(level: &str, stderr: &str, report: &str) {
    let mut expected = vec![
        // Changes that are not accepted.
        "tells agents, hooks or other tools what to do",
        // Files that were planted for git.
        "git: core.fsmonitor is set",
        "git: a hook post-checkout",
        "git: its .git is a file",
        // Limits.
        "processes: it had more than 150",
        "disk: it filled more than 60 MiB",
    ];
    if level == "bubblewrap" {
        expected.push("network: ");
    }
    for part in &expected {
        assert!(stderr.contains(part), "{level}: no {part:?} while it ran:\n{stderr}");
        assert!(report.contains(part), "{level}: no {part:?} in the report:\n{report}");
    }
    for part in ["said: ", "/etc/evil"] {
        assert!(report.contains(part), "{level}: no {part:?} in the report:\n{report}");
    }
}
