//! Files to create, modify and delete: tables and lists under headings of these names.

use afresh_core::plan::FileAction;

use super::spec::{SpecflowSpec, plain};
use crate::prose::paths;
use crate::prose::paths::{is_outside, is_path, without_note};
use afresh_formats::text::markdown::{Heading, TableRow, TextLine, code_spans, items, tables};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpecFile<'a> {
    pub(super) path: TextLine<'a>,
    pub(super) action: Option<FileAction>,
}

/// Headings that list files, and the action for those files.
const LISTS: &[(&str, Option<FileAction>)] = &[
    ("files to create", Some(FileAction::Create)),
    ("new files", Some(FileAction::Create)),
    ("files created", Some(FileAction::Create)),
    ("added", Some(FileAction::Create)),
    ("files to modify", Some(FileAction::Modify)),
    ("modified files", Some(FileAction::Modify)),
    ("modified", Some(FileAction::Modify)),
    ("files to delete", Some(FileAction::Delete)),
    ("deleted files", Some(FileAction::Delete)),
    ("files deleted", Some(FileAction::Delete)),
    ("removed", Some(FileAction::Delete)),
    ("files", None),
    ("files modified", None),
    ("files to change", None),
    ("files changed", None),
    ("affected files", None),
];

/// The files that a spec lists, in order, without duplicates.
pub(super) fn read<'a>(spec: &SpecflowSpec<'a>) -> Vec<SpecFile<'a>> {
    let mut found = Vec::new();
    for heading in &spec.headings {
        let name = plain(heading.text);
        if let Some((_, action)) = LISTS.iter().find(|(list, _)| *list == name) {
            under(spec, heading, *action, &mut found);
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|file: &SpecFile<'_>| seen.insert(file.path.text));
    found
}

fn under<'a>(
    spec: &SpecflowSpec<'a>,
    heading: &Heading<'a>,
    action: Option<FileAction>,
    found: &mut Vec<SpecFile<'a>>,
) {
    for table in tables(spec.text, heading.own.clone()) {
        let Some(column) = table.column(&["file", "files", "path", "file path"]) else { continue };
        let acts = table.column(&["action", "change", "changes", "operation", "contents"]);
        for row in &table.rows {
            let action = stated(row, acts).or(action);
            found.extend(in_cell(row, column).map(|path| SpecFile { path, action }));
        }
    }
    for item in items(spec.text, heading.own.clone()) {
        // Text after a dash or a colon is an explanation.
        let end =
            [" — ", " – ", " - ", ": "].iter().filter_map(|mark| item.text.text.find(mark)).min();
        let text = item.text.part(&item.text.text[..end.unwrap_or(item.text.text.len())]);
        let mut named = paths(&text);
        if let Some(first) = quoted_first(&text).filter(|first| !named.contains(first)) {
            named.insert(0, first);
        }
        found.extend(named.into_iter().map(|path| SpecFile { path, action }));
    }
}

/// In a list of files, an item that starts with backticks is a file, whatever it looks like: a path
/// outside of the repository must be reported, not ignored.
fn quoted_first<'a>(text: &TextLine<'a>) -> Option<TextLine<'a>> {
    let first = code_spans(text).into_iter().next().filter(|_| text.text.starts_with('`'))?;
    let path = without_note(&first);
    let word = !path.text.is_empty() && !path.text.contains([' ', '\t', '(']);
    // `/api/status` is a route; only what is clearly a file outside is reported as one.
    let route = path.text.starts_with('/') && !is_outside(path.text);
    (word && !route).then_some(path)
}

/// The files in a cell of a file column: everything in backticks is a file.
fn in_cell<'a>(row: &TableRow<'a>, column: usize) -> impl Iterator<Item = TextLine<'a>> + use<'a> {
    let cell = row.cell(Some(column));
    let spans = code_spans(&cell);
    let named: Vec<TextLine<'a>> = if spans.is_empty() {
        cell.text.split(',').map(|part| without_note(&cell.part(part.trim()))).collect()
    } else {
        spans.iter().map(without_note).collect()
    };
    let only = named.len() == 1;
    named.into_iter().filter(move |path| {
        let route = path.text.starts_with('/') && !is_outside(path.text);
        let word = only && !path.text.is_empty() && !path.text.contains(' ');
        is_path(path.text) || (word && !route)
    })
}

/// The action that a cell starts with: `Create: the types`.
fn stated(row: &TableRow<'_>, column: Option<usize>) -> Option<FileAction> {
    let cell = row.cell(column);
    let word = cell.text.trim_start_matches(['*', '`']);
    let word = word.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    match word.to_ascii_lowercase().as_str() {
        "create" | "new" => Some(FileAction::Create),
        "modify" | "update" | "edit" | "extend" => Some(FileAction::Modify),
        "delete" | "remove" => Some(FileAction::Delete),
        _ => None,
    }
}
