//! Messages of JSON-RPC 2.0, which ACP and MCP use.
//!
//! Transport and methods are left to the callers.

use serde_json::{Value, json};

pub const PARSE_ERROR: i64 = -32700;
pub const INVALID_REQUEST: i64 = -32600;
pub const UNKNOWN_METHOD: i64 = -32601;
pub const INVALID_PARAMS: i64 = -32602;

/// A message, classified by its fields.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RpcMessage<'m> {
    Request {
        id: &'m Value,
        method: &'m str,
        params: &'m Value,
    },
    /// A notification, which is not answered.
    Notice {
        method: &'m str,
        params: &'m Value,
    },
    Answer {
        id: &'m Value,
        outcome: Result<&'m Value, &'m Value>,
    },
    /// It has an id, but is neither a request nor a response.
    Broken {
        id: &'m Value,
    },
    Nothing,
}

pub fn read(message: &Value) -> RpcMessage<'_> {
    let (id, params) = (message.get("id"), message.get("params").unwrap_or(&Value::Null));
    match (message.get("method").and_then(Value::as_str), id) {
        (Some(method), Some(id)) => RpcMessage::Request { id, method, params },
        (Some(method), None) => RpcMessage::Notice { method, params },
        (None, Some(id)) => match (message.get("result"), message.get("error")) {
            (_, Some(error)) => RpcMessage::Answer { id, outcome: Err(error) },
            (Some(result), None) => RpcMessage::Answer { id, outcome: Ok(result) },
            (None, None) => RpcMessage::Broken { id },
        },
        (None, None) => RpcMessage::Nothing,
    }
}

pub fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub fn notice(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

pub fn succeeded(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub fn failed(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}
