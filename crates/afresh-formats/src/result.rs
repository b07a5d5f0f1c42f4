//! What a worker answered.
//!
//! The rule: the last well-formed block between `OUTPUT_JSON_START` and `OUTPUT_JSON_END`, each
//! marker alone on its line, counts; the fields may stand at the top level or nested under
//! `decision`, `action` or `error`. Without any marker the worker said nothing; a block that was
//! begun but makes no sense is unintelligible, with the reason.

use afresh_core::outcome::{Action, Choice, Claim, Decision, Deviation, Failure, Outcome};
use serde_json::{Map, Value};

const START: &str = "OUTPUT_JSON_START";
const END: &str = "OUTPUT_JSON_END";
/// How much of an answer that makes no sense is shown.
const EXCERPT_CHARS: usize = 500;
/// Longest text that is taken over from an answer.
const MAX_TEXT_CHARS: usize = 8_000;
/// Longest list that is taken over.
const MAX_ITEMS: usize = 2_000;

/// Reads the answer out of a worker's final text.
pub fn read(text: &str) -> Outcome {
    let blocks = blocks(text);
    let mut reason = None;
    for block in blocks.iter().rev() {
        match parse(block) {
            Ok(outcome) => return outcome,
            // The reason of the last block is the one worth telling.
            Err(why) => reason = reason.or(Some((why, *block))),
        }
    }
    match reason {
        Some((reason, block)) => Outcome::Unintelligible { reason, excerpt: excerpt(block) },
        None if text.lines().any(|line| line.trim() == START) => {
            let from = text.rfind(START).unwrap_or(0);
            let reason = format!("{START} without {END}: the answer was cut off");
            Outcome::Unintelligible { reason, excerpt: excerpt(&text[from..]) }
        }
        None => Outcome::Silent,
    }
}

/// The texts between a start marker and the next end marker; a new start begins anew.
fn blocks(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match line.trim() {
            START => open = Some(at + line.len()),
            END => {
                if let Some(start) = open.take() {
                    found.push(&text[start..at]);
                }
            }
            _ => {}
        }
        at += line.len();
    }
    found
}

fn parse(block: &str) -> Result<Outcome, String> {
    let value: Value =
        serde_json::from_str(block.trim()).map_err(|error| format!("not JSON: {error}"))?;
    let Value::Object(fields) = value else { return Err("not a JSON object".to_owned()) };
    let status = fields.get("status").and_then(Value::as_str).ok_or("no `status`")?;
    match status.to_ascii_uppercase().replace('-', "_").as_str() {
        "COMPLETED" | "COMPLETE" | "SUCCESS" | "DONE" => Ok(Outcome::Done(claim(&fields))),
        "NEEDS_DECISION" => decision(&fields),
        "NEEDS_ACTION" => action(&fields),
        "FAILED" | "FAILURE" => Ok(failure(&fields)),
        _ => Err(format!("unknown status {status:?}")),
    }
}

fn claim(fields: &Map<String, Value>) -> Claim {
    let mut files = texts(fields.get("files_modified"));
    files.extend(texts(fields.get("files_created")));
    let deviations = match fields.get("deviations") {
        Some(Value::Array(items)) => items.iter().take(MAX_ITEMS).filter_map(deviation).collect(),
        _ => Vec::new(),
    };
    Claim { files, deviations, notes: fields.get("notes").and_then(Value::as_str).map(bounded) }
}

fn deviation(value: &Value) -> Option<Deviation> {
    match value {
        Value::String(text) => {
            Some(Deviation { rule: 0, description: bounded(text), files: vec![] })
        }
        Value::Object(fields) => {
            let rule = fields
                .get("rule")
                .and_then(Value::as_u64)
                .and_then(|n| u8::try_from(n).ok())
                .unwrap_or(0);
            Some(Deviation {
                rule,
                description: text(fields, "description"),
                files: texts(fields.get("files")),
            })
        }
        _ => None,
    }
}

fn decision(fields: &Map<String, Value>) -> Result<Outcome, String> {
    let nested = nested(fields, "decision");
    let question = first(&[
        text(fields, "decision_needed"),
        text(&nested, "decision_needed"),
        text(&nested, "question"),
    ]);
    if question.is_empty() {
        return Err("NEEDS_DECISION without `decision_needed`".to_owned());
    }
    let options = fields.get("options").or(nested.get("options"));
    let options = match options {
        Some(Value::Array(items)) => items.iter().take(50).enumerate().filter_map(choice).collect(),
        _ => Vec::new(),
    };
    Ok(Outcome::NeedsDecision(Decision {
        blocked_at: first(&[text(fields, "blocked_at"), text(&nested, "blocked_at")]),
        question,
        options,
        context: first(&[text(fields, "context"), text(&nested, "context")]),
    }))
}

fn choice((number, value): (usize, &Value)) -> Option<Choice> {
    match value {
        Value::String(text) => {
            Some(Choice { key: (number + 1).to_string(), description: bounded(text) })
        }
        Value::Object(fields) => Some(Choice {
            key: first(&[text(fields, "key"), (number + 1).to_string()]),
            description: text(fields, "description"),
        }),
        _ => None,
    }
}

fn action(fields: &Map<String, Value>) -> Result<Outcome, String> {
    let nested = nested(fields, "action");
    let needed = first(&[
        text(fields, "action_needed"),
        text(&nested, "action_needed"),
        text(&nested, "needed"),
    ]);
    if needed.is_empty() {
        return Err("NEEDS_ACTION without `action_needed`".to_owned());
    }
    Ok(Outcome::NeedsAction(Action {
        blocked_at: first(&[text(fields, "blocked_at"), text(&nested, "blocked_at")]),
        needed,
        instructions: texts(fields.get("instructions").or(nested.get("instructions"))),
        verification: first(&[text(fields, "verification"), text(&nested, "verification")]),
    }))
}

fn failure(fields: &Map<String, Value>) -> Outcome {
    let nested = nested(fields, "error");
    Outcome::Failed(Failure {
        failed_at: text(fields, "failed_at"),
        error: first(&[
            text(fields, "error"),
            text(&nested, "message"),
            "the worker gave no reason".to_owned(),
        ]),
        output: first(&[text(fields, "output"), text(&nested, "output")]),
        retryable: fields.get("retryable").or(nested.get("retryable")).and_then(Value::as_bool),
    })
}

fn nested(fields: &Map<String, Value>, key: &str) -> Map<String, Value> {
    fields.get(key).and_then(Value::as_object).cloned().unwrap_or_default()
}

fn first(among: &[String]) -> String {
    among.iter().find(|text| !text.is_empty()).cloned().unwrap_or_default()
}

fn text(fields: &Map<String, Value>, key: &str) -> String {
    fields.get(key).and_then(Value::as_str).map(bounded).unwrap_or_default()
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let Some(Value::Array(items)) = value else { return Vec::new() };
    items.iter().take(MAX_ITEMS).filter_map(Value::as_str).map(bounded).collect()
}

fn bounded(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARS).collect()
}

fn excerpt(text: &str) -> String {
    text.trim().chars().take(EXCERPT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(json: &str) -> String {
        format!("some words\n{START}\n{json}\n{END}\nbye\n")
    }

    #[test]
    fn a_claim_is_read_with_its_deviations() {
        let json = r#"{"status":"COMPLETED","files_modified":["a.rs"],"deviations":[{"rule":3,"description":"d","files":["b.rs"]}]}"#;
        let Outcome::Done(claim) = read(&block(json)) else { panic!("not done") };
        assert_eq!(claim.files, ["a.rs"]);
        assert_eq!(claim.deviations[0].files, ["b.rs"]);
    }

    #[test]
    fn the_last_well_formed_block_counts() {
        let text = block(r#"{"status":"FAILED","error":"e"}"#)
            + &block(r#"{"status":"COMPLETED"}"#)
            + &block("{nonsense");
        assert!(matches!(read(&text), Outcome::Done(_)));
    }

    /// B32: truncated, nonsense and unknown answers are unintelligible, with the reason.
    #[test]
    fn b32_a_broken_answer_is_unintelligible_with_its_reason() {
        for (text, hint) in [
            (block("{"), "not JSON"),
            (block("[]"), "object"),
            (block("{}"), "status"),
            (block(r#"{"status":"GREAT"}"#), "GREAT"),
            (format!("{START}\n{{\"status\":"), "cut off"),
            (block(r#"{"status":"NEEDS_DECISION"}"#), "decision_needed"),
        ] {
            let Outcome::Unintelligible { reason, .. } = read(&text) else {
                panic!("{text} was understood")
            };
            assert!(reason.contains(hint), "{reason} does not mention {hint}");
        }
    }

    #[test]
    fn without_a_block_nothing_was_said_and_quoted_markers_do_not_count() {
        assert_eq!(read("I am done."), Outcome::Silent);
        assert_eq!(read("print OUTPUT_JSON_START then {} then OUTPUT_JSON_END"), Outcome::Silent);
    }

    #[test]
    fn nested_objects_mean_the_same() {
        let json = r#"{"status":"NEEDS_DECISION","decision":{"question":"q","options":["x","y"]}}"#;
        let Outcome::NeedsDecision(decision) = read(&block(json)) else { panic!("no decision") };
        assert_eq!(decision.question, "q");
        assert_eq!(decision.options[1].key, "2");
    }
}
