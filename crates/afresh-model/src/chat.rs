//! `OpenAI` Chat Completions, which many other servers use too.

use serde_json::{Value, json};

use crate::conversation::{ErrorReply, ModelReply, ModelRequest, OfferedTool, arguments, data};
use crate::script::{ModelFault, TokenCounts};

pub(crate) fn request(body: &Value) -> ModelRequest {
    let tools = body["tools"].as_array().into_iter().flatten().map(|tool| OfferedTool {
        name: tool["function"]["name"].as_str().unwrap_or_default().to_owned(),
        namespace: None,
        arguments: arguments(tool["function"].get("parameters")),
    });
    ModelRequest::with_messages(body, tools.collect())
}

pub(crate) fn plain(reply: &ModelReply) -> Value {
    let mut message = json!({"role": "assistant", "content": reply.say});
    if !reply.calls.is_empty() {
        message["tool_calls"] = calls(reply);
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": finish_reason(reply)});
    let mut whole = envelope(reply, "chat.completion", &choice);
    whole["usage"] = usage(reply.usage);
    whole
}

pub(crate) fn stream(reply: &ModelReply) -> Vec<String> {
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        envelope(reply, "chat.completion.chunk", &choice)
    };
    let mut events = vec![data(&chunk(json!({"role": "assistant", "content": ""}), Value::Null))];
    if !reply.say.is_empty() {
        events.push(data(&chunk(json!({"content": reply.say}), Value::Null)));
    }
    if !reply.calls.is_empty() {
        events.push(data(&chunk(json!({"tool_calls": calls(reply)}), Value::Null)));
    }
    events.push(data(&chunk(json!({}), Value::from(finish_reason(reply)))));
    let mut last = envelope(reply, "chat.completion.chunk", &Value::Null);
    last["choices"] = json!([]);
    last["usage"] = usage(reply.usage);
    events.push(data(&last));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn envelope(reply: &ModelReply, object: &str, choice: &Value) -> Value {
    json!({
        "id": format!("chatcmpl-{}", reply.number), "object": object, "created": 1_700_000_000,
        "model": reply.model, "choices": [choice],
    })
}

fn calls(reply: &ModelReply) -> Value {
    let call = |(index, call): (usize, &crate::conversation::BoundToolCall)| {
        json!({
            "index": index, "id": call.id, "type": "function",
            "function": {"name": call.name, "arguments": call.input.to_string()},
        })
    };
    reply.calls.iter().enumerate().map(call).collect()
}

fn finish_reason(reply: &ModelReply) -> &'static str {
    if reply.calls.is_empty() { "stop" } else { "tool_calls" }
}

/// Cached tokens count as input here.
fn usage(tokens: TokenCounts) -> Value {
    let prompt = tokens.input + tokens.cache_read;
    json!({
        "prompt_tokens": prompt, "completion_tokens": tokens.output,
        "total_tokens": prompt + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cache_read},
    })
}

pub(crate) fn refusal(fault: &ModelFault) -> ErrorReply {
    let error = |status, kind: &str, code: Value, message: &str| {
        let body =
            json!({"error": {"message": message, "type": kind, "param": null, "code": code}});
        ErrorReply::new(status, body)
    };
    let code = |word: &str| Value::from(word);
    match fault {
        ModelFault::RateLimit { retry_after } => ErrorReply {
            retry_after: *retry_after,
            ..error(429, "requests", code("rate_limit_exceeded"), "scripted: too many requests")
        },
        ModelFault::UsageLimit { seconds } => {
            let message = format!("scripted: usage limit reached, try again in {seconds} seconds");
            error(429, "requests", code("rate_limit_exceeded"), &message)
        }
        ModelFault::Overloaded => {
            error(503, "server_error", code("server_is_overloaded"), "scripted: Overloaded")
        }
        ModelFault::Auth => {
            error(401, "invalid_request_error", code("invalid_api_key"), "scripted: wrong key")
        }
        ModelFault::NotFound => {
            error(404, "invalid_request_error", code("model_not_found"), "scripted: no such model")
        }
        ModelFault::TooLong => error(
            400,
            "invalid_request_error",
            code("context_length_exceeded"),
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
        ),
        ModelFault::BadRequest => {
            error(400, "invalid_request_error", Value::Null, "scripted: bad request")
        }
        ModelFault::Server | ModelFault::Cut | ModelFault::Hang(_) => {
            error(500, "server_error", Value::Null, "scripted: internal server error")
        }
    }
}
