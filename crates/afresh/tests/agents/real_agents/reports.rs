//! Real programs that forget to report their result.

use afresh_model::{ModelScript, ModelStep};
use serde_json::json;

use super::AgentScene;
use crate::support::expect_landed_once;

/// RE-01: a worker that ends without a report is sent back, and reports.
#[test]
fn claude_is_sent_back_to_report() {
    let Some(scene) = AgentScene::with_program("claude") else { return };
    let steps = [
        ModelStep::write("T001.txt", "by T001\n"),
        ModelStep::text("I think that I am done."),
        ModelStep::tool("report_result", json!({"status": "COMPLETED"})),
        ModelStep::text("That is all."),
    ];
    scene.server.add("work", ModelScript::from_steps(steps));
    scene.run().expect(0);
    expect_landed_once(&scene.repo, 1);
    let is_reminded =
        scene.server.received_requests().into_iter().any(|request| {
            request.turns == 2 && request.body.holds("You have not reported a result.")
        });
    assert!(is_reminded, "{:?}", scene.server.received_requests());
}

/// RE-01: twice; a worker that still does not report may stop, and its changes and the checks decide.
#[test]
fn claude_is_sent_back_twice_at_most() {
    let Some(scene) = AgentScene::with_program("claude") else { return };
    let says = (0..9).map(|_| ModelStep::text("I think that I am done."));
    let steps = [ModelStep::write("T001.txt", "by T001\n")].into_iter().chain(says);
    scene.server.add("work", ModelScript::from_steps(steps));
    scene.run().expect(0);
    let request_count = scene
        .server
        .received_requests()
        .into_iter()
        .filter(|request| !request.tools.is_empty())
        .count();
    assert_eq!(request_count, 4, "one with a tool, and three that say they are done");
    let noted = scene.repo.afresh(&["report"]).expect(0).stdout;
    assert!(noted.contains("did not report a result"), "{noted}");
}

/// M1, RE-01: a program that cannot be sent back and forgets its report is judged by its tree.
#[test]
fn codex_forgets_its_report_and_its_work_lands() {
    let Some(scene) = AgentScene::with_program("codex") else { return };
    let steps = [ModelStep::write("T001.txt", "by T001\n"), ModelStep::text("I am done.")];
    scene.server.add("work", ModelScript::from_steps(steps));
    scene.run().expect(0);
    expect_landed_once(&scene.repo, 1);
}
