//! Real output of each program, and the events that are read from it (AG-01, AG-07, LO-03).
//!
//! The transcripts are of the real programs against a scripted model server, shortened where they
//! are repetitive. A new version of a program adds new transcripts; the old ones stay.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use afresh_agents::{AcpAgent, Agent, AgentEvent, AgentKind, AgentProgram, ProgramEnd};

/// The current time, for limits that are reported as a time.
const NOW: u64 = 1_794_729_000;

/// Every agent with a stream reader, by the name of its directory.
fn agents() -> Vec<Agent> {
    let named = |name: &str, kind| Agent { name: name.to_owned(), kind, env: Vec::new() };
    let programs = AgentProgram::ALL
        .iter()
        .map(|one| named(one.name(), AgentKind::Program(one.default_agent())));
    let acp = AcpAgent { command: vec!["any".to_owned()], models: None };
    programs.chain([named("acp", AgentKind::Acp(acp))]).collect()
}

fn directory(agent: &Agent) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts").join(&agent.name)
}

fn transcripts(agent: &Agent) -> Vec<String> {
    let files = fs::read_dir(directory(agent)).expect("transcripts");
    let name = |entry: fs::DirEntry| {
        entry.file_name().to_str().and_then(|n| n.strip_suffix(".jsonl")).map(str::to_owned)
    };
    let mut names: Vec<String> = files.flatten().filter_map(name).collect();
    names.sort();
    names
}

/// The events of one transcript, one per line.
fn reading(agent: &Agent, name: &str) -> String {
    let at = directory(agent);
    let lines = fs::read_to_string(at.join(format!("{name}.jsonl"))).expect("a transcript");
    let end = fs::read_to_string(at.join(format!("{name}.end.json"))).expect("its end");
    let end: serde_json::Value = serde_json::from_str(&end).expect("JSON");
    let exit = end["exit"].as_i64().and_then(|code| i32::try_from(code).ok());
    let stderr = end["stderr"].as_str().unwrap_or_default();
    let mut reader = agent.reader().expect("it is followed");
    let mut text = String::new();
    for event in lines.lines().flat_map(|line| reader.read_line(line)) {
        let _ = writeln!(text, "{}", shown(&event));
    }
    let ended = reader.error(&ProgramEnd { exit, at_s: NOW, stderr });
    let printed =
        ended.map(|error| format!("{:?} {:?} {:?}", error.class, error.wait_ms, error.message));
    let _ =
        writeln!(text, "exit {exit:?}: {}", printed.as_deref().unwrap_or("no error of its model"));
    text
}

fn shown(event: &AgentEvent) -> String {
    match event {
        AgentEvent::ToolStarted(call) => {
            format!("tool {} {}: {:?}", call.id, call.tool, call.about)
        }
        AgentEvent::ToolEnded(end) => {
            let how = if end.failed { "failed" } else { "ended" };
            format!("tool {} {how}: {:?}", end.id, end.output)
        }
        AgentEvent::Used(usage) => format!(
            "used: {} in, {} out, {} read, {} written, {:?}",
            usage.input, usage.output, usage.cache_read, usage.cache_write, usage.cost_micros
        ),
        AgentEvent::UsedByModel(models) => {
            let one = |one: &afresh_core::usage::ModelUsage| {
                format!("{} {} tokens {:?}", one.model, one.usage.tokens(), one.usage.cost_micros)
            };
            format!("by model: {}", models.iter().map(one).collect::<Vec<_>>().join("; "))
        }
        AgentEvent::Context { used, window } => format!("context: {used} of {window:?}"),
        AgentEvent::Retrying(retry) => {
            let wait = retry.wait.map(|wait| wait.as_millis());
            format!("retrying: {:?} {:?} {wait:?}", retry.class, retry.message)
        }
        other => format!("{other:?}"),
    }
}

/// AG-07, LO-03, RE-01: session, model, usage, context and result of every transcript, and why the program
/// ended.
#[test]
fn every_transcript_is_read() {
    for agent in agents() {
        let names = transcripts(&agent);
        assert!(names.len() > 10, "{} has {} transcripts", agent.name, names.len());
        for name in names {
            let snapshot = format!("{}__{name}", agent.name);
            insta::assert_snapshot!(snapshot, reading(&agent, &name));
        }
    }
}

/// Lines of future versions: unknown kinds, another order, cut lines and lines that are not JSON are
/// ignored.
#[test]
fn unknown_lines_are_ignored() {
    for agent in agents() {
        for name in transcripts(&agent) {
            let path = directory(&agent).join(format!("{name}.jsonl"));
            let lines = fs::read_to_string(path).expect("a transcript");
            let mut reader = agent.reader().expect("it is followed");
            for line in lines.lines().rev() {
                for strange in ["{\"type\":\"news\",\"x\":[1]}", "{\"type\":7}", "null", "[]", "{"]
                {
                    assert_eq!(reader.read_line(strange), []);
                }
                let half: String = line.chars().take(line.chars().count() / 2).collect();
                reader.read_line(&half);
                reader.read_line(line);
            }
        }
    }
}

/// Exit code 0 is not a result, and output of a tool is not an error of the model.
#[test]
fn output_of_a_tool_is_not_an_error_of_the_model() {
    let claude = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"429 rate_limit overloaded","is_error":true}]}}"#;
    let codex = r#"{"type":"item.completed","item":{"id":"i","type":"command_execution","aggregated_output":"Quota exceeded. last status: 429","exit_code":1,"status":"failed"}}"#;
    let gemini =
        r#"{"type":"tool_result","tool_id":"t","status":"error","output":"[API Error: 429]"}"#;
    let opencode = r#"{"type":"tool_use","sessionID":"s","part":{"tool":"bash","callID":"c","state":{"status":"error","error":"ContextOverflowError 429"}}}"#;
    let acp = r#"{"to":{"id":3,"method":"session/prompt","params":{}}}
{"from":{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed","rawOutput":"429 rate limit"}}}}"#;
    for (agent, line) in agents().iter().zip([claude, codex, gemini, opencode, acp]) {
        let mut reader = agent.reader().expect("it is followed");
        let events: Vec<AgentEvent> =
            line.lines().flat_map(|line| reader.read_line(line)).collect();
        assert!(!events.is_empty(), "{}", agent.name);
        let end = ProgramEnd { exit: Some(0), at_s: NOW, stderr: "" };
        assert_eq!(reader.error(&end), None, "{}", agent.name);
    }
}
