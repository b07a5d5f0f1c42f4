//! What real agent programs report about themselves while they work, as people see it (AG-07, BE-04, LO-03). The
//! program is a small one that prints what Claude Code prints.

use std::fs;

use crate::support::{Driver, repo};
use afresh_testkit::TestRepo;
use afresh_testkit::file_tree::{contents_below, files_below};
use afresh_testkit::repo::finish;

/// A plan of one task, and an agent that runs this script in place of Claude Code.
fn watched(script: &str) -> TestRepo {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"T001\"\ntitle = \"work\"\nfiles = [\"T001.txt\"]\nchecks = [\"test -s T001.txt\"]\n",
    );
    let program = repo.path().join("claude.sh");
    fs::write(&program, script).expect("written");
    let config = format!(
        "[run]\nagent = \"watched\"\nhalt_grace = \"1s\"\n[agents.watched]\nkind = \"claude\"\ncommand = [\"sh\", {:?}]\n",
        program.display().to_string()
    );
    repo.write(".afresh/config.toml", &config);
    repo.commit("an agent");
    repo
}

const SAYS_WHO: &str = r#"echo '{"type":"system","subtype":"init","session_id":"0badcafe","model":"claude-sonnet-4-5"}'
"#;

const WORKS: &str = r#"echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"At work."}],"usage":{"input_tokens":30000,"cache_read_input_tokens":20000,"cache_creation_input_tokens":0,"output_tokens":1}}}'
echo well > T001.txt
afresh report-result --status completed > /dev/null
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","total_cost_usd":0.5,"usage":{"input_tokens":30000,"cache_read_input_tokens":20000,"output_tokens":10},"modelUsage":{"claude-sonnet-4-5":{"inputTokens":30000,"outputTokens":10,"cacheReadInputTokens":20000,"cacheCreationInputTokens":0,"costUSD":0.4,"contextWindow":200000},"nobody-knows":{"inputTokens":7,"outputTokens":1,"cacheReadInputTokens":0,"cacheCreationInputTokens":0}}}'
"#;

/// AG-07: model, conversation and context share of every attempt, beside the estimate.
#[test]
fn status_and_report_show_the_worker_and_its_context() {
    let repo = watched(&format!("{SAYS_WHO}{WORKS}"));
    repo.run(&[]).expect(0);
    let task = &repo.status()["tasks"][0];
    let worker = &task["workers"][0];
    assert_eq!(worker["attempt"], 1, "{task}");
    assert_eq!(worker["model"], "claude-sonnet-4-5");
    assert_eq!(worker["session"], "0badcafe");
    assert_eq!(worker["context"]["used"], 50_000);
    assert_eq!(worker["context"]["share"], 0.25);
    assert_eq!(task["est_context"], 0.1, "{task}");
    let printed = repo.afresh(&["status"]).expect(0).stdout;
    let line = "T001.1: claude-sonnet-4-5, 25 % context, estimated 10 %, session 0badcafe";
    assert!(printed.contains(line), "{printed}");
    let report = repo.afresh(&["report"]).expect(0).stdout;
    let begins = report.contains("| `T001.1` | claude-sonnet-4-5 | ");
    let ends = report.contains(" tokens, 0 % | 25 % of 200000 tokens | 0badcafe |");
    assert!(begins && ends, "{report}");
}

/// LO-03: usage and cost by model, cache reads separate; an unknown price is unknown, never zero.
#[test]
fn the_report_tells_what_each_model_used() {
    let repo = watched(&format!("{SAYS_WHO}{WORKS}"));
    repo.run(&[]).expect(0);
    let report = repo.afresh(&["report", "--json"]).expect(0).json();
    let models = report["models"].as_array().expect("models");
    let names: Vec<&str> = models.iter().filter_map(|model| model["model"].as_str()).collect();
    assert_eq!(names, ["claude-sonnet-4-5", "nobody-knows"]);
    assert_eq!(models[0]["cache_read"], 20_000);
    assert_eq!(models[0]["cost_usd"], 0.4);
    assert_eq!(models[1]["cost_usd"], serde_json::Value::Null);
    assert_eq!(models[1]["without_price"], 1);
    assert_eq!(report["tasks"][0]["attempts"][0]["models"][1]["model"], "nobody-knows");
    let page = repo.afresh(&["report"]).expect(0).stdout;
    assert!(page.contains("| model `nobody-knows` | 7 | 1 | 0 | 0 | unknown |"), "{page}");
}

/// BE-04: an agent that has to wait is named, with the time and the reason.
#[test]
fn status_tells_which_agent_waits_until_when_and_why() {
    let resets = "$(($(date +%s) + 3600))";
    let repo = watched(&format!(
        r#"{SAYS_WHO}echo "{{\"type\":\"rate_limit_event\",\"rate_limit_info\":{{\"status\":\"rejected\",\"resetsAt\":{resets}}}}}"
echo '{{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"slow down"}}'
exit 1
"#
    ));
    let driver = Driver::run(&repo, &[]);
    let parked = || repo.status()["parked"][0].clone();
    repo.wait_until("the agent waits", || parked()["tier"] == "standard");
    assert_eq!(parked()["agent"], serde_json::Value::Null);
    assert!(parked()["until"].as_str().is_some_and(|until| until.ends_with('Z')), "{}", parked());
    let printed = repo.afresh(&["status"]).expect(0).stdout;
    assert!(printed.contains("the run's agent with its standard model waits until 2"), "{printed}");
    assert!(printed.contains("too many requests: slow down"), "{printed}");
    repo.afresh(&["halt", "enough"]).expect(0);
    driver.end().expect(3);
}

/// Reports that half of its context is full.
const HALF_FULL: &str = r#"echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"I read a lot."}],"usage":{"input_tokens":110000,"output_tokens":1}}}'
"#;

/// AG-07: at the soft limit a worker is notified once, by whichever channel comes first: the hook of its
/// program, our tool server, or a command.
#[test]
fn at_the_soft_limit_a_worker_is_warned_once() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"log","arguments":{"message":"m"}}}"#;
    let commands = [
        "echo '{}' | afresh hook tool".to_owned(),
        format!("echo '{call}' | afresh mcp --attempt"),
        "afresh log INFO word message 2>&1".to_owned(),
        "afresh issue text 2>&1".to_owned(),
    ];
    for command in commands {
        let repo = watched(&format!(
            "{SAYS_WHO}{HALF_FULL}
warning=
while [ -z \"$warning\" ]; do
  output=$({command})
  case \"$output\" in *'55 % of your context is full, and at 70 %'*) warning=$output;; esac
  sleep 0.05
done
echo \"$warning\" > \"$AFRESH_RESULT.warning\"
{command} > \"$AFRESH_RESULT.again\"
{WORKS}"
        ));
        repo.run(&[]).expect(0);
        let all = files_below(&repo.state());
        let file = |name: &str| all.iter().find(|path| path.ends_with(name));
        let read = |name: &str| {
            file(name).and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default()
        };
        assert!(
            read("result.warning").contains("report_result"),
            "{command}: {}",
            read("result.warning")
        );
        assert!(!read("result.again").contains("context is full"), "{command}: twice");
        if command.contains("hook") {
            let json: serde_json::Value =
                serde_json::from_str(&read("result.warning")).expect("an answer for the program");
            assert_eq!(json["hookSpecificOutput"]["hookEventName"], "PostToolUse");
        }
        assert_eq!(repo.status()["tasks"][0]["workers"][0]["warned"], true);
        let status = repo.afresh(&["status"]).expect(0).stdout;
        assert!(status.contains("% context, warned"), "{status}");
        let log = repo.afresh(&["logs"]).expect(0).stdout;
        assert!(log.contains("context-warned"), "{log}");
    }
}

/// B34, R15: a line longer than our memory limit, from an agent whose every line is read; all of it is kept on disk.
/// What follows it is read, with cut characters and unknown types in between.
#[test]
fn a_line_of_300_megabytes_from_an_agent_that_is_followed_is_not_held_in_memory() {
    let noise = "head -c 300000000 /dev/zero | tr '\\0' x; echo\nprintf '{\"type\":\"assistant\",\"text\":\"sch\\303\\n'\nprintf '{\"type\":\"news\",\"of\":[1]}\\n'\n";
    let repo = watched(&format!("{SAYS_WHO}{noise}{WORKS}"));
    let file = repo.root().join(".afresh/config.toml");
    let config = fs::read_to_string(file).expect("a configuration");
    repo.write(
        ".afresh/config.toml",
        &config.replace("[run]\n", "[run]\noutput_limit = 400000000\n"),
    );
    repo.commit("all of it is kept");
    let mut driver = Driver::run(&repo, &["--no-input"]);
    let mut most = 0;
    while driver.has_ended().is_none() {
        let ours = crate::support::processes::supervisors_below(driver.pid());
        for pid in ours.into_iter().chain([driver.pid()]) {
            most = most.max(crate::support::processes::most_memory(pid));
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    driver.end().expect(0);
    assert!((1..256 * 1024).contains(&most), "{most} KiB");
    let worker = repo.status()["tasks"][0]["workers"][0].clone();
    assert_eq!(worker["context"]["used"], 50_000, "{worker}");
}

const KEY: &str = "hunter22-hunter22-hunter22";

/// B36, LO-02: a key that a worker was given is in nothing that we keep or show, whatever the worker and the checks
/// print; it does not see keys that it was not given.
#[test]
fn a_key_that_is_printed_is_masked_before_it_is_on_disk() {
    let repo = watched(&format!(
        r#"{SAYS_WHO}echo "{{\"type\":\"assistant\",\"message\":{{\"id\":\"m1\",\"content\":[{{\"type\":\"text\",\"text\":\"it is $ANTHROPIC_API_KEY, not '$OTHER_API_KEY'\"}}]}}}}"
echo "stderr $ANTHROPIC_API_KEY" >&2
echo "$ANTHROPIC_API_KEY" | sed 's/./& /g' > T001.txt
afresh report-result --status completed --notes "used $ANTHROPIC_API_KEY" > /dev/null
echo '{{"type":"result","subtype":"success","is_error":false,"result":"Done."}}'
"#
    ));
    repo.plan("[[task]]\nid = \"T001\"\ntitle = \"work\"\nfiles = [\"T001.txt\"]\nchecks = [\"tr -d ' ' < T001.txt\"]\n");
    repo.commit("a check that prints");
    let mut run = repo.command(&["run", "p.plan.toml", "--no-input", "--json"]);
    run.env("ANTHROPIC_API_KEY", KEY).env("OTHER_API_KEY", "other-other-other");
    let ran = finish(run).expect(0);
    assert!(!ran.stdout.contains(KEY), "{}", ran.stdout);
    let mut masked = 0;
    for (file, bytes) in contents_below(&repo.state()) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(KEY), "{} holds the key", file.display());
        assert!(!text.contains("other-other-other"), "{}", file.display());
        masked += usize::from(text.contains("[masked]"));
    }
    assert!(masked >= 4, "output, errors, checks and journal: {masked}");
    let transcript = repo.afresh(&["logs", "T001"]).expect(0).stdout;
    assert!(transcript.contains("it is [masked], not ''"), "{transcript}");
    assert_eq!(repo.status()["tasks"][0]["notes"], "used [masked]");
}

/// B36, AG-01: no worker sees a variable that is not allowed, whatever its program.
#[test]
fn what_is_not_allowed_is_seen_by_a_worker_of_no_program() {
    for kind in ["claude", "codex", "gemini", "opencode", "acp"] {
        let repo = watched("env > \"$AFRESH_RESULT.env\"; exit 1\n");
        let file = repo.root().join(".afresh/config.toml");
        let config = fs::read_to_string(file).expect("a configuration");
        let config = config.replace("kind = \"claude\"", &format!("kind = \"{kind}\""));
        let config = config.replace("[run]\n", "[run]\nattempts = 1\n");
        repo.write(".afresh/config.toml", &format!("{config}env = [\"ALLOWED\"]\n"));
        repo.commit("another kind");
        let mut run = repo.command(&["run", "p.plan.toml", "--no-input", "--on-failure", "skip"]);
        run.env("SOME_TOKEN", "hunter22-hunter22").env("ALLOWED", "as-it-is");
        finish(run).expect(1);
        let env = files_below(&repo.state()).into_iter().find(|path| path.ends_with("result.env"));
        let env = fs::read_to_string(env.expect("it was there")).expect("its environment");
        assert!(env.contains("ALLOWED=as-it-is"), "{kind}: {env}");
        assert!(!env.contains("hunter22") && !env.contains("SOME_TOKEN"), "{kind}: {env}");
    }
}
