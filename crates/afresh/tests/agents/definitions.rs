//! Agent definitions and agents per task: AG-03, AG-04, BE-08.

use std::fs;

use afresh_testkit::TestRepo;
use serde_json::Value;

const REVIEWER: &str =
    "---\nname: reviewer\ntools: Read, Bash\nmodel: opus\n---\n\nYou look twice at everything.\n";
const WORKER: &str = "echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt";

/// A plan of two tasks; the first one names `agent`.
fn planned(agent: &str) -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.plan(&format!(
        "[[task]]\nid = \"A\"\ntitle = \"first\"\nagent = {agent:?}\nfiles = [\"A.txt\"]\nchecks = [\"test -s A.txt\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"second\"\nfiles = [\"B.txt\"]\nchecks = [\"test -s B.txt\"]\n"
    ));
    repo.agent(WORKER);
    repo.config("");
    repo
}

/// A stand-in for a program, found before the real one, that records its arguments and does its task.
fn stand_in(repo: &TestRepo, name: &str) -> String {
    let program = repo.path().join(name);
    let arguments = repo.path().join(format!("{name}.arguments"));
    let script = format!(
        "#!/bin/sh\nfor argument; do printf '%s\\n' \"$argument\" >> '{}'; done\n\
         {WORKER}\nprintf '{{\"status\":\"COMPLETED\"}}' > \"$AFRESH_RESULT\"\n",
        arguments.display()
    );
    afresh_testkit::repo::write_script(&program, &script);
    program.to_string_lossy().into_owned()
}

/// AG-04: the worker gets the role, the tools and the model that the file names. A prefix belongs to the plugin, not
/// to the name.
#[test]
fn a_definition_gives_role_tools_and_model() {
    let repo = planned("my-plugin:reviewer");
    repo.write(".claude/agents/team/reviewer.md", REVIEWER);
    let program = stand_in(&repo, "claude");
    repo.config(&format!(
        "[run]\nagent = \"claude\"\n[agents.claude]\nkind = \"claude\"\ncommand = [{program:?}]\n"
    ));
    repo.run(&["--task", "A"]);
    let prompt = repo.prompt("A", 1);
    assert!(prompt.contains("## Your role: reviewer\nYou look twice at everything."), "{prompt}");
    let arguments = fs::read_to_string(repo.path().join("claude.arguments")).expect("arguments");
    assert!(arguments.contains("--model\nopus\n"), "{arguments}");
    assert!(arguments.contains("--tools\nRead,Bash\n"), "{arguments}");
}

/// AG-03, AG-04: `--model` takes precedence over a definition.
#[test]
fn a_model_of_the_command_line_wins() {
    let repo = planned("reviewer");
    repo.write(".claude/agents/reviewer.md", REVIEWER);
    let program = stand_in(&repo, "claude");
    repo.config(&format!(
        "[run]\nagent = \"claude\"\n[agents.claude]\nkind = \"claude\"\ncommand = [{program:?}]\n"
    ));
    repo.run(&["--task", "A", "--model", "tiny"]);
    let arguments = fs::read_to_string(repo.path().join("claude.arguments")).expect("arguments");
    assert!(arguments.contains("--model\ntiny\n") && !arguments.contains("opus"), "{arguments}");
}

/// AG-03: `auto` gives a small task a small model and a large one a large model.
#[test]
fn auto_gives_each_task_the_model_of_its_size() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    let long = "x".repeat(9_000);
    repo.plan(&format!(
        "[[task]]\nid = \"A\"\ntitle = \"small\"\ntier = \"auto\"\nfiles = [\"A.txt\"]\nchecks = [\"test -s A.txt\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"large\"\nneeds = [\"A\"]\ndo = \"{long}\"\nfiles = [\"B.txt\"]\nchecks = [\"test -s B.txt\"]\n"
    ));
    let program = stand_in(&repo, "claude");
    repo.config(&format!(
        "[run]\nagent = \"claude\"\ntier = \"auto\"\n[agents.claude]\nkind = \"claude\"\ncommand = [{program:?}]\n"
    ));
    repo.run(&[]).expect(0);
    let arguments = fs::read_to_string(repo.path().join("claude.arguments")).expect("arguments");
    let lines: Vec<&str> = arguments.lines().collect();
    let models: Vec<&str> =
        lines.windows(2).filter(|pair| pair[0] == "--model").map(|pair| pair[1]).collect();
    assert_eq!(models, ["haiku", "opus"]);
}

/// AG-04: an unknown name is an error before anything starts, with the nearest name.
#[test]
fn an_unknown_definition_is_refused_with_the_nearest_name() {
    let repo = planned("my-plugin:reviewr");
    repo.write(".claude/agents/reviewer.md", REVIEWER);
    let before = repo.untouched();
    let ran = repo.run(&["--json"]).expect(2);
    let error: &Value = &ran.json()["error"];
    assert_eq!(error["kind"], "agent-not-found");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("my-plugin:reviewr")));
    assert!(error["help"].as_str().is_some_and(|text| text.contains("\"reviewer\"")), "{error}");
    assert_eq!(repo.status()["run"], Value::Null);
    repo.untouched().expect_same_as(&before);
}

/// AG-04: a definition that cannot be read is refused where it is used, with its place, and otherwise has no
/// effect.
#[test]
fn a_broken_definition_is_refused_where_it_is_used() {
    let repo = planned("broken");
    repo.write(".afresh/agents/broken.md", "---\nname: broken\nnever: ends\n");
    let ran = repo.run(&[]).expect(2);
    assert!(ran.stderr.contains(".afresh/agents/broken.md:2"), "{}", ran.stderr);
    let other = planned("mine");
    other.write(".afresh/agents/broken.md", "---\nname: broken\nnever: ends\n");
    other.run(&[]).expect(0);
}

/// B28, AG-04: the definition belongs to the run, and no worker may change it.
#[test]
fn a_worker_cannot_change_its_definition() {
    let repo = planned("reviewer");
    repo.write(".afresh/agents/reviewer.md", "Be kind.\n");
    repo.agent(&format!("{WORKER}\necho Be rude. > .afresh/agents/reviewer.md"));
    repo.commit("a definition");
    repo.run(&["--on-failure", "skip"]).expect(1);
    assert_eq!(repo.on_branch(".afresh/agents/reviewer.md").as_deref(), Some("Be kind.\n"));
}

/// AG-04: without any definitions, agent names from other tools' plans are given to the worker.
#[test]
fn roles_of_a_foreign_plan_need_no_files() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.agent("echo done > out.txt");
    repo.config("");
    let plan = "---\nphase: 01\nplan: 01\nclaude_code_subagent: rails-dev\nfiles_modified: [out.txt]\n---\n\
        <objective>Write out.txt</objective>\n<task type=\"auto\">\n<name>Write</name>\n<files>out.txt</files>\n\
        <action>Write it.</action>\n<verify>test -s out.txt</verify>\n<done>it is there</done>\n</task>\n";
    repo.write(".planning/phases/01-first/01-01-PLAN.md", plan);
    let ran = repo.afresh(&["run", "."]).expect(0);
    assert!(ran.stderr.contains("no agent definition \"rails-dev\""), "{}", ran.stderr);
    let id = repo.status()["tasks"][0]["id"].as_str().expect("a task").to_owned();
    assert!(repo.prompt(&id, 1).contains("Work in the role of `rails-dev`."));
    // With definitions, an unknown name is a mistake.
    repo.write(".claude/agents/rails-developer.md", "You know Rails.\n");
    let refused = repo.afresh(&["run", ".", "--new"]).expect(2);
    assert!(refused.stderr.contains("rails-dev"), "{}", refused.stderr);
}

/// BE-08: tasks of one plan go to different agents, and the report compares them.
#[test]
fn a_plan_is_run_by_several_agents_and_the_report_compares_them() {
    let repo = planned("other");
    let other = repo.path().join("other.sh");
    afresh_testkit::repo::write_script(
        &other,
        &format!("#!/bin/sh\n{WORKER}\necho other >> A.txt\n"),
    );
    repo.config(&format!(
        "[run]\nagent = \"mine\"\nbackoff = [\"10ms\"]\n[agents.other]\nkind = \"command\"\ncommand = [{other:?}]\n"
    ));
    repo.run(&[]).expect(0);
    assert!(repo.on_branch("A.txt").is_some_and(|text| text.contains("other")));
    let status = repo.status();
    let agents: Vec<&str> = status["tasks"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|task| task["agent"].as_str())
        .collect();
    assert_eq!(agents, ["other", "mine"]);
    let report = repo.afresh(&["report", "--json"]).expect(0).json();
    let compared: Vec<(&str, u64)> = report["agents"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|agent| Some((agent["agent"].as_str()?, agent["merged"].as_u64()?)))
        .collect();
    assert_eq!(compared, [("mine", 1), ("other", 1)]);
    let page = repo.afresh(&["report"]).expect(0).stdout;
    assert!(page.contains("## Agents") && page.contains("| `other` | 1 | 1 | 0 |"), "{page}");
}
