//! What the next worker is given, after what happened before; files come from a temporary directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use afresh_agents::{Briefing, Bundle, PriceTable};
use afresh_core::check::CheckPhase;
use afresh_core::plan::ModelTier;
use afresh_core::run::settings::Settings;
use afresh_core::usage::ContextFill;
use afresh_engine::bundle::rendered::{fits, least};
use afresh_engine::bundle::tree::{EmptyTree, SourceTree, WorkspaceTree};
use afresh_engine::bundle::{self, MissingSource, RenderedBundle};
use afresh_engine::execution_config::WorkerConfig;

use crate::support::{
    CheckFate, Driven, ScriptedHost, StoreFault, WorkerScript, decide, halt, ignore, skip, task_id,
};

const SECRET: &str = "hunter2-hunter2";

fn workers() -> WorkerConfig {
    WorkerConfig {
        surroundings: afresh_agents::bundle::surroundings::WorkerSurroundings::default(),
        agents: BTreeMap::new(),
        default_agent: String::new(),
        reviewer: None,
        prices: Arc::new(PriceTable::built_in()),
        briefing: Arc::default(),
        check_env: vec!["MY_API_KEY".to_owned()],
        environment: BTreeMap::from([("MY_API_KEY".to_owned(), SECRET.to_owned())]),
    }
}

fn next_in(driven: &Driven, task: &str, tree: &dyn SourceTree) -> Result<Bundle, MissingSource> {
    let at = driven.run.plan().index_of(&task_id(task)).expect("a task of the plan");
    bundle::next(&driven.run, at, &Briefing::default(), tree)
}

fn next(driven: &Driven, task: &str) -> Bundle {
    next_in(driven, task, &EmptyTree).expect("a bundle")
}

fn rendered(bundle: Bundle) -> RenderedBundle {
    RenderedBundle::render(bundle, &workers(), ModelTier::Standard).expect("plain data")
}

fn halted(plan: &str) -> Driven {
    ScriptedHost::of_plan(plan).waiting(halt()).drive()
}

/// PR-01.
#[test]
fn the_first_bundle_of_a_task_has_its_first_attempt_and_no_feedback() {
    let bundle = next(&halted("A: a"), "A");
    assert_eq!(bundle.attempt.to_string(), "A.1");
    assert_eq!((bundle.attempts_allowed, bundle.first_step), (3, 1));
    assert!(bundle.feedback.is_none() && bundle.answers.is_empty() && bundle.without.is_empty());
}

/// PR-07: a retry gets the failing command with its exit code.
#[test]
fn a_retry_is_given_what_failed() {
    let host = ScriptedHost::of_plan("A: a").send("rejected A.1", halt());
    let driven = host.check(CheckPhase::Alone, "test A", CheckFate::Exits(3)).drive();
    let bundle = next(&driven, "A");
    let description = bundle.feedback.as_ref().expect("feedback").describe();
    assert!(description.contains("`test A` ended with exit code 3"), "{description}");
}

/// HU-01: the answer goes to the next worker, with what the option means.
#[test]
fn an_answer_is_in_the_next_bundle() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::asks());
    let host = host.person(vec![decide(1, "left")]).send("answer person", halt());
    let driven = host.worker("A.2", WorkerScript::gives_up("stuck", None)).drive();
    let answers = next(&driven, "A").answers;
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0].answer, "left: a way");
}

/// HU-03: workers learn what they have to do without.
#[test]
fn a_dependency_that_is_ignored_is_named() {
    let host = ScriptedHost::of_plan("A: a\nB < A: b").waiting(halt());
    let driven = host.waiting(skip("A")).waiting(ignore("A")).drive();
    assert_eq!(next(&driven, "B").without, [task_id("A")]);
}

/// PR-04: a missing file of a dependency is noticed before a worker starts.
#[test]
fn a_missing_file_of_a_dependency_is_named() {
    let driven = ScriptedHost::of_plan("A: a\nB < A: b").send("spawned A.1", halt()).drive();
    let root = tempfile::tempdir().expect("a directory");
    let error = next_in(&driven, "B", &WorkspaceTree(root.path())).expect_err("it is missing");
    let text = error.to_string();
    assert_eq!(text, "a of task A, which this task needs, is missing from the branch");
    fs::write(root.path().join("a"), "text").expect("a file");
    next_in(&driven, "B", &WorkspaceTree(root.path())).expect("nothing is missing");
}

/// PR-01: the prompt has the task, and the bundle is JSON.
#[test]
fn a_rendered_bundle_is_json_beside_a_prompt_with_the_task() {
    let rendered = rendered(next(&halted("A: a.txt"), "A"));
    let json: serde_json::Value = serde_json::from_str(&rendered.bundle).expect("JSON");
    assert_eq!(json["task"]["id"], "A");
    assert!(rendered.prompt.contains("task A") && rendered.prompt.contains("a.txt"));
    assert!(rendered.fill.used > 0 && rendered.fill.window > rendered.fill.used);
}

/// B36: no secret reaches a prompt or a bundle.
#[test]
fn a_secret_in_a_bundle_is_redacted_in_both_files() {
    let mut bundle = next(&halted("A: a"), "A");
    bundle.task.instructions = format!("log in with {SECRET}");
    let rendered = rendered(bundle);
    assert!(!rendered.prompt.contains(SECRET) && !rendered.bundle.contains(SECRET));
    assert!(rendered.prompt.contains("log in with "));
}

#[test]
fn a_saved_bundle_is_two_files() {
    let root = tempfile::tempdir().expect("a directory");
    let rendered = rendered(next(&halted("A: a"), "A"));
    let directory = root.path().join("new/A.1");
    rendered.save(&directory).expect("saved");
    let read = |name: &str| fs::read_to_string(directory.join(name)).expect("a file");
    assert_eq!((read("prompt.md"), read("bundle.json")), (rendered.prompt, rendered.bundle));
}

/// PR-06.
#[test]
fn a_prompt_fits_below_the_hard_limit_of_the_run() {
    let driven = ScriptedHost::with("A: a", Settings::default()).waiting(halt()).drive();
    let fill = |used| ContextFill { used, window: 100 };
    assert!(fits(&driven.run, fill(69)).is_ok());
    assert!(fits(&driven.run, fill(70)).is_err());
}

/// PR-06: what is known before the run is no more than what the worker gets.
#[test]
fn the_least_size_of_a_prompt_is_not_above_its_real_size() {
    let driven = halted("A: a");
    let at = driven.run.plan().index_of(&task_id("A")).expect("a task");
    assert!(least(&driven.run, at, &workers()).used <= rendered(next(&driven, "A")).fill.used);
}

/// AG-08: an attempt that was lost does not use its number again.
#[test]
fn the_next_bundle_has_the_next_number() {
    let driven = ScriptedHost::of_plan("A: a").fault(2, StoreFault::CrashAfter).drive();
    assert_eq!(next(&driven, "A").attempt.to_string(), "A.2");
}

/// B03: a link out of the workspace is not read into a prompt.
#[test]
fn a_workspace_gives_only_text_of_its_own_files() {
    let root = tempfile::tempdir().expect("a directory");
    let workspace = root.path().join("w");
    fs::create_dir(&workspace).expect("a directory");
    fs::write(root.path().join("outside"), "private").expect("a file");
    fs::write(workspace.join("text"), "hello").expect("a file");
    fs::write(workspace.join("bytes"), [0, 159, 146, 150]).expect("a file");
    std::os::unix::fs::symlink("../outside", workspace.join("link")).expect("a link");
    let tree = WorkspaceTree(&workspace);
    assert_eq!(tree.text("text").as_deref(), Some("hello"));
    assert!(["bytes", "link", "missing"].iter().all(|path| tree.text(path).is_none()));
    assert!(tree.has("text") && !tree.has("missing"));
    assert_eq!(Path::new(&tree.directory()), workspace);
}
