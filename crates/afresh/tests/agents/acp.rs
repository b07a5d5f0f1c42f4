//! Agents of the Agent Client Protocol, played by a shell script: what the agent gets, and every way in which it may
//! violate the protocol (AG-01, R15, ST-04).

use std::fs;
use std::process::{Command, Stdio};

use crate::support::{Driver, repo};
use afresh_testkit::TestRepo;
use afresh_testkit::repo::finish;
use serde_json::Value;

/// Shell functions of an agent: `hear` reads a message, `say` sends one.
const WORDS: &str = r#"
hear() { IFS= read -r heard || exit 0; printf '%s\n' "$heard" >> "$HOME/heard"; }
say() { printf '%s\n' "$1"; }
update() { say '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":'"$1"'}}'; }
greet() { hear; say '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'; }
open() { hear; say '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1"}}'; }
work() { echo "by $AFRESH_TASK" > "$AFRESH_TASK.txt"; }
answer() {
  update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"OUTPUT_JSON_START\n{\"status\":\"COMP"}}'
  update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"LETED\"}\nOUTPUT_JSON_END"}}'
  say '{"jsonrpc":"2.0","id":'"$1"',"result":{"stopReason":"end_turn","usage":{"inputTokens":700,"outputTokens":30,"totalTokens":730}}}'
}
"#;

/// A repository whose agent is this script.
fn repo_with_agent(script: &str, run: &str, agent: &str) -> TestRepo {
    let repo = repo();
    repo.agent(&format!("{WORDS}\n{script}"));
    let path = repo.path().join("agent.sh").to_string_lossy().into_owned();
    let run =
        if run.contains("attempts") { run.to_owned() } else { format!("attempts = 1\n{run}") };
    repo.write(
        ".afresh/config.toml",
        &format!(
            "[run]\nagent = \"mine\"\nbackoff = [\"10ms\"]\n{run}\n\
             [agents.mine]\nkind = \"acp\"\ncommand = [\"sh\", {path:?}]\n{agent}\n"
        ),
    );
    repo.plan_of(1);
    repo.commit("a plan");
    repo
}

/// What the agent received, message by message.
fn received_messages(repo: &TestRepo) -> Vec<Value> {
    let text = fs::read_to_string(repo.path().join("home/heard")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn error_of_task(repo: &TestRepo) -> String {
    repo.status()["tasks"][0]["error"].as_str().unwrap_or_default().to_owned()
}

/// Runs it; the one task fails, and the reason is returned.
#[track_caller]
fn failed(repo: &TestRepo) -> String {
    repo.run(&["--on-failure", "skip"]).expect(1);
    repo.expect_no_survivors();
    error_of_task(repo)
}

/// AG-01, AG-07: the order of messages, our tools, the mode that asks for no permission, the model, permission for
/// every request, and what the agent reports.
#[test]
fn an_acp_agent_gets_what_it_needs_and_does_its_task() {
    let script = r#"
greet
hear; say '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1",
  "modes":{"currentModeId":"ask","availableModes":[{"id":"ask"},{"id":"yolo"}]},
  "models":{"currentModelId":"old","availableModels":[{"modelId":"old"},{"modelId":"new"}]}}}' | tr -d '\n'; echo
hear; say '{"jsonrpc":"2.0","id":3,"result":{}}'
hear; say '{"jsonrpc":"2.0","id":4,"result":{}}'
hear
update '{"sessionUpdate":"a kind that nobody knows"}'
update '{"sessionUpdate":"usage_update","used":9000,"size":100000,"cost":{"amount":0.25,"currency":"USD"}}'
say '{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"options":[{"optionId":"no","kind":"reject_once"},{"optionId":"ever","kind":"allow_always"},{"optionId":"once","kind":"allow_once"}]}}'
hear
say '{"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":{"path":"/etc/passwd"}}'
hear
work
answer 5
"#;
    let repo = repo_with_agent(script, "", "models = \"new\"");
    repo.run(&[]).expect(0);
    crate::support::expect_landed_once(&repo, 1);
    repo.expect_no_survivors();
    let heard = received_messages(&repo);
    let methods = methods(&repo);
    assert_eq!(
        methods,
        ["initialize", "session/new", "session/set_mode", "session/set_model", "session/prompt"]
    );
    assert_eq!(heard[0]["params"]["clientCapabilities"]["fs"]["readTextFile"], false);
    let tools = &heard[1]["params"]["mcpServers"][0];
    assert_eq!(tools["args"], serde_json::json!(["mcp", "--attempt"]));
    let env = tools["env"].to_string();
    assert!(env.contains("AFRESH_RESULT") && !env.contains("PATH"), "{env}");
    assert!(heard[1]["params"]["cwd"].as_str().is_some_and(|cwd| cwd.contains("/cache/")));
    assert_eq!(heard[2]["params"]["modeId"], "yolo");
    assert_eq!(heard[3]["params"]["modelId"], "new");
    let prompt = heard[4]["params"]["prompt"][0]["text"].as_str().expect("a prompt");
    assert!(prompt.contains("\n# Task T001"), "{prompt}");
    assert_eq!(heard[5]["result"]["outcome"]["optionId"], "once");
    assert_eq!((&heard[6]["id"], &heard[6]["error"]["code"]), (&7.into(), &(-32601).into()));
    let status = repo.status();
    assert_eq!(status["usage"]["input"], 700, "{status}");
    assert_eq!(status["usage"]["cost_usd"], 0.25, "{status}");
    let worker = &status["tasks"][0]["workers"][0];
    assert_eq!((&worker["session"], &worker["model"]), (&"s-1".into(), &"new".into()), "{status}");
    assert_eq!(worker["context"]["used"], 9_000, "{status}");
}

/// AG-01, AG-06: a model that is not offered is an error that lists the offered ones, before anything is spent.
#[test]
fn an_acp_agent_without_the_model_is_refused_with_those_it_has() {
    let script = r#"
greet
hear; say '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1","configOptions":[{"id":"m","category":"model","currentValue":"one","options":[{"value":"one"},{"value":"two"}]}]}}'
hear
"#;
    let repo = repo_with_agent(script, "", "models = \"three\"");
    let why = failed(&repo);
    assert!(why.contains("\"three\"") && why.contains("one, two"), "{why}");
    assert!(received_messages(&repo).iter().all(|message| message["method"] != "session/prompt"));
    let none = repo_with_agent("greet\nopen\nhear", "", "models = \"three\"");
    let why = failed(&none);
    assert!(why.contains("does not support choosing a model"), "{why}");
}

/// AG-06: whatever it does instead of answering, the task's error reports it.
#[test]
fn each_way_an_acp_agent_does_not_answer_has_its_own_error() {
    for (script, expected) in [
        ("exit 3", "ended before it answered `initialize`"),
        ("hear; exit 0", "ended before it answered `initialize`"),
        ("echo nonsense; echo '[1]'; echo '{'; greet; exit 1", "before it opened a session"),
        ("greet; open; hear; exit 4", "before it answered the prompt"),
        (
            "hear; say '{\"id\":1,\"result\":{\"protocolVersion\":9}}'; sleep 600",
            "version 9 of the protocol",
        ),
        ("greet; hear; say '{\"id\":2,\"result\":{}}'; sleep 600", "without an id"),
        (
            "greet; hear; say '{\"id\":2,\"error\":{\"code\":-32000,\"message\":\"Authentication required\"}}'; sleep 600",
            "login was refused",
        ),
        (
            "greet; open; hear; say '{\"id\":3,\"error\":{\"code\":-32603,\"message\":\"x\",\"data\":{\"errorKind\":\"model_not_found\"}}}'",
            "no such model",
        ),
        (
            "greet; open; hear; say '{\"id\":3,\"result\":{\"stopReason\":\"max_turn_requests\"}}'",
            "a limit of the agent program",
        ),
    ] {
        let why = failed(&repo_with_agent(script, "", ""));
        assert!(why.contains(expected), "{script}: {why:?}");
    }
}

/// AG-09: an agent that never answers is silent, and is stopped for that.
#[test]
fn an_acp_agent_that_says_nothing_is_ended() {
    let run = "silence_timeout = \"1s\"\ntimeout_action = \"skip\"\nhalt_grace = \"1s\"";
    let repo = repo_with_agent("greet\nopen\nhear\nsleep 600", run, "");
    let why = failed(&repo);
    assert!(why.contains("no output for 1s (`run.silence_timeout`)"), "{why}");
}

/// AG-01: an agent that does not end after its answer is not waited for.
#[test]
fn an_acp_agent_that_does_not_end_delays_no_other() {
    let repo =
        repo_with_agent("trap '' TERM\ngreet\nopen\nhear\nwork\nanswer 3\nsleep 600", "", "");
    repo.run(&[]).expect(0);
    crate::support::expect_landed_once(&repo, 1);
    repo.expect_no_survivors();
}

/// ST-04: it is asked to cancel through the protocol before it is killed.
#[test]
fn an_acp_agent_is_asked_to_leave_off() {
    let repo = repo_with_agent(
        "greet\nopen\nhear\n: > \"$HOME/up\"\nhear\nsay '{\"id\":3,\"result\":{\"stopReason\":\"cancelled\"}}'\nhear",
        "halt_grace = \"20s\"",
        "",
    );
    let driver = Driver::run(&repo, &["--no-input"]);
    repo.wait_until("it has its prompt", || repo.path().join("home/up").exists());
    repo.afresh(&["halt", "enough"]).expect(0);
    repo.afresh(&["halt", "now"]).expect(0);
    driver.end().expect(3);
    repo.expect_no_survivors();
    assert_eq!(methods(&repo).last().map(String::as_str), Some("session/cancel"));
}

/// ST-04: an agent that does not read its prompt, or ignores signals, delays nothing.
#[test]
fn an_acp_agent_that_does_not_listen_is_ended() {
    let repo =
        repo_with_agent("trap '' TERM INT\n: > \"$HOME/up\"\nsleep 600", "halt_grace = \"1s\"", "");
    let long = "words ".repeat(40_000);
    repo.plan(&format!(
        "[[task]]\nid = \"T001\"\ntitle = \"t\"\nfiles = [\"T001.txt\"]\nchecks = [\"true\"]\ndo = {long:?}\n"
    ));
    repo.commit("a long one");
    let driver = Driver::run(&repo, &["--no-input"]);
    repo.wait_until("it is there", || repo.path().join("home/up").exists());
    repo.afresh(&["halt", "enough"]).expect(0);
    repo.afresh(&["halt", "now"]).expect(0);
    driver.end().expect(3);
    repo.expect_no_survivors();
}

/// B34, R15: neither a line of a gigabyte nor messages that are far larger in memory than on the line fill the
/// client's memory, and what follows is read.
#[test]
fn a_line_of_a_gigabyte_from_an_acp_agent_is_left_out() {
    let repo = repo();
    let line = "head -c 1000000000 /dev/zero | tr '\\0' x; echo";
    let ones = "ones=$(head -c 1300000 /dev/zero | tr '\\0' x | sed 's/x/1,/g')\n\
         for n in 1 2 3 4 5 6 7 8 9 10; do printf '{\"x\":[%s1]}\\n' \"$ones\"; done";
    let script = format!("{WORDS}\n{line}\n{ones}\ngreet\nopen\nhear\nanswer 3");
    let mut client = Command::new("sh");
    let inner = repo.command(&["agent", "acp", "--", "sh", "-c", &script]);
    client.args(["-c", "ulimit -v 262144 && exec \"$@\"", "sh"]).arg(inner.get_program());
    client.args(inner.get_args()).current_dir(repo.root()).stdin(Stdio::null());
    client.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ran = finish(client).expect(0);
    assert!(ran.stdout.contains("{\"note\":\"dropped a line that is too long"), "{}", ran.stdout);
    assert!(ran.stdout.len() < 30_000_000, "{} bytes", ran.stdout.len());
}

/// A configuration without a command is refused, and the error suggests one.
#[test]
fn an_acp_agent_without_a_command_is_refused() {
    let repo = repo();
    repo.write(".afresh/config.toml", "[run]\nagent = \"a\"\n[agents.a]\nkind = \"acp\"\n");
    repo.plan_of(1);
    let ran = repo.run(&[]).expect(2);
    assert!(ran.stderr.contains("agent \"a\" has no command"), "{}", ran.stderr);
    assert!(ran.stderr.contains("[\"opencode\", \"acp\"]"), "{}", ran.stderr);
}

/// An agent that stops halfway, in its own way, and works when it is restarted. It has the capabilities `able`, and
/// sends `replay` before it has resumed a session.
fn stopping(able: &str, replay: &str, stops: &str) -> TestRepo {
    let script = format!(
        r#"hear; say '{{"id":1,"result":{{"protocolVersion":1,"agentCapabilities":{able}}}}}'
hear
case "$heard" in
*session/new*) say '{{"id":2,"result":{{"sessionId":"s-1"}}}}' ;;
*) {replay}; say '{{"id":2,"result":null}}' ;;
esac
hear
if [ ! -e "$HOME/up" ]; then echo half > T001.txt; : > "$HOME/up"; {stops}; fi
work; answer 3"#
    );
    repo_with_agent(&script, "attempts = 2", "")
}

/// The driver is killed while the agent works; then the next run completes.
fn killed(able: &str, replay: &str) -> TestRepo {
    let repo = stopping(able, replay, "sleep 600");
    let driver = Driver::run(&repo, &["--no-input"]);
    repo.wait_until("it works", || repo.path().join("home/up").exists());
    repo.wait_until("its session is recorded", || {
        repo.status()["tasks"][0]["workers"][0]["session"] == "s-1"
    });
    driver.kill_9();
    repo.expect_no_survivors();
    repo.run(&[]).expect(0);
    crate::support::expect_landed_once(&repo, 1);
    repo
}

fn methods(repo: &TestRepo) -> Vec<String> {
    let method = |message: Value| message["method"].as_str().map(str::to_owned);
    received_messages(repo).into_iter().filter_map(method).collect()
}

/// AG-08, ST-02: it continues its session, in the way that it supports; the replayed part of the conversation is
/// neither its answer nor its work.
#[test]
fn an_acp_agent_continues_its_session() {
    let resumed = killed(r#"{"loadSession":true,"sessionCapabilities":{"resume":{}}}"#, ":");
    assert_eq!(methods(&resumed)[4], "session/resume", "{:?}", methods(&resumed));
    let replay = r#"update '{"sessionUpdate":"tool_call","toolCallId":"old","status":"completed"}'
update '{"sessionUpdate":"usage_update","used":90000,"size":100000,"cost":{"amount":9}}'
update '{"sessionUpdate":"agent_message_chunk","content":{"text":"OUTPUT_JSON_START\n{\"status\":\"FAILED\"}\nOUTPUT_JSON_END\n"}}'"#;
    let loaded = killed(r#"{"loadSession":true}"#, replay);
    assert_eq!(methods(&loaded)[4], "session/load", "{:?}", methods(&loaded));
    assert_eq!(loaded.status()["usage"]["cost_usd"], Value::Null);
    for repo in [resumed, loaded] {
        let again = received_messages(&repo).into_iter().nth(4).expect("heard");
        assert_eq!(again["params"]["sessionId"], "s-1");
        assert_eq!(again["params"]["mcpServers"][0]["name"], "afresh");
        let worker = repo.status()["tasks"][0]["workers"][1].clone();
        assert_eq!(
            (&worker["resumes"], &worker["session"]),
            (&1.into(), &"s-1".into()),
            "{worker}"
        );
    }
}

/// AG-08, ST-02: an agent that cannot is followed by a fresh one, and that costs no attempt.
#[test]
fn an_acp_agent_that_cannot_continue_is_followed_by_a_fresh_one() {
    let repo = killed("{}", ":");
    assert!(methods(&repo).iter().all(|method| method != "session/load"), "{:?}", methods(&repo));
    assert_eq!(methods(&repo).iter().filter(|method| *method == "session/new").count(), 2);
}

/// AG-08: the same if the agent itself is killed: its end is that of the attempt.
#[test]
fn an_acp_agent_that_is_killed_continues() {
    for signal in ["KILL", "TERM"] {
        let stops = format!("sleep 1; kill -{signal} $$; sleep 60");
        let repo = stopping(r#"{"loadSession":true}"#, ":", &stops);
        repo.run(&[]).expect(0);
        crate::support::expect_landed_once(&repo, 1);
        let workers = repo.status()["tasks"][0]["workers"].clone();
        assert_eq!(workers[1]["resumes"], 1, "{signal}: {workers}");
    }
}
