//! The reports of an agent program as readable text: messages, tools and their results, errors, the
//! result, usage.
//!
//! The reader of the program interprets the lines. Other lines are printed as they are; `--raw` prints
//! every byte.

use std::fmt::Write as _;
use std::time::Duration;

use afresh_agents::stream::event::{RetryNotice, ToolCall, ToolEnd};
use afresh_agents::stream::lines::LineBuffer;
use afresh_agents::{AgentEvent, StreamReader};
use afresh_core::printable;
use afresh_core::usage::Usage;

use crate::text::time;

/// How much of one text is shown, in characters.
const MAX_TEXT_CHARS: usize = 20_000;
/// How many lines of a tool's output are shown.
const MAX_OUTPUT_LINES: usize = 8;

/// One stream of reports, while it is read.
pub struct TranscriptRenderer {
    reader: Box<dyn StreamReader>,
    lines: LineBuffer,
    last_words: String,
    used: Usage,
    shown: Usage,
    has_answered: bool,
}

impl std::fmt::Debug for TranscriptRenderer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TranscriptRenderer").field("used", &self.used).finish_non_exhaustive()
    }
}

impl TranscriptRenderer {
    pub fn new(reader: Box<dyn StreamReader>) -> Self {
        Self {
            reader,
            lines: LineBuffer::default(),
            last_words: String::new(),
            used: Usage::default(),
            shown: Usage::default(),
            has_answered: false,
        }
    }

    /// The new text, safe for a terminal.
    pub fn next(&mut self, piece: &[u8]) -> String {
        let lines = self.lines.push(piece);
        lines.iter().map(|line| self.line(line)).collect()
    }

    /// The rest, at the end.
    pub fn rest(&mut self) -> String {
        let last = self.lines.rest();
        let mut text = self.line(&last);
        self.tell_use(&mut text);
        text
    }

    fn line(&mut self, bytes: &[u8]) -> String {
        let line = String::from_utf8_lossy(bytes);
        let line = line.trim();
        let events = self.reader.read_line(line);
        let mut text = String::new();
        if events.is_empty() && !line.is_empty() && !line.starts_with('{') {
            push_lines(&mut text, line);
        }
        for event in events {
            self.event(&mut text, event);
        }
        text
    }

    fn event(&mut self, text: &mut String, event: AgentEvent) {
        match event {
            AgentEvent::Session(id) => mark(text, '#', &format!("session {id}")),
            AgentEvent::Model(name) => mark(text, '#', &format!("model {name}")),
            AgentEvent::Text(words) => {
                push_lines(text, &words);
                self.last_words = words;
            }
            AgentEvent::ToolStarted(call) => tool(text, &call),
            AgentEvent::ToolEnded(end) => ended(text, &end),
            AgentEvent::Used(total) => self.used = self.used.at_least(&total),
            AgentEvent::UsedByModel(models) => {
                let total = models.iter().fold(Usage::default(), |sum, one| sum.plus(&one.usage));
                self.used = self.used.at_least(&total);
            }
            // `status` and `report` have it.
            AgentEvent::UsedByProcess(_) | AgentEvent::Context { .. } => {}
            AgentEvent::Retrying(retry) => mark(text, '!', &again(&retry)),
            AgentEvent::Hopeless(error) => mark(text, '!', &error.describe()),
            AgentEvent::Notice(what) | AgentEvent::Nonsense(what) => mark(text, '!', &what),
            AgentEvent::Result(answer) => self.answered(text, &answer),
        }
        if self.has_answered {
            self.tell_use(text);
        }
    }

    fn answered(&mut self, text: &mut String, answer: &str) {
        self.has_answered = true;
        if answer.trim() == self.last_words.trim() {
            return mark(text, '=', "that is its result");
        }
        mark(text, '=', "its result:");
        push_lines(text, answer);
    }

    /// Printed once, at the end: totals keep growing before.
    fn tell_use(&mut self, text: &mut String) {
        if self.used == self.shown {
            return;
        }
        self.shown = self.used;
        let Usage { input, output, cache_read, cache_write, cost_micros } = self.used;
        let cost = match cost_micros {
            #[expect(clippy::cast_precision_loss, reason = "it is shown, not counted with")]
            Some(micros) => format!("${:.4}", micros as f64 / 1e6),
            None => "cost not reported".to_owned(),
        };
        let words = format!(
            "used: {input} input, {output} output, {cache_read} cache read, {cache_write} cache write; {cost}"
        );
        mark(text, '#', &words);
    }
}

/// Lines of the worker, bounded.
fn push_lines(text: &mut String, words: &str) {
    let words = words.trim_end();
    if words.is_empty() {
        return;
    }
    let shown: String = words.chars().take(MAX_TEXT_CHARS).collect();
    let more = if shown.len() < words.len() { " … (cut; --raw has all)" } else { "" };
    let _ = writeln!(text, "{}{more}", printable::lines(&shown));
}

/// A line of ours, marked by its first character.
fn mark(text: &mut String, mark: char, words: &str) {
    let shown: String = words.chars().take(MAX_TEXT_CHARS).collect();
    let _ = writeln!(text, "{mark} {}", printable::line(&shown));
}

fn tool(text: &mut String, call: &ToolCall) {
    let about = if call.about.is_empty() { String::new() } else { format!(": {}", call.about) };
    mark(text, '>', &format!("{}{about}", call.tool));
}

fn ended(text: &mut String, end: &ToolEnd) {
    if end.failed {
        mark(text, '!', "the tool failed");
    }
    let output = printable::lines(end.output.trim_end());
    for line in output.lines().take(MAX_OUTPUT_LINES) {
        let _ = writeln!(text, "  | {line}");
    }
    match output.lines().count().saturating_sub(MAX_OUTPUT_LINES) {
        0 => {}
        more => drop(writeln!(text, "  | … {more} more")),
    }
}

fn again(retry: &RetryNotice) -> String {
    let wait = retry.wait.filter(|wait| *wait > Duration::ZERO);
    let wait =
        wait.map_or_else(String::new, |wait| format!(", after {}", time::format_duration(wait)));
    format!("retries its model request{wait}: {}: {}", retry.class.word(), retry.message)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use afresh_agents::{AcpAgent, Agent, AgentKind, AgentProgram};

    use super::*;

    /// Transcripts of the real programs, rendered.
    fn reported(agent: &str, transcript: &str) -> String {
        let kind = match AgentProgram::ALL.iter().find(|program| program.name() == agent) {
            Some(program) => AgentKind::Program(program.default_agent()),
            None => AgentKind::Acp(AcpAgent { command: vec!["any".to_owned()], models: None }),
        };
        let agent = Agent { name: agent.to_owned(), kind, env: Vec::new() };
        let file = format!("../afresh-agents/tests/transcripts/{}/{transcript}.jsonl", agent.name);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let bytes =
            std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut reported = TranscriptRenderer::new(agent.reader().expect("it reports"));
        // However the output comes in pieces.
        let mut text: String = bytes.chunks(100).map(|piece| reported.next(piece)).collect();
        text.push_str(&reported.rest());
        text
    }

    /// LO-02: for every program, a failing tool, the messages after it and the usage are rendered, and no
    /// report is left as JSON.
    #[test]
    fn reports_of_every_program_are_rendered() {
        let mut all = String::new();
        for (agent, transcript) in [
            ("claude", "toolfail"),
            ("codex", "toolfail"),
            ("gemini", "toolfail"),
            ("opencode", "toolfail"),
            ("acp", "claude_toolfail"),
        ] {
            let text = reported(agent, transcript);
            assert!(!text.contains("\"type\"") && !text.contains("jsonrpc"), "{text}");
            let _ = write!(all, "--- {agent}\n{text}");
        }
        insta::assert_snapshot!(all);
    }
}
