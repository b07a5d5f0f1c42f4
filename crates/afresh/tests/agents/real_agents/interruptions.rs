//! Real programs that are killed or halted inside a tool.

use std::fs;
use std::time::Duration;

use afresh_model::{ModelScript, ModelStep};
use afresh_testkit::repo::finish;
use serde_json::json;

use super::{AgentScene, tokens};
use crate::support::{Driver, Gate, expect_landed_once};

/// How often the account is read before the kill. Some programs record a request only when its tools have ended.
const PATIENCE: u32 = 20;

/// kill -9 of the driver while the program is inside a tool; the next run ends what is left, and completes.
fn is_killed(program: &str) -> Option<AgentScene> {
    let scene = AgentScene::with_program(program)?;
    let (gate, up) = (Gate::new(&scene.repo, "gates/gate"), Gate::new(&scene.repo, "gates/up"));
    let report = || ModelStep::tool("report_result", json!({"status": "COMPLETED"}));
    let wait = format!("{}; {}", up.opened_by_worker(), gate.wait());
    let first = [ModelStep::write("T001.txt", "by T001\n"), ModelStep::shell(&wait)];
    // Twice: one program adds its own turn to a conversation that was interrupted.
    let rest = [report(), report(), ModelStep::text("That is all.")];
    scene.server.add("work", ModelScript::from_steps(first.into_iter().chain(rest)));
    let run = ["run", "p.plan.toml", "--no-input"];
    fs::create_dir_all(scene.repo.path().join("gates")).expect("a directory");
    // What an agent of the protocol stores, and where, is unknown.
    let is_sandboxed = !program.ends_with("-acp");
    if is_sandboxed {
        // If a program was never started before, a sandbox has no directory for its files.
        for known in
            [".claude", ".codex", ".gemini", ".local/share/opencode", ".local/state/opencode"]
        {
            fs::create_dir_all(scene.repo.path().join("home").join(known)).expect("a directory");
        }
    }
    let command = || if is_sandboxed { scene.sandboxed_command(&run) } else { scene.command(&run) };
    let driver = Driver::start_command(&scene.repo, command());
    scene.repo.wait_until("the program is inside its tool", || up.is_open());
    scene.repo.wait_until("its conversation is recorded", || {
        scene.repo.status()["tasks"][0]["workers"][0]["session"].is_string()
    });
    // A program may start a tool before it has read the end of the response; what it has not read, nobody can count.
    for _ in 0..PATIENCE {
        if scene.counted_tokens() == scene.server.sent_tokens() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    driver.kill_9();
    scene.repo.expect_no_survivors();
    gate.open();
    finish(command()).expect(0);
    expect_landed_once(&scene.repo, 1);
    scene.repo.expect_no_survivors();
    Some(scene)
}

/// R14: the next worker continues the conversation and the files of the first, and every request of both is counted,
/// also the one whose tool was running.
fn is_killed_and_continues(program: &str) {
    let Some(scene) = is_killed(program) else { return };
    let worker = scene.repo.status()["tasks"][0]["workers"][1].clone();
    assert_eq!(worker["resumes"], 1, "{worker}");
    let requests = scene.server.received_requests();
    let begun =
        requests.iter().filter(|request| request.turns == 0 && !request.tools.is_empty()).count();
    assert_eq!(begun, 1, "one conversation: {requests:?}");
    let (counted, sent) = (tokens(&scene.repo.status()), scene.server.sent_tokens());
    assert_eq!(counted, sent, "what was recorded, and what was sent");
}

/// The second halt ends it, and everything that its tools started in their own sessions.
fn is_halted_and_leaves_nothing(program: &str) {
    let Some(scene) = AgentScene::with_program(program) else { return };
    let (gate, up) = (Gate::new(&scene.repo, "gate"), Gate::new(&scene.repo, "up"));
    scene.script_gated_work(&gate, &up);
    let driver = scene.start();
    scene.repo.wait_until("the program is inside its tool", || up.is_open());
    finish(scene.command(&["halt", "enough"])).expect(0);
    finish(scene.command(&["halt", "now"])).expect(0);
    driver.end().expect(3);
    scene.repo.expect_no_survivors();
    assert_eq!(scene.repo.status()["state"], "halted");
}

/// AG-08, ST-02, R6.
#[test]
fn claude_is_killed_and_continues() {
    is_killed_and_continues("claude");
}

/// AG-08, ST-02, R6.
#[test]
fn codex_is_killed_and_continues() {
    is_killed_and_continues("codex");
}

/// AG-08, ST-02, R6.
#[test]
fn gemini_is_killed_and_continues() {
    is_killed_and_continues("gemini");
}

/// AG-08, ST-02, R6.
#[test]
fn opencode_is_killed_and_continues() {
    is_killed_and_continues("opencode");
}

/// ST-04, R6.
#[test]
fn claude_is_halted_and_leaves_nothing() {
    is_halted_and_leaves_nothing("claude");
}

/// ST-04, R6.
#[test]
fn codex_is_halted_and_leaves_nothing() {
    is_halted_and_leaves_nothing("codex");
}

/// ST-04, R6.
#[test]
fn gemini_is_halted_and_leaves_nothing() {
    is_halted_and_leaves_nothing("gemini");
}

/// ST-04, R6.
#[test]
fn opencode_is_halted_and_leaves_nothing() {
    is_halted_and_leaves_nothing("opencode");
}

/// ST-02, R6: whether it still knows its session depends on the moment of the kill; the task is done
/// either way.
#[test]
fn gemini_over_acp_is_killed_and_done_again() {
    is_killed("gemini-acp");
}

/// ST-04, R6.
#[test]
fn gemini_over_acp_is_halted_and_leaves_nothing() {
    is_halted_and_leaves_nothing("gemini-acp");
}

/// AG-08, ST-02: over the protocol too, it continues its session.
#[test]
fn opencode_over_acp_is_killed_and_continues() {
    is_killed_and_continues("opencode-acp");
}
