//! Every request of opencode is counted: a module of ours records it inside its process.

use std::fs;

use afresh_model::{ModelScript, ModelStep};
use afresh_testkit::repo::finish;
use serde_json::{Value, json};

use super::{AgentScene, tokens};
use crate::support::{Driver, Gate, expect_landed_once};

const CONFIG: &str = "OPENCODE_CONFIG_CONTENT";
const PRELOAD: &str = "BUN_INSPECT_PRELOAD";
const RUN: [&str; 3] = ["run", "p.plan.toml", "--no-input"];

/// The scene's configuration with another package for its model, which speaks another protocol.
fn config_with_package(scene: &AgentScene, package: &str, version: &str) -> String {
    let own = scene.client.variables.iter().find(|(name, _)| *name == CONFIG);
    let mut config: Value =
        serde_json::from_str(&own.expect("its configuration").1).expect("an object");
    let provider = &mut config["provider"]["scripted"];
    provider["npm"] = json!(package);
    provider["options"]["baseURL"] = json!(format!("{}/{version}", scene.server.url("work")));
    config.to_string()
}

/// Killed inside a tool, with all requests counted while the tool runs: those of opencode's own sums lack the last one.
fn counts_a_request_whose_tool_runs(package: &str, version: &str) {
    let Some(scene) = AgentScene::with_program("opencode") else { return };
    let (gate, up) = (Gate::new(&scene.repo, "gate"), Gate::new(&scene.repo, "up"));
    scene.script_gated_work(&gate, &up);
    let mut command = scene.command(&RUN);
    command.env(CONFIG, config_with_package(&scene, package, version));
    let driver = Driver::start_command(&scene.repo, command);
    scene.repo.wait_until("the program is inside its tool", || up.is_open());
    scene.repo.wait_until("every request is counted", || {
        scene.counted_tokens() == scene.server.sent_tokens()
    });
    gate.open();
    driver.end().expect(0);
    expect_landed_once(&scene.repo, 1);
    assert_eq!(tokens(&scene.repo.status()), scene.server.sent_tokens(), "{package}");
}

/// R14: over Anthropic's protocol, whose usage comes in parts.
#[test]
fn requests_of_opencode_to_anthropic_are_counted() {
    counts_a_request_whose_tool_runs("@ai-sdk/anthropic", "v1");
}

/// R14: over `OpenAI`'s protocol of responses.
#[test]
fn requests_of_opencode_to_openai_are_counted() {
    counts_a_request_whose_tool_runs("@ai-sdk/openai", "v1");
}

/// R14: over Google's protocol.
#[test]
fn requests_of_opencode_to_google_are_counted() {
    counts_a_request_whose_tool_runs("@ai-sdk/google", "v1beta");
}

/// AG-01: the worker's own commands do not load the module, and a module of the user stays. Without ours, opencode works
/// as before, and the log says what that means.
#[test]
fn a_module_of_the_user_stays_in_opencode() {
    let Some(scene) = AgentScene::with_program("opencode") else { return };
    let (seen, module) = (scene.repo.path().join("seen.env"), scene.repo.path().join("user.mjs"));
    let steps = [
        ModelStep::shell(&format!("env > '{}'", seen.display())),
        ModelStep::write("T001.txt", "by T001\n"),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    scene.server.add("work", ModelScript::from_steps(steps));
    finish(scene.command(&RUN)).expect(0);
    let variables = fs::read_to_string(&seen).expect("what it saw");
    assert!(variables.contains("AFRESH_TASK=T001") && !variables.contains(PRELOAD), "{variables}");
    assert!(!scene.repo.afresh(&["logs"]).stdout.contains("did not load"));

    fs::write(&module, "").expect("written");
    let config = scene.repo.root().join(".afresh/config.toml");
    let text = fs::read_to_string(config).expect("a configuration");
    let with_module = text.replace("env = [", &format!("env = [\"{PRELOAD}\", "));
    scene.repo.write(".afresh/config.toml", &with_module);
    scene.repo.commit("a module");
    let mut command = scene.command(&["run", "--new", "p.plan.toml", "--no-input"]);
    command.env(PRELOAD, &module);
    finish(command).expect(0);
    let variables = fs::read_to_string(&seen).expect("what it saw");
    assert!(variables.contains("user.mjs"), "{variables}");
    let log = scene.repo.afresh(&["logs"]).stdout;
    assert!(log.contains("did not load afresh's module"), "{log}");
}
