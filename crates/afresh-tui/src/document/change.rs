//! What an attempt changed.

use afresh_app::tasks::attempt_diff::AttemptDiff;
use afresh_core::ids::TaskId;
use afresh_dashboard::text::{TextLine, TextRole};

use super::{MAX_LINES, TaskDocument, lines_of};

pub fn change(diff: Option<&AttemptDiff>, task: &TaskId) -> TaskDocument {
    let Some(diff) = diff else {
        return TaskDocument::note("its worker is not done, and has saved nothing yet");
    };
    let summary = &diff.summary;
    let files = match summary.files.len() {
        1 => "1 file".to_owned(),
        more => format!("{more} files"),
    };
    let of = summary.attempts.join(" and ");
    let mut lines = vec![
        TextLine::new()
            .with(TextRole::Strong, &format!("{of}: {files} "))
            .with(TextRole::Good, &format!("+{} ", summary.added))
            .with(TextRole::Bad, &format!("-{}", summary.removed)),
    ];
    let patch: Vec<String> = lines_of(&diff.patch).collect();
    lines.extend(patch.iter().take(MAX_LINES).map(|line| patch_line(line)));
    if diff.is_cut || patch.len() > MAX_LINES {
        let text = format!("… the rest is left out; `afresh diff {task}` prints all of it");
        lines.push(TextLine::new().dim(&text));
    }
    TaskDocument { lines, wraps: false, follows: false }
}

fn patch_line(line: &str) -> TextLine {
    let heads = ["diff --git", "index ", "--- ", "+++ ", "new file", "deleted file", "rename "];
    let role = if line.starts_with("diff --git") {
        TextRole::Strong
    } else if heads.iter().any(|head| line.starts_with(head)) {
        TextRole::Dim
    } else {
        match line.chars().next() {
            Some('+') => TextRole::Good,
            Some('-') => TextRole::Bad,
            Some('@') => TextRole::Active,
            _ => TextRole::Plain,
        }
    };
    TextLine::new().with(role, line)
}
