//! People's sessions in real programs: set up by `afresh init`, they drive a run through `afresh mcp`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use afresh_model::client::PROGRAMS;
use afresh_model::{ModelScript, ModelStep};
use afresh_testkit::repo::finish;
use afresh_testkit::{CommandOutput, TestRepo};
use serde_json::json;

use super::AgentScene;
use crate::support::Gate;

/// A session in a repository whose workers are scripts; the first worker of the only task asks.
struct SessionScene {
    scene: AgentScene,
    program: &'static str,
}

impl SessionScene {
    /// None if the program is missing.
    fn new(program: &'static str) -> Option<Self> {
        let scene = AgentScene::with_program(program)?;
        let repo = &scene.repo;
        repo.config("");
        repo.agent(
            "if [ $AFRESH_ATTEMPT = 1 ]; then\n\
               echo OUTPUT_JSON_START\n\
               echo '{\"status\":\"NEEDS_DECISION\",\"decision_needed\":\"Which colour?\",\"options\":[\"red\",\"dark blue\"]}'\n\
               echo OUTPUT_JSON_END\n\
             else echo x > T001.txt; fi",
        );
        repo.commit("scripts as workers");
        repo.afresh(&["init", &format!("--{program}"), "--yes"]).expect(0);
        let home = repo.path().join("home");
        write(
            &home.join(".gemini/settings.json"),
            r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#,
        );
        let trusted =
            format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", repo.root().display());
        write(&home.join(".codex/config.toml"), &trusted);
        Some(Self { scene, program })
    }

    /// The program, in the environment of a person: their home, and our programs on the PATH.
    fn command(&self, args: &[&str]) -> Command {
        let like = self.scene.command(&[]);
        let mut command = Command::new(self.program);
        command.args(args).current_dir(self.scene.repo.root()).stdin(Stdio::null());
        for (name, value) in like.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let exe = Path::new(env!("CARGO_BIN_EXE_afresh")).parent().expect("a directory");
        let path = std::env::join_paths(
            [self.scene.programs.clone(), exe.to_owned()]
                .into_iter()
                .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
        );
        command
            .env("PATH", path.expect("directories"))
            // As a shell has it; one program works where it says.
            .env("PWD", self.scene.repo.root())
            .env("IS_SANDBOX", "1")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
            .env("GEMINI_CLI_NO_RELAUNCH", "true")
            .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
            .env_remove("AFRESH_ATTEMPT")
            .env_remove("AFRESH_RESULT");
        command
    }

    /// One conversation without a terminal.
    fn converse(&self, prompt: &[&str]) -> CommandOutput {
        let table = self.scene.client.config_table();
        let args = table.lines().find_map(|line| line.strip_prefix("args = "));
        let model: Vec<String> =
            serde_json::from_str(args.expect("arguments")).expect("a list of texts");
        let mut words: Vec<&str> = match self.program {
            "claude" => vec![
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--model",
                "claude-sonnet-4-5",
                "--permission-mode",
                "bypassPermissions",
            ],
            // An unknown model is offered the tools of servers at once, without a search.
            "codex" => vec![
                "exec",
                "--json",
                "-m",
                "scripted",
                "--dangerously-bypass-approvals-and-sandbox",
                "--skip-git-repo-check",
            ],
            "gemini" => {
                vec!["-o", "stream-json", "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p"]
            }
            _ => vec!["run", "--format", "json", "-m", "scripted/standard"],
        };
        words.extend(model.iter().map(String::as_str));
        words.extend(prompt);
        finish(self.command(&words))
    }

    /// The name that a tool has in the program, as far as it matters.
    fn tool(&self, name: &str) -> String {
        match self.program {
            "claude" => format!("mcp__afresh__{name}"),
            "gemini" => format!("mcp_afresh_{name}"),
            "opencode" => format!("afresh_{name}"),
            _ => name.to_owned(),
        }
    }
}

fn write(path: &Path, text: &str) {
    if !path.exists() {
        fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        fs::write(path, text).expect("written");
    }
}

/// The model starts a run, waits until it asks, reads the question, answers it, continues the run and reads its status.
fn drives_a_run(program: &'static str) {
    let Some(session) = SessionScene::new(program) else { return };
    let repo: &TestRepo = &session.scene.repo;
    let step = |name: &str, arguments| ModelStep::tool(&session.tool(name), arguments);
    let steps = [
        step("show", json!({"plan": "p.plan.toml"})),
        step("run", json!({"plan": "p.plan.toml"})),
        // Twice: what there is to say, the second one says at once.
        step("wait", json!({"seconds": 50})),
        step("wait", json!({"seconds": 50})),
        step("questions", json!({})),
        step("decide", json!({"question": "Q1", "answer": "2"})),
        // Its driver may still be there; then this is refused, and the run continues all the same.
        step("resume", json!({})),
        // Twice: what there is to say, the second one says at once.
        step("wait", json!({"seconds": 50})),
        step("wait", json!({"seconds": 50})),
        step("status", json!({})),
        ModelStep::text("That is all."),
    ];
    session.scene.server.add("work", ModelScript::from_steps(steps));
    let talked = session.converse(&["Run the plan p.plan.toml with afresh."]);
    let requests = session.scene.server.received_requests();
    let last = requests.iter().max_by_key(|request| request.turns).expect("requests");
    assert!(last.turns >= 10, "{program} stopped after {} turns: {talked:?}", last.turns);
    for seen in ["Which colour?", "dark blue", "test-1", "needs-person"] {
        assert!(last.body.holds(seen), "{program} did not hand on {seen:?}: {talked:?}");
    }
    repo.wait_until("the run is done", || repo.status()["state"] == "done");
    assert!(repo.prompt("T001", 2).contains("dark blue"), "the answer reached the next worker");
    assert_eq!(repo.landed(), ["T001"]);
    repo.wait_until("nothing drives it", || repo.status()["driver"].is_null());
    repo.expect_no_survivors();
}

/// HU-04, ST-06.
#[test]
fn a_session_in_claude_drives_a_run() {
    drives_a_run("claude");
}

/// HU-04, ST-06.
#[test]
fn a_session_in_codex_drives_a_run() {
    drives_a_run("codex");
}

/// HU-04, ST-06.
#[test]
fn a_session_in_gemini_drives_a_run() {
    drives_a_run("gemini");
}

/// HU-04, ST-06.
#[test]
fn a_session_in_opencode_drives_a_run() {
    drives_a_run("opencode");
}

/// HU-04: a session that ends leaves the run that it started to itself, however the program ends its servers.
#[test]
fn a_run_outlives_the_session_that_started_it() {
    for program in PROGRAMS.iter().copied() {
        let Some(session) = SessionScene::new(program) else { continue };
        let repo = &session.scene.repo;
        let go = Gate::new(repo, "go");
        repo.agent(&format!("{}\necho x > T001.txt", go.wait()));
        let run = ModelStep::tool(&session.tool("run"), json!({"plan": "p.plan.toml"}));
        let steps = [run, ModelStep::text("It runs.")];
        session.scene.server.add("work", ModelScript::from_steps(steps));
        session.converse(&["Run the plan p.plan.toml with afresh."]);
        // A program that ends everything below its servers would have done so by now.
        let pid = repo.status()["driver"]["pid"].clone();
        assert!(pid.is_u64(), "{program}: {}", repo.status());
        go.open();
        repo.wait_until("the run is done", || repo.status()["state"] == "done");
        assert_eq!(repo.landed(), ["T001"], "{program}");
        repo.wait_until("nothing drives it", || repo.status()["driver"].is_null());
        repo.expect_no_survivors();
    }
}

/// HU-04: the programs themselves say that the entry is theirs, and no longer once it is taken away.
#[test]
fn programs_list_the_server_that_was_installed() {
    for (program, scope) in PROGRAMS.iter().flat_map(|it| [(*it, None), (*it, Some("--user"))]) {
        let Some(session) = SessionScene::new(program) else { continue };
        let repo = &session.scene.repo;
        let init = |more: &[&str]| {
            let program = format!("--{program}");
            let args = ["init", &program, "--yes"].into_iter();
            let args: Vec<&str> = args.chain(more.iter().copied()).collect();
            repo.afresh(&args).expect(0);
        };
        if let Some(scope) = scope {
            init(&["--remove"]);
            init(&[scope]);
        }
        let listed = |session: &SessionScene| {
            let output = finish(session.command(&["mcp", "list"]));
            let own = session.scene.repo.path().display().to_string();
            (output.stdout + &output.stderr).replace(&own, "")
        };
        let now = listed(&session);
        assert!(now.contains("afresh"), "{program}: {now}");
        init(&scope.into_iter().chain(["--remove"]).collect::<Vec<_>>());
        let later = listed(&session);
        assert!(!later.contains("afresh"), "{program}: {later}");
    }
}

/// HU-04, ST-06: what a person types reaches the model as our text; Codex offers its model the skills instead.
#[test]
fn typed_commands_reach_the_model() {
    for (program, typed) in [
        ("claude", &["/afresh:status T001"][..]),
        ("gemini", &["/afresh:status T001"]),
        ("opencode", &["--command", "afresh/status", "T001"]),
        ("codex", &["How does the run stand?"]),
    ] {
        let Some(session) = SessionScene::new(program) else { continue };
        session.scene.server.add("work", ModelScript::from_steps([ModelStep::text("Fine.")]));
        let talked = session.converse(typed);
        let wanted = match program {
            "codex" => "afresh-status",
            _ => "how the run of afresh stands: T001",
        };
        let requests = session.scene.server.received_requests();
        let is_seen = requests.iter().any(|request| request.body.holds(wanted));
        assert!(is_seen, "{program}: {talked:?}");
    }
}

/// ST-06: a worker in a project that is set up for people's sessions has the tools of its attempt, and none that steer
/// the run.
#[test]
fn workers_in_such_a_project_have_their_own_tools() {
    for program in PROGRAMS.iter().copied() {
        let Some(scene) = AgentScene::with_program(program) else { continue };
        let all = ["init", "--claude", "--codex", "--gemini", "--opencode", "--yes"];
        scene.repo.afresh(&all).expect(0);
        scene.repo.commit("for people's sessions");
        let steps = [
            ModelStep::write("T001.txt", "by T001\n"),
            ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
            ModelStep::text("That is all."),
        ];
        scene.server.add("work", ModelScript::from_steps(steps));
        scene.run().expect(0);
        assert_eq!(scene.repo.landed(), ["T001"], "{program}");
        for request in scene.server.received_requests() {
            let steers = |name: &&String| name.ends_with("decide") || name.ends_with("task_skip");
            let found = request.tools.iter().find(steers);
            assert!(found.is_none(), "{program} offers {found:?}");
        }
        scene.repo.expect_no_survivors();
    }
}
