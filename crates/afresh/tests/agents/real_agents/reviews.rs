//! Reviews by the real programs: they report with our tool.

use afresh_model::{ModelScript, ModelStep};
use afresh_testkit::repo::finish;
use serde_json::json;

use super::{AgentScene, tokens};

/// The reviewer rejects the first attempt, and approves the second.
fn script() -> ModelScript {
    let worked = |text: &str| {
        vec![
            ModelStep::write("T001.txt", text),
            ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
            ModelStep::text("That is all."),
        ]
    };
    let reviewed = |verdict: serde_json::Value| {
        vec![ModelStep::tool("report_review", verdict), ModelStep::text("That is my review.")]
    };
    let issue = json!({"file": "T001.txt", "line": 1, "description": "say it politely"});
    ModelScript::default()
        .when(
            "Another reviewer rejected",
            reviewed(json!({"verdict": "APPROVED", "summary": "ok"})),
        )
        .when(
            "You review the work",
            reviewed(json!({"verdict": "CHANGES_REQUESTED", "summary": "rude", "issues": [issue]})),
        )
        .when("say it politely", worked("please\n"))
        .when("You are one worker", worked("by T001\n"))
}

fn reviews_with_our_tool(program: &str) {
    let Some(scene) = AgentScene::with_program(program) else { return };
    scene.server.add("work", script());
    let run = ["run", "p.plan.toml", "--no-input", "--review", "always"];
    // The scene allows one attempt, so a person has to ask for another one.
    finish(scene.sandboxed_command(&run)).expect(4);
    scene.repo.afresh(&["decide", "Q1", "retry"]).expect(0);
    finish(scene.sandboxed_command(&run)).expect(0);
    assert_eq!(scene.repo.on_branch("T001.txt").as_deref(), Some("please\n"));
    let status = scene.repo.status();
    let receipt = &status["tasks"][0]["receipt"]["review"];
    assert_eq!((&receipt["summary"], &receipt["agent"]), (&"ok".into(), &program.into()));
    assert_eq!(tokens(&status), scene.server.sent_tokens(), "R14: {status}");
    let requests = scene.server.received_requests();
    let is_offered = |name: &str| name.ends_with("report_review") || name == "tool_search";
    assert!(requests.iter().any(|it| it.tools.iter().any(|name| is_offered(name))));
    scene.repo.expect_no_survivors();
}

/// EX-08, AG-01, RE-01.
#[test]
fn claude_reviews() {
    reviews_with_our_tool("claude");
}

/// EX-08, AG-01, RE-01.
#[test]
fn codex_reviews() {
    reviews_with_our_tool("codex");
}
