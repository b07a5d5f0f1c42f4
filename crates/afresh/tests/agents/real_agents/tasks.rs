//! Whole tasks and the demo, done by the real programs.

use std::fs;

use afresh_model::client::PROGRAMS;
use afresh_model::{ModelScript, ModelStep};
use afresh_testkit::repo::finish;
use serde_json::json;

use super::{AgentScene, tokens};
use crate::support::expect_landed_once;
use crate::support::sandbox_levels::{levels_with_bubblewrap, path_with_bubblewrap};

/// C1, R5: a whole task in every sandbox, with a program of `afresh agents install`: the tool of the program, our
/// report, the check, the merge, the usage.
fn does_a_task_and_reports(program: &str) {
    for level in levels_with_bubblewrap() {
        let Some(scene) = AgentScene::with_program(program) else { return };
        does_a_task_at(level, &scene);
    }
}

fn does_a_task_at(level: &str, scene: &AgentScene) {
    let steps = [
        ModelStep::shell("echo seen > seen.txt && rm seen.txt"),
        ModelStep::write("T001.txt", "by T001\n"),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    scene.server.add("work", ModelScript::from_steps(steps));
    let before = scene.repo.untouched();
    let modules = scene.programs.parent().and_then(|it| it.parent()).expect("an installation");
    scene.repo.install_agents(modules, PROGRAMS);
    let mut command = scene.sandboxed_command(&["run", "p.plan.toml", "--no-input"]);
    command.env("PATH", path_with_bubblewrap()).env("AFRESH_SANDBOX", level);
    finish(command).expect(0);
    scene.repo.untouched().expect_same_as(&before);
    expect_landed_once(&scene.repo, 1);
    scene.repo.expect_no_survivors();
    let status = scene.repo.status();
    assert_eq!(tokens(&status), scene.server.sent_tokens(), "{level}: {status}");
    let requests = scene.server.received_requests();
    let offered = |name: &str| name.ends_with("report_result") || name == "tool_search";
    assert!(
        requests.iter().any(|request| request.tools.iter().any(|name| offered(name))),
        "{requests:?}"
    );
}

/// The demo, without a key; the user's home directory is unchanged.
fn plays_the_demo(program: &str) {
    let Some(scene) = AgentScene::with_program(program) else { return };
    let home = || -> Vec<_> {
        let entries = fs::read_dir(scene.repo.path().join("home")).expect("a home");
        entries.flatten().map(|entry| entry.file_name()).collect()
    };
    let before = home();
    let mut command = scene.repo.command(&["demo", "--agent", program, "--json", "--no-input"]);
    command.env("PATH", crate::support::git::in_front_of_path(&scene.programs));
    command.env("AFRESH_SANDBOX", "auto");
    let ran = finish(command).expect(0);
    assert_eq!(ran.json()["counts"]["done"], 9, "{}", ran.stdout);
    assert_eq!(home(), before);
    let scratch = fs::read_dir(scene.repo.cache().join("demo")).expect("a place for demos");
    assert_eq!(scratch.count(), 0, "nothing is left of it");
    scene.repo.expect_no_survivors();
}

/// AG-01, AG-02.
#[test]
fn claude_plays_the_demo() {
    plays_the_demo("claude");
}

/// AG-01, AG-02.
#[test]
fn codex_plays_the_demo() {
    plays_the_demo("codex");
}

/// AG-01, RE-01: a whole task, reported through our tool server.
#[test]
fn claude_does_a_task_and_reports() {
    does_a_task_and_reports("claude");
}

/// AG-01, RE-01.
#[test]
fn codex_does_a_task_and_reports() {
    does_a_task_and_reports("codex");
}

/// AG-01, RE-01.
#[test]
fn gemini_does_a_task_and_reports() {
    does_a_task_and_reports("gemini");
}

/// AG-01, RE-01.
#[test]
fn opencode_does_a_task_and_reports() {
    does_a_task_and_reports("opencode");
}

/// AG-01, RE-01: over the Agent Client Protocol.
#[test]
fn gemini_over_acp_does_a_task_and_reports() {
    does_a_task_and_reports("gemini-acp");
}

/// AG-01, RE-01.
#[test]
fn opencode_over_acp_does_a_task_and_reports() {
    does_a_task_and_reports("opencode-acp");
}
