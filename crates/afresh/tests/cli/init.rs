//! `afresh init`: a configuration that works, shown before it is written, without waiting for input.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::support::repo;
use crate::support::terminal::Terminal;
use afresh_testkit::TestRepo;
use afresh_testkit::repo::{finish, write_script};

/// A repository without a configuration, and a directory of agents that are only names.
struct InitScene {
    repo: TestRepo,
    bin: PathBuf,
}

impl InitScene {
    fn new(agents: &[&str]) -> Self {
        let repo = repo();
        fs::remove_dir_all(repo.root().join(".afresh")).expect("removed");
        let bin = repo.path().join("agents");
        fs::create_dir(&bin).expect("a new directory");
        for agent in agents {
            write_script(&bin.join(agent), "#!/bin/sh\nexit 1\n");
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
    let scene = InitScene::new(&["claude", "codex"]);
    scene.repo.write("Cargo.toml", "[package]\n");
    scene.repo.write("package.json", PACKAGE);
    scene.repo.write("package-lock.json", "{}");
    let ran = scene.init(&["--yes"]).expect(0);
    let file = scene.file().expect("written");
    assert_eq!(ran.stdout, file);
    insta::assert_snapshot!(file);
    insta::assert_snapshot!(ran.stderr.replace(&*scene.repo.root().to_string_lossy(), "[ROOT]"));
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
        let scene = InitScene::new(&[]);
        for (path, text) in *files {
            scene.repo.write(path, text);
        }
        let named = ["--agent", agent];
        let args = if agent.is_empty() { &[][..] } else { &named };
        scene.init(&[&["--yes"], args].concat()).expect(0);
        scene.repo.plan_of(1);
        let ran = scene.repo.run(&["--dry-run", "--agent", "nobody"]);
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
    let scene = InitScene::new(&[]);
    scene.repo.write("Makefile", "test:\n\t@touch made; echo all is well\n");
    scene.repo.commit("a makefile");
    let tried = scene.repo.afresh(&["init", "--yes"]).expect(0);
    assert!(tried.stderr.contains("trying `make test` in a clean clone"), "{tried:?}");
    assert!(
        tried.stderr.contains("exit code 0") && tried.stderr.contains("all is well"),
        "{tried:?}"
    );
    assert!(!scene.repo.root().join("made").exists());
    scene.repo.write("Makefile", "test:\n\t@echo no such module; exit 3\n");
    scene.repo.commit("it fails");
    let tried = scene.repo.afresh(&["init", "--yes", "--force", "--json"]).expect(0);
    let tried = &tried.json()["tried"][0];
    assert_eq!(
        (&tried["command"], &tried["passed"]),
        (&"make test".into(), &false.into()),
        "{tried}"
    );
    assert!(tried["last_lines"].to_string().contains("no such module"), "{tried}");
}

/// TR-04: a detected command that executes no test is no check of every merge; one that was named stays, with a note.
#[test]
fn a_command_that_executes_no_test_is_not_proposed() {
    let scene = InitScene::new(&[]);
    let line = "-".repeat(70);
    let report = format!("@echo; echo {line}; echo Ran 0 tests in 0.000s; echo; echo OK");
    scene.repo.write("Makefile", &format!("test:\n\t{report}\n"));
    scene.repo.commit("a makefile");
    let ran = scene.repo.afresh(&["init", "--yes", "--json"]).expect(0);
    assert!(ran.stderr.contains("`make test` executed no test"), "{ran:?}");
    assert_eq!(ran.json()["tried"][0]["executed_tests"], 0);
    let file = scene.file().expect("written");
    assert!(file.contains("always = []") && file.contains("#   \"make test\""), "{file}");
    let named = ["init", "--yes", "--force", "--check", "make test"];
    let ran = scene.repo.afresh(&named).expect(0);
    assert!(ran.stderr.contains("because you named it"), "{ran:?}");
    assert!(scene.file().expect("written").contains("always = [\"make test\"]"));
}

/// Without a terminal nothing is asked and nothing is written unless a flag says so.
#[test]
fn without_a_terminal_nothing_is_asked() {
    let scene = InitScene::new(&["claude", "codex"]);
    let ran = scene.init(&[]).expect(2);
    assert!(ran.stdout.contains("agent = \"claude\""), "{}", ran.stdout);
    assert!(ran.stderr.contains("`afresh init --yes` writes it"), "{}", ran.stderr);
    assert_eq!(scene.file(), None);
    scene.init(&["--dry-run"]).expect(0);
    assert_eq!(scene.file(), None);
    let report = scene.init(&["--dry-run", "--json"]).expect(0).json();
    assert_eq!(
        (&report["written"], &report["agents"]),
        (&false.into(), &serde_json::json!(["claude", "codex"]))
    );
    let report =
        scene.init(&["--yes", "--json", "--agent", "codex", "--check", "make it"]).expect(0).json();
    assert_eq!(report["written"], true);
    assert_eq!(scene.file().as_deref(), report["text"].as_str());
    assert!(scene.file().expect("written").contains("always = [\"make it\"]"));
}

/// An existing configuration is never overwritten silently: a diff, a refusal, and `--force`.
#[test]
fn a_configuration_that_is_there_is_kept() {
    let scene = InitScene::new(&["claude"]);
    scene.repo.write(".afresh/config.toml", "# mine\n[run]\nparallel = 7\n");
    let ran = scene.init(&["--yes"]).expect(1);
    assert!(
        ran.stdout.contains("-parallel = 7\n") && ran.stdout.contains("+parallel = 3 "),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("--force"), "{}", ran.stderr);
    assert_eq!(scene.file().as_deref(), Some("# mine\n[run]\nparallel = 7\n"));
    scene.init(&["--force"]).expect(2);
    assert_eq!(scene.file().as_deref(), Some("# mine\n[run]\nparallel = 7\n"));
    scene.init(&["--force", "--yes"]).expect(0);
    let ran = scene.init(&["--yes"]).expect(0);
    assert!(ran.stderr.contains("is up to date"), "{}", ran.stderr);
}

/// In a terminal at most three questions are asked, each with a default answer.
#[test]
fn in_a_terminal_three_questions_are_asked() {
    let scene = InitScene::new(&["claude", "gemini"]);
    scene.repo.write("go.mod", "module x\n");
    let mut terminal = Terminal::start(scene.command(&[]));
    terminal.await_text("Which agent (claude, gemini)? [claude]");
    terminal.keys("gemini\n");
    terminal.await_text(
        "Which command must pass on every merge (`none` for no check)? [go test ./...]",
    );
    terminal.keys("\n");
    terminal.await_text("config.toml? [y]");
    assert_eq!(scene.file(), None, "nothing is written before it was shown");
    assert!(terminal.screen().contains("[agents.gemini]"), "{}", terminal.screen());
    terminal.keys("\n");
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(0), "{screen}");
    assert_eq!(screen.matches("? [").count(), 3, "{screen}");
    let file = scene.file().expect("written");
    assert!(
        file.contains("agent = \"gemini\"") && file.contains("always = [\"go test ./...\"]"),
        "{file}"
    );
}

#[test]
fn without_consent_no_file_is_written() {
    for keys in ["none\nnone\nn\n", "\u{4}\u{4}\u{4}"] {
        let scene = InitScene::new(&[]);
        let mut terminal = Terminal::start(scene.command(&[]));
        terminal.await_text("Which command starts your agent? [none]");
        for key in keys.split_inclusive(['\n', '\u{4}']) {
            terminal.keys(key);
        }
        let (code, screen) = terminal.end();
        assert!(code == Some(0) && screen.contains("nothing was written"), "{screen}");
        assert_eq!(scene.file(), None);
    }
}

/// B37: a command that cannot be started is mentioned, with the agent that it resembles; one that was named is not
/// reported as missing.
#[test]
fn an_agent_that_cannot_be_started_is_mentioned() {
    let scene = InitScene::new(&[]);
    let slip = scene.init(&["--agent", "codx", "--dry-run"]).expect(0);
    assert!(slip.stderr.contains("`codx` is not on the PATH; did you mean codex?"), "{slip:?}");
    assert!(!slip.stderr.contains("found no agent"), "{slip:?}");
    write_script(&scene.bin.join("helper"), "#!/bin/sh\n");
    let known = scene.init(&["--agent", "helper --fast", "--dry-run"]).expect(0);
    assert!(!known.stderr.contains("PATH"), "{known:?}");
}

/// F21: outside of a repository there is nothing to commit to.
#[test]
fn outside_of_a_repository_the_next_step_is_to_create_one() {
    let repo = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    let ran = repo.afresh(&["init", "--agent", "sh", "--yes", "--no-try"]).expect(0);
    assert!(ran.stderr.contains("there is no git repository here"), "{ran:?}");
    assert!(!ran.stderr.contains("then commit this file"), "{ran:?}");
}

/// B37: a person without an agent types `n`, which is not the name of one; `y` is asked back.
#[test]
fn no_is_not_the_name_of_an_agent() {
    for answers in ["n\n", "yes\nNo\n"] {
        let scene = InitScene::new(&[]);
        let mut terminal = Terminal::start(scene.command(&["--no-check"]));
        terminal.await_text("Which command starts your agent? [none]");
        terminal.keys(answers);
        terminal.await_text("config.toml? [y]");
        terminal.keys("y\n");
        let (code, screen) = terminal.end();
        assert_eq!(code, Some(0), "{screen}");
        let file = scene.file().expect("written");
        assert!(!file.contains("[agents.n") && !file.contains("agent = \"n"), "{file}");
        assert!(!file.contains("[agents.yes]"), "{file}");
    }
}
