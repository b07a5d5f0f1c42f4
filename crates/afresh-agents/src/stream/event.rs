//! Events that agent programs report while they work, in one vocabulary for all programs.

use std::hash::{Hash, Hasher};
use std::time::Duration;

use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::usage::{ModelUsage, Usage};

/// One thing that an agent program reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentEvent {
    /// Its id of the conversation.
    Session(String),
    /// The model that it uses.
    Model(String),
    /// Text for people.
    Text(String),
    /// It started to use a tool.
    ToolStarted(ToolCall),
    ToolEnded(ToolEnd),
    /// The usage of the attempt so far: a total, not an increment.
    Used(Usage),
    /// The usage of this process alone, at least: earlier ones of the conversation are not in it.
    UsedByProcess(Usage),
    /// The total usage by model.
    UsedByModel(Vec<ModelUsage>),
    /// How full its context is.
    Context {
        used: u64,
        window: Option<u64>,
    },
    /// It retries its model after an error.
    Retrying(RetryNotice),
    /// It continues but cannot succeed: it should be stopped.
    Hopeless(ModelError),
    /// Something else for the log.
    Notice(String),
    /// Its final text, which contains its result.
    Result(String),
    /// Invalid output that was dropped.
    Nonsense(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The program's id of this tool call.
    pub id: String,
    pub tool: String,
    /// A summary: the command, the path or the input; limited.
    pub about: String,
    /// The same for equal calls; none if the program does not report the whole input.
    pub fingerprint: Option<u64>,
}

impl ToolCall {
    /// A call with its whole input.
    pub fn new(id: &str, tool: &str, input: &serde_json::Value) -> Self {
        // Some programs report a call before its input is complete.
        let is_known = !input.is_null() && input.as_object().is_none_or(|it| !it.is_empty());
        let fingerprint = is_known.then(|| {
            let mut hasher = std::hash::DefaultHasher::new();
            (tool, input.to_string()).hash(&mut hasher);
            hasher.finish()
        });
        let about = summarize_input(input);
        Self { id: id.to_owned(), tool: tool.to_owned(), about, fingerprint }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolEnd {
    pub id: String,
    pub failed: bool,
    /// The start of its output.
    pub output: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryNotice {
    pub class: ModelErrorClass,
    /// The program's message, or a status.
    pub message: String,
    pub wait: Option<Duration>,
}

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramEnd<'a> {
    /// `None` if a signal ended it.
    pub exit: Option<i32>,
    /// The time in seconds since 1970, because some limits are reported as a time.
    pub at_s: u64,
    /// The end of its standard error.
    pub stderr: &'a str,
}

/// Reads the output of one attempt, line by line. Pure and tolerant: unknown lines are ignored.
pub trait StreamReader: Send {
    fn read_line(&mut self, line: &str) -> Vec<AgentEvent>;

    /// After the last line: the error between program and model, if that ended it. From structure alone,
    /// never from a worker's text.
    fn error(&self, end: &ProgramEnd<'_>) -> Option<ModelError> {
        let _ = end;
        None
    }
}

/// The most characters of a tool call's summary or output.
const MAX_ABOUT_CHARS: usize = 300;

/// The start of a text.
pub(crate) fn cut_text(text: &str) -> String {
    text.chars().take(MAX_ABOUT_CHARS).collect()
}

/// The field of a tool's input that summarises it: its command or its path.
pub(crate) fn summary_field(input: &serde_json::Value) -> Option<&str> {
    const TELLING: &[&str] =
        &["command", "cmd", "file_path", "filePath", "path", "pattern", "query", "url"];
    TELLING.iter().find_map(|key| input.get(*key).and_then(serde_json::Value::as_str))
}

/// The summary of a tool's input: that field, or the whole input.
pub(crate) fn summarize_input(input: &serde_json::Value) -> String {
    match summary_field(input) {
        Some(text) => cut_text(text),
        None if input.is_null() => String::new(),
        None => cut_text(&input.to_string()),
    }
}
