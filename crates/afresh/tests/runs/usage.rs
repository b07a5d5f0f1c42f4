//! Tokens and cost of a run: by task, wave and run; cache reads separate; an unreported price is unknown.

use afresh_testkit::TestRepo;
use serde_json::{Value, json};

/// A plan of two waves whose first task reports its cost, and whose second has an unknown model.
fn spent() -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"A.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"A\"]\nfiles = [\"B.txt\"]\nchecks = [\"true\"]\n",
    );
    repo.agent(
        r#"case "$*" in *--version*) echo 2.1.197; exit;; esac
echo '{"type":"system","subtype":"init","session_id":"s","model":"mystery-1"}'
if [ $AFRESH_TASK = A ]; then
  echo '{"type":"result","subtype":"success","is_error":false,"result":"","modelUsage":{"mystery-1":{"inputTokens":10,"outputTokens":2,"cacheReadInputTokens":30,"cacheCreationInputTokens":4,"costUSD":0.25,"contextWindow":200000}}}'
else
  echo '{"type":"assistant","message":{"id":"m","content":[],"usage":{"input_tokens":100,"output_tokens":20,"cache_read_input_tokens":300}}}'
  echo '{"type":"result","subtype":"success","is_error":false,"result":""}'
fi
echo x > $AFRESH_TASK.txt
echo '{"status":"COMPLETED"}' > "$AFRESH_RESULT""#,
    );
    let agent = repo.path().join("agent.sh").display().to_string();
    repo.config(&format!(
        "[run]\nagent = \"claude\"\n[agents.claude]\nkind = \"claude\"\ncommand = [\"sh\", {agent:?}]\n"
    ));
    repo.run(&["--no-input"]).expect(0);
    repo
}

/// LO-03, R14: usage by wave and in total, cache reads separate; an unknown price is null and counted, never 0.
#[test]
fn status_tells_what_each_wave_used() {
    let repo = spent();
    let status = repo.status();
    let wave = |at: usize| &status["waves"][at];
    assert_eq!(
        wave(0)["usage"],
        json!({"input": 10, "output": 2, "cache_read": 30, "cache_write": 4, "cost_usd": 0.25})
    );
    assert_eq!((&wave(0)["wave"], &wave(0)["without_price"]), (&json!(1), &json!(0)));
    assert_eq!(wave(1)["usage"]["cost_usd"], Value::Null, "{status}");
    assert_eq!(
        (&wave(1)["usage"]["cache_read"], &wave(1)["without_price"]),
        (&json!(300), &json!(1))
    );
    assert_eq!(status["usage"]["cost_usd"], 0.25);
    assert_eq!(status["without_price"], 1);
    let text = repo.afresh(&["status"]).expect(0).stdout;
    let expected = "used 110 input, 22 output, 330 cache read, 4 cache write; $0.2500 and 1 attempt of unknown price";
    assert!(text.contains(expected), "{text}");
    let report = repo.afresh(&["report"]).expect(0).stdout;
    assert!(report.contains("| wave 1 | 10 | 2 | 30 | 4 | $0.2500 |"), "{report}");
    assert!(report.contains("| wave 2 | 100 | 20 | 300 | 0 | unknown |"), "{report}");
    assert!(report.contains("| all | 110 | 22 | 330 | 4 | $0.2500 + 1 unknown |"), "{report}");
}

/// LO-03: the effective price of each model, and where it comes from.
#[test]
fn prices_are_listed_with_their_origin() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.config("[prices.\"My-Model\"]\ninput = 2\noutput = 4.5\n");
    let text = repo.afresh(&["config", "list", "--origin", "--prices"]).expect(0).stdout;
    let line = |key: &str| {
        let found: Vec<&str> =
            text.lines().filter(|line| line.starts_with(&format!("{key} ="))).collect();
        assert_eq!(found.len(), 1, "{key} in:\n{text}");
        found[0].split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        line("prices.My-Model.output"),
        "prices.My-Model.output = 4.5 # .afresh/config.toml:6"
    );
    assert_eq!(
        line("prices.claude-sonnet-4.cache_read"),
        "prices.claude-sonnet-4.cache_read = 0.3 # built-in"
    );
    assert!(line("prices.as_of").ends_with("# built-in"));
    assert!(!text.contains("prices.my-model"), "{text}");
}
