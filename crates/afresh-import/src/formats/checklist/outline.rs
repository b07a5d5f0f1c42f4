//! Which parts of a checklist are tasks: boxes, and headings or list items with boxes below them.
//!
//! `### Task 1: …` and `### T001 …` are tasks, with or without boxes. `### 1.2 …` is one if the boxes
//! below it have no ids of their own; so are `### 3. …` in a phase, and list items `- **…**` and `3. …`
//! above boxes. The boxes below such a title are its steps. All others are tasks themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::label::{self, LabelKind};
use crate::box_lists::boxes::{BoxList, ListBox, is_about_criteria, speaks_of};
use crate::prose::text_id;
use afresh_formats::text::markdown::{Heading, ListItem, TextLine, items};

/// Words of headings whose sections divide a plan.
const PHASES: &[&str] = &[
    "phase",
    "stage",
    "milestone",
    "sprint",
    "week",
    "day",
    "iteration",
    "tasks",
    "task list",
    "implementation",
];

/// A task with a title of its own, and boxes or other steps below it.
#[derive(Debug)]
pub(super) struct TitledTask<'a> {
    pub(super) id: String,
    /// The whole title, with its label.
    pub(super) line: TextLine<'a>,
    pub(super) words: TextLine<'a>,
    /// What belongs to it, from the line after its title on.
    pub(super) section: Range<usize>,
    /// The indexes of its boxes.
    pub(super) boxes: Range<usize>,
    /// The headings around it, the innermost first, as indexes.
    pub(super) around: Vec<usize>,
    /// Boxes elsewhere that are about it.
    pub(super) marks: Vec<usize>,
}

/// All titled tasks of a document.
#[derive(Debug, Default)]
pub(super) struct ChecklistOutline<'a> {
    pub(super) titled: Vec<TitledTask<'a>>,
    /// The boxes that are not tasks themselves: they are steps or marks of titled tasks.
    pub(super) covered: BTreeSet<usize>,
    /// The list items above boxes that are tasks, the outermost first.
    pub(super) parents: BTreeMap<usize, Vec<&'a str>>,
    /// The sections that describe boxes which are tasks.
    pub(super) details: BTreeMap<usize, Heading<'a>>,
    /// The end of what the document says before its first task.
    pub(super) intro_end: usize,
}

impl<'a> ChecklistOutline<'a> {
    pub(super) fn read(text: &'a str, list: &BoxList<'a>) -> Self {
        let mut outline = Self::default();
        let sections = SectionTree::read(&list.headings);
        outline.add_headings(list, &sections);
        outline.add_items(text, list, &sections);
        outline.titled.sort_by_key(|task| task.line.start);
        for task in &outline.titled {
            outline.covered.extend(task.boxes.clone());
        }
        outline.find_marks(list);
        outline.find_details(list);
        outline.intro_end = outline.intro_end(text, list);
        outline
    }

    fn add_headings(&mut self, list: &BoxList<'a>, sections: &SectionTree) {
        let tops = list.headings.iter().filter(|heading| heading.level == 1).count();
        let found: Vec<HeadingLabel<'_>> = list
            .headings
            .iter()
            .enumerate()
            // The only heading of the first level is the title of the document.
            .filter(|(_, heading)| heading.level > 1 || tops > 1)
            .filter_map(|(at, heading)| HeadingLabel::read(list, sections, at, heading))
            .collect();
        let mut next_task = usize::MAX;
        let mut next_any = usize::MAX;
        let mut groups = vec![false; found.len()];
        for (at, one) in found.iter().enumerate().rev() {
            // A heading above other tasks is a group.
            let next = if one.kind == LabelKind::Task { next_task } else { next_any };
            groups[at] = next < one.heading.body.end;
            next_any = one.heading.at.start;
            if one.kind == LabelKind::Task {
                next_task = next_any;
            }
        }
        let mut end = 0;
        for (one, _) in found.iter().zip(&groups).filter(|(_, is_group)| !**is_group) {
            if one.heading.at.start < end {
                continue;
            }
            end = one.heading.body.end;
            let line = TextLine { text: one.heading.text, start: one.heading.at.start };
            self.titled.push(TitledTask {
                id: one.id.clone(),
                line,
                words: line.part(label::without_done_marks(one.words)),
                section: one.heading.body.clone(),
                boxes: boxes_in(list, &one.heading.body),
                around: sections.above(one.at),
                marks: Vec::new(),
            });
        }
    }

    /// List items without a box above boxes.
    fn add_items(&mut self, text: &'a str, list: &BoxList<'a>, sections: &SectionTree) {
        if list.boxes.iter().all(|one| one.indent == 0) {
            return;
        }
        let ends: Vec<(usize, usize)> =
            self.titled.iter().map(|task| (task.section.start, task.section.end)).collect();
        let mut found: Vec<TitledTask<'a>> = Vec::new();
        let (mut boxed, mut box_end) = (0, 0);
        for item in items(text, 0..text.len()).iter().filter(|item| item.ticked.is_none()) {
            let at = item.text.start;
            while let Some(before) = list.boxes.get(boxed).filter(|one| one.text.start < at) {
                box_end = box_end.max(before.below.end);
                boxed += 1;
            }
            let titled = ends[..ends.partition_point(|(start, _)| *start <= at)].last();
            let boxes = boxes_in(list, &item.below);
            if boxes.is_empty() || at < box_end || titled.is_some_and(|(_, end)| at < *end) {
                continue;
            }
            let around = list.boxes[boxes.start].heading.map(|at| sections.around(at));
            let around = around.unwrap_or_default();
            let is_criteria = is_about_criteria(item.text.text) || is_below_criteria(list, &around);
            if let Some((id, words)) = item_label(text, item).filter(|_| !is_criteria) {
                let (line, section) = (item.text, item.below.clone());
                let words = line.part(label::without_done_marks(words));
                let marks = Vec::new();
                found.push(TitledTask { id, line, words, section, boxes, around, marks });
            }
            for one in boxes_in(list, &item.below) {
                self.parents.entry(one).or_default().push(item.text.text);
            }
        }
        // An item above other tasks is a group.
        let starts: Vec<usize> = found.iter().skip(1).map(|task| task.line.start).collect();
        let mut next = starts.into_iter();
        found.retain(|task| next.next().is_none_or(|next| next >= task.section.end));
        self.titled.extend(found);
    }

    /// Boxes that name a titled task, as in a list of contents: they say whether it is done.
    fn find_marks(&mut self, list: &BoxList<'a>) {
        let by_id: BTreeMap<String, usize> = self
            .titled
            .iter()
            .enumerate()
            .map(|(at, task)| (task.id.to_ascii_lowercase(), at))
            .collect();
        for (at, one) in list.boxes.iter().enumerate() {
            if self.covered.contains(&at) {
                continue;
            }
            let named = label::find(one.text.text).filter(|label| label.kind == LabelKind::Task);
            let meant = named.and_then(|label| by_id.get(&label.id.to_ascii_lowercase()).copied());
            if let Some(task) = meant {
                self.titled[task].marks.push(at);
                self.covered.insert(at);
            }
        }
    }
}

impl<'a> ChecklistOutline<'a> {
    /// Sections `### 3. Title` that say more about a box `- [ ] 3. Title`.
    fn find_details(&mut self, list: &BoxList<'a>) {
        let mut by_id: BTreeMap<String, &Heading<'a>> = BTreeMap::new();
        for heading in list.headings.iter().filter(|heading| heading.level > 1) {
            if let Some(label) = label::find(heading.text) {
                by_id.entry(label.id).or_insert(heading);
            }
        }
        for (at, one) in list.boxes.iter().enumerate() {
            let Some(label) = label::find(one.text.text) else { continue };
            let Some(heading) = by_id.get(&label.id) else { continue };
            let described = label::find(heading.text).map(|label| plain_words(label.words));
            let (own, theirs) = (plain_words(label.words), described.unwrap_or_default());
            let is_same =
                theirs.len() > 3 && (own.starts_with(&theirs) || theirs.starts_with(&own));
            if is_same && !self.covered.contains(&at) && !heading.body.contains(&one.text.start) {
                self.details.insert(at, (*heading).clone());
            }
        }
    }

    fn intro_end(&self, text: &str, list: &BoxList<'a>) -> usize {
        let first_box = list.boxes.iter().enumerate().find(|(at, _)| !self.covered.contains(at));
        let of_box = first_box.map(|(_, one)| one.line_start(text));
        let of_title = self.titled.first().map(|task| line_start(text, task.line.start));
        let mut end = of_box.into_iter().chain(of_title).min().unwrap_or(text.len());
        // The headings right above the first task are its sections.
        let above = list.headings.partition_point(|heading| heading.at.start < end);
        for heading in list.headings[..above].iter().rev() {
            if !text[heading.at.end.min(end)..end].trim().is_empty() {
                break;
            }
            end = line_start(text, heading.at.start);
        }
        end
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

/// The letters and digits of a text, in lowercase.
pub(super) fn plain_words(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A heading that may be a task.
struct HeadingLabel<'a> {
    at: usize,
    heading: Heading<'a>,
    kind: LabelKind,
    id: String,
    words: &'a str,
}

impl<'a> HeadingLabel<'a> {
    fn read(
        list: &BoxList<'a>,
        sections: &SectionTree,
        at: usize,
        heading: &Heading<'a>,
    ) -> Option<Self> {
        let label = label::find(heading.text)?;
        let around = sections.above(at);
        // What is called a task is one, also below "Verification".
        if label.kind != LabelKind::Task && is_below_criteria(list, &around) {
            return None;
        }
        let boxes = &list.boxes[boxes_in(list, &heading.body)];
        let in_phase = || around.iter().any(|at| is_phase(list.headings[*at].text));
        let is_task = match label.kind {
            LabelKind::Task => !speaks_of(&label.words.to_lowercase(), &["summary", "overview"]),
            LabelKind::Part => has_plain_boxes(boxes),
            LabelKind::Number => has_plain_boxes(boxes) && in_phase(),
            LabelKind::Step => false,
        };
        let is_part = label.kind != LabelKind::Task && is_about_criteria(heading.text);
        let (kind, id, words) = (label.kind, label.id, label.words);
        (is_task && !is_part).then(|| Self { at, heading: heading.clone(), kind, id, words })
    }
}

fn is_phase(heading: &str) -> bool {
    speaks_of(&heading.to_lowercase(), PHASES)
}

/// Whether there are boxes, and none of them has an id of its own.
fn has_plain_boxes(boxes: &[ListBox<'_>]) -> bool {
    let is_plain = |one: &ListBox<'_>| {
        label::find(one.text.text).is_none_or(|label| label.kind == LabelKind::Step)
    };
    !boxes.is_empty() && boxes.iter().all(is_plain)
}

fn is_below_criteria(list: &BoxList<'_>, around: &[usize]) -> bool {
    let sections = around.iter().map(|at| &list.headings[*at]);
    sections.into_iter().any(|heading| heading.level > 1 && is_about_criteria(heading.text))
}

/// Which heading each heading is below.
struct SectionTree {
    parents: Vec<Option<usize>>,
}

impl SectionTree {
    fn read(headings: &[Heading<'_>]) -> Self {
        let mut open: Vec<usize> = Vec::new();
        let mut parents = Vec::with_capacity(headings.len());
        for (at, heading) in headings.iter().enumerate() {
            while open.pop_if(|above| headings[*above].level >= heading.level).is_some() {}
            parents.push(open.last().copied());
            open.push(at);
        }
        Self { parents }
    }

    /// The headings above a heading, the innermost first.
    fn above(&self, at: usize) -> Vec<usize> {
        std::iter::successors(self.parents[at], |above| self.parents[*above]).collect()
    }

    /// A heading and those above it.
    fn around(&self, at: usize) -> Vec<usize> {
        std::iter::once(at).chain(self.above(at)).collect()
    }
}

/// The indexes of the boxes in a part of the document.
fn boxes_in(list: &BoxList<'_>, part: &Range<usize>) -> Range<usize> {
    let from = list.boxes.partition_point(|one| one.text.start < part.start);
    let to = list.boxes.partition_point(|one| one.text.start < part.end);
    from..to.max(from)
}

/// The id and the words of a list item that is a task: it has a label, is bold, or is numbered.
fn item_label<'a>(text: &str, item: &ListItem<'a>) -> Option<(String, &'a str)> {
    if let Some(label) = label::find(item.text.text).filter(|label| label.kind != LabelKind::Step) {
        return Some((label.id, label.words));
    }
    let start = line_start(text, item.text.start);
    let bullet = text[start..item.text.start].trim();
    let number = bullet.trim_end_matches(['.', ')']);
    if number.starts_with(|c: char| c.is_ascii_digit()) {
        return Some((number.to_owned(), item.text.text));
    }
    item.text.text.starts_with("**").then(|| (text_id(item.text.text), item.text.text))
}
