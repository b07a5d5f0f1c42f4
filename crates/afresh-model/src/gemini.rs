//! Gemini `generateContent`.

use serde_json::{Value, json};

use crate::conversation::{
    ErrorReply, ModelReply, ModelRequest, OfferedTool, arguments, data, message_text,
};
use crate::script::{ModelFault, TokenCounts};

/// The model and the streaming mode are in the path.
pub(crate) fn request(body: &Value, model: &str, stream: bool) -> ModelRequest {
    let contents = body["contents"].as_array().map(Vec::as_slice).unwrap_or_default();
    let by = |role: &'static str| contents.iter().filter(move |content| content["role"] == role);
    let groups = body["tools"].as_array().into_iter().flatten();
    let declared = groups.filter_map(|group| group["functionDeclarations"].as_array()).flatten();
    let tools = declared.map(|tool| OfferedTool {
        name: tool["name"].as_str().unwrap_or_default().to_owned(),
        namespace: None,
        arguments: arguments(tool.get("parametersJsonSchema").or_else(|| tool.get("parameters"))),
    });
    // The program puts its own text before the user's; all of it identifies the conversation.
    let first =
        by("user").take(3).map(|content| message_text(&content["parts"])).collect::<Vec<_>>();
    ModelRequest {
        model: model.to_owned(),
        turns: by("model").filter(|content| is_real(content)).count(),
        first_words: first.join("\n"),
        tools: tools.collect(),
        stream,
    }
}

/// The program answers its own first message in the model's name.
fn is_real(content: &Value) -> bool {
    message_text(&content["parts"]).trim() != "Got it. Thanks for the context!"
}

pub(crate) fn plain(reply: &ModelReply) -> Value {
    let said = (!reply.say.is_empty()).then(|| json!({"text": reply.say}));
    let calls = reply.calls.iter().map(
        |call| json!({"functionCall": {"id": call.id, "name": call.name, "args": call.input}}),
    );
    let parts: Vec<Value> = said.into_iter().chain(calls).collect();
    json!({
        "candidates": [{
            "content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0,
        }],
        "usageMetadata": usage(reply.usage), "modelVersion": reply.model,
        "responseId": format!("r{}", reply.number),
    })
}

pub(crate) fn stream(reply: &ModelReply) -> Vec<String> {
    vec![data(&plain(reply))]
}

fn usage(tokens: TokenCounts) -> Value {
    let prompt = tokens.input + tokens.cache_read;
    json!({
        "promptTokenCount": prompt, "candidatesTokenCount": tokens.output,
        "totalTokenCount": prompt + tokens.output, "cachedContentTokenCount": tokens.cache_read,
    })
}

pub(crate) fn refusal(fault: &ModelFault) -> ErrorReply {
    let error = |status: u16, word: &str, message: &str, details: Value| {
        let body = json!({
            "error": {"code": status, "message": message, "status": word, "details": details},
        });
        ErrorReply::new(status, body)
    };
    let none = || json!([]);
    match fault {
        ModelFault::RateLimit { retry_after } => {
            let details = retry_after.map_or_else(none, |seconds| {
                json!([{
                    "@type": "type.googleapis.com/google.rpc.RetryInfo",
                    "retryDelay": format!("{seconds}s"),
                }])
            });
            let message = "scripted: too many requests";
            ErrorReply {
                retry_after: *retry_after,
                ..error(429, "RESOURCE_EXHAUSTED", message, details)
            }
        }
        // The same, in the format of this provider.
        ModelFault::UsageLimit { seconds } => {
            refusal(&ModelFault::RateLimit { retry_after: Some(*seconds) })
        }
        ModelFault::Overloaded => error(503, "UNAVAILABLE", "scripted: Overloaded", none()),
        ModelFault::Auth => {
            let details = json!([{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
            }]);
            error(400, "INVALID_ARGUMENT", "scripted: API key not valid", details)
        }
        ModelFault::NotFound => error(404, "NOT_FOUND", "scripted: model not found", none()),
        ModelFault::TooLong => error(
            400,
            "INVALID_ARGUMENT",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            none(),
        ),
        ModelFault::BadRequest => error(400, "INVALID_ARGUMENT", "scripted: bad request", none()),
        ModelFault::Server | ModelFault::Cut | ModelFault::Hang(_) => {
            error(500, "INTERNAL", "scripted: internal server error", none())
        }
    }
}
