//! The Model Context Protocol over standard input and output, with what the worker tools need: JSON-RPC,
//! one message per line.
//!
//! What the tools do is in [`tools`]; this is how they are asked for.

mod tools;

use std::io::{self, BufRead, Write};

use afresh_agents::json_rpc::{self, RpcMessage};
use serde_json::{Value, json};

use crate::in_attempt::json_lines::{self, NextLine};

pub(crate) use tools::WorkerTools;

/// The version for clients that name none.
const VERSION: &str = "2025-06-18";
/// Longer messages are refused.
const MAX_MESSAGE_BYTES: u64 = 4 * 1024 * 1024;

/// Answers until the other side closes its end.
pub(crate) fn serve(
    input: &mut impl BufRead,
    output: &mut impl Write,
    tools: &WorkerTools,
) -> io::Result<()> {
    loop {
        let answer = match json_lines::next(input, MAX_MESSAGE_BYTES)? {
            NextLine::End => return Ok(()),
            NextLine::Line(line) if line.trim_ascii().is_empty() => continue,
            NextLine::Line(line) => match serde_json::from_slice(&line) {
                Ok(message) => answer(&message, tools),
                Err(_) => Some(not_json()),
            },
            NextLine::TooLong => Some(not_json()),
        };
        if let Some(answer) = answer {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
}

fn not_json() -> Value {
    json_rpc::failed(&Value::Null, json_rpc::PARSE_ERROR, "not a JSON message")
}

/// The answer to one message; none where none is wanted.
fn answer(message: &Value, tools: &WorkerTools) -> Option<Value> {
    let (id, method, params) = match json_rpc::read(message) {
        RpcMessage::Request { id, method, params } => (id, method, params),
        RpcMessage::Broken { id } => {
            return Some(json_rpc::failed(id, json_rpc::INVALID_REQUEST, "`method` is missing"));
        }
        // We send no requests, and notifications get no answer.
        RpcMessage::Notice { .. } | RpcMessage::Answer { .. } | RpcMessage::Nothing => return None,
    };
    Some(match method {
        "initialize" => json_rpc::succeeded(id, &welcome(params)),
        "ping" => json_rpc::succeeded(id, &json!({})),
        "tools/list" => json_rpc::succeeded(id, &json!({"tools": tools.list()})),
        "tools/call" => called(id, params, tools),
        _ => json_rpc::failed(id, json_rpc::UNKNOWN_METHOD, &format!("unknown method {method:?}")),
    })
}

fn welcome(params: &Value) -> Value {
    // Nothing here differs between versions.
    let version = params.get("protocolVersion").and_then(Value::as_str).unwrap_or(VERSION);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "afresh", "version": env!("CARGO_PKG_VERSION")},
    })
}

fn called(id: &Value, params: &Value, tools: &WorkerTools) -> Value {
    let Some(name) = params.get("name").and_then(Value::as_str) else {
        return json_rpc::failed(id, json_rpc::INVALID_PARAMS, "`name` is missing");
    };
    let nothing = json!({});
    let arguments = params.get("arguments").unwrap_or(&nothing);
    match tools.call(name, arguments) {
        None => json_rpc::failed(id, json_rpc::INVALID_PARAMS, &format!("unknown tool {name:?}")),
        Some(said) => {
            let (text, is_error) = match said {
                Ok(text) => (text, false),
                Err(text) => (text, true),
            };
            let content = json!([{"type": "text", "text": text}]);
            json_rpc::succeeded(id, &json!({"content": content, "isError": is_error}))
        }
    }
}

#[cfg(test)]
mod tests {
    use afresh_engine::mailbox::Mailbox;

    use super::*;

    fn exchange(lines: &str) -> Vec<Value> {
        let directory = tempfile::tempdir().expect("a directory");
        let tools = WorkerTools::new(
            Mailbox::for_attempt(directory.path().to_owned()),
            afresh_app::context::environment::Environment::default(),
        );
        let mut output = Vec::new();
        serve(&mut lines.as_bytes(), &mut output, &tools).expect("served");
        let output = String::from_utf8(output).expect("text");
        output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// RE-01: both versions of the protocol that agent programs speak are answered in kind.
    #[test]
    fn a_program_is_welcomed_in_its_own_version() {
        for version in ["2025-06-18", "2025-11-25"] {
            let output = exchange(&format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{{\"protocolVersion\":\"{version}\"}}}}\n\
                 {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n\
                 {{\"jsonrpc\":\"2.0\",\"id\":\"two\",\"method\":\"tools/list\"}}\n"
            ));
            assert_eq!(output.len(), 2, "a notice wants no answer");
            assert_eq!(output[0]["result"]["protocolVersion"], version);
            let names: Vec<&str> = output[1]["result"]["tools"]
                .as_array()
                .expect("tools")
                .iter()
                .filter_map(|tool| tool["name"].as_str())
                .collect();
            assert_eq!(names, ["report_result", "step_done", "log", "ask", "issue"]);
            assert_eq!(output[1]["id"], "two");
        }
    }

    /// What makes no sense is answered, and what follows is heard.
    #[test]
    fn nonsense_is_answered_and_passed_over() {
        let long = format!("{{\"x\":\"{}\"}}", "y".repeat(5 * 1024 * 1024));
        let lines = format!(
            "not json\n\n[1]\n{{\"id\":1}}\n{{\"id\":2,\"result\":{{}}}}\n{{\"id\":3,\"method\":\"fly\"}}\n\
             {{\"id\":4,\"method\":\"tools/call\",\"params\":{{\"name\":\"fly\"}}}}\n\
             {{\"id\":5,\"method\":\"tools/call\"}}\n{long}\n{{\"id\":6,\"method\":\"ping\"}}"
        );
        let output = exchange(&lines);
        let codes: Vec<i64> =
            output.iter().filter_map(|answer| answer["error"]["code"].as_i64()).collect();
        assert_eq!(codes, [-32700, -32600, -32601, -32602, -32602, -32700]);
        assert_eq!(output.last().expect("an answer")["id"], 6);
    }
}
