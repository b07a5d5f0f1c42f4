//! Anthropic Messages.

use serde_json::{Value, json};

use crate::conversation::{
    ErrorReply, ModelReply, ModelRequest, OfferedTool, arguments, event, text_part,
};
use crate::script::{ModelFault, TokenCounts};

pub(crate) fn request(body: &Value) -> ModelRequest {
    let tools = body["tools"].as_array().into_iter().flatten().map(|tool| OfferedTool {
        name: tool["name"].as_str().unwrap_or_default().to_owned(),
        namespace: None,
        arguments: arguments(tool.get("input_schema")),
    });
    ModelRequest::with_messages(body, tools.collect())
}

pub(crate) fn plain(reply: &ModelReply) -> Value {
    let said = (!reply.say.is_empty()).then(|| text_part(&reply.say));
    let calls = reply.calls.iter().map(
        |call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input}),
    );
    json!({
        "id": format!("msg_{}", reply.number), "type": "message", "role": "assistant",
        "model": reply.model, "content": said.into_iter().chain(calls).collect::<Vec<_>>(),
        "stop_reason": stop_reason(reply), "stop_sequence": null,
        "usage": usage(reply.usage, reply.usage.output),
    })
}

pub(crate) fn stream(reply: &ModelReply) -> Vec<String> {
    let mut message = plain(reply);
    let content = message["content"].take();
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["usage"] = usage(reply.usage, 1);
    let mut events =
        vec![event("message_start", &json!({"type": "message_start", "message": message}))];
    for (index, block) in content.as_array().into_iter().flatten().enumerate() {
        let (start, delta) = pieces(block);
        let start = json!({"type": "content_block_start", "index": index, "content_block": start});
        let delta = json!({"type": "content_block_delta", "index": index, "delta": delta});
        let stop = json!({"type": "content_block_stop", "index": index});
        events.push(event("content_block_start", &start));
        events.push(event("content_block_delta", &delta));
        events.push(event("content_block_stop", &stop));
    }
    let delta = json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason(reply), "stop_sequence": null},
        "usage": {"output_tokens": reply.usage.output},
    });
    events.push(event("message_delta", &delta));
    events.push(event("message_stop", &json!({"type": "message_stop"})));
    events
}

/// The beginning of a block, and all of it in one piece.
fn pieces(block: &Value) -> (Value, Value) {
    if block["type"] == "text" {
        return (text_part(""), json!({"type": "text_delta", "text": block["text"]}));
    }
    let start = json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}});
    (start, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
}

fn stop_reason(reply: &ModelReply) -> &'static str {
    if reply.calls.is_empty() { "end_turn" } else { "tool_use" }
}

fn usage(tokens: TokenCounts, output: u64) -> Value {
    json!({
        "input_tokens": tokens.input, "cache_creation_input_tokens": tokens.cache_write,
        "cache_read_input_tokens": tokens.cache_read, "output_tokens": output,
        "service_tier": "standard",
    })
}

pub(crate) fn refusal(fault: &ModelFault) -> ErrorReply {
    let error = |status, kind: &str, message: &str| {
        let body = json!({"type": "error", "error": {"type": kind, "message": message}});
        ErrorReply::new(status, body)
    };
    match fault {
        ModelFault::RateLimit { retry_after } => ErrorReply {
            retry_after: *retry_after,
            ..error(429, "rate_limit_error", "scripted: too many requests")
        },
        ModelFault::UsageLimit { seconds } => {
            let message = format!("scripted: usage limit reached, try again in {seconds} seconds");
            error(429, "rate_limit_error", &message)
        }
        ModelFault::Overloaded => error(529, "overloaded_error", "scripted: Overloaded"),
        ModelFault::Auth => error(401, "authentication_error", "scripted: invalid x-api-key"),
        ModelFault::NotFound => error(404, "not_found_error", "scripted: model not found"),
        ModelFault::TooLong => error(
            400,
            "invalid_request_error",
            "prompt is too long: 210000 tokens > 200000 maximum",
        ),
        ModelFault::BadRequest => error(400, "invalid_request_error", "scripted: bad request"),
        ModelFault::Server | ModelFault::Cut | ModelFault::Hang(_) => {
            error(500, "api_error", "scripted: internal server error")
        }
    }
}
