//! A real repository, a scripted worker, and the real program, all in one temporary directory.
//!
//! The worker is a shell script: `case "$AFRESH_TASK" in …`. Nothing here depends on the machine's
//! git configuration, on its home directory, or on another test.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::repo_fingerprint::RepoFingerprint;
use crate::survivors::survivors;

/// Longer than any test here should take; a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(180);

#[derive(Debug)]
pub struct TestRepo {
    directory: TempDir,
    exe: PathBuf,
}

/// How the program ended.
#[derive(Debug)]
pub struct CommandOutput {
    /// None if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl CommandOutput {
    /// Fails the test unless the exit code is this one.
    #[track_caller]
    #[expect(clippy::return_self_not_must_use, reason = "often the exit code is all that matters")]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Standard output as one JSON document.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error} in {}", self.stdout))
    }
}

impl TestRepo {
    /// A repository with one commit, and a configuration whose agent is the script of
    /// [`TestRepo::agent`]. `exe` is the program under test (`env!("CARGO_BIN_EXE_afresh")`).
    pub fn new(exe: &str) -> Self {
        Self::without_git(exe).with_git()
    }

    /// The same below a given directory: some programs refuse directories that all users may write to, such as the
    /// usual one for temporary files.
    pub fn below(directory: &Path, exe: &str) -> Self {
        Self::without_git_below(directory, exe).with_git()
    }

    fn with_git(self) -> Self {
        let test = self;
        test.git(&["init", "-q", "-b", "main"]);
        test.write("README.md", "hello\n");
        test.config("");
        test.commit("init");
        test
    }

    /// The same, without a repository.
    pub fn without_git(exe: &str) -> Self {
        Self::without_git_below(&std::env::temp_dir(), exe)
    }

    fn without_git_below(path: &Path, exe: &str) -> Self {
        let directory = tempfile::Builder::new()
            .prefix("afresh-test-")
            .tempdir_in(path)
            .expect("a temporary directory");
        let test = Self { directory, exe: PathBuf::from(exe) };
        for name in ["repo", "home", "cache", "temporary"] {
            fs::create_dir(test.path().join(name)).expect("a new directory");
        }
        fs::write(
            test.path().join("home/.gitconfig"),
            "[user]\nname = Test\nemail = test@example.org\n",
        )
        .expect("written");
        test.agent("true");
        test
    }

    /// The temporary directory around everything.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The user's checkout.
    pub fn root(&self) -> PathBuf {
        self.path().join("repo")
    }

    pub fn state(&self) -> PathBuf {
        self.root().join(".afresh/state")
    }

    pub fn cache(&self) -> PathBuf {
        self.path().join("cache")
    }

    /// Puts agent programs into the cache as `afresh agents install` does, from a directory with `node_modules`.
    pub fn install_agents(&self, from: &Path, programs: &[&str]) {
        let agents = self.cache().join("agents");
        let directory = agents.join("all-1.0.0/node_modules");
        link_tree(&from.join("node_modules"), &directory);
        for program in programs {
            std::os::unix::fs::symlink("all-1.0.0", agents.join(program)).expect("a link");
        }
    }

    /// The worker: a shell script that runs in the workspace.
    pub fn agent(&self, script: &str) {
        fs::write(self.path().join("agent.sh"), format!("{script}\n")).expect("written");
    }

    /// Writes `.afresh/config.toml`: the scripted agent, a short backoff, and `more`.
    pub fn config(&self, more: &str) {
        let agent = self.path().join("agent.sh").to_string_lossy().into_owned();
        let run = if more.contains("[run]") {
            ""
        } else {
            "[run]\nagent = \"mine\"\nbackoff = [\"10ms\"]\n"
        };
        let text = format!(
            "{run}{more}\n[agents.mine]\nkind = \"command\"\ncommand = [\"sh\", {agent:?}]\n"
        );
        self.write(".afresh/config.toml", &text);
    }

    /// Writes the plan `p.plan.toml` in the checkout.
    pub fn plan(&self, text: &str) {
        self.write("p.plan.toml", &format!("version = 1\nname = \"test\"\n{text}"));
    }

    /// A plan of `count` independent tasks `T001`, …, each with its own file and check.
    pub fn plan_of(&self, count: usize) {
        let task = |n: usize| {
            format!(
                "[[task]]\nid = \"T{n:03}\"\ntitle = \"task {n}\"\nfiles = [\"T{n:03}.txt\"]\nchecks = [\"test -s T{n:03}.txt\"]\n"
            )
        };
        self.plan(&(1..=count).map(task).collect::<String>());
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("written");
    }

    pub fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Runs git in the checkout; fails the test if git fails.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        let output = self.try_git(args);
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub fn try_git(&self, args: &[&str]) -> Output {
        let mut command = Command::new("git");
        command.args(args).current_dir(self.root()).stdin(Stdio::null());
        self.clean_environment(&mut command).output().expect("git runs")
    }

    /// The program under test, as a command that the caller can extend (environment, standard streams).
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.exe);
        command.args(args).current_dir(self.root()).stdin(Stdio::null());
        command.env("NO_COLOR", "1");
        self.clean_environment(&mut command);
        command
    }

    fn clean_environment<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_")
                || name.to_string_lossy().starts_with("XDG_")
            {
                command.env_remove(name);
            }
        }
        command
            .env("HOME", self.path().join("home"))
            .env("AFRESH_CACHE", self.cache())
            .env("TMPDIR", self.path().join("temporary"))
            // Scripted workers communicate with their tests through files outside of their workspaces.
            .env("AFRESH_SANDBOX", "off")
            .env_remove("AFRESH_STATE")
            .env("GIT_CONFIG_NOSYSTEM", "1")
    }

    /// Runs the program to its end.
    #[track_caller]
    pub fn afresh(&self, args: &[&str]) -> CommandOutput {
        finish(self.command(args))
    }

    /// `afresh run p.plan.toml` with more arguments.
    #[track_caller]
    pub fn run(&self, more: &[&str]) -> CommandOutput {
        let args: Vec<&str> = ["run", "p.plan.toml"].iter().chain(more).copied().collect();
        self.afresh(&args)
    }

    /// Starts the program and leaves it running.
    pub fn spawn(&self, args: &[&str]) -> Child {
        self.command(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts")
    }

    #[track_caller]
    pub fn status(&self) -> serde_json::Value {
        self.afresh(&["status", "--json"]).expect(0).json()
    }

    /// The state of one task, in the words of `status --json`.
    #[track_caller]
    pub fn state_of(&self, task: &str) -> String {
        let status = self.status();
        let tasks = status["tasks"].as_array().expect("tasks");
        let found = tasks.iter().find(|entry| entry["id"] == task);
        found.unwrap_or_else(|| panic!("no task {task}"))["state"]
            .as_str()
            .expect("a word")
            .to_owned()
    }

    /// The tasks on the run's branch, oldest first, by the trailers of its first-parent line.
    #[track_caller]
    pub fn landed(&self) -> Vec<String> {
        let branch = self.status()["branch"].as_str().expect("a branch").to_owned();
        let format = "--format=%(trailers:key=Afresh-Task,valueonly,separator=%x2C)";
        let log = self.git(&["log", "--first-parent", "--reverse", format, &branch]);
        log.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    /// The content of a file on the run's branch.
    pub fn on_branch(&self, path: &str) -> Option<String> {
        let branch = self.status()["branch"].as_str()?.to_owned();
        let output = self.try_git(&["show", &format!("{branch}:{path}")]);
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The prompt that a worker was given.
    pub fn prompt(&self, task: &str, attempt: u32) -> String {
        let run = self.status()["run"].as_str().expect("a run").to_owned();
        let file = self
            .state()
            .join("attempts")
            .join(run)
            .join(format!("{task}.{attempt}"))
            .join("prompt.md");
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// The prefix of this repository's job names.
    pub fn job_prefix(&self) -> String {
        let common = self.root().join(".git");
        let common = common.canonicalize().unwrap_or(common);
        let print = blake3::hash(common.as_os_str().as_encoded_bytes()).to_hex();
        format!("{}-", &print[..12])
    }

    /// What must be unchanged after any run (R5).
    pub fn untouched(&self) -> RepoFingerprint {
        RepoFingerprint::read(&self.root())
    }

    /// Fails the test if a process of this test is still alive after a short wait (R6).
    #[track_caller]
    pub fn expect_no_survivors(&self) {
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            let left = survivors(self.path());
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "still alive: {left:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until `holds`; fails the test if it never does.
    #[track_caller]
    pub fn wait_until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let until = Instant::now() + PATIENCE;
        while !holds() {
            assert!(Instant::now() < until, "never happened: {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for TestRepo {
    fn drop(&mut self) {
        // A killed supervisor leaves its empty cgroup to the next start, which never comes.
        afresh_process::sweep_leftovers(&self.path().join("no-registry"), &self.job_prefix());
    }
}

/// Runs a command to its end, and reads its output meanwhile; a hang fails the test.
#[track_caller]
pub fn finish(mut command: Command) -> CommandOutput {
    let child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let pid = child.id();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || drop(sender.send(child.wait_with_output())));
    let Ok(output) = receiver.recv_timeout(PATIENCE) else {
        let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        panic!("{command:?} hangs");
    };
    let output = output.expect("output");
    CommandOutput {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Writes an executable script. Another process writes it: every child that a concurrent test starts would
/// inherit our descriptor, open for writing, and the kernel does not execute such a file.
pub fn write_script(path: &Path, text: &str) {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"]).arg(path);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("sh runs");
    let mut input = child.stdin.take().expect("its standard input is piped");
    input.write_all(text.as_bytes()).expect("written");
    drop(input);
    assert!(child.wait().expect("sh ends").success(), "cannot write {}", path.display());
}

/// Copies a tree by hard links, which is fast; by copies, if it is on another file system.
fn link_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().expect("a type");
        if kind.is_dir() {
            link_tree(&path, &target);
        } else if kind.is_symlink() {
            let link = fs::read_link(&path).expect("a link");
            std::os::unix::fs::symlink(link, target).expect("a link");
        } else if fs::hard_link(&path, &target).is_err() {
            fs::copy(&path, &target).expect("a copy");
        }
    }
}
