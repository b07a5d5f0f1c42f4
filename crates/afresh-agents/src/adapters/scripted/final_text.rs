//! The final text of a scripted worker: the same result block that any worker prints.

use serde_json::{Value, json};

use super::script::ScriptedEnd;

impl ScriptedEnd {
    /// The final text, unless it ends without one.
    pub fn final_text(&self) -> Option<String> {
        let answer = match self {
            Self::Claim { files, deviations, notes } => json!({
                "status": "COMPLETED", "files_modified": files, "deviations": deviations, "notes": notes,
            }),
            Self::Ask { question, options, context } => json!({
                "status": "NEEDS_DECISION", "decision_needed": question, "context": context,
                "options": options.iter().map(|option| choice(option)).collect::<Vec<_>>(),
            }),
            Self::Need { action, instructions, verification } => json!({
                "status": "NEEDS_ACTION", "action_needed": action,
                "instructions": instructions, "verification": verification,
            }),
            Self::Fail { error, at, retryable } => json!({
                "status": "FAILED", "error": error, "failed_at": at, "retryable": retryable,
            }),
            Self::Answer(text) => return Some(text.clone()),
            Self::Exit(_) | Self::Crash(_) | Self::Hang(_) => return None,
        };
        Some(format!("OUTPUT_JSON_START\n{answer}\nOUTPUT_JSON_END\n"))
    }
}

/// `key: description`, or a word that is both.
fn choice(option: &str) -> Value {
    let (key, description) = option.split_once(": ").unwrap_or((option, option));
    json!({"key": key, "description": description})
}

#[cfg(test)]
mod tests {
    use afresh_core::outcome::{DecisionOption, Outcome};

    use super::*;

    #[test]
    fn every_final_text_is_a_valid_result() {
        let read = |end: &ScriptedEnd| {
            let text = end.final_text().unwrap_or_default();
            afresh_formats::result::read(&text, &afresh_formats::result::ResultContext::default())
        };
        let claim = ScriptedEnd::Claim { files: vec!["a".into()], deviations: vec![], notes: None };
        assert!(matches!(read(&claim), Outcome::Done(claim) if claim.files == ["a"]));
        let options = vec!["a: plain".to_owned(), "b".to_owned()];
        let ask = ScriptedEnd::Ask { question: "which?".into(), options, context: String::new() };
        let Outcome::NeedsDecision(decision) = read(&ask) else { panic!("no question") };
        assert_eq!(
            decision.options,
            [DecisionOption::new("a", "plain"), DecisionOption::new("b", "b")]
        );
        let fail =
            ScriptedEnd::Fail { error: "e".into(), at: String::new(), retryable: Some(false) };
        assert!(
            matches!(read(&fail), Outcome::Failed(failure) if failure.retryable == Some(false))
        );
        assert_eq!(ScriptedEnd::Exit(0).final_text(), None);
    }
}
