//! The numbered boxes of a tasks.md: which are parents, which are tasks, which are steps.
//!
//! The id names the parent: `1.2` is part of `1`, however it is indented. A box without an id is a
//! step of the box that it is below, or else a task.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::box_lists::boxes::{BoxList, ListBox};
use crate::prose::{leading_number, text_id};
use afresh_formats::text::markdown::Heading;

/// Sections that contain no tasks.
const ABOUT: &[&str] = &[
    "notes",
    "overview",
    "task dependency graph",
    "dependency graph",
    "success criteria",
    "summary",
];

/// A box that is a task.
#[derive(Debug)]
pub(super) struct KiroTask<'a> {
    pub(super) id: String,
    /// The words after the id.
    pub(super) words: String,
    pub(super) list_box: ListBox<'a>,
    pub(super) steps: Vec<ListBox<'a>>,
    pub(super) is_optional: bool,
    pub(super) is_checkpoint: bool,
    /// `(P)`: it may run beside its neighbours.
    pub(super) is_parallel: bool,
    /// The parents, the innermost first.
    pub(super) parents: Vec<usize>,
}

/// A box or heading with tasks below it.
#[derive(Debug)]
pub(super) struct KiroParent {
    pub(super) id: String,
    pub(super) words: String,
    pub(super) is_done: bool,
    pub(super) at: Range<usize>,
    /// The lines below it, before its first part.
    pub(super) notes: Range<usize>,
}

#[derive(Debug, Default)]
pub(super) struct KiroOutline<'a> {
    pub(super) tasks: Vec<KiroTask<'a>>,
    pub(super) parents: Vec<KiroParent>,
    /// Open boxes in sections that have no tasks.
    pub(super) no_tasks: Vec<Range<usize>>,
    /// The tasks by id.
    index: BTreeMap<String, Vec<usize>>,
}

impl<'a> KiroOutline<'a> {
    pub(super) fn read(list: &BoxList<'a>) -> Self {
        let ids: Vec<Option<String>> = list.boxes.iter().map(|one| own_id(one.text.text)).collect();
        let all: BTreeSet<&str> = ids.iter().flatten().map(String::as_str).collect();
        let is_parent = |id: &str| {
            let front = format!("{id}.");
            all.range(front.as_str()..).next().is_some_and(|next| next.starts_with(&front))
        };
        let mut outline = Self::default();
        let mut by_id: BTreeMap<String, usize> = BTreeMap::new();
        outline.add_headings(&list.headings, &mut by_id);
        // The last task and its indentation: boxes without an id below it are its steps.
        let mut open: Option<usize> = None;
        for (at, (one, id)) in list.boxes.iter().zip(&ids).enumerate() {
            if is_about(list, one) {
                outline.no_tasks.extend((!one.is_done).then(|| one.text.range()));
                continue;
            }
            let below = open.filter(|task| one.indent > outline.tasks[*task].list_box.indent);
            if id.is_none()
                && let Some(task) = below
            {
                outline.tasks[task].steps.push(one.clone());
                continue;
            }
            let (id, words) = match id {
                Some(id) => (id.clone(), words_after(one.text.text)),
                None => (text_id(one.text.text), one.text.text.to_owned()),
            };
            if is_parent(&id) {
                by_id.insert(id.clone(), outline.parents.len());
                let (is_done, place) = (one.is_done, one.text.range());
                let notes = own_notes(one, list.boxes.get(at + 1));
                outline.parents.push(KiroParent { id, words, is_done, at: place, notes });
                open = None;
                continue;
            }
            open = Some(outline.tasks.len());
            let parents = parents_of(&id, &by_id);
            outline.index.entry(id.clone()).or_default().push(outline.tasks.len());
            outline.tasks.push(kiro_task(one, id, &words, parents));
        }
        outline
    }

    /// `## Task 2: Title`, `### 1. Title`: parents without a box.
    fn add_headings(&mut self, headings: &[Heading<'a>], by_id: &mut BTreeMap<String, usize>) {
        for heading in headings {
            let bare = heading.text.trim_start_matches("Task ").trim_start_matches('*');
            let Some((id, words)) = leading_number(bare) else { continue };
            by_id.insert(id.to_owned(), self.parents.len());
            self.parents.push(KiroParent {
                id: id.to_owned(),
                words: words.to_owned(),
                is_done: false,
                at: heading.at.clone(),
                notes: 0..0,
            });
        }
    }

    /// The places of the open parents whose needed parts are all done.
    pub(super) fn finished_parents(&self) -> Vec<Range<usize>> {
        let is_finished = |at: usize| {
            let mut parts = self.tasks.iter().filter(|task| task.parents.contains(&at)).peekable();
            parts.peek().is_some() && parts.all(|task| task.list_box.is_done || task.is_optional)
        };
        let open = self.parents.iter().enumerate().filter(|(_, parent)| !parent.is_done);
        open.filter(|(at, _)| is_finished(*at)).map(|(_, parent)| parent.at.clone()).collect()
    }

    /// The tasks that a name in the graph means: a task, or all tasks of a parent.
    pub(super) fn find(&self, name: &str) -> Vec<usize> {
        let front = format!("{name}.");
        let own = self.index.get(name).into_iter().flatten();
        let parts = self.index.range(front.clone()..).take_while(|(id, _)| id.starts_with(&front));
        own.chain(parts.flat_map(|(_, tasks)| tasks)).copied().collect()
    }
}

/// The lines below a box that come before the next box.
fn own_notes(one: &ListBox<'_>, next: Option<&ListBox<'_>>) -> Range<usize> {
    let Range { start, end } = one.below.clone();
    let bullet = |next: &ListBox<'_>| next.text.start.saturating_sub(next.indent + "- [ ] ".len());
    start..next.map_or(end, |next| bullet(next).clamp(start, end))
}

fn kiro_task<'a>(one: &ListBox<'a>, id: String, words: &str, parents: Vec<usize>) -> KiroTask<'a> {
    let lower = words.to_lowercase();
    let starred = one.text.text.split_whitespace().next().is_some_and(|first| first.ends_with('*'));
    let is_optional = one.is_optional
        || (starred && !one.text.text.starts_with('*'))
        || lower.contains("(optional)")
        || lower.starts_with("[optional]");
    let title = lower.trim_start_matches(['*', ' ']);
    let is_checkpoint = title.starts_with("checkpoint") || title.starts_with("final checkpoint");
    let is_parallel = words.contains("(P)");
    let words = words.replace("(P)", "").trim().to_owned();
    let steps = Vec::new();
    let list_box = one.clone();
    KiroTask { id, words, list_box, steps, is_optional, is_checkpoint, is_parallel, parents }
}

/// The number that a box starts with: `1.`, `1.1`, `12.7*`, `**2.3**`, `Task 4:`.
fn own_id(text: &str) -> Option<String> {
    let bare = text.trim_start_matches(['*', '`']).trim_start_matches("Task ");
    leading_number(bare).map(|(id, _)| id.to_owned())
}

fn words_after(text: &str) -> String {
    let bare = text.trim_start_matches(['*', '`']).trim_start_matches("Task ");
    leading_number(bare).map_or(text, |(_, rest)| rest).trim_matches(['*', ' ']).to_owned()
}

fn parents_of(id: &str, by_id: &BTreeMap<String, usize>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut rest = id;
    while let Some((front, _)) = rest.rsplit_once('.') {
        found.extend(by_id.get(front).copied());
        rest = front;
    }
    found
}

/// Whether a box is in a section that has no tasks.
fn is_about(list: &BoxList<'_>, one: &ListBox<'_>) -> bool {
    list.headings_of(one).iter().any(|heading| {
        let name = heading.text.to_lowercase();
        heading.level > 1 && ABOUT.iter().any(|about| name.trim() == *about)
    })
}
