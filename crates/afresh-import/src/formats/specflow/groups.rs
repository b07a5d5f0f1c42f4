//! The table of task groups: columns by name, only under its own heading.
//!
//! Audits contain tables with the same columns; those are in the history, which is not read.

use crate::draft::DraftPlan;
use crate::prose::{mentions, nearest_keyword, outside_brackets, warn_about_misspelt};
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::{Heading, MarkdownTable, TableRow, TextLine, tables};

use super::needs::warn;
use super::spec::SpecflowSpec;

/// A row of the table.
#[derive(Debug)]
pub(super) struct SpecGroup<'a> {
    /// `G2`, or `G2-S1` if the row is a segment of a group.
    pub(super) id: String,
    /// The group without its segment.
    pub(super) base: String,
    /// The 2 of `G2`.
    pub(super) number: Option<u64>,
    pub(super) cell: TextLine<'a>,
    pub(super) row: std::ops::Range<usize>,
    pub(super) tasks: TextLine<'a>,
    pub(super) needs: TextLine<'a>,
    pub(super) wave: Option<(u64, TextLine<'a>)>,
    /// The estimated share of a worker's context, in percent.
    pub(super) estimate: Option<(u64, TextLine<'a>)>,
    /// Other cells that are not empty, by the name of their column.
    pub(super) notes: Vec<(&'a str, &'a str)>,
}

/// The columns that are used; others are notes.
struct GroupColumns {
    group: usize,
    segment: Option<usize>,
    wave: Option<usize>,
    tasks: Option<usize>,
    needs: Option<usize>,
    estimate: Option<usize>,
}

/// The largest share of a context for one group, in percent, by `SpecFlow`'s own auditor.
const MAX_GROUP: u64 = 30;

/// The groups of a spec, if it has a table of them.
pub(super) fn read<'a>(
    drafted: &mut DraftPlan,
    spec: &SpecflowSpec<'a>,
) -> Option<Vec<SpecGroup<'a>>> {
    let owner = spec.heading(&["task groups"]);
    let heading = owner.or_else(|| spec.heading(&["implementation tasks"]))?;
    let mut found = tables(spec.text, heading.own.clone());
    if !found.iter().any(|table| group_column(table).is_some()) {
        // The table may be below a heading of its own.
        found = tables(spec.text, heading.body.clone());
    }
    let Some(table) = found.iter().find(|table| group_column(table).is_some()) else {
        if owner.is_some() {
            no_table(drafted, spec, heading, &found);
            return Some(Vec::new());
        }
        return None;
    };
    let columns = GroupColumns {
        group: group_column(table)?,
        segment: table.column(&["segment"]),
        wave: table.column(&["wave"]),
        tasks: table.column(&["tasks", "task", "description", "work"]),
        needs: table.column(NEEDS),
        estimate: table.column(&["est. context", "est context", "estimated context"]),
    };
    for cell in &table.header {
        if let Some(meant) = nearest_keyword(cell.text, COLUMNS) {
            warn_about_misspelt(drafted, spec.file, cell, meant);
        }
    }
    Some(table.rows.iter().filter_map(|row| group(table, &columns, row)).collect())
}

/// Known columns, used or not.
const COLUMNS: &[&str] = &[
    "group",
    "groups",
    "task group",
    "wave",
    "waves",
    "segment",
    "segments",
    "tasks",
    "task",
    "dependencies",
    "depends on",
    "dependency",
    "depends",
    "deps",
    "est. context",
    "est context",
    "estimated context",
    "cumulative",
    "enables truths",
    "status",
    "description",
    "work",
    "notes",
];

const NEEDS: &[&str] = &["dependencies", "depends on", "depends", "deps", "dependency"];

/// Reports a table that looks like task groups, if the spec has no table that is read.
pub(super) fn elsewhere(drafted: &mut DraftPlan, spec: &SpecflowSpec<'_>) {
    for heading in &spec.headings {
        let found = tables(spec.text, heading.own.clone());
        let like_groups = |table: &&MarkdownTable<'_>| {
            table.column(&["group", "task group"]).is_some() && table.column(NEEDS).is_some()
        };
        if let Some(cell) = found.iter().find(like_groups).and_then(|table| table.header.first()) {
            let message =
                format!("this looks like a table of task groups, but is under {:?}", heading.text);
            let found = warn(drafted, spec, cell.range(), "table-elsewhere", message);
            found.hint = Some(
                "move it below `### Task Groups`; without it, one worker does the whole spec"
                    .to_owned(),
            );
            return;
        }
    }
}

/// Reports groups whose estimated context is too large.
pub(super) fn too_large(
    drafted: &mut DraftPlan,
    spec: &SpecflowSpec<'_>,
    groups: &[SpecGroup<'_>],
) {
    for group in groups {
        let Some((percent, cell)) = group.estimate.filter(|(percent, _)| *percent > MAX_GROUP)
        else {
            continue;
        };
        let message = format!(
            "{} is estimated to need {percent} % of a worker's context; the limit is {MAX_GROUP} %",
            group.id
        );
        let found = warn(drafted, spec, cell.range(), "large-group", message);
        found.hint = Some("split the group".to_owned());
    }
}

/// `~25%`, `20-25 %`: the larger number.
fn percent(cell: TextLine<'_>) -> Option<(u64, TextLine<'_>)> {
    let digits = |c: char| !c.is_ascii_digit();
    let numbers = cell.text.split(digits).filter_map(|number| number.parse().ok());
    numbers.max().filter(|_| cell.text.contains('%')).map(|percent| (percent, cell))
}

fn group_column(table: &MarkdownTable<'_>) -> Option<usize> {
    table.column(&["group", "groups", "task group", "id"])
}

fn no_table(
    drafted: &mut DraftPlan,
    spec: &SpecflowSpec<'_>,
    heading: &Heading<'_>,
    found: &[MarkdownTable<'_>],
) {
    let message = if found.is_empty() {
        "no table of task groups below this heading"
    } else {
        "the table below this heading has no column `Group`"
    };
    let span = SourceSpan::new(spec.file, heading.at.clone());
    drafted.find(&span, "no-task-groups", message).hint =
        Some("expected a table with the columns Group, Wave, Tasks, Dependencies".to_owned());
}

fn group<'a>(
    table: &MarkdownTable<'a>,
    columns: &GroupColumns,
    row: &TableRow<'a>,
) -> Option<SpecGroup<'a>> {
    let cell = bare(row.cell(Some(columns.group)));
    let tasks = row.cell(columns.tasks);
    let sum = cell.text.eq_ignore_ascii_case("total");
    if sum || (cell.text.is_empty() && tasks.text.is_empty()) {
        return None;
    }
    let named = mentions(&cell, |letters| letters == "G").into_iter().next();
    let base = match &named {
        Some(named) => named.without_segment().to_owned(),
        // `G2 (059b)`: text in brackets is an explanation.
        None => outside_brackets(&cell).iter().map(|part| part.text.trim()).collect(),
    };
    let segment = bare(row.cell(columns.segment));
    let segment = segment.text.trim_start_matches(['S', 's', '-', '—']);
    let id = match &named {
        _ if !segment.is_empty() => format!("{base}-S{segment}"),
        Some(named) => named.id.text.to_owned(),
        None => base.clone(),
    };
    let used = [Some(columns.group), columns.segment, columns.wave, columns.tasks, columns.needs];
    let notes = (0..table.header.len())
        .filter(|column| !used.contains(&Some(*column)))
        .map(|column| (table.header[column].text, row.cell(Some(column)).text))
        .filter(|(_, text)| !text.is_empty());
    let wave = row.cell(columns.wave);
    Some(SpecGroup {
        number: named.as_ref().map(|named| named.number),
        id,
        base,
        cell,
        row: row.at.clone(),
        tasks,
        needs: row.cell(columns.needs),
        wave: bare(wave).text.parse().ok().map(|number| (number, wave)),
        estimate: percent(bare(row.cell(columns.estimate))),
        notes: notes.collect(),
    })
}

/// A cell without emphasis.
fn bare(cell: TextLine<'_>) -> TextLine<'_> {
    cell.part(cell.text.trim_matches(['*', '`', ' ']))
}
