//! The lines of roadmaps and slices: ``- [ ] **S01: Title** `risk:high` `depends:[S02]` ``; or the rows
//! of a table `| ID | Slice | Risk | Depends | Done |`.

use std::collections::BTreeSet;
use std::ops::Range;

use super::milestone::is_id;
use crate::prose::nearest_keyword;
use afresh_formats::text::markdown::{ListItem, TextLine, code_spans, items, tables};

#[derive(Debug)]
pub(super) struct BoxLine<'a> {
    pub(super) id: TextLine<'a>,
    pub(super) title: TextLine<'a>,
    pub(super) ticked: bool,
    /// The names in `depends:[…]`, if the line has it.
    pub(super) needs: Option<Vec<TextLine<'a>>>,
    /// A misspelt mark, and the one that was meant.
    pub(super) misspelt: Option<(TextLine<'a>, &'static str)>,
    /// The lines below it.
    pub(super) below: Range<usize>,
}

/// Marks in backticks after a title.
const MARKS: &[&str] = &["depends", "risk", "est", "demo", "after"];

/// The lines whose id starts with this letter, and the rows of tables.
pub(super) fn read(text: &str, letter: char) -> Vec<BoxLine<'_>> {
    let all = items(text, 0..text.len());
    let mut lines: Vec<BoxLine<'_>> = all.iter().filter_map(|item| parse(item, letter)).collect();
    // A table beside a list repeats it; what only the table has is not lost.
    let known: BTreeSet<&str> = lines.iter().map(|line| line.id.text).collect();
    let rows: Vec<BoxLine<'_>> =
        rows(text, letter).into_iter().filter(|row| !known.contains(row.id.text)).collect();
    let is_list = !lines.is_empty();
    lines.extend(rows.into_iter().filter(|row| !is_list || row.needs.is_some()));
    lines
}

/// Marks of a cell that say that something is done.
const DONE: &[&str] =
    &["✅", "✓", "✔", "☑", "[x]", "[X]", "x", "yes", "done", "complete", "completed"];

/// The rows of tables with an id of this letter.
fn rows(text: &str, letter: char) -> Vec<BoxLine<'_>> {
    let mut found = Vec::new();
    for table in tables(text, 0..text.len()) {
        let Some(id) = table.column(&["id", "slice id", "#", "task id", "slice", "task"]) else {
            continue;
        };
        let title = table.column(&["slice", "task", "title", "name", "description", "goal"]);
        let title = title.filter(|title| *title != id);
        let needs = table.column(&["depends", "depends on", "dependencies", "deps", "needs"]);
        let done = table.column(&["done", "status", "state", "complete"]);
        for row in &table.rows {
            let cell = row.cell(Some(id));
            let bare = cell.part(cell.text.trim_matches(['*', '`', ' ']));
            let (own, rest) = bare.text.split_once([':', ' ']).unwrap_or((bare.text, ""));
            if !is_id(own, letter) {
                continue;
            }
            let mark = row.cell(done).text.trim_matches(['*', '`', ' ']).to_lowercase();
            let named = title.map(|title| row.cell(Some(title)));
            found.push(BoxLine {
                id: bare.part(own),
                title: named.unwrap_or_else(|| bare.part(rest.trim())),
                ticked: DONE.iter().any(|word| mark == *word) || mark.starts_with('✅'),
                needs: needs.map(|needs| ids_in(&row.cell(Some(needs)))),
                misspelt: None,
                below: row.at.end..row.at.end,
            });
        }
    }
    found
}

/// The words of a cell that are not marks for nothing.
fn ids_in<'a>(cell: &TextLine<'a>) -> Vec<TextLine<'a>> {
    let words = cell.text.split(|c: char| c.is_whitespace() || ",;+&[]`*".contains(c));
    let nothing = ["", "-", "—", "–", "none", "None", "n/a", "and", "nothing", "Nothing"];
    words.filter(|word| !nothing.contains(word)).map(|word| cell.part(word)).collect()
}

fn parse<'a>(item: &ListItem<'a>, letter: char) -> Option<BoxLine<'a>> {
    let ticked = item.ticked?;
    let line = item.text;
    let (inside, rest) = match line.text.strip_prefix("**") {
        Some(bold) => bold.split_once("**").unwrap_or((bold, "")),
        // Without emphasis, the marks in backticks end the title.
        None => line.text.split_at(line.text.find('`').unwrap_or(line.text.len())),
    };
    let (id, title) = inside.split_once([':', ' ']).unwrap_or((inside, ""));
    let (id, title) = (id.trim(), title.trim_start_matches([':', '-', '—', '–', ' ']));
    let id = line.part(id);
    let spans = code_spans(&line.part(rest));
    let listed = spans.iter().find_map(|span| Some((span, span.text.strip_prefix("depends:")?)));
    let needs = listed.map(|(span, names)| {
        let names = names.trim_matches(['[', ']', ' ']).split(',').map(str::trim);
        names.filter(|name| !name.is_empty()).map(|name| span.part(name)).collect()
    });
    let misspelt = spans.iter().find_map(|span| {
        let word = span.part(span.text.split_once(':')?.0);
        Some((word, nearest_keyword(word.text, MARKS)?))
    });
    is_id(id.text, letter).then(|| BoxLine {
        id,
        title: line.part(title.trim()),
        ticked,
        needs,
        misspelt,
        below: item.below.clone(),
    })
}

/// The text after a label and its colon, in the items below a line: `- Verify: …`.
pub(super) fn labelled<'a>(
    text: &'a str,
    below: &Range<usize>,
    label: &str,
) -> Option<TextLine<'a>> {
    items(text, below.clone()).iter().find_map(|item| {
        let bare = item.text.text.trim_start_matches('*');
        let (name, _) = bare.split_once(':')?;
        let name = name.trim_end_matches('*');
        let start = item.text.text.find(':')? + 1;
        let value = item.text.text[start..].trim_start_matches(['*', ' ']);
        name.eq_ignore_ascii_case(label).then(|| item.text.part(value))
    })
}
