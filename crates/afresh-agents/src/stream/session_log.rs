//! Where agent programs themselves record the usage of a conversation while they work.
//!
//! Some report their usage only at the end, or never if they are killed. Their own records are complete after every
//! request. Reading them is left to the engine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use afresh_core::usage::Usage;
use serde_json::Value;

use crate::adapters::opencode::request_log::{self, RequestLogReader};
use crate::adapters::program::AgentProgram;
use crate::adapters::{claude, codex};
use crate::agent::{Agent, AgentKind};
use crate::stream::event::{AgentEvent, StreamReader};
use crate::stream::json_fields::{UsagePointers, number, text, usage};

/// The program's own record of one conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionLog {
    Lines(SessionFile),
    /// One row of an `SQLite` database: input, output, cache reads, cache writes, dollars.
    Row {
        database: PathBuf,
        query: &'static str,
    },
}

/// A file with one JSON object per line, somewhere below a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    pub directory: PathBuf,
    /// How many directories deep the file is.
    pub depth: usize,
    pub name_end: String,
    pub format: SessionFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionFormat {
    Claude,
    Codex,
    Gemini,
    /// Written by a module of ours.
    Requests,
}

/// The sums that opencode keeps of a conversation.
const OPENCODE_QUERY: &str = "SELECT tokens_input, tokens_output + tokens_reasoning, tokens_cache_read, \
     tokens_cache_write, cost FROM session WHERE id = ?1";

impl Agent {
    /// The record of a conversation, if the program keeps one that is known. All usage in it is that of the whole
    /// conversation.
    pub fn session_log(
        &self,
        session: &str,
        home: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<SessionLog> {
        // Its id becomes part of a file's name.
        let is_id = session.len() >= 8
            && session.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
        if !is_id {
            return None;
        }
        let program = self.known_program()?;
        let paths = program.home_paths(home, variable);
        let own = paths.first()?.clone();
        let file = |directory: PathBuf, depth, name_end, format| {
            SessionLog::Lines(SessionFile { directory, depth, name_end, format })
        };
        Some(match program {
            AgentProgram::Claude => {
                file(own.join("projects"), 1, format!("{session}.jsonl"), SessionFormat::Claude)
            }
            AgentProgram::Codex => {
                file(own.join("sessions"), 3, format!("-{session}.jsonl"), SessionFormat::Codex)
            }
            AgentProgram::Gemini => {
                let name_end = format!("-{}.jsonl", &session[..8]);
                file(own.join("tmp"), 2, name_end, SessionFormat::Gemini)
            }
            AgentProgram::Opencode => {
                SessionLog::Row { database: own.join("opencode.db"), query: OPENCODE_QUERY }
            }
        })
    }

    /// The usage of every request, if a module of ours records it: below the directory that the worker may write to.
    /// It has the requests of the program's process; those of earlier ones of the conversation have to be copied.
    pub fn request_log(&self, worker_directory: &Path) -> Option<SessionFile> {
        (self.known_program()? == AgentProgram::Opencode).then(|| SessionFile {
            directory: worker_directory.to_owned(),
            depth: 0,
            name_end: request_log::LOG_FILE.to_owned(),
            format: SessionFormat::Requests,
        })
    }

    /// The program that it is, or that is behind its protocol.
    fn known_program(&self) -> Option<AgentProgram> {
        match &self.kind {
            AgentKind::Program(agent) => Some(agent.program),
            AgentKind::Acp(agent) => agent.behind(),
            AgentKind::Command { .. } | AgentKind::Scripted { .. } => None,
        }
    }
}

impl SessionFile {
    /// The file itself, if it is directly in its directory.
    pub fn path(&self) -> PathBuf {
        self.directory.join(&self.name_end)
    }
}

impl SessionFormat {
    pub fn reader(self) -> Box<dyn StreamReader> {
        match self {
            Self::Claude => {
                Box::new(MessageSums { read: claude_message, messages: BTreeMap::new() })
            }
            Self::Gemini => {
                Box::new(MessageSums { read: gemini_messages, messages: BTreeMap::new() })
            }
            Self::Codex => Box::<RolloutReader>::default(),
            Self::Requests => Box::<RequestLogReader>::default(),
        }
    }
}

/// Codex adds the usage of every request as soon as it has ended, and a total when its tools have ended too. Older
/// versions only have the total.
#[derive(Default)]
struct RolloutReader {
    requests: BTreeMap<String, Usage>,
}

impl StreamReader for RolloutReader {
    fn read_line(&mut self, line: &str) -> Vec<AgentEvent> {
        // Most lines are long, and something else.
        if !["\"token_count\"", "\"token_usage_record\""].iter().any(|kind| line.contains(kind)) {
            return Vec::new();
        }
        let Ok(line) = serde_json::from_str::<Value>(line) else { return Vec::new() };
        let mut events = Vec::new();
        match text(&line, "/type") {
            Some("event_msg") => {}
            Some("token_usage_record") => {
                let id = text(&line, "/payload/response_id");
                if let (Some(id), Some(used)) = (id, line.pointer("/payload/usage")) {
                    let used = usage(used, codex::stream::TURN, &mut events);
                    self.requests.insert(id.to_owned(), used);
                    let all = self.requests.values();
                    let sum = all.fold(Usage::default(), |sum, one| sum.plus(one));
                    events.push(AgentEvent::Used(sum));
                }
                return events;
            }
            _ => return events,
        }
        if let Some(total) = line.pointer("/payload/info/total_token_usage") {
            let total = usage(total, codex::stream::TURN, &mut events);
            events.push(AgentEvent::Used(total));
        }
        if let Some(used) = number(&line, "/payload/info/last_token_usage/input_tokens") {
            let window = number(&line, "/payload/info/model_context_window");
            events.push(AgentEvent::Context { used, window });
        }
        events
    }
}

/// The usage of one message, by its id, and how full the context was.
type MessageUsage = (String, Usage);

/// Adds up the usage of messages; a message may be written several times.
struct MessageSums {
    read: fn(&Value, &mut Vec<AgentEvent>) -> Vec<MessageUsage>,
    messages: BTreeMap<String, Usage>,
}

impl StreamReader for MessageSums {
    fn read_line(&mut self, line: &str) -> Vec<AgentEvent> {
        let Ok(line @ Value::Object(_)) = serde_json::from_str(line) else { return Vec::new() };
        let mut events = Vec::new();
        let found = (self.read)(&line, &mut events);
        let Some((_, last)) = found.last().cloned() else { return events };
        for (id, used) in found {
            let known = self.messages.entry(id).or_default();
            *known = known.at_least(&used);
        }
        let total = self.messages.values().fold(Usage::default(), |sum, one| sum.plus(one));
        events.push(AgentEvent::Used(total));
        let used = last.input.saturating_add(last.cache_read).saturating_add(last.cache_write);
        events.push(AgentEvent::Context { used, window: None });
        events
    }
}

fn claude_message(line: &Value, events: &mut Vec<AgentEvent>) -> Vec<MessageUsage> {
    let is_own = text(line, "/message/model") == Some("<synthetic>");
    if text(line, "/type") != Some("assistant") || is_own {
        return Vec::new();
    }
    let (id, used) = (text(line, "/message/id"), line.pointer("/message/usage"));
    let one = id
        .zip(used)
        .map(|(id, used)| (id.to_owned(), usage(used, claude::stream::MESSAGE, events)));
    one.into_iter().collect()
}

const GEMINI: UsagePointers = UsagePointers {
    input: "input",
    output: "output",
    cache_read: "cached",
    cache_write: "",
    cost: "",
    input_holds_cached: true,
};

/// One message, or all of them if the file was written again.
fn gemini_messages(line: &Value, events: &mut Vec<AgentEvent>) -> Vec<MessageUsage> {
    let all = line.pointer("/$set/messages").and_then(Value::as_array);
    let messages = all.map_or_else(|| std::slice::from_ref(line), Vec::as_slice);
    let mut one = |message: &Value| {
        let (id, tokens) = (text(message, "/id")?, message.get("tokens")?);
        let mut used = usage(tokens, GEMINI, events);
        used.output = used.output.saturating_add(number(tokens, "/thoughts").unwrap_or_default());
        Some((id.to_owned(), used))
    };
    messages.iter().filter_map(&mut one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(format: SessionFormat, lines: &[&str]) -> Vec<u64> {
        let mut reader = format.reader();
        let events = lines.iter().flat_map(|line| reader.read_line(line));
        let total = |event: AgentEvent| match event {
            AgentEvent::Used(used) => Some(used.tokens()),
            _ => None,
        };
        events.filter_map(total).collect()
    }

    /// R14: totals grow with every request, and a message that is written twice counts once.
    #[test]
    fn every_request_is_counted_once() {
        let codex = r#"{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":1200,"cached_input_tokens":200,"output_tokens":50},"last_token_usage":{"input_tokens":1200},"model_context_window":258400}}}"#;
        assert_eq!(totals(SessionFormat::Codex, &[codex, "{", codex]), [1250, 1250]);
        let record = r#"{"type":"token_usage_record","payload":{"response_id":"r1","usage":{"input_tokens":1200,"cached_input_tokens":200,"output_tokens":50}}}"#;
        let next = record.replace("r1", "r2");
        assert_eq!(totals(SessionFormat::Codex, &[record, codex, &next]), [1250, 1250, 2500]);
        let gemini = r#"{"id":"a","type":"gemini","tokens":{"input":1200,"output":50,"cached":200,"thoughts":7,"total":1257}}"#;
        let again = format!("{{\"$set\":{{\"messages\":[{gemini}]}}}}");
        let other = gemini.replace("\"a\"", "\"b\"");
        assert_eq!(totals(SessionFormat::Gemini, &[gemini, &again, &other]), [1257, 1257, 2514]);
        let claude = r#"{"type":"assistant","message":{"id":"m1","model":"x","usage":{"input_tokens":10,"output_tokens":1}}}"#;
        let done = claude.replace("\"output_tokens\":1", "\"output_tokens\":5");
        assert_eq!(totals(SessionFormat::Claude, &[claude, &done]), [11, 15]);
    }

    /// The id of a conversation cannot lead to another directory.
    #[test]
    fn an_odd_id_has_no_record() {
        let program = AgentProgram::Codex.default_agent();
        let agent = Agent { name: "c".into(), kind: AgentKind::Program(program), env: vec![] };
        let home = Some(Path::new("/home/me"));
        let log = |id: &str| agent.session_log(id, home, &|_| None);
        assert_eq!(log("../../../etc/passwd"), None);
        let Some(SessionLog::Lines(file)) = log("01a1e40c-3e05") else { panic!("no record") };
        assert_eq!(file.directory, Path::new("/home/me/.codex/sessions"));
    }
}
