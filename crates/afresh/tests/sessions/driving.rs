//! A whole run, driven through tools alone.

use serde_json::json;

use super::mcp_client::McpClient;
use crate::support::{Gate, repo, run_section};
use afresh_testkit::TestRepo;

/// The first worker of T001 asks, as soon as the gate is open; every other one does its task.
fn asking(repo: &TestRepo, go: &Gate) {
    repo.plan_of(2);
    repo.agent(&format!(
        "if [ $AFRESH_TASK.$AFRESH_ATTEMPT = T001.1 ]; then\n{}\n\
           echo OUTPUT_JSON_START\n\
           echo '{{\"status\":\"NEEDS_DECISION\",\"decision_needed\":\"Which colour?\",\"options\":[\"red\",\"dark blue\"]}}'\n\
           echo OUTPUT_JSON_END\n\
         else echo x > $AFRESH_TASK.txt; fi",
        go.wait()
    ));
}

/// HU-04, ST-06: a client starts a run, is told that it works, sees its question, answers it, continues it and reads the
/// report, and every step is one tool. The run has a process of its own, which outlives nothing.
#[test]
fn a_run_is_driven_through_tools_alone() {
    let repo = repo();
    let go = Gate::new(&repo, "go");
    asking(&repo, &go);
    let before = repo.untouched();
    let mut client = McpClient::start(&repo);
    let plan = json!({"plan": "p.plan.toml"});
    assert!(client.text("show", &plan).contains("T002"));
    assert_eq!(client.document("lint", &plan)["findings"], json!([]));

    let started = client.document("run", &plan);
    assert_eq!(started["run"], "test-1", "{started}");
    let waited = client.document("wait", &json!({"seconds": 0}));
    assert_eq!(waited["ended_by"], "time-over", "{waited}");
    assert_eq!(waited["driven"], true, "{waited}");
    let early = client.refusal("decide", &json!({"question": "Q1", "answer": "1"}));
    assert!(early.contains("no open question Q1"), "{early}");

    go.open();
    assert_eq!(client.await_run()["ended_by"], "needs-person");
    let named = client.document("wait", &json!({"run": "test-1"}));
    assert_eq!(named["ended_by"], "needs-person", "{named}");
    let questions = client.document("questions", &json!({}));
    let asked = &questions["items"][0];
    assert_eq!((&asked["id"], &asked["task"]), (&json!("Q1"), &json!("T001")), "{questions}");
    assert_eq!(asked["options"][1]["description"], "dark blue");
    let refused = client.refusal("decide", &json!({"question": "Q1", "answer": "green"}));
    assert!(refused.contains("hint: "), "an error has our hint: {refused}");
    client.document("decide", &json!({"question": "Q1", "answer": "2"}));

    // Whether the run still waited for the other task or had ended, it continues.
    let mut waited = client.await_run();
    if waited["ended_by"] == "not-driven" {
        assert_eq!(client.document("resume", &json!({}))["run"], "test-1");
        waited = client.await_run();
    }
    assert_eq!((&waited["ended_by"], &waited["done"]), (&json!("ended"), &json!(2)), "{waited}");
    assert_eq!(client.document("status", &json!({}))["state"], "done");
    assert!(client.text("report", &json!({})).contains("T001"));
    assert!(client.text("diff", &json!({"tasks": ["T002"]})).contains("+x"));
    assert!(client.text("logs", &json!({"task": "T001.1"})).contains("Which colour?"));
    assert!(client.text("logs", &json!({})).contains("merged"));
    assert!(repo.prompt("T001", 2).contains("dark blue"), "the answer reached the next worker");

    let (status, rest) = client.close();
    assert!(status.success() && rest.is_empty(), "{status:?} {rest:?}");
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
}

/// ST-06: comments, retries, skips and halts pass through tools too, and a tool says what happened or why it did not.
#[test]
fn tasks_and_halts_are_steered_through_tools() {
    let repo = repo();
    repo.plan_of(2);
    repo.config(&run_section("attempts = 1"));
    repo.agent("[ $AFRESH_TASK = T002 ] && echo x > T002.txt");
    repo.run(&["--no-input"]).expect(4);
    let mut client = McpClient::start(&repo);
    let task = client.document("task", &json!({"task": "T001"}));
    assert_eq!(task["state"], "failed", "{task}");
    client.document("tell", &json!({"task": "T001", "text": "write the file"}));
    client.document("task_skip", &json!({"task": "T001", "reason": "later"}));
    assert_eq!(repo.state_of("T001"), "skipped");
    client.document("task_retry", &json!({"task": "T001"}));
    client.document("halt", &json!({"reason": "lunch"}));
    assert_eq!(client.document("wait", &json!({}))["ended_by"], "halted");
    repo.agent("echo x > $AFRESH_TASK.txt");
    client.document("resume", &json!({}));
    let waited = client.await_run();
    assert_eq!((&waited["ended_by"], &waited["done"]), (&json!("ended"), &json!(2)), "{waited}");
    assert!(repo.prompt("T001", 2).contains("write the file"));
    let refused = client.refusal("task_skip", &json!({"task": "T001"}));
    assert!(refused.contains("is done"), "{refused}");
    let runs = client.document("runs", &json!({}));
    assert_eq!(runs["items"][0]["run"], "test-1", "{runs}");
    client.close();
    repo.expect_no_survivors();
}

/// ST-06: a plan that cannot run is refused as `afresh run` refuses it, and nothing is started.
#[test]
fn a_run_that_cannot_start_is_an_error_with_its_findings() {
    let repo = repo();
    repo.write("p.plan.toml", "version = 1\n[[task]]\nid = \"A\"\nneeds = [\"B\"]\n");
    let mut client = McpClient::start(&repo);
    let refused = client.refusal("run", &json!({"plan": "p.plan.toml"}));
    assert!(refused.contains("p.plan.toml:"), "{refused}");
    let linted = client.call("lint", &json!({"plan": "p.plan.toml"}));
    assert_eq!(linted["isError"], false, "findings are an answer: {linted}");
    assert!(linted["structuredContent"]["findings"][0]["code"].is_string(), "{linted}");
    assert!(client.refusal("wait", &json!({})).contains("there is no run"));
}

/// ST-06: a specification is planned in the background, its plan is shown and run, and the trace proves it, by tools alone.
#[test]
fn a_specification_is_planned_and_run_through_tools() {
    let repo = repo();
    repo.config("[plan]\nacceptance = \"plan\"\n");
    repo.write(
        "greet.md",
        "# Greeter\n\n## Behaviour\n\n- `greet` writes the name to greeting.txt\n",
    );
    repo.commit("a specification");
    let plan = "version = 1\nname = \"greet\"\nspec = \"spec.md\"\n[[task]]\nid = \"T001\"\ntitle = \"Greet\"\n\
                requirements = [\"S1\"]\nfiles = [{ path = \"greeting.txt\", action = \"create\" }]\n\
                do = \"Write greeting.txt.\"\nchecks = [\"test -s greeting.txt\"]\n";
    std::fs::write(repo.path().join("good"), plan).expect("written");
    let place = repo.path().display();
    repo.agent(&format!(
        "if [ $AFRESH_TASK = plan ]; then cat '{place}/good' > .afresh/plans/greet/greet.plan.toml\n\
         else echo world > greeting.txt; fi"
    ));
    let mut client = McpClient::start(&repo);
    let started = client.document("plan", &json!({"spec": "greet.md"}));
    assert!(started["run"].is_string(), "{started}");
    assert_eq!(client.await_run()["ended_by"], "ended");
    repo.wait_until("the plan is ready", || {
        client.document("plan_status", &json!({}))["phase"] == "ready"
    });
    let file = json!({"plan": ".afresh/plans/greet/greet.plan.toml"});
    assert!(client.text("show", &file).contains("Greet"));
    client.document("run", &file);
    let waited = client.await_run();
    assert_eq!((&waited["ended_by"], &waited["done"]), (&json!("ended"), &json!(1)), "{waited}");
    let trace = client.document("trace", &json!({}));
    assert_eq!(trace["requirements"][0]["state"], "proved", "{trace}");
    client.close();
    repo.expect_no_survivors();
}

/// HU-04, ST-06: report, state, plan, tasks and transcripts can be read as resources.
#[test]
fn resources_show_the_run() {
    let repo = repo();
    repo.plan_of(2);
    repo.agent("echo \"I am $AFRESH_TASK\"; echo x > $AFRESH_TASK.txt");
    repo.commit("a plan");
    let mut client = McpClient::start(&repo);
    let missing = client.request("resources/read", &json!({"uri": "afresh://state"}));
    assert_eq!(missing["error"]["code"], -32002, "{missing}");
    repo.run(&[]).expect(0);
    let listed = client.request("resources/list", &json!({}))["result"]["resources"].clone();
    let uris: Vec<&str> =
        listed.as_array().expect("a list").iter().filter_map(|it| it["uri"].as_str()).collect();
    let wanted = [
        "afresh://report",
        "afresh://state",
        "afresh://plan",
        "afresh://tasks/T001",
        "afresh://tasks/T002",
    ];
    assert_eq!(uris, wanted);
    let mut read = |uri: &str| {
        let answer = client.request("resources/read", &json!({"uri": uri}));
        answer["result"]["contents"][0]["text"].as_str().unwrap_or_default().to_owned()
    };
    for uri in wanted {
        assert!(read(uri).contains("T001") || uri.ends_with("T002"), "{uri}: {}", read(uri));
    }
    assert!(read("afresh://transcripts/T002").contains("I am T002"));
    assert!(read("afresh://transcripts/T002.1").contains("I am T002"));
    for unknown in ["afresh://tasks/", "afresh://tasks/../../x", "file:///etc/passwd", ""] {
        assert_eq!(read(unknown), "", "{unknown}");
    }
    let templates = client.request("resources/templates/list", &json!({}));
    assert_eq!(
        templates["result"]["resourceTemplates"][1]["uriTemplate"],
        "afresh://transcripts/{task}"
    );
}
