//! What agent programs say while they work, whatever words they have for it.

use std::time::Duration;

use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::usage::{ModelUsage, Usage};

/// One thing that an agent program reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentEvent {
    /// Its name for the conversation.
    Session(String),
    /// The model that it works with.
    Model(String),
    /// Words for people.
    Text(String),
    /// It began to use a tool.
    ToolStarted(ToolCall),
    ToolEnded(ToolEnd),
    /// What the attempt has used so far: a total, not an addition.
    Used(Usage),
    /// The same by model; again totals.
    UsedByModel(Vec<ModelUsage>),
    /// How full its context is.
    Context {
        used: u64,
        window: Option<u64>,
    },
    /// It asks its model again, after an error.
    Retrying(RetryNotice),
    /// It goes on, and can come to nothing: whoever runs it should end it.
    Hopeless(ModelError),
    /// Something else that whoever reads the log should know.
    Notice(String),
    /// Its final text, in which its answer is.
    Result(String),
    /// Something in its output that made no sense, and was thrown out.
    Nonsense(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The program's name for this use of the tool.
    pub id: String,
    pub tool: String,
    /// The command, the path, or whatever says best what it is about; bounded.
    pub about: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolEnd {
    pub id: String,
    pub failed: bool,
    /// The beginning of what came back.
    pub output: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryNotice {
    pub class: ModelErrorClass,
    /// The program's own words, or a status.
    pub message: String,
    pub wait: Option<Duration>,
}

/// How the program itself ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramEnd<'a> {
    /// None where a signal ended it.
    pub exit: Option<i32>,
    /// When, in seconds since 1970: some limits are told as moments.
    pub at_s: u64,
    /// The end of what it wrote to its standard error.
    pub stderr: &'a str,
}

/// Reads the output of one attempt, line by line. Pure, and tolerant: lines that are not the
/// program's own mean nothing.
pub trait StreamReader: Send {
    fn read_line(&mut self, line: &str) -> Vec<AgentEvent>;

    /// After the last line: what went wrong between program and model, if that is what ended it.
    /// From structure alone, never from a worker's words.
    fn error(&self, end: &ProgramEnd<'_>) -> Option<ModelError> {
        let _ = end;
        None
    }
}

/// The most that is kept of what a tool is about, or gave back.
const MAX_ABOUT_CHARS: usize = 300;

/// The beginning of a text, bounded.
pub(crate) fn bounded(text: &str) -> String {
    text.chars().take(MAX_ABOUT_CHARS).collect()
}

/// The field of a tool's input that says best what it is about: its command, or its path.
pub(crate) fn telling(input: &serde_json::Value) -> Option<&str> {
    const TELLING: &[&str] =
        &["command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url"];
    TELLING.iter().find_map(|key| input.get(*key).and_then(serde_json::Value::as_str))
}

/// The same, or all of the input where no field says it.
pub(crate) fn about(input: &serde_json::Value) -> String {
    match telling(input) {
        Some(text) => bounded(text),
        None if input.is_null() => String::new(),
        None => bounded(&input.to_string()),
    }
}
