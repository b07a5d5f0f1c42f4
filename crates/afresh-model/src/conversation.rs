//! A request and its reply, independent of any protocol.

use serde_json::{Value, json};

use crate::script::TokenCounts;

/// A program's request to its model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    pub model: String,
    /// How many turns of the model are in this conversation.
    pub turns: usize,
    /// The user's first message: it distinguishes conversations.
    pub first_words: String,
    pub tools: Vec<OfferedTool>,
    pub stream: bool,
}

impl ModelRequest {
    /// From a body with `model`, `messages` and `stream`, as most servers expect it.
    pub(crate) fn with_messages(body: &Value, tools: Vec<OfferedTool>) -> Self {
        let (turns, first_words) = count_user_turns(&body["messages"]);
        Self {
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            turns,
            first_words,
            tools,
            stream: body["stream"].as_bool().unwrap_or_default(),
        }
    }
}

/// A tool that the program offers.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedTool {
    pub name: String,
    /// The group that it is in, if the protocol has groups of tools.
    pub namespace: Option<String>,
    /// The names of its arguments.
    pub arguments: Vec<String>,
}

/// The model's reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelReply {
    pub say: String,
    pub calls: Vec<BoundToolCall>,
    pub usage: TokenCounts,
    pub model: String,
    /// Distinguishes replies.
    pub number: u64,
}

/// A call of a tool that the program has.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundToolCall {
    pub id: String,
    pub name: String,
    pub namespace: Option<String>,
    pub input: Value,
}

/// The names of a schema's properties.
pub(crate) fn arguments(schema: Option<&Value>) -> Vec<String> {
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    properties.map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
}

/// The text of a message: a string, or a list of parts with texts.
pub(crate) fn message_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// The number of the model's turns in a list of messages, and the user's first message.
pub(crate) fn count_user_turns(messages: &Value) -> (usize, String) {
    let messages = messages.as_array().map(Vec::as_slice).unwrap_or_default();
    let by = |role: &'static str| messages.iter().filter(move |message| message["role"] == role);
    let first = by("user").next().map(|first| message_text(&first["content"]));
    (by("assistant").count(), first.unwrap_or_default())
}

/// A fault in the format of a protocol: status, extra headers, body.
pub(crate) struct ErrorReply {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<u32>,
    pub(crate) body: Value,
}

impl ErrorReply {
    pub(crate) fn new(status: u16, body: Value) -> Self {
        Self { status, retry_after: None, body }
    }
}

/// One event of a stream.
pub(crate) fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// The same without a name.
pub(crate) fn data(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// A list of one text, as several protocols need it.
pub(crate) fn text_part(text: &str) -> Value {
    json!({"type": "text", "text": text})
}
