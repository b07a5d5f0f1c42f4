//! Files that workers are asked to read: `@src/app.ts` in `<context>`, and `<read_first>`.

use std::ops::Range;

use crate::plan_md::parse::document::PlanDocument;
use crate::plan_md::parse::tags::tags;
use afresh_formats::text::markdown::lines::{TextLine, lines_from};

/// The files with their positions, except those outside of the repository and summaries, which are
/// written when a plan is done.
pub(super) fn context_files(document: &PlanDocument) -> Vec<(String, Range<usize>)> {
    let text = &document.text;
    let context = tags(text, 0..text.len(), &["context", "tasks"]).known;
    let context = context.iter().filter(|tag| tag.opening.name == "context");
    let lines = context.flat_map(|tag| lines_from(&text[tag.inner.clone()], tag.inner.start));
    let mentioned = lines.filter_map(|line| mention(&line));
    let first = document.items.iter().filter(|item| !item.is_done).flat_map(|item| &item.reads);
    mentioned.chain(first.cloned()).filter(|(path, _)| is_expected(path)).collect()
}

/// `@path` at the start of a line or list item.
fn mention(line: &TextLine) -> Option<(String, Range<usize>)> {
    let bare = line.without_bullet();
    let path = bare.text.strip_prefix('@')?;
    let path = path.split(|c: char| c.is_whitespace() || c == ',' || c == '#').next()?;
    let path = bare.part(path.trim_end_matches([':', ')', ';']));
    Some((path.text.to_owned(), path.range()))
}

fn is_expected(path: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "._-/@+[]()".contains(c);
    let inside = !path.starts_with(['/', '~', '$', '.']) || path.starts_with(".planning/");
    let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    inside && is_file && path.chars().all(plain) && !path.ends_with("SUMMARY.md")
}
