//! Budgets, endless loops and a context that fills up.

use std::fs;
use std::thread;

use afresh_model::{ModelScript, ModelStep, ReceivedRequest, TokenCounts};
use afresh_testkit::repo::finish;
use serde_json::json;

use super::{AgentScene, tokens};

/// R14: a budget stops it at the request that reaches it, because every request is counted while it works, and all
/// that the server sent is counted. The model answers only when everything so far was counted, and not beyond the
/// budget: how fast the machine is does not matter.
fn is_stopped_by_a_budget(program: &str) {
    let Some(scene) = AgentScene::with_program(program) else { return };
    let step = |number| ModelStep::shell(&format!("echo {number}"));
    scene.server.add("work", ModelScript::from_steps((0..40).map(step)));
    scene.server.hold_beyond(0);
    let (budget, largest) = (5_000, 1_350);
    // A title is not held back, and may come beside the first step.
    let title = 1_250;
    let limit = budget.to_string();
    let run = ["run", "p.plan.toml", "--no-input", "--json", "--budget-tokens", &limit];
    let command = scene.command(&run);
    let ran = thread::scope(|scope| {
        let run = scope.spawn(|| finish(command));
        while !run.is_finished() {
            let counted = scene.counted_tokens();
            scene.server.hold_beyond(if counted < budget { counted } else { 0 });
        }
        run.join().expect("it ended")
    });
    let (ran, sent) = (ran.expect(6), scene.server.sent_tokens());
    assert!(sent >= budget && sent <= budget + largest + title, "{sent}\n{}", ran.stdout);
    assert_eq!(tokens(&scene.repo.status()), sent, "what was recorded, and what was sent");
}

/// M2: the same call again and again is ended.
#[test]
fn a_loop_of_claude_is_ended() {
    let Some(scene) = AgentScene::with_program("claude") else { return };
    let again = |_| ModelStep::shell("echo again");
    scene.server.add("work", ModelScript::from_steps((0..500).map(again)));
    scene.run().expect(4);
    let error = scene.repo.status()["tasks"][0]["error"].to_string();
    assert!(error.contains("repeated itself") && error.contains("echo again"), "{error}");
    assert!(scene.server.received_requests().len() < 60, "it was ended early");
}

/// R14.
#[test]
fn claude_is_stopped_by_a_budget() {
    is_stopped_by_a_budget("claude");
}

/// R14, H2.
#[test]
fn codex_is_stopped_by_a_budget() {
    is_stopped_by_a_budget("codex");
}

/// R14, H2.
#[test]
fn gemini_is_stopped_by_a_budget() {
    is_stopped_by_a_budget("gemini");
}

/// R14, H2.
#[test]
fn opencode_is_stopped_by_a_budget() {
    is_stopped_by_a_budget("opencode");
}

/// AG-07: at the soft limit the model itself gets the notice, after its next use of a tool.
#[test]
fn claude_tells_its_model_that_its_context_fills_up() {
    let Some(scene) = AgentScene::with_program("claude") else { return };
    // A model whose window does not depend on the program's version.
    let config = scene.repo.root().join(".afresh/config.toml");
    let text = fs::read_to_string(config).expect("a configuration");
    scene.repo.write(".afresh/config.toml", &format!("{text}models = \"claude-sonnet-4-5\"\n"));
    let much = TokenCounts { input: 110_000, ..TokenCounts::default() };
    // Created for the notice; the notice itself may have been taken by then.
    let noticed = "while [ ! -e \"${AFRESH_RESULT%/*}/answers\" ]; do sleep 0.05; done";
    let steps = [
        ModelStep::write("T001.txt", "by T001\n"),
        ModelStep::shell(noticed),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    scene.server.add("work", ModelScript::from_steps(steps.map(|step| step.using(much))));
    scene.run().expect(0);
    assert_eq!(scene.repo.status()["tasks"][0]["workers"][0]["warned"], true);
    let is_warned = |request: &ReceivedRequest| request.body.holds("% of your context is full");
    let requests = scene.server.received_requests();
    let first = requests.iter().find(|request| is_warned(request)).map(|request| request.turns);
    assert!(matches!(first, Some(1 | 2)), "{first:?} of {requests:?}");
}
