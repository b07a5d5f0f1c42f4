//! The task groups of a tasks.md: `#### Task Group 2: API Endpoints`.

use std::ops::Range;

use crate::prose::{mentions, nearest_keyword};
use afresh_formats::text::markdown::{Heading, ListItem, TextLine, headings, items, lines_from};

#[derive(Debug)]
pub(super) struct TaskGroup<'a> {
    /// The id with its spelling: `01` is not 1.
    pub(super) id: TextLine<'a>,
    pub(super) number: u64,
    pub(super) title: TextLine<'a>,
    pub(super) heading: Range<usize>,
    pub(super) body: Range<usize>,
    /// Misspelt labels, and those that were meant.
    pub(super) misspelt: Vec<(TextLine<'a>, &'static str)>,
    /// The text after `Dependencies:`.
    pub(super) needs: Option<TextLine<'a>>,
    pub(super) boxes: Vec<ListItem<'a>>,
    /// The indexes of the boxes that are steps.
    pub(super) steps: Vec<usize>,
    /// The position of its criteria.
    pub(super) criteria: Option<Range<usize>>,
}

impl TaskGroup<'_> {
    /// The number of checked boxes, and of all boxes.
    pub(super) fn ticked(&self) -> (usize, usize) {
        let ticked = self.boxes.iter().filter(|item| item.ticked == Some(true)).count();
        (ticked, self.boxes.len())
    }
}

/// Whether it is the heading of a task group.
pub(super) fn is_group(heading: &Heading<'_>) -> bool {
    number(heading).is_some()
}

/// `Task Group 2: Title`: the number and the title.
fn number<'a>(heading: &Heading<'a>) -> Option<(TextLine<'a>, u64, TextLine<'a>)> {
    let words = TextLine { text: heading.text, start: heading.at.start };
    let start = words.text.find(|c: char| c.is_alphanumeric())?;
    let phrase = words.text.get(start..start + 10)?;
    if !phrase.eq_ignore_ascii_case("task group") {
        return None;
    }
    let rest = words.part(&words.text[start + 10..]);
    let found = mentions(&rest, str::is_empty).into_iter().next()?;
    let near = rest.text[..found.id.start - rest.start].trim().is_empty();
    let title = &rest.text[found.id.end() - rest.start..];
    let title =
        title.trim_start_matches([':', '.', '-', '—', '–', ' ']).trim_end_matches(['✅', ' ']);
    near.then(|| (found.id, found.number, rest.part(title)))
}

pub(super) fn read(text: &str) -> Vec<TaskGroup<'_>> {
    headings(text).iter().filter_map(|heading| group(text, heading)).collect()
}

fn group<'a>(text: &'a str, heading: &Heading<'a>) -> Option<TaskGroup<'a>> {
    let (id, number, title) = number(heading)?;
    let all = items(text, heading.body.clone());
    let boxes: Vec<ListItem<'a>> = all.into_iter().filter(|item| item.ticked.is_some()).collect();
    let steps = steps(&boxes);
    let labels = GroupLabels::read(text, &heading.body);
    Some(TaskGroup {
        id,
        number,
        title,
        heading: heading.at.clone(),
        body: heading.body.clone(),
        needs: labels.needs,
        boxes,
        steps,
        criteria: labels.criteria,
        misspelt: labels.misspelt,
    })
}

/// The boxes that are steps: `2.1` and so on, but not `2.0`, which stands for the whole group.
fn steps(boxes: &[ListItem<'_>]) -> Vec<usize> {
    let part = |item: &ListItem<'_>| {
        let number = item.text.text.split_whitespace().next().unwrap_or_default();
        let (_, part) = number.trim_end_matches(['.', ':']).split_once('.')?;
        part.split('.').next()?.parse::<u64>().ok()
    };
    let numbered: Vec<usize> =
        (0..boxes.len()).filter(|at| part(&boxes[*at]).is_some_and(|part| part > 0)).collect();
    let among = if numbered.is_empty() { (0..boxes.len()).collect() } else { numbered };
    let top = among.iter().map(|at| boxes[*at].indent).min().unwrap_or_default();
    among.into_iter().filter(|at| boxes[*at].indent == top).collect()
}

const LABELS: &[&str] = &["dependencies", "depends on", "acceptance criteria"];

/// The labelled parts of a group.
#[derive(Default)]
struct GroupLabels<'a> {
    needs: Option<TextLine<'a>>,
    criteria: Option<Range<usize>>,
    misspelt: Vec<(TextLine<'a>, &'static str)>,
}

impl<'a> GroupLabels<'a> {
    fn read(text: &'a str, body: &Range<usize>) -> Self {
        let mut labels = Self::default();
        for line in lines_from(&text[body.clone()], body.start) {
            let words = line.part(line.text.trim_start_matches([' ', '-', '*', '_', '#']));
            if let Some(rest) =
                behind(&words, "dependencies").or_else(|| behind(&words, "depends on"))
            {
                labels.needs.get_or_insert(rest);
            } else if behind(&words, "acceptance criteria").is_some() {
                labels.criteria.get_or_insert(line.trimmed().range());
            } else if line.text.trim_start().starts_with("**")
                && let Some((word, _)) = words.text.split_once(':')
                && let word = words.part(word.trim_end_matches(['*', '_']))
                && let Some(meant) = nearest_keyword(word.text, LABELS)
            {
                labels.misspelt.push((word, meant));
            }
        }
        labels
    }
}

/// The text after a label and its colon, with or without emphasis.
fn behind<'a>(line: &TextLine<'a>, label: &str) -> Option<TextLine<'a>> {
    let front = line.text.get(..label.len())?;
    let rest = line.text[label.len()..].trim_start_matches(['*', '_']);
    let rest = rest.strip_prefix(':')?;
    front.eq_ignore_ascii_case(label).then(|| line.part(rest.trim_start_matches(['*', '_']).trim()))
}
