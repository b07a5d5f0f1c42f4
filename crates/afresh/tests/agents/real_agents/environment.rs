//! The environment of a real program: its model behind proxies, its PATH, its variables, the project's rules.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use afresh_model::client::PROGRAMS;
use afresh_model::{ModelScript, ModelStep};
use afresh_testkit::repo::finish;
use serde_json::json;

use super::{AgentScene, repo_for};
use crate::support::expect_landed_once;
use crate::support::git::in_front_of_path;
use crate::support::sandbox_levels::{levels_with_bubblewrap, path_with_bubblewrap};

/// R5: the model is reached through our proxy, and through the user's own behind it; any other host is refused.
fn asks_its_model_through_proxies(program: &str) {
    let Some(scene) = AgentScene::with_program(program) else { return };
    let (scene, proxy) = scene.behind_proxies(program);
    let steps = [
        ModelStep::shell(
            "python3 -c 'import urllib.request as r; r.urlopen(\"http://evil.test\")' || true",
        ),
        ModelStep::write("T001.txt", "by T001\n"),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    scene.server.add("work", ModelScript::from_steps(steps));
    let office = format!("http://127.0.0.1:{}", proxy.port);
    let mut command = scene.sandboxed_command(&["run", "p.plan.toml", "--no-input"]);
    command.env("HTTPS_PROXY", &office).env("HTTP_PROXY", &office);
    finish(command).expect(0);
    expect_landed_once(&scene.repo, 1);
    let requests = proxy.requests();
    assert!(requests.iter().any(|line| line.contains("model.test")), "{requests:?}");
    assert!(!requests.iter().any(|line| line.contains("evil.test")), "{requests:?}");
    let report = scene.repo.afresh(&["report"]).expect(0).stdout;
    assert!(report.contains("evil.test:80 is not on the list"), "{report}");
    // The program itself connects only to its model.
    assert_eq!(report.matches("is not on the list").count(), 1, "{report}");
}

/// M5: gemini refuses settings below a directory that all users may write to, such as `/tmp`. If the repository is in
/// one, it works all the same, in every sandbox.
#[test]
fn gemini_works_below_a_directory_that_all_users_may_write_to() {
    let Some(scene) = AgentScene::with_program("gemini") else { return };
    let shared = scene.repo.path().join("shared");
    fs::create_dir(&shared).expect("a directory");
    fs::set_permissions(&shared, Permissions::from_mode(0o1777)).expect("permissions");
    let steps = [
        ModelStep::write("T001.txt", "by T001\n"),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    scene.server.add("work", ModelScript::from_steps(steps));
    let path = in_front_of_path(&scene.programs);
    for level in levels_with_bubblewrap() {
        let repo = repo_for("gemini", &scene.client, &shared);
        let mut command = repo.command(&["run", "p.plan.toml", "--no-input", "--sandbox", level]);
        command.envs(scene.client.variables.iter().map(|(name, value)| (name, value)));
        command.env("HOME", scene.repo.path().join("home"));
        command.env("PATH", format!("{path}:{}", path_with_bubblewrap()));
        let ran = finish(command);
        assert_eq!(ran.code, Some(0), "{level}: {}\n{}", ran.stdout, ran.stderr);
        expect_landed_once(&repo, 1);
    }
}

/// H1: commands of the model see the worker's PATH, with `afresh` on it, and the user's own tools.
#[test]
fn commands_of_codex_keep_the_path() {
    let Some(scene) = AgentScene::with_program("codex") else { return };
    let steps = [
        ModelStep::shell("printf '%s\n' \"$PATH\" > path.txt; afresh log INFO seen it"),
        ModelStep::shell("mv path.txt T001.txt"),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    scene.server.add("work", ModelScript::from_steps(steps));
    scene.run().expect(0);
    let branch = scene.repo.status()["branch"].as_str().expect("a branch").to_owned();
    let path = scene.repo.git(&["show", &format!("{branch}:T001.txt")]);
    assert!(path.contains("cache/bin"), "{path}");
    assert!(scene.repo.afresh(&["logs"]).stdout.contains("seen"), "its line is in the log");
}

/// H4, PR-02: the rules of the project reach the model of every program once; the prompt names only tools that
/// exist.
fn is_given_the_rules_of_the_project(program: &str) {
    let Some(scene) = AgentScene::with_program(program) else { return };
    scene.repo.write("CLAUDE.md", "Always say CANARY-IN-RULES.\n");
    scene.repo.write("AGENTS.md", "Always say CANARY-IN-RULES.\n");
    scene.repo.commit("rules");
    scene.server.add("work", ModelScript::from_steps([ModelStep::text("no")]));
    finish(scene.command(&["run", "p.plan.toml", "--no-input"]));
    let requests = scene.server.received_requests();
    let first = requests.iter().find(|request| !request.tools.is_empty()).expect("a request");
    assert_eq!(first.body.count("CANARY-IN-RULES"), 1, "{program}");
    for expected in
        ["You are one worker with one task", "`report_result`", "Run the checks yourself"]
    {
        assert!(first.body.holds(expected), "{program}: {expected}");
    }
    assert_eq!(first.body.holds("tool_search`"), program == "codex", "{program}");
    assert!(!first.body.holds("OUTPUT_JSON_START"), "{program}");
}

/// H4, PR-02.
#[test]
fn every_program_is_given_the_rules_of_the_project() {
    for program in PROGRAMS {
        is_given_the_rules_of_the_project(program);
    }
}

/// B36, AG-01: the model's own commands see only the allowed variables of our environment.
#[test]
fn commands_of_claude_see_no_variable_that_is_not_allowed() {
    let Some(scene) = AgentScene::with_program("claude") else { return };
    let noted = scene.repo.path().join("seen.env");
    let steps = [
        ModelStep::shell(&format!("env > '{}'", noted.display())),
        ModelStep::write("T001.txt", "by T001\n"),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    scene.server.add("work", ModelScript::from_steps(steps));
    let mut command = scene.command(&["run", "p.plan.toml", "--no-input"]);
    command.env("SOME_TOKEN", "hunter22-hunter22");
    finish(command).expect(0);
    let recorded = fs::read_to_string(noted).expect("what it saw");
    assert!(recorded.contains("AFRESH_TASK=T001") && !recorded.contains("hunter22"), "{recorded}");
}

/// R5.
#[test]
fn claude_asks_its_model_through_proxies() {
    asks_its_model_through_proxies("claude");
}

/// R5.
#[test]
fn codex_asks_its_model_through_proxies() {
    asks_its_model_through_proxies("codex");
}

/// R5.
#[test]
fn gemini_asks_its_model_through_proxies() {
    asks_its_model_through_proxies("gemini");
}

/// R5.
#[test]
fn opencode_asks_its_model_through_proxies() {
    asks_its_model_through_proxies("opencode");
}
