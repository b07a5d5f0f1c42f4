//! What a client is sent: bounded, without secrets, and without characters that a terminal could obey.

use afresh_app::error::AppError;
use afresh_app::secrets::redact;
use afresh_core::printable;
use serde_json::{Map, Value, json};

use super::command::EndedCommand;
use super::methods::ProtocolVersion;
use crate::error;
use crate::exit::Exit;

/// About 6,000 tokens: clients warn at 10,000.
pub(super) const MAX_BYTES: usize = 24 * 1024;
/// Of one line; the rest of a longer one is left out.
const MAX_LINE_CHARS: usize = 2_000;

/// The answer of a tool.
#[derive(Debug)]
pub(super) struct SessionAnswer {
    text: String,
    structured: Option<Value>,
    is_error: bool,
}

impl SessionAnswer {
    /// None if there is no document, or too long a one.
    pub(super) fn from_document(ended: &EndedCommand, secrets: &[String]) -> Option<Self> {
        let document: Value = serde_json::from_str(&ended.printed.data()).ok()?;
        let answer = Self::from_value(clean_value(document, secrets));
        (answer.text.len() <= MAX_BYTES).then(|| answer.failed_unless(!is_failure(ended.exit)))
    }

    /// What became of a run that was to start in the background; it is an error if it did not.
    pub(super) fn from_launch(ended: &EndedCommand, secrets: &[String]) -> Self {
        let has_started = ended.exit == Exit::Done;
        let answer = Self::from_document(ended, secrets)
            .unwrap_or_else(|| Self::from_text(ended, 1, secrets));
        let error = answer.structured.as_ref().and_then(|document| document.get("error"));
        match error.map(describe_error) {
            Some(text) => Self { text: page(&text, 1), is_error: true, ..answer },
            None => answer.failed_unless(has_started),
        }
    }

    /// A document of our own.
    pub(super) fn from_value(document: Value) -> Self {
        let text = document.to_string();
        // Structured content is an object.
        let structured = if document.is_object() { document } else { json!({"items": document}) };
        Self { text, structured: Some(structured), is_error: false }
    }

    /// A page of what a command printed; its messages are on the first one.
    pub(super) fn from_text(ended: &EndedCommand, from_line: u64, secrets: &[String]) -> Self {
        let (data, messages) = (ended.printed.data(), ended.printed.messages());
        let whole = match (messages, from_line) {
            ("", _) | (_, 2..) => data,
            (messages, _) if data.trim().is_empty() => messages.to_owned(),
            (messages, _) => format!("{}\n\n{messages}", data.trim_end()),
        };
        let text = page(&clean(&whole, secrets), from_line);
        Self { text, structured: None, is_error: is_failure(ended.exit) }
    }

    pub(super) fn failed(failure: &AppError, secrets: &[String]) -> Self {
        let text = clean(&error::to_text(failure, usize::MAX), secrets);
        let structured = clean_value(error::to_json(failure), secrets);
        let is_short = structured.to_string().len() <= MAX_BYTES;
        Self { text: page(&text, 1), structured: is_short.then_some(structured), is_error: true }
    }

    /// It is an error if what was asked for did not happen.
    pub(super) fn failed_unless(self, succeeded: bool) -> Self {
        Self { is_error: self.is_error || !succeeded, ..self }
    }

    pub(super) fn to_json(&self, version: ProtocolVersion) -> Value {
        let mut result = json!({
            "content": [{"type": "text", "text": self.text}],
            "isError": self.is_error,
        });
        if let Some(structured) =
            self.structured.as_ref().filter(|_| version.has_structured_content())
        {
            result["structuredContent"] = structured.clone();
        }
        result
    }
}

/// The document of an error of another process, as its text would be.
fn describe_error(error: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let hint = |value: &Value| value.as_str().map(|hint| format!("\n  hint: {hint}"));
    let findings = error["findings"].as_array().into_iter().flatten().map(|finding| {
        let (file, line) = (text(&finding["file"]), &finding["line"]);
        let hint = hint(&finding["hint"]).unwrap_or_default();
        format!("{file}:{line}: {}{hint}\n", text(&finding["message"]))
    });
    let findings: String = findings.collect();
    let hint = hint(&error["help"]).unwrap_or_default();
    format!("{findings}error: {}{hint}", text(&error["message"]))
}

/// A finding in a plan or a task that failed is an answer; these are none.
fn is_failure(exit: Exit) -> bool {
    matches!(exit, Exit::Usage | Exit::Busy | Exit::Bug | Exit::Machine)
}

/// Text that may come from anywhere.
pub(super) fn clean(text: &str, secrets: &[String]) -> String {
    printable::lines(&redact(text, secrets))
}

/// A document whose strings may come from anywhere.
pub(super) fn clean_value(value: Value, secrets: &[String]) -> Value {
    match value {
        Value::String(text) => clean(&text, secrets).into(),
        Value::Array(items) => items.into_iter().map(|item| clean_value(item, secrets)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            let cleaned =
                fields.map(|(name, it)| (clean(&name, secrets), clean_value(it, secrets)));
            Value::Object(cleaned.collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// As many lines as an answer may have, from this one on, and how to get the rest.
pub(super) fn page(text: &str, from_line: u64) -> String {
    let first = usize::try_from(from_line.saturating_sub(1)).unwrap_or(usize::MAX);
    let lines: Vec<&str> = text.trim_end().lines().collect();
    if first > 0 && first >= lines.len() {
        return format!("[there are {} lines]", lines.len());
    }
    let mut shown = String::new();
    let mut next = first;
    for line in &lines[first.min(lines.len())..] {
        let line = cut_line(line);
        if next > first && shown.len() + line.len() > MAX_BYTES {
            break;
        }
        shown.push_str(&line);
        shown.push('\n');
        next += 1;
    }
    match lines.len() - next {
        0 => shown.trim_end().to_owned(),
        more => format!("{shown}[{more} more lines; ask again with from_line {}]", next + 1),
    }
}

fn cut_line(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        None => line.to_owned(),
        Some((end, _)) => {
            let more = line[end..].chars().count();
            format!("{} [{more} more characters]", &line[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line of a long text is on exactly one page, and each page says where the next one starts.
    #[test]
    fn pages_of_a_long_text_have_every_line_once() {
        let line = |n: usize| format!("{n} {}", "x".repeat(200));
        let text: Vec<String> = (1..=1_000).map(line).collect();
        let (mut from, mut seen, mut pages) = (1, Vec::new(), 0);
        loop {
            let page = page(&text.join("\n"), from);
            assert!(page.len() <= MAX_BYTES + 100, "{}", page.len());
            pages += 1;
            let (lines, last) = match page.rsplit_once("\n[") {
                Some((lines, last)) => (lines, Some(last)),
                None => (page.as_str(), None),
            };
            seen.extend(lines.lines().map(str::to_owned));
            let Some(last) = last else { break };
            let next = last.trim_end_matches(']').rsplit(' ').next().expect("a number");
            from = next.parse().expect("a number");
        }
        assert_eq!(seen, text);
        assert!(pages > 5, "{pages}");
        assert_eq!(page("a\nb", 3), "[there are 2 lines]");
        assert_eq!(page("", 1), "");
        let long = page(&"y".repeat(5_000), 1);
        assert!(long.ends_with("[3000 more characters]"), "{long}");
    }

    /// Secrets and control characters reach no client, in no string of a document.
    #[test]
    fn documents_are_cleaned_in_every_string() {
        let secrets = ["hunter2-hunter2".to_owned()];
        let dirty = json!({"a": ["x hunter2-hunter2", {"b\u{1b}": "\u{1b}[2J\u{202e}"}], "n": 3});
        let shown = clean_value(dirty, &secrets).to_string();
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(!shown.contains("\\u001b") && !shown.contains('\u{202e}'), "{shown}");
        assert!(shown.contains("\"n\":3"), "{shown}");
    }
}
