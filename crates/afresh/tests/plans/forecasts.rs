//! What a plan is expected to take, and its score: PL-20, PL-22.

use afresh_testkit::TestRepo;
use serde_json::{Value, json};

/// An agent that reports how many tokens it used, and a model.
fn with_agent(repo: &TestRepo, model: &str, tokens: u64) {
    let script = format!(
        r#"case "$*" in *--version*) echo 2.1.197; exit;; esac
echo '{{"type":"system","subtype":"init","session_id":"s","model":"{model}"}}'
echo '{{"type":"assistant","message":{{"id":"m","content":[],"usage":{{"input_tokens":{tokens},"output_tokens":0,"cache_read_input_tokens":{tokens}}}}}}}'
echo '{{"type":"result","subtype":"success","is_error":false,"result":""}}'
echo x > $AFRESH_TASK.txt
echo '{{"status":"COMPLETED"}}' > "$AFRESH_RESULT""#
    );
    repo.agent(&script);
    let agent = repo.path().join("agent.sh").display().to_string();
    repo.config(&format!(
        "[run]\nagent = \"claude\"\n[agents.claude]\nkind = \"claude\"\ncommand = [\"sh\", {agent:?}]\n"
    ));
}

fn plan(ids: &[&str]) -> String {
    let task = |id: &&str| {
        format!(
            "[[task]]\nid = \"{id}\"\ntitle = \"t\"\nfiles = [\"{id}.txt\"]\nchecks = [\"test -s {id}.txt\"]\n"
        )
    };
    ids.iter().map(task).collect()
}

fn show(repo: &TestRepo) -> Value {
    repo.afresh(&["show", "p.plan.toml", "--json"]).expect(0).json()
}

/// PL-20: without three finished tasks there is no forecast, and it is said; with them there is one, of each task and
/// of the run, and the report says how wrong it was.
#[test]
fn a_forecast_comes_from_finished_tasks_of_earlier_runs() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    // One task is estimated at 18,500 tokens: 15,000 to begin with, a new document, and a check.
    with_agent(&repo, "claude-sonnet-5", 37_000);
    repo.plan(&plan(&["A", "B"]));
    assert_eq!(show(&repo)["forecast"], Value::Null);
    let first = repo.run(&["--no-input"]).expect(0);
    assert!(first.stderr.contains("forecast: no history"), "{}", first.stderr);
    assert_eq!(show(&repo)["forecast"], Value::Null, "two tasks are not enough");
    repo.plan(&plan(&["A", "B", "C"]));
    repo.run(&["--no-input"]).expect(0);

    let shown = show(&repo);
    assert_eq!(shown["forecast"]["samples"], 3, "{}", shown["forecast"]);
    let tokens = |value: &Value| value["tokens"]["p50"].as_u64().expect("tokens");
    let one = tokens(&shown["tasks"][0]["forecast"]);
    assert!((73_500..=74_500).contains(&one), "as many new tokens, and as many cached ones: {one}");
    assert_eq!(tokens(&shown["forecast"]), 3 * one);
    // `sonnet` is the version that was reported: 2 dollars a million, 0.20 from the cache.
    let cost = shown["tasks"][0]["forecast"]["cost_usd"]["p50"].as_f64().expect("a price");
    assert!((cost - 0.0814).abs() < 0.001, "{cost}");
    let minutes = shown["forecast"]["minutes"]["p90"].as_f64().expect("minutes");
    assert!(minutes > 0.0, "{minutes}");
    let text = repo.afresh(&["show", "p.plan.toml"]).expect(0).stdout;
    assert!(text.contains("\nforecast: 222k tokens (P90 222k), $0.24"), "{text}");

    with_agent(&repo, "claude-sonnet-5", 74_000);
    let again = repo.run(&["--no-input", "--new"]).expect(0);
    assert!(again.stderr.contains("forecast: 222k tokens"), "{}", again.stderr);
    let report = repo.afresh(&["report", "--json"]).expect(0).json();
    let forecast = &report["forecast"];
    assert_eq!(forecast["samples"], 3, "{forecast}");
    assert_eq!(forecast["tokens"]["actual"], 444_000.0, "{forecast}");
    let error = forecast["tokens"]["error"].as_f64().expect("an error");
    assert!((error - 1.0).abs() < 0.01, "twice as many: {error}");
    let of_task = forecast["tasks"][0]["error"].as_f64().expect("an error");
    assert!((of_task - 3.0).abs() < 0.05, "four times the estimate: {of_task}");
    assert_eq!(report["score"]["first_attempt_rate"], 1.0);
    let page = repo.afresh(&["report"]).expect(0).stdout;
    assert!(page.contains("- tokens: 444000, forecast 221"), "{page}");
    assert!(page.contains("100 % of the done tasks at the first attempt, 0 retries"), "{page}");
}

/// PL-20, R14: the price of an unknown model is unknown, not zero.
#[test]
fn a_forecast_says_that_a_price_is_unknown() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    with_agent(&repo, "mystery-1", 20_000);
    repo.plan(&plan(&["A", "B", "C"]));
    repo.run(&["--no-input"]).expect(0);
    let forecast = &show(&repo)["forecast"];
    assert_eq!(forecast["cost_usd"], Value::Null, "{forecast}");
    assert!(forecast["tokens"]["p50"].as_u64().is_some_and(|tokens| tokens > 0), "{forecast}");
    let text = repo.afresh(&["show", "p.plan.toml"]).expect(0).stdout;
    assert!(text.contains("cost unknown: no price of the model"), "{text}");
}

/// PL-22: the score of a plan, before anything runs and after its checks were measured.
#[test]
fn show_has_the_score_of_a_plan() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    with_agent(&repo, "mystery-1", 100);
    repo.write("spec.md", "# S\n\n- **FR-001**: it adds\n- **FR-002**: it lists\n");
    repo.write("src/real.py", "x = 1\n");
    repo.commit("base");
    repo.plan(
        "spec = \"spec.md\"\n\
         [[task]]\nid = \"A\"\ntitle = \"t\"\nfiles = [\"A.txt\"]\nchecks = [\"test -s A.txt\"]\nrequirements = [\"FR-001\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"t\"\nfiles = [\"B.txt\"]\nchecks = [\"true\"]\ndo = \"See `lib/real.py`.\"\n\
         [[task]]\nid = \"C\"\ntitle = \"t\"\nneeds = [\"A\"]\nfiles = [\"C.txt\", \"B.txt\"]\nno_check = \"x\"\n",
    );
    let score = &show(&repo)["score"];
    assert_eq!(score["coverage"], 0.5, "{score}");
    assert_eq!(score["red_share"], 0.0, "no check says `red_first`: {score}");
    assert_eq!(score["ungrounded"], 1, "lib/real.py does not exist: {score}");
    assert_eq!((&score["same_file_pairs"], &score["width"]), (&json!(1), &json!(2)), "{score}");
    assert_eq!(score["critical_path"], 2);
    assert!(score["largest_context"].as_f64().is_some_and(|share| share > 0.05), "{score}");
    repo.run(&["--no-input"]).expect(0);
    let score = &show(&repo)["score"];
    assert_eq!(score["red_share"], 0.333, "one check of three tasks was red: {score}");
    let text = repo.afresh(&["show", "p.plan.toml"]).expect(0).stdout;
    assert!(text.contains("score: 50 % of the requirements served, 33 % of the tasks"), "{text}");
}

/// PL-22: after the run, retries are counted.
#[test]
fn a_report_counts_retries() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.agent("[ $AFRESH_ATTEMPT = 1 ] && [ $AFRESH_TASK = A ] || echo x > $AFRESH_TASK.txt; echo y >> $AFRESH_TASK.log");
    repo.plan(&plan(&["A", "B"]).replace(".txt\"]\nchecks", ".txt\", \"*.log\"]\nchecks"));
    repo.run(&["--no-input"]).expect(0);
    let score = &repo.afresh(&["report", "--json"]).expect(0).json()["score"];
    assert_eq!(
        (&score["first_attempt_rate"], &score["retries"]),
        (&json!(0.5), &json!(1)),
        "{score}"
    );
    assert_eq!(score["estimate_error"], Value::Null, "the agent reports no tokens: {score}");
}
