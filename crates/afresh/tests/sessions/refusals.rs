//! What no tool does.

use std::fs;

use serde_json::json;

use super::mcp_client::{McpClient, text_of};
use crate::support::repo;
use afresh_testkit::repo::finish;

/// ST-06: a worker cannot steer its own run: inside an attempt, the server for people refuses to start.
#[test]
fn inside_an_attempt_there_is_no_server_for_people() {
    let repo = repo();
    for (name, value) in [("AFRESH_ATTEMPT", "1"), ("AFRESH_RESULT", "/tmp/x/result.json")] {
        let mut command = repo.command(&["mcp"]);
        command.env_remove("AFRESH_ATTEMPT").env_remove("AFRESH_RESULT").env(name, value);
        let refused = finish(command).expect(2);
        assert!(refused.stderr.contains("this is an attempt of a run"), "{refused:?}");
        assert_eq!(refused.stdout, "");
    }
}

/// ST-06: values are never options or paths elsewhere, nothing reads the client's input, and no tool runs a command.
#[test]
fn arguments_are_values_and_nothing_else() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("echo x > T001.txt");
    repo.run(&[]).expect(0);
    fs::write(repo.path().join("outside.plan.toml"), "version = 1\nsecret = 7\n").expect("written");
    let outside = repo.path().join("outside.plan.toml");
    std::os::unix::fs::symlink(&outside, repo.root().join("link.plan.toml")).expect("a link");
    let mut client = McpClient::start(&repo);
    for path in [
        "../outside.plan.toml",
        "link.plan.toml",
        "/etc/passwd",
        "../nothing",
        outside.to_str().expect("text"),
    ] {
        for tool in ["show", "lint", "run"] {
            let refused = client.refusal(tool, &json!({"plan": path}));
            assert!(refused.contains("outside of this repository"), "{tool} {path}: {refused}");
            assert!(!refused.contains("secret"), "{refused}");
        }
    }
    for word in ["--raw", "--output=x", "-C/", "--help"] {
        client.refusal("logs", &json!({"task": word}));
        client.refusal("report", &json!({"run": word}));
        client.refusal("status", &json!({"run": word}));
    }
    for input in ["-", "", "  ", "a\u{0}b"] {
        client.refusal("tell", &json!({"task": "T001", "text": input}));
        client.refusal("plan", &json!({"spec": input}));
    }
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    assert!(!repo.root().join("x").exists());
}

/// HU-04: what a worker prints reaches a client without its secrets and without anything that a terminal obeys.
#[test]
fn text_of_workers_is_harmless() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("printf '\\033[2J\\033]0;title\\007 %s\\n' hunter2-hunter2; printf 'k = \"hunter2-hunter2\" \\033[2J\\n' > T001.txt; exit 1");
    repo.run(&["--no-input"]);
    let mut command = repo.command(&["mcp"]);
    command.env("MY_API_TOKEN", "hunter2-hunter2");
    let mut client = McpClient::start_command(command, "2025-11-25");
    for (tool, arguments) in [
        ("logs", json!({"task": "T001"})),
        ("diff", json!({"tasks": ["T001.1"]})),
        ("task", json!({"task": "T001"})),
        ("report", json!({})),
        ("status", json!({})),
    ] {
        let result = client.call(tool, &arguments);
        let whole = result.to_string();
        assert!(!whole.contains("hunter2"), "{tool}: {whole}");
        assert!(!whole.contains("\\u001b") && !whole.contains("\\u0007"), "{tool}: {whole}");
        assert!(!text_of(&result).is_empty(), "{tool}");
    }
}
