//! What a worker said and did.

use afresh_app::logs::folded::{FoldedTranscript, TranscriptEntry};
use afresh_core::ids::TaskId;
use afresh_dashboard::text::{TextLine, TextRole};

use super::{MAX_LINES, TaskDocument, lines_of};

/// Of what a tool printed.
const MAX_TOOL_LINES: usize = 12;

pub fn transcript(folded: &FoldedTranscript, task: &TaskId) -> TaskDocument {
    let mut lines = Vec::new();
    for entry in &folded.entries {
        add_entry(&mut lines, entry);
    }
    let surplus = lines.len().saturating_sub(MAX_LINES);
    lines.drain(..surplus);
    if folded.skipped > 0 || surplus > 0 {
        let text = format!("… earlier output is left out; `afresh logs {task}` prints all of it");
        lines.insert(0, TextLine::new().dim(&text));
    }
    if lines.is_empty() {
        return TaskDocument { follows: true, ..TaskDocument::note("nothing was printed yet") };
    }
    TaskDocument { lines, wraps: true, follows: true }
}

fn add_entry(lines: &mut Vec<TextLine>, entry: &TranscriptEntry) {
    let whole = |role: TextRole, text: &str| -> Vec<TextLine> {
        lines_of(text).map(|line| TextLine::new().with(role, &line)).collect()
    };
    match entry {
        TranscriptEntry::Text { text } | TranscriptEntry::Output { text } => {
            lines.extend(whole(TextRole::Plain, text));
        }
        TranscriptEntry::Notice { text } => lines.extend(whole(TextRole::Dim, text)),
        TranscriptEntry::Result { text } => {
            lines.push(TextLine::new().with(TextRole::Strong, "── final text"));
            lines.extend(whole(TextRole::Plain, text));
        }
        TranscriptEntry::Tool { tool, about, output, failed } => {
            let (mark, role) = match (output, failed) {
                (_, true) => ("✗ ", TextRole::Bad),
                (None, _) => ("▶ ", TextRole::Active),
                (Some(_), _) => ("▸ ", TextRole::Good),
            };
            let about = lines_of(about).collect::<Vec<_>>().join(" ");
            let head = TextLine::new().with(role, mark).with(TextRole::Strong, tool);
            lines.push(head.plain(" ").plain(&about));
            let printed: Vec<String> = output.iter().flat_map(|text| lines_of(text)).collect();
            for line in printed.iter().take(MAX_TOOL_LINES) {
                lines.push(TextLine::new().dim("  │ ").dim(line));
            }
            if printed.len() > MAX_TOOL_LINES {
                let more = format!("  │ … {} more lines", printed.len() - MAX_TOOL_LINES);
                lines.push(TextLine::new().dim(&more));
            }
        }
    }
}
