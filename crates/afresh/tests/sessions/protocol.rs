//! Versions, schemas, cancellation, several requests, clients that close.

use std::time::Instant;

use serde_json::{Value, json};

use super::mcp_client::McpClient;
use crate::support::{gated, repo};

/// ST-06: a client is welcomed in its own version, or in ours if we do not speak it; the instructions say how a run is
/// driven, and name only tools that exist.
#[test]
fn clients_are_welcomed_in_their_version() {
    let repo = repo();
    for (asked, spoken) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2031-01-01", "2025-11-25"),
    ] {
        let mut client = McpClient::start_command(repo.command(&["mcp"]), asked);
        assert_eq!(client.welcome["protocolVersion"], spoken);
        let result = client.call("runs", &json!({}));
        let is_structured = result.get("structuredContent").is_some();
        assert_eq!(is_structured, spoken >= "2025-06-18", "{asked}: {result}");
        let instructions = client.welcome["instructions"].as_str().expect("a text").to_owned();
        let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
        let names: Vec<&str> =
            tools.as_array().expect("a list").iter().filter_map(|it| it["name"].as_str()).collect();
        for named in ["plan", "show", "run", "wait", "questions", "decide", "report"] {
            assert!(names.contains(&named), "{named}");
            assert!(instructions.contains(&format!("`{named}`")), "{named}");
        }
        assert!(!names.iter().any(|name| name.contains("land")), "landing is the person's");
    }
}

/// ST-06: every tool has a schema whose fields are described, and says whether it changes anything.
#[test]
fn tools_describe_themselves() {
    let mut client = McpClient::start(&repo());
    let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    let mut readers = Vec::new();
    for tool in tools.as_array().expect("a list") {
        let name = tool["name"].as_str().expect("a name");
        assert!(tool["description"].as_str().is_some_and(|it| it.len() > 20), "{tool}");
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object");
        for (field, details) in schema["properties"].as_object().expect("fields") {
            let described = details["description"].as_str().is_some_and(|it| it.len() > 5);
            assert!(described && details["type"].is_string(), "{name}.{field}: {details}");
        }
        let annotations = &tool["annotations"];
        if annotations["readOnlyHint"] == true {
            readers.push(name.to_owned());
        }
        assert!(annotations["destructiveHint"].is_boolean(), "{tool}");
        // What a tool refuses, it refuses in words.
        let refused = client.refusal(name, &json!({"unheard_of": 1}));
        assert!(refused.contains("unheard_of"), "{refused}");
    }
    let wanted = [
        "plan_status",
        "lint",
        "show",
        "wait",
        "status",
        "runs",
        "questions",
        "task",
        "logs",
        "diff",
        "trace",
        "report",
    ];
    assert_eq!(readers, wanted);
}

/// Requests that nothing understands are answered, and the next ones are heard.
#[test]
fn broken_requests_are_answered_and_passed_over() {
    let mut client = McpClient::start(&repo());
    client.send_line("not json");
    client.send_line(&format!("{{\"x\":\"{}\"}}", "y".repeat(5 * 1024 * 1024)));
    client.send(&json!({"id": 77}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/unheard-of"}));
    assert_eq!(client.request("fly", &json!({}))["error"]["code"], -32601);
    assert_eq!(client.request("tools/call", &json!({}))["error"]["code"], -32602);
    let unknown = client.request("tools/call", &json!({"name": "fly"}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(client.refusal("status", &json!([1])).contains("must be an object"));
    assert!(client.refusal("diff", &json!({"tasks": "T1"})).contains("must be a list"));
    assert!(client.refusal("logs", &json!({"lines": -1})).contains("whole number"));
    assert!(client.refusal("task", &json!({})).contains("`task` is missing"));
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    let (_, rest) = client.close();
    let codes: Vec<i64> = rest.iter().filter_map(|it| it["error"]["code"].as_i64()).collect();
    assert_eq!(codes.len(), 2, "of two, the id could not be read, and the third has one: {rest:?}");
}

/// ST-06: while a call waits, pings and other calls are answered, it can be cancelled without an answer, and it ends
/// with its client. Nothing is locked meanwhile, no process is left, and the run works on.
#[test]
fn a_waiting_call_holds_nothing_up() {
    let (repo, gate) = gated(1);
    let mut client = McpClient::start(&repo);
    client.document("run", &json!({"plan": "p.plan.toml"}));
    // A run without a running attempt ends at a halt.
    repo.wait_until("a worker is at work", || repo.state_of("T001") == "running");
    let begin = Instant::now();
    let cancelled = client.ask_tool("wait", &json!({"seconds": 50}));
    let abandoned = client.ask_tool("wait", &json!({"seconds": 50}));
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    assert_eq!(client.document("status", &json!({}))["state"], "running");
    let notice = json!({"requestId": cancelled, "reason": "the person pressed Escape"});
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": notice}));
    // Commands of other processes are carried out at once: the server holds no lock.
    repo.afresh(&["halt", "for a while"]).expect(0);
    repo.afresh(&["resume", "--clear-only"]).expect(0);
    let (status, rest) = client.close();
    assert!(status.success(), "{status:?}");
    let ids: Vec<&Value> = rest.iter().map(|it| &it["id"]).collect();
    assert!(ids.is_empty(), "{cancelled} and {abandoned} have no answer: {rest:?}");
    assert!(begin.elapsed().as_secs() < 50, "the calls did not wait to their end");
    assert!(repo.status()["driver"]["pid"].is_u64(), "the run works on");
    gate.open();
    repo.wait_until("the run is done", || repo.status()["state"] == "done");
    repo.wait_until("its process has ended", || repo.status()["driver"].is_null());
    repo.expect_no_survivors();
}

/// ST-06: many calls at once are answered each, more than the server takes are refused, and none of them is lost.
#[test]
fn many_calls_at_once_are_answered_each() {
    let (repo, gate) = gated(1);
    let mut client = McpClient::start(&repo);
    client.document("run", &json!({"plan": "p.plan.toml"}));
    let waits: Vec<u64> =
        (0..30).map(|_| client.ask_tool("wait", &json!({"seconds": 50}))).collect();
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    gate.open();
    let answers: Vec<Value> = waits.iter().map(|id| client.await_answer(*id)).collect();
    let ended = |it: &&Value| it["result"]["structuredContent"]["ended_by"].is_string();
    let refused = |it: &&Value| it["error"]["code"] == -32000;
    assert_eq!(answers.iter().filter(ended).count(), 16, "{answers:?}");
    assert_eq!(answers.iter().filter(refused).count(), 14, "{answers:?}");
    let calls: Vec<u64> =
        ["status", "runs", "questions", "report", "trace", "logs", "lint", "show"]
            .iter()
            .map(|name| client.ask_tool(name, &json!({})))
            .collect();
    for id in calls {
        assert!(client.await_answer(id)["result"]["content"][0]["text"].is_string());
    }
    client.close();
    repo.expect_no_survivors();
}

/// ST-06: a session is about the directory that it is started for, whatever the directory of its program is.
#[test]
fn a_session_is_about_one_directory() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("echo x > T001.txt");
    let mut command = repo.command(&["mcp", "-C"]);
    command.arg(repo.root()).current_dir("/");
    let mut client = McpClient::start_command(command, "2025-06-18");
    assert!(client.document("run", &json!({}))["run"].is_string());
    assert_eq!(client.await_run()["ended_by"], "ended");
    assert_eq!(repo.landed(), ["T001"]);
    client.close();
    let mut elsewhere = repo.command(&["mcp"]);
    elsewhere.current_dir(repo.path());
    let mut client = McpClient::start_command(elsewhere, "2025-06-18");
    assert!(client.refusal("status", &json!({})).contains("cannot open a repository"));
}

/// ST-06: a long answer comes in pages, each of which says how to get the next one.
#[test]
fn long_answers_come_in_pages() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("seq -f 'line %g of many that this worker printed' 2000; echo x > T001.txt");
    repo.run(&[]).expect(0);
    let mut client = McpClient::start(&repo);
    let (mut from, mut seen) = (1, String::new());
    loop {
        let page = client.text("logs", &json!({"task": "T001", "from_line": from}));
        assert!(page.len() < 32 * 1024, "{}", page.len());
        let Some((lines, more)) = page.rsplit_once("\n[") else {
            seen.push_str(&page);
            break;
        };
        seen.push_str(lines);
        seen.push('\n');
        let next = more.trim_end_matches(']').rsplit(' ').next().and_then(|it| it.parse().ok());
        from = next.expect("a line to continue at");
    }
    for number in [1, 700, 1999, 2000] {
        assert_eq!(seen.matches(&format!("line {number} of many")).count(), 1, "{number}");
    }
}
