//! `OpenAI` Responses.

use serde_json::{Value, json};

use crate::chat;
use crate::conversation::{
    ErrorReply, ModelReply, ModelRequest, OfferedTool, arguments, event, message_text,
};
use crate::script::{ModelFault, TokenCounts};

pub(crate) fn request(body: &Value) -> ModelRequest {
    let input = body["input"].as_array().map(Vec::as_slice).unwrap_or_default();
    // The program puts its own text before the user's; all of it identifies the conversation. What
    // comes after the model's first turn does not: a resumed conversation is the same one.
    let before = input.iter().take_while(|item| !is_models(item));
    let users = before.filter(|item| item["role"] == "user");
    let first: Vec<String> = users.map(|item| message_text(&item["content"])).collect();
    let tools = body["tools"].as_array().into_iter().flatten().flat_map(|tool| offered(tool, None));
    ModelRequest {
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        turns: turns(input),
        first_words: first.join("\n"),
        tools: tools.chain(found(input)).collect(),
        stream: body["stream"].as_bool().unwrap_or_default(),
    }
}

/// One turn may be several items: everything between two items of the program. A search for tools
/// is no step of a script.
fn turns(input: &[Value]) -> usize {
    let models: Vec<bool> = input.iter().map(is_models).collect();
    let begins = |at: usize| models[at] && (at == 0 || !models[at - 1]);
    (0..models.len()).filter(|at| begins(*at)).count()
}

fn is_models(item: &Value) -> bool {
    let by_kind =
        matches!(item["type"].as_str(), Some("function_call" | "custom_tool_call" | "reasoning"));
    item["role"] == "assistant" || by_kind
}

fn offered(tool: &Value, namespace: Option<&str>) -> Vec<OfferedTool> {
    let name = tool["name"].as_str().unwrap_or_else(|| tool["type"].as_str().unwrap_or_default());
    if let Some(inner) = tool["tools"].as_array() {
        return inner.iter().flat_map(|one| offered(one, Some(name))).collect();
    }
    vec![OfferedTool {
        name: name.to_owned(),
        namespace: namespace.map(str::to_owned),
        arguments: arguments(tool.get("parameters")),
    }]
}

/// Tools that the model searched for, and that the program then provided.
fn found(input: &[Value]) -> Vec<OfferedTool> {
    let outputs = input.iter().filter(|item| item["type"] == "tool_search_output");
    let tools = outputs.filter_map(|item| item["tools"].as_array()).flatten();
    tools.flat_map(|tool| offered(tool, None)).collect()
}

pub(crate) fn plain(reply: &ModelReply) -> Value {
    let mut whole = envelope(reply, "completed");
    whole["output"] = items(reply).into();
    whole["usage"] = usage(reply.usage);
    whole
}

pub(crate) fn stream(reply: &ModelReply) -> Vec<String> {
    let created = json!({"type": "response.created", "response": envelope(reply, "in_progress")});
    let mut events = vec![event("response.created", &created)];
    for (index, item) in items(reply).iter().enumerate() {
        for name in ["response.output_item.added", "response.output_item.done"] {
            events.push(event(name, &json!({"type": name, "output_index": index, "item": item})));
        }
    }
    let completed = json!({"type": "response.completed", "response": plain(reply)});
    events.push(event("response.completed", &completed));
    events
}

fn items(reply: &ModelReply) -> Vec<Value> {
    let said = (!reply.say.is_empty()).then(|| {
        let content = json!([{"type": "output_text", "text": reply.say, "annotations": []}]);
        json!({
            "type": "message", "id": format!("m{}", reply.number), "role": "assistant",
            "status": "completed", "content": content,
        })
    });
    let calls = reply.calls.iter().map(|call| {
        let mut item = json!({
            "type": "function_call", "id": format!("f{}", call.id), "call_id": call.id,
            "name": call.name, "arguments": call.input.to_string(), "status": "completed",
        });
        if call.name == "tool_search" {
            item["type"] = "tool_search_call".into();
            item["execution"] = "client".into();
            item["arguments"] = call.input.clone();
        }
        if let Some(namespace) = &call.namespace {
            item["namespace"] = namespace.as_str().into();
        }
        item
    });
    said.into_iter().chain(calls).collect()
}

fn envelope(reply: &ModelReply, status: &str) -> Value {
    json!({
        "id": format!("resp_{}", reply.number), "object": "response", "created_at": 1_700_000_000,
        "model": reply.model, "status": status, "output": [],
    })
}

/// Cached tokens count as input here.
fn usage(tokens: TokenCounts) -> Value {
    let input = tokens.input + tokens.cache_read;
    json!({
        "input_tokens": input, "input_tokens_details": {"cached_tokens": tokens.cache_read},
        "output_tokens": tokens.output, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": input + tokens.output,
    })
}

pub(crate) fn refusal(fault: &ModelFault) -> ErrorReply {
    let ModelFault::UsageLimit { seconds } = fault else { return chat::refusal(fault) };
    let error = json!({
        "type": "usage_limit_reached", "message": "The usage limit has been reached",
        "plan_type": "pro", "resets_in_seconds": seconds,
    });
    ErrorReply::new(429, json!({"error": error}))
}
