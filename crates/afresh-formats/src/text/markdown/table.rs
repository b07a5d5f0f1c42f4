//! Tables: columns by the names in their header, cells with their positions.

use std::ops::Range;

use super::fence::{FenceTracker, LineKind};
use super::lines::{TextLine, lines_from};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkdownTable<'a> {
    pub header: Vec<TextLine<'a>>,
    pub rows: Vec<TableRow<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow<'a> {
    pub at: Range<usize>,
    cells: Vec<TextLine<'a>>,
}

impl MarkdownTable<'_> {
    /// The column with one of these lowercase names.
    pub fn column(&self, names: &[&str]) -> Option<usize> {
        self.header.iter().position(|cell| names.contains(&plain(cell.text).as_str()))
    }
}

impl<'a> TableRow<'a> {
    /// The cell of a column; empty if the table or this row does not have it.
    pub fn cell(&self, column: Option<usize>) -> TextLine<'a> {
        let found = column.and_then(|column| self.cells.get(column)).copied();
        found.unwrap_or(TextLine { text: "", start: self.at.end })
    }
}

/// The tables in a part of a document, except those in code blocks: a header, a line of dashes, rows.
pub fn tables(text: &str, within: Range<usize>) -> Vec<MarkdownTable<'_>> {
    let mut fences = FenceTracker::within(text, within.clone());
    let mut found: Vec<MarkdownTable<'_>> = Vec::new();
    let mut above: Option<TextLine<'_>> = None;
    let mut open = false;
    for line in lines_from(&text[within.clone()], within.start) {
        let barred = fences.kind(&line) == LineKind::Text && line.text.contains('|');
        if !barred {
            (above, open) = (None, false);
        } else if open && let Some(table) = found.last_mut() {
            table.rows.push(TableRow { at: line.trimmed().range(), cells: cells(&line) });
        } else if let Some(header) = above.filter(|_| is_rule(&line)) {
            found.push(MarkdownTable { header: cells(&header), rows: Vec::new() });
            open = true;
        } else {
            above = Some(line);
        }
    }
    found
}

/// `|---|:--:|`
fn is_rule(line: &TextLine) -> bool {
    let dashes = |cell: &TextLine| {
        let bare = cell.text.trim_start_matches(':').trim_end_matches(':');
        !bare.is_empty() && bare.bytes().all(|byte| byte == b'-')
    };
    cells(line).iter().all(dashes)
}

/// The cells of a row; `\|` does not end one.
fn cells<'a>(line: &TextLine<'a>) -> Vec<TextLine<'a>> {
    let row = line.trimmed();
    let inner = row.text.strip_prefix('|').unwrap_or(row.text);
    let mut found = Vec::new();
    let mut start = 0;
    for (at, _) in inner.match_indices('|') {
        if !inner[..at].ends_with('\\') {
            found.push(row.part(inner[start..at].trim()));
            start = at + 1;
        }
    }
    let last = inner[start..].trim();
    if !last.is_empty() {
        found.push(row.part(last));
    }
    found
}

/// A header's name without emphasis, in lowercase, with single spaces.
fn plain(name: &str) -> String {
    let words: Vec<String> = name
        .split_whitespace()
        .map(|word| word.trim_matches(['*', '_', '`', '?', ':']).to_lowercase())
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_and_cells_have_positions() {
        let text = "x\n| **Group** | Est.  Context | Parallel? |\n|:--|---|--:|\n| G1 | a \\| b |\n| G2 | | yes |\n\n| no | table |\n";
        let found = tables(text, 0..text.len());
        assert_eq!(found.len(), 1);
        let table = &found[0];
        assert_eq!(table.column(&["est. context"]), Some(1));
        assert_eq!(table.column(&["wave", "parallel"]), Some(2));
        assert_eq!(table.column(&["wave"]), None);
        let shown: Vec<Vec<&str>> = table
            .rows
            .iter()
            .map(|row| (0..3).map(|column| row.cell(Some(column)).text).collect())
            .collect();
        assert_eq!(shown, [["G1", "a \\| b", ""], ["G2", "", "yes"]]);
        for row in &table.rows {
            for cell in &row.cells {
                assert_eq!(&text[cell.range()], cell.text);
            }
        }
    }

    #[test]
    fn tables_in_code_or_outside_the_range_are_ignored() {
        let text = "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n| c |\n|---|\n| 3 |\n";
        assert_eq!(tables(text, 0..text.len()).len(), 1);
        assert_eq!(tables(text, 0..text.find("| c").unwrap()).len(), 0);
    }
}
