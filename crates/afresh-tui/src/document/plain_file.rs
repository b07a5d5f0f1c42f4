//! Prompts and results.

use afresh_core::input::AttemptEnd;
use afresh_dashboard::text::figures::duration;
use afresh_dashboard::text::{TextLine, TextRole};

use super::{MAX_LINES, TaskDocument, lines_of};

pub fn prompt(text: Option<&str>) -> TaskDocument {
    let Some(text) = text else { return TaskDocument::note("there is no prompt yet") };
    let line = |line: String| {
        let role = if line.starts_with('#') { TextRole::Strong } else { TextRole::Plain };
        TextLine::new().with(role, &line)
    };
    let lines = lines_of(text).take(MAX_LINES).map(line).collect();
    TaskDocument { lines, wraps: true, follows: false }
}

/// How the attempt ended, what its worker reported, and what its program printed to standard error.
pub fn result(
    end: Option<&AttemptEnd>,
    reported: Option<&str>,
    errors: Option<&str>,
) -> TaskDocument {
    let mut lines = Vec::new();
    if let Some(end) = end {
        let took = duration(end.duration_ms);
        let text = format!("its program: {}, after {took}", end.ending.describe());
        lines.push(TextLine::new().with(TextRole::Strong, &text));
        let understood = serde_json::to_string_pretty(&end.outcome).unwrap_or_default();
        add_part(&mut lines, "what was understood", Some(&understood));
    }
    add_part(&mut lines, "result file", reported);
    add_part(&mut lines, "standard error", errors);
    if lines.is_empty() {
        return TaskDocument::note("its worker is not done, and has reported nothing yet");
    }
    TaskDocument { lines, wraps: true, follows: false }
}

fn add_part(lines: &mut Vec<TextLine>, title: &str, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
        lines.push(TextLine::new().with(TextRole::Strong, &format!("── {title}")));
        lines.extend(lines_of(text).take(MAX_LINES).map(|line| TextLine::new().plain(&line)));
    }
}
