//! `afresh agents`: lists them, installs one (with an npm that is a shell script), and finds it afterwards (AG-01,
//! B37).

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::support::{Driver, Gate, repo};
use afresh_testkit::repo::{finish, write_script};
use afresh_testkit::{CommandOutput, TestRepo};
use serde_json::Value;

/// A repository, and a PATH that contains only these programs.
struct ProgramScene {
    repo: TestRepo,
    bin: PathBuf,
}

/// An npm that installs a program which does its task and reports like Claude Code.
const NPM: &str = r#"#!/bin/sh
echo "$*" >> "$HOME/npm.calls"
while [ "$1" != --prefix ]; do shift; done
at=$2/node_modules/.bin
mkdir -p "$at"
cat > "$at/claude" <<'END'
#!/bin/sh
if [ "$1" = --version ]; then echo "2.1.197 (Claude Code)"; exit; fi
echo "by $AFRESH_TASK" > $AFRESH_TASK.txt
printf '%s\n' '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"OUTPUT_JSON_START\n{\"status\":\"COMPLETED\"}\nOUTPUT_JSON_END"}'
END
chmod 755 "$at/claude"
"#;

impl ProgramScene {
    fn new() -> Self {
        let repo = repo();
        let bin = repo.path().join("bin");
        fs::create_dir(&bin).expect("a new directory");
        let path = std::env::var_os("PATH").expect("a PATH");
        for tool in ["sh", "git", "mkdir", "chmod", "cat", "sleep", "test"] {
            let mut places = std::env::split_paths(&path).map(|path| path.join(tool));
            let found = places.find(|path| path.exists()).expect("a usual tool");
            std::os::unix::fs::symlink(found, bin.join(tool)).expect("a link");
        }
        Self { repo, bin }
    }

    fn with(self, program: &str, script: &str) -> Self {
        write_script(&self.bin.join(program), script);
        self
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.repo.command(args);
        command.env("PATH", &self.bin);
        command
    }

    fn afresh(&self, args: &[&str]) -> CommandOutput {
        finish(self.command(args))
    }

    fn agents(&self) -> Vec<Value> {
        let listed = self.afresh(&["agents", "list", "--json"]).expect(0).json();
        listed["agents"].as_array().expect("agents").clone()
    }

    fn agent(&self, name: &str) -> Value {
        self.agents().into_iter().find(|agent| agent["name"] == name).expect("listed")
    }

    fn npm_calls(&self) -> usize {
        let calls = fs::read_to_string(self.repo.path().join("home/npm.calls"));
        calls.unwrap_or_default().lines().count()
    }

    /// What is in the cache, without the lock.
    fn cached(&self) -> Vec<String> {
        let entries = fs::read_dir(self.repo.cache().join("agents")).into_iter().flatten();
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name != "lock").collect();
        names.sort();
        names
    }
}

/// AG-01: known and configured agents, with their capabilities, and whether each can be used.
#[test]
fn agents_are_listed_with_what_they_can_do() {
    let scene = ProgramScene::new()
        .with("claude", "#!/bin/sh\necho '2.1.197 (Claude Code)'\n")
        .with("codex", "#!/bin/sh\necho 'codex-cli 0.1.0'\n")
        .with("gemini", "#!/bin/sh\necho 'no such engine' >&2; exit 7\n");
    let claude = scene.agent("claude");
    assert_eq!((&claude["version"], &claude["usable"]), (&"2.1.197".into(), &true.into()));
    assert_eq!((&claude["tools"], &claude["hooks"]), (&"mcp".into(), &true.into()));
    assert_eq!(claude["models"]["small"], "haiku");
    assert_eq!(claude["configured"], false);
    assert!(claude["remedy"].as_str().is_some_and(|cure| cure.contains("ANTHROPIC_API_KEY")));
    assert_eq!(scene.agent("codex")["tested"], "0.166.0");
    let gemini = scene.agent("gemini");
    assert_eq!(gemini["usable"], false);
    assert!(gemini["problem"].as_str().is_some_and(|why| why.contains("no such engine")));
    let opencode = scene.agent("opencode");
    assert_eq!((&opencode["usable"], &opencode["program"]), (&false.into(), &Value::Null));
    assert!(
        opencode["remedy"].as_str().is_some_and(|cure| cure.contains("agents install opencode"))
    );
    let mine = scene.agent("mine");
    assert_eq!((&mine["kind"], &mine["prompt"]), (&"command".into(), &"stdin".into()));
    assert_eq!((&mine["default"], &mine["reports_use"]), (&true.into(), &false.into()));
    let text = scene.afresh(&["agents", "list"]).expect(0).stdout;
    assert!(text.contains("* mine (command)") && text.contains("haiku, sonnet, opus"), "{text}");
    scene.repo.expect_no_survivors();
}

/// AG-01: an installed program is found by every command if none is on the PATH; npm is called once.
#[test]
fn an_installed_agent_is_found_and_does_a_task() {
    let scene = ProgramScene::new().with("npm", NPM);
    assert_eq!(scene.agent("claude")["usable"], false);
    scene.repo.plan_of(1);
    let refused = scene.afresh(&["run", "p.plan.toml", "--agent", "claude"]).expect(2);
    assert!(refused.stderr.contains("afresh agents install claude"), "{}", refused.stderr);
    let ran = scene.afresh(&["agents", "install", "claude", "--json"]).expect(0);
    let installed = &ran.json()["installed"][0];
    assert_eq!((&installed["version"], &installed["new"]), (&"2.1.197".into(), &true.into()));
    let calls = fs::read_to_string(scene.repo.path().join("home/npm.calls")).expect("called");
    assert!(calls.contains("@anthropic-ai/claude-code@2.1.197"), "{calls}");
    assert_eq!(scene.cached(), ["claude", "claude-2.1.197"]);
    let again = scene.afresh(&["agents", "install", "claude"]).expect(0);
    assert!(again.stderr.contains("already installed"), "{}", again.stderr);
    assert_eq!(scene.npm_calls(), 1);
    assert_eq!(scene.agent("claude")["usable"], true);
    // As users run it: the cache is hidden from workers, except for their own program.
    let mut run = scene.command(&["run", "p.plan.toml", "--agent", "claude", "--no-input"]);
    run.env("AFRESH_SANDBOX", "auto");
    finish(run).expect(0);
    crate::support::expect_landed_once(&scene.repo, 1);
    let doctor = scene.afresh(&["doctor"]).stdout;
    assert!(doctor.contains("agents/claude/node_modules/.bin/claude: 2.1.197"), "{doctor}");
    fs::remove_dir_all(scene.repo.root().join(".afresh")).expect("removed");
    let init = scene.afresh(&["init", "--dry-run", "--json"]);
    assert_eq!(init.json()["agents"], serde_json::json!(["claude"]), "{}", init.stdout);
}

/// AG-01: another version is used from then on, and the first one again when it is requested.
#[test]
fn another_version_takes_the_place_of_the_first() {
    let scene = ProgramScene::new().with("npm", NPM);
    scene.afresh(&["agents", "install", "claude"]).expect(0);
    scene.afresh(&["agents", "install", "claude", "--version", "2.2.0"]).expect(0);
    assert_eq!(scene.cached(), ["claude", "claude-2.1.197", "claude-2.2.0"]);
    let link = scene.repo.cache().join("agents/claude");
    assert_eq!(fs::read_link(&link).expect("a link"), PathBuf::from("claude-2.2.0"));
    scene.afresh(&["agents", "install", "claude"]).expect(0);
    assert_eq!(fs::read_link(&link).expect("a link"), PathBuf::from("claude-2.1.197"));
    assert_eq!(scene.npm_calls(), 2);
}

/// AG-01: kill -9 during an installation leaves nothing that is used, and the next one cleans up.
#[test]
fn an_installation_that_was_killed_is_not_used() {
    let scene = ProgramScene::new();
    let (gate, up) = (Gate::new(&scene.repo, "gate"), Gate::new(&scene.repo, "up"));
    let halfway = format!("mkdir -p \"$at\"\n{}\n{}\n", up.opened_by_worker(), gate.wait());
    let scene = scene.with("npm", &NPM.replace("mkdir -p \"$at\"\n", &halfway));
    let driver =
        Driver::start_command(&scene.repo, scene.command(&["agents", "install", "claude"]));
    scene.repo.wait_until("npm is at work", || up.is_open());
    driver.kill_9();
    scene.repo.expect_no_survivors();
    assert!(scene.cached().iter().all(|name| name.starts_with("new-")), "{:?}", scene.cached());
    assert_eq!(scene.agent("claude")["usable"], false);
    gate.open();
    scene.afresh(&["agents", "install", "claude"]).expect(0);
    assert_eq!(scene.cached(), ["claude", "claude-2.1.197"]);
    assert_eq!(scene.agent("claude")["usable"], true);
}

/// AG-01: every obstacle is reported with a hint, and nothing incomplete is left.
#[test]
fn what_prevents_an_installation_is_reported() {
    let none = ProgramScene::new();
    let ran = none.afresh(&["agents", "install", "claude"]).expect(2);
    assert!(ran.stderr.contains("npm is not on the PATH"), "{}", ran.stderr);
    assert!(ran.stderr.contains("Node.js"), "{}", ran.stderr);
    for (npm, expected) in [
        (
            "#!/bin/sh\necho 'npm error code ENOTFOUND' >&2; echo 'npm error network no address' >&2; exit 1\n",
            ["no address", "check the connection"],
        ),
        ("#!/bin/sh\necho 'npm error code ETARGET' >&2; exit 1\n", ["ETARGET", "no such version"]),
        ("#!/bin/sh\nexit 0\n", ["does not exist", "node --version"]),
    ] {
        let scene = ProgramScene::new().with("npm", npm);
        let ran = scene.afresh(&["agents", "install", "claude"]).expect(1);
        for word in expected {
            assert!(ran.stderr.contains(word), "{word}: {}", ran.stderr);
        }
        assert_eq!(scene.cached(), Vec::<String>::new());
    }
    for (args, expected) in [
        (&["gemni"][..], "did you mean \"gemini\""),
        (&["claude", "codex", "--version", "1.2.3"], "one program only"),
        (&["claude", "--version", "../x"], "is not a version"),
        (&[], "no agent of the configuration can be installed"),
    ] {
        let ran = none.afresh(&[&["agents", "install"], args].concat()).expect(2);
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
    }
}

/// B37: a known program that fails, hangs, is old or new, or has no login, is reported with a hint.
#[test]
fn doctor_starts_every_agent_and_gives_hints() {
    let scene = ProgramScene::new()
        .with("claude", "#!/bin/sh\necho '2.1.100 (Claude Code)'\n")
        .with("codex", "#!/bin/sh\nsleep 600\n")
        .with("gemini", "#!/bin/sh\necho 'wrong engine' >&2; exit 3\n")
        .with("opencode", "#!/bin/sh\necho 99.0.0\n");
    scene.repo.write(
        ".afresh/config.toml",
        "[run]\nagent = \"claude\"\n[agents.codex]\nkind = \"codex\"\n[agents.gemini]\nkind = \"gemini\"\n\
         [agents.over]\nkind = \"acp\"\ncommand = [\"opencode\", \"acp\"]\n",
    );
    let report = scene.afresh(&["doctor", "--json"]).expect(1).json();
    let line = |name: &str| {
        let lines = report["lines"].as_array().expect("lines");
        let line = lines.iter().find(|line| line["name"] == name);
        line.map(ToString::to_string).unwrap_or_default()
    };
    for (name, expected) in [
        ("agent claude", &["warn", "2.1.100", "older than 2.1.197", "claude-code@2.1.197"][..]),
        ("login claude", &["warn", "neither a key nor a login", "ANTHROPIC_API_KEY"]),
        ("agent codex", &["fail", "--version did not end within 20s", "agents install codex"]),
        ("agent gemini", &["fail", "exits with code 3", "wrong engine"]),
        ("agent over", &["\"ok\"", "99.0.0", "newer than 1.18.33"]),
        ("login over", &["warn", "name it in `env` under [agents.over]"]),
        ("agent opencode", &["\"ok\"", "not in the configuration"]),
    ] {
        for word in expected {
            assert!(line(name).contains(word), "{name}: {word:?} is not in {:?}", line(name));
        }
    }
    assert_eq!(line("agent"), "", "a built-in agent needs no table");
    scene.repo.expect_no_survivors();
    let scene = scene.with("codex", "#!/bin/sh\nexit 1\n");
    let mut command = scene.command(&["doctor", "--json"]);
    command.env("ANTHROPIC_API_KEY", "sk-ant-not-to-be-seen");
    let output = finish(command).expect(1).stdout;
    assert!(!output.contains("login claude") && !output.contains("not-to-be-seen"), "{output}");
}

/// BE-04, AG-05: a wait for the model is printed with the time of the next try, and a refused report with its reason.
#[test]
fn a_wait_for_the_model_is_printed() {
    let fails = r#"#!/bin/sh
printf '%s\n' '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
printf '%s\n' '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"too many"}'
exit 1
"#;
    let scene = ProgramScene::new().with("claude", fails);
    scene.repo.write(".afresh/config.toml", "[run]\nagent = \"claude\"\nbackoff = [\"10ms\"]\n");
    scene.repo.plan_of(1);
    scene.repo.commit("a plan");
    let command = scene.command(&["run", "p.plan.toml", "--no-input"]);
    let mut driver = Driver::start_command(&scene.repo, command);
    driver.await_stderr("the model is asked again in 3");
    let stderr = driver.stderr();
    let line = stderr.lines().find(|line| line.contains("asked again")).expect("a line");
    assert!(line.contains("T001") && line.contains(", at 20") && line.ends_with('Z'), "{line}");
    driver.kill_9();
}

/// RE-02: why a report was refused reaches people and the next worker.
#[test]
fn a_refused_report_is_explained() {
    let refused = r#"#!/bin/sh
echo "by $AFRESH_TASK" > $AFRESH_TASK.txt
printf '%s\n' '{"status":"COMPLETED","task_id":"T999"}' | afresh report-result
printf '%s\n' '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"I am done."}'
"#;
    let scene = ProgramScene::new().with("claude", refused);
    scene.repo.write(".afresh/config.toml", "[run]\nagent = \"claude\"\nattempts = 2\n");
    scene.repo.plan_of(1);
    scene.repo.commit("a plan");
    scene.afresh(&["run", "p.plan.toml", "--no-input"]).expect(4);
    let error = scene.repo.status()["tasks"][0]["error"].to_string();
    assert!(error.contains("its report was refused") && error.contains("T999"), "{error}");
    let next = scene.repo.prompt("T001", 2);
    assert!(next.contains("its report was refused"), "{next}");
}

/// AG-03: who starts a run with a program that has neither a key nor a login is warned before it is paid for.
#[test]
fn a_missing_login_is_reported_before_the_run() {
    let repo = repo();
    repo.plan_of(1);
    let program = repo.path().join("bin/claude");
    fs::create_dir_all(program.parent().expect("a directory")).expect("made");
    write_script(&program, "#!/bin/sh\nexit 1\n");
    repo.write(
        ".afresh/config.toml",
        "[run]\nagent = \"claude\"\nattempts = 1\n[agents.claude]\nkind = \"claude\"\n",
    );
    repo.commit("config");
    let run = |key: Option<&str>| {
        let mut command = repo.command(&["run", "p.plan.toml", "--new", "--no-input"]);
        let path = std::env::var("PATH").expect("a path");
        command.env("PATH", format!("{}:{path}", program.parent().expect("it").display()));
        command.env_remove("ANTHROPIC_API_KEY").env_remove("CLAUDE_CODE_OAUTH_TOKEN");
        key.map(|key| command.env("ANTHROPIC_API_KEY", key));
        finish(command).stderr
    };
    let warned = "agent claude seems to have neither a key nor a login";
    let (without, with) = (run(None), run(Some("a-key-for-the-test")));
    assert!(without.contains(warned) && !with.contains(warned), "{without}\n{with}");
}
