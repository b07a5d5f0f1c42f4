//! `afresh init`: a configuration that works, shown before it is written, without waiting for input.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::support::repo;
use crate::support::terminal::Terminal;
use afresh_testkit::TestRepo;
use afresh_testkit::repo::{finish, put_script};

/// A repository without a configuration, and a directory of agents that are only names.
struct Place {
    repo: TestRepo,
    bin: PathBuf,
}

impl Place {
    fn new(agents: &[&str]) -> Self {
        let repo = repo();
        fs::remove_dir_all(repo.root().join(".afresh")).expect("removed");
        let bin = repo.path().join("agents");
        fs::create_dir(&bin).expect("a new directory");
        for agent in agents {
            put_script(&bin.join(agent), "#!/bin/sh\nexit 1\n");
        }
        Self { repo, bin }
    }

    fn command(&self, args: &[&str]) -> Command {
        // The commands of these stacks are not installed.
        let mut command = self.repo.command(&[&["init", "--no-try"], args].concat());
        command.env("PATH", &self.bin);
        command
    }

    fn init(&self, args: &[&str]) -> afresh_testkit::CommandOutput {
        finish(self.command(args))
    }

    fn file(&self) -> Option<String> {
        fs::read_to_string(self.repo.root().join(".afresh/config.toml")).ok()
    }
}

const PACKAGE: &str =
    r#"{"scripts":{"test":"vitest","lint":"eslint ."},"devDependencies":{"vitest":"1"}}"#;

#[test]
fn the_file_is_shown_and_written() {
    let place = Place::new(&["claude", "codex"]);
    place.repo.write("Cargo.toml", "[package]\n");
    place.repo.write("package.json", PACKAGE);
    place.repo.write("package-lock.json", "{}");
    let ran = place.init(&["--yes"]).expect(0);
    let file = place.file().expect("written");
    assert_eq!(ran.stdout, file);
    insta::assert_snapshot!(file);
    insta::assert_snapshot!(ran.stderr.replace(&*place.repo.root().to_string_lossy(), "[ROOT]"));
}

/// Whatever is found, the written file is read without any warning.
#[test]
fn every_file_that_is_written_can_be_used() {
    let stacks: &[&[(&str, &str)]] = &[
        &[],
        &[("Cargo.toml", "[workspace]"), ("Cargo.lock", "")],
        &[("package.json", PACKAGE), ("pnpm-lock.yaml", "")],
        &[("pyproject.toml", "[project]\npytest"), ("uv.lock", "")],
        &[("requirements.txt", "pytest")],
        &[("go.mod", "")],
        &[("build.gradle", ""), ("gradlew", "")],
        &[("pom.xml", "")],
        &[("Gemfile", ""), (".rspec", "")],
        &[("composer.json", r#"{"scripts":{"test":"x"}}"#)],
        &[("mix.exs", "")],
        &[("App.csproj", "")],
        &[("CMakeLists.txt", "enable_testing()")],
        &[("meson.build", "")],
        &[("build.zig", "\"test\"")],
        &[("deno.json", "{}")],
        &[("Makefile", "test:\n\ttrue\n")],
        &[("web/package.json", PACKAGE), ("api/go.mod", "")],
    ];
    let agents = ["claude", "codex", "gemini", "opencode", "./my agent --flag \"x\\y", "/", ""];
    for (files, agent) in stacks.iter().zip(agents.iter().cycle()) {
        let place = Place::new(&[]);
        for (path, text) in *files {
            place.repo.write(path, text);
        }
        let named = ["--agent", agent];
        let args = if agent.is_empty() { &[][..] } else { &named };
        place.init(&[&["--yes"], args].concat()).expect(0);
        place.repo.plan_of(1);
        let ran = place.repo.run(&["--dry-run", "--agent", "nobody"]);
        // The only warning is about the agent that we made up.
        let complaints: Vec<&str> = ran
            .stderr
            .lines()
            .filter(|l| l.starts_with("error") || l.starts_with("warning"))
            .collect();
        let made_up = |line: &&str| {
            line.contains("there is no agent \"nobody\"") || line.contains("no agent is configured")
        };
        assert!(complaints.iter().all(made_up), "{files:?} {agent}: {}", ran.stderr);
        assert!(!ran.stderr.contains("cannot use the configuration"), "{}", ran.stderr);
    }
}

/// The proposed commands are run once in a clean clone, and their last lines are shown; the checkout stays as it is.
#[test]
fn proposed_commands_are_tried_before_they_judge_work() {
    let place = Place::new(&[]);
    place.repo.write("Makefile", "test:\n\t@touch made; echo Ran 0 tests\n");
    place.repo.commit("a makefile");
    let tried = place.repo.afresh(&["init", "--yes"]).expect(0);
    assert!(tried.stderr.contains("trying `make test` in a clean clone"), "{tried:?}");
    assert!(
        tried.stderr.contains("exit code 0") && tried.stderr.contains("Ran 0 tests"),
        "{tried:?}"
    );
    assert!(!place.repo.root().join("made").exists());
    place.repo.write("Makefile", "test:\n\t@echo no such module; exit 3\n");
    place.repo.commit("it fails");
    let tried = place.repo.afresh(&["init", "--yes", "--force", "--json"]).expect(0);
    let tried = &tried.json()["tried"][0];
    assert_eq!(
        (&tried["command"], &tried["passed"]),
        (&"make test".into(), &false.into()),
        "{tried}"
    );
    assert!(tried["last_lines"].to_string().contains("no such module"), "{tried}");
}

/// Without a terminal nothing is asked and nothing is written unless a flag says so.
#[test]
fn without_a_terminal_nothing_is_asked() {
    let place = Place::new(&["claude", "codex"]);
    let ran = place.init(&[]).expect(2);
    assert!(ran.stdout.contains("agent = \"claude\""), "{}", ran.stdout);
    assert!(ran.stderr.contains("`afresh init --yes` writes it"), "{}", ran.stderr);
    assert_eq!(place.file(), None);
    place.init(&["--dry-run"]).expect(0);
    assert_eq!(place.file(), None);
    let told = place.init(&["--dry-run", "--json"]).expect(0).json();
    assert_eq!(
        (&told["written"], &told["agents"]),
        (&false.into(), &serde_json::json!(["claude", "codex"]))
    );
    let told =
        place.init(&["--yes", "--json", "--agent", "codex", "--check", "make it"]).expect(0).json();
    assert_eq!(told["written"], true);
    assert_eq!(place.file().as_deref(), told["text"].as_str());
    assert!(place.file().expect("written").contains("always = [\"make it\"]"));
}

/// An existing configuration is never overwritten silently: a diff, a refusal, and `--force`.
#[test]
fn a_configuration_that_is_there_is_kept() {
    let place = Place::new(&["claude"]);
    place.repo.write(".afresh/config.toml", "# mine\n[run]\nparallel = 7\n");
    let ran = place.init(&["--yes"]).expect(1);
    assert!(
        ran.stdout.contains("-parallel = 7\n") && ran.stdout.contains("+parallel = 3 "),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("--force"), "{}", ran.stderr);
    assert_eq!(place.file().as_deref(), Some("# mine\n[run]\nparallel = 7\n"));
    place.init(&["--force"]).expect(2);
    assert_eq!(place.file().as_deref(), Some("# mine\n[run]\nparallel = 7\n"));
    place.init(&["--force", "--yes"]).expect(0);
    let ran = place.init(&["--yes"]).expect(0);
    assert!(ran.stderr.contains("is up to date"), "{}", ran.stderr);
}

/// In a terminal at most three questions are asked, each with a default answer.
#[test]
fn in_a_terminal_three_questions_are_asked() {
    let place = Place::new(&["claude", "gemini"]);
    place.repo.write("go.mod", "module x\n");
    let mut terminal = Terminal::start(place.command(&[]));
    terminal.await_words("Which agent (claude, gemini)? [claude]");
    terminal.keys("gemini\n");
    terminal.await_words(
        "Which command must pass on every merge (`none` for no check)? [go test ./...]",
    );
    terminal.keys("\n");
    terminal.await_words("config.toml? [y]");
    assert_eq!(place.file(), None, "nothing is written before it was shown");
    assert!(terminal.seen().contains("[agents.gemini]"), "{}", terminal.seen());
    terminal.keys("\n");
    let (code, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert_eq!(seen.matches("? [").count(), 3, "{seen}");
    let file = place.file().expect("written");
    assert!(
        file.contains("agent = \"gemini\"") && file.contains("always = [\"go test ./...\"]"),
        "{file}"
    );
}

#[test]
fn without_consent_no_file_is_written() {
    for keys in ["none\nnone\nn\n", "\u{4}\u{4}\u{4}"] {
        let place = Place::new(&[]);
        let mut terminal = Terminal::start(place.command(&[]));
        terminal.await_words("Which command starts your agent? [none]");
        for key in keys.split_inclusive(['\n', '\u{4}']) {
            terminal.keys(key);
        }
        let (code, seen) = terminal.end();
        assert!(code == Some(0) && seen.contains("nothing was written"), "{seen}");
        assert_eq!(place.file(), None);
    }
}
