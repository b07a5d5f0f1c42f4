//! The tools that a worker's model is offered, by afresh's own tool server. The server itself is in the binary.

use serde_json::{Value, json};

/// The tools for a worker's model: short, because every request pays for it.
pub fn list() -> Value {
    let strings = json!({"type": "array", "items": {"type": "string"}});
    let option = json!({"anyOf": [{"type": "string"}, {"type": "object", "properties": {
        "key": {"type": "string"}, "description": {"type": "string"},
    }, "required": ["key"]}]});
    json!([
        report_result(&strings, &option),
        tool(
            "step_done",
            "Mark a step as finished. It is checked at once, and kept whatever happens to you.",
            &json!({
                "step": {"type": "integer"},
                "deviations": {"type": "array", "items": {"type": "object", "properties": {
                    "path": {"type": "string"}, "reason": {"type": "string"},
                }, "required": ["path", "reason"]}},
            }),
            &["step"],
        ),
        tool(
            "log",
            "Add a line to the run's log.",
            &json!({
                "level": {"type": "string", "enum": ["DEBUG", "INFO", "WARN", "ERROR"]},
                "event": {"type": "string"}, "message": {"type": "string"},
            }),
            &["message"],
        ),
        tool(
            "ask",
            "Ask a person to make a decision. Ends your work.",
            &json!({
                "question": {"type": "string"},
                "options": {"type": "array", "items": option},
                "context": {"type": "string"},
            }),
            &["question", "options"],
        ),
        tool(
            "issue",
            "Report a problem outside your task.",
            &json!({"text": {"type": "string"}}),
            &["text"],
        ),
    ])
}

/// The only tool of a reviewer.
pub fn list_for_reviewer() -> Value {
    let issue = json!({"type": "object", "properties": {
        "file": {"type": "string"}, "line": {"type": "integer"}, "description": {"type": "string"},
    }, "required": ["description"]});
    json!([tool(
        "report_review",
        "Report your review. Call it once, at the end.",
        &json!({
            "verdict": {"type": "string", "enum": ["APPROVED", "CHANGES_REQUESTED"]},
            "summary": {"type": "string"},
            "issues": {"type": "array", "items": issue},
        }),
        &["verdict", "summary"],
    )])
}

fn report_result(strings: &Value, option: &Value) -> Value {
    let deviation = json!({"type": "object", "properties": {
        "rule": {"type": "integer"}, "description": {"type": "string"}, "files": strings,
    }});
    tool(
        "report_result",
        "Report the result of your task. Call it once, at the end.",
        &json!({
            "status": {"type": "string", "enum":
                ["COMPLETED", "NEEDS_DECISION", "NEEDS_ACTION", "FAILED", "PARTIAL", "BLOCKED"]},
            "files_modified": strings,
            "files_created": strings,
            "files_deleted": strings,
            "deviations": {"type": "array", "items": deviation},
            "decision_needed": {"type": "string"},
            "options": {"type": "array", "items": option},
            "action_needed": {"type": "string"},
            "instructions": strings,
            "context": {"type": "string"},
            "error": {"type": "string"},
            "failed_at": {"type": "string"},
            "retryable": {"type": "boolean"},
            "reason": {"type": "string"},
            "blocked_by": strings,
            "notes": {"type": "string"},
        }),
        &["status"],
    )
}

fn tool(name: &str, description: &str, properties: &Value, required: &[&str]) -> Value {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    json!({"name": name, "description": description, "inputSchema": schema})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RE-01: every field of a result that the documents name can be given by the tool.
    #[test]
    fn the_tool_takes_every_documented_field() {
        let tools = list();
        let fields = &tools[0]["inputSchema"]["properties"];
        let named = [
            "status",
            "files_modified",
            "files_created",
            "deviations",
            "decision_needed",
            "options",
            "context",
            "action_needed",
            "instructions",
            "error",
            "failed_at",
            "retryable",
            "reason",
            "blocked_by",
            "notes",
        ];
        for field in named {
            assert!(fields.get(field).is_some(), "{field}");
        }
        assert!(fields["options"]["items"]["anyOf"].is_array(), "texts are options too");
    }
}
