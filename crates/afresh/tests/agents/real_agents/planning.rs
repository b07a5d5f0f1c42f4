//! Planning in stages by the real programs: every stage is a conversation of its own. The demo, which one planner
//! plans, is played with every run of the tests; this one with `AFRESH_SWEEP=all`.

use std::fs;

use afresh_model::{ModelScript, ModelStep};
use afresh_testkit::repo::finish;
use serde_json::json;

use super::AgentScene;
use crate::support::staged_plan::{GREET_TEST, NAME_TEST, SPEC, WRITTEN};
use crate::support::sweep;

/// What the model does in each stage, and in each task of the plan that comes out.
fn script() -> ModelScript {
    let home = ".afresh/plans/greet";
    let stages = ["logical", "physical", "definition", "acceptance", "validation"];
    let script = stages.iter().fold(ModelScript::default(), |script, stage| {
        let written = WRITTEN.iter().filter(|(of, ..)| of == stage);
        let mut steps: Vec<ModelStep> = written
            .map(|(_, path, text)| ModelStep::write(&format!("{home}/{path}"), text))
            .collect();
        if *stage == "acceptance" {
            steps.push(ModelStep::write("tests/acceptance/name.sh", NAME_TEST));
            steps.push(ModelStep::write("tests/acceptance/greet.sh", GREET_TEST));
        }
        script.when(&format!("# Task {stage}: "), reported(steps))
    });
    let name = ModelStep::write("name.sh", "echo ${1:-world}\n");
    let greet = ModelStep::write("greet.sh", "sh name.sh $1 > greeting.txt\n");
    let script = script.when("# Task T001: ", reported(vec![name]));
    script.when("# Task T002: ", reported(vec![greet, ModelStep::shell("sh greet.sh")]))
}

fn reported(mut steps: Vec<ModelStep>) -> Vec<ModelStep> {
    steps.push(ModelStep::tool("report_result", json!({"status": "COMPLETED"})));
    steps.push(ModelStep::text("That is all."));
    steps
}

fn plans_in_stages(program: &str) {
    if !sweep::is_thorough() {
        return;
    }
    let Some(scene) = AgentScene::with_program(program) else { return };
    scene.server.add("work", script());
    scene.repo.write("greet.md", SPEC);
    scene.repo.commit("a specification");
    let plan = ["plan", "greet.md", "--staged", "--yes", "--no-input"];
    finish(scene.sandboxed_command(&plan)).expect(0);
    let made = scene.repo.root().join(".afresh/plans/greet/greet.plan.toml");
    assert!(fs::read_to_string(made).expect("a plan").contains("tests/acceptance/greet.sh"));
    finish(scene.sandboxed_command(&["run", "greet.md", "--yes", "--no-input"])).expect(0);
    assert_eq!(scene.repo.landed(), ["T001", "T002"]);
    assert_eq!(scene.repo.on_branch("tests/acceptance/name.sh").as_deref(), Some(NAME_TEST));
    scene.repo.expect_no_survivors();
}

/// PL-01, PL-04 to PL-07, PL-17, AG-01.
#[test]
fn claude_plans_in_stages() {
    plans_in_stages("claude");
}

/// PL-01, PL-04 to PL-07, PL-17, AG-01.
#[test]
fn codex_plans_in_stages() {
    plans_in_stages("codex");
}
