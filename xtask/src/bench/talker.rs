//! A program that prints what Claude Code prints, faster than any agent does: `xtask talk`.
//!
//! Its lines have realistic sizes; some have unknown types, some are cut in the middle of a character. It uses as
//! little CPU time as possible, because it is not what is measured.

use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// The name of the xtask command that prints.
pub(crate) const CHORE: &str = "talk";
/// Lines per second.
const RATE: u32 = 100;
/// What real tools return: a file, a listing, a test run.
const OUTPUT_BYTES: usize = 3_000;
const LONG_LINE_BYTES: usize = 1_000_000_000;
const LAST: &str = "OUTPUT_JSON_START\n{\"status\": \"COMPLETED\"}\nOUTPUT_JSON_END";

/// `talk SECONDS …`: this long at that rate; `talk line …`: one line of a gigabyte. Arguments that the agent's command
/// line adds are ignored.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let task = std::env::var("AFRESH_TASK").context("talk is for workers")?;
    let mut out = std::io::stdout().lock();
    let init = json!({"type": "system", "subtype": "init", "session_id": "0badcafe", "model": "claude-sonnet-4-5", "cwd": "/somewhere", "tools": ["Bash", "Read", "Write", "Edit"]});
    writeln!(out, "{init}")?;
    out.flush()?;
    match arguments.first().map(String::as_str) {
        Some("line") => long_line(&mut out)?,
        seconds => talk(&mut out, seconds.context("talk for how long?")?.parse()?)?,
    }
    fs::write(format!("{task}.txt"), "x\n")?;
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "result": LAST, "modelUsage": {"claude-sonnet-4-5": {"inputTokens": 9_000, "outputTokens": 900, "costUSD": 0.1}}});
    writeln!(out, "{result}")?;
    Ok(())
}

fn talk(out: &mut impl Write, seconds: u64) -> Result<()> {
    let started = Instant::now();
    let beat = Duration::from_secs(1) / RATE;
    let lines: Vec<Vec<u8>> = (0..RATE).map(line).collect();
    for number in 0.. {
        let due = beat * number;
        if due >= Duration::from_secs(seconds) {
            break;
        }
        // By the clock, so that a slow machine does not reduce the work.
        std::thread::sleep(due.saturating_sub(started.elapsed()));
        out.write_all(&lines[number as usize % lines.len()])?;
        out.flush()?;
    }
    Ok(())
}

/// The lines of one second: messages, tool calls, their results, and noise.
fn line(number: u32) -> Vec<u8> {
    let usage = json!({"input_tokens": 4, "cache_read_input_tokens": 40_000 + number, "cache_creation_input_tokens": 800, "output_tokens": 1});
    let message = |content: Value| json!({"type": "assistant", "message": {"id": format!("m{}", number / 4), "model": "claude-sonnet-4-5", "content": [content], "usage": usage}, "parent_tool_use_id": null, "session_id": "0badcafe"});
    let text = match number % 4 {
        0 => message(json!({"type": "text", "text": "I look at the next file. ".repeat(12)})),
        1 => message(
            json!({"type": "tool_use", "id": format!("t{number}"), "name": "Read", "input": {"file_path": "/somewhere/src/main.rs"}}),
        ),
        2 => {
            json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": format!("t{}", number - 1), "content": "let x = \"y\";\n".repeat(OUTPUT_BYTES / 13)}]}, "tool_use_result": {"stdout": "x".repeat(OUTPUT_BYTES)}})
        }
        _ => json!({"type": "news", "of": "another version", "data": "y".repeat(300)}),
    };
    let mut bytes = text.to_string().into_bytes();
    if number % 25 == 3 {
        // Cut in the middle of a character, as a program that is careless with pieces does.
        bytes = "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"sch\u{f6}n".as_bytes().to_vec();
        bytes.truncate(bytes.len() - 2);
    }
    bytes.push(b'\n');
    bytes
}

fn long_line(out: &mut impl Write) -> Result<()> {
    let piece = vec![b'x'; 1 << 20];
    out.write_all(
        b"{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"",
    )?;
    for _ in 0..LONG_LINE_BYTES >> 20 {
        out.write_all(&piece)?;
    }
    Ok(out.write_all(b"\"}]}}\n")?)
}
