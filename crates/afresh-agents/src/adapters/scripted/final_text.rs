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
            Self::Approve(summary) => json!({"verdict": "APPROVED", "summary": summary}),
            Self::RequestChanges { summary, issues } => json!({
                "verdict": "CHANGES_REQUESTED", "summary": summary,
                "issues": issues.iter().map(|text| issue(text)).collect::<Vec<_>>(),
            }),
            Self::Answer(text) => return Some(text.clone()),
            Self::Exit(_) | Self::Crash(_) | Self::Hang(_) => return None,
        };
        Some(format!("OUTPUT_JSON_START\n{answer}\nOUTPUT_JSON_END\n"))
    }
}

/// `file:line: description`, or a description alone.
fn issue(text: &str) -> Value {
    let place = text.split_once(": ").and_then(|(place, description)| {
        let (file, line) = place.rsplit_once(':')?;
        Some((file, line.parse::<u64>().ok()?, description))
    });
    match place {
        Some((file, line, description)) => {
            json!({"file": file, "line": line, "description": description})
        }
        None => json!({"description": text}),
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
    use afresh_core::review::ReviewIssue;

    use super::*;

    /// EX-08.
    #[test]
    fn every_final_text_of_a_reviewer_is_a_valid_review() {
        let read = |end: ScriptedEnd| {
            let text = end.final_text().unwrap_or_default();
            match afresh_formats::result::read_review("", &text, "") {
                afresh_core::review::ReviewOutcome::Given(review) => review,
                other => panic!("{other:?}"),
            }
        };
        assert!(read(ScriptedEnd::Approve("fine".into())).issues.is_empty());
        let issues = vec!["a.py:3: leaks".to_owned(), "no test: none at all".to_owned()];
        let rejected = read(ScriptedEnd::RequestChanges { summary: "no".into(), issues });
        let described: Vec<String> = rejected.issues.iter().map(ReviewIssue::describe).collect();
        assert_eq!(described, ["a.py:3: leaks", "no test: none at all"]);
    }

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
