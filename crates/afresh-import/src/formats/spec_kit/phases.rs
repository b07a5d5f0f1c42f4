//! The phases of a tasks.md and their task lines.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::prose::{leading_number, text_id};
use afresh_formats::text::markdown::{Heading, ListItem, TextLine, headings, items};

/// Sections about tasks that contain none.
const ABOUT: &[&str] = &[
    "dependencies",
    "parallel",
    "implementation strategy",
    "notes",
    "format",
    "path conventions",
    "validation",
    "summary",
    "task summary",
    "execution",
    "table of contents",
    "mvp",
];

#[derive(Debug)]
pub(super) struct SpecKitPhase<'a> {
    pub(super) heading: Heading<'a>,
    /// The number of its user story.
    pub(super) story: Option<u64>,
    pub(super) tasks: Vec<TaskLine<'a>>,
}

#[derive(Debug)]
pub(super) struct TaskLine<'a> {
    /// Its unique name: its id, or one made from its text.
    pub(super) name: String,
    /// The id as it is written, or the first words.
    pub(super) id: TextLine<'a>,
    pub(super) number: Option<u64>,
    /// Whether it may run in parallel with its neighbours.
    pub(super) parallel: bool,
    pub(super) story: Option<u64>,
    /// Its first line, without id and marks.
    pub(super) words: TextLine<'a>,
    /// Its first line and the indented lines below.
    pub(super) text: TextLine<'a>,
    pub(super) ticked: bool,
    /// Whether a heading separates it from the task before it.
    pub(super) after_heading: bool,
    /// Its own check boxes, if it is a heading.
    pub(super) steps: Vec<ListItem<'a>>,
}

/// A document: its phases, the sections on dependencies, and boxes without a task id.
#[derive(Debug, Default)]
pub(super) struct SpecKitDocument<'a> {
    pub(super) phases: Vec<SpecKitPhase<'a>>,
    pub(super) dependencies: Vec<Range<usize>>,
    pub(super) nameless: Vec<Range<usize>>,
    /// Boxes in sections about the tasks, which are criteria.
    pub(super) no_tasks: Vec<Range<usize>>,
    /// Repeated ids: the new name, its place, and the place of the first.
    pub(super) repeated: Vec<(String, Range<usize>, Range<usize>)>,
}

/// How a document writes its tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TaskStyle {
    /// `- [ ] T001 …`
    Ids,
    /// `#### T001: …`, with boxes below.
    Headings,
    /// `- [ ] …`
    Boxes,
}

/// Whether a text contains tasks with ids.
pub(super) fn has_tasks(text: &str) -> bool {
    matches!(style(text), Some(TaskStyle::Ids | TaskStyle::Headings))
}

/// Whether a text contains tasks without ids.
pub(super) fn has_boxes(text: &str) -> bool {
    style(text).is_some()
}

fn style(text: &str) -> Option<TaskStyle> {
    let all = items(text, 0..text.len());
    let mut boxes = all.iter().filter(|item| item.ticked.is_some()).peekable();
    let any = boxes.peek().is_some();
    if boxes.any(|item| task(text, item).is_some()) {
        return Some(TaskStyle::Ids);
    }
    if headings(text).iter().any(|heading| heading_task(text, heading).is_some()) {
        return Some(TaskStyle::Headings);
    }
    any.then_some(TaskStyle::Boxes)
}

pub(super) fn read(text: &str) -> SpecKitDocument<'_> {
    let mut document = SpecKitDocument::default();
    let Some(style) = style(text) else { return document };
    let all = headings(text);
    let sections = sections(text, &all);
    let reader = SectionReader { text, all: &all, comments: comments(text), style };
    let mut found: Vec<SectionTasks<'_>> =
        sections.iter().map(|section| reader.read(section)).collect();
    let is_about = |section: &Heading<'_>| {
        let name = section.text.to_lowercase();
        section.level == 2 && ABOUT.iter().any(|about| name.starts_with(about))
    };
    // Sections about tasks name them again; a task that is only there is a task.
    let phases = || sections.iter().zip(&found).filter(|(section, _)| !is_about(section));
    let known: BTreeSet<String> = phases()
        .flat_map(|(_, found)| &found.tasks)
        .map(|task| task.name.to_ascii_lowercase())
        .collect();
    let none_elsewhere = known.is_empty();
    for (section, found) in sections.iter().zip(&mut found) {
        if section.text.to_lowercase().starts_with("dependencies") {
            document.dependencies.push(section.body.clone());
        }
        if is_about(section) {
            document.no_tasks.append(&mut found.nameless);
            if style == TaskStyle::Boxes && !none_elsewhere {
                let open = found.tasks.drain(..).filter(|task| !task.ticked);
                document.no_tasks.extend(open.map(|task| task.words.range()));
            }
            found.tasks.retain(|task| !known.contains(&task.name.to_ascii_lowercase()));
        }
        document.nameless.append(&mut found.nameless);
        let tasks = std::mem::take(&mut found.tasks);
        if !tasks.is_empty() {
            let story = story(section, &tasks);
            document.phases.push(SpecKitPhase { heading: section.clone(), story, tasks });
        }
    }
    document.name_tasks();
    document
}

/// What is below each heading of the first two levels, up to the next one of them; first, what is
/// above all of them.
fn sections<'a>(text: &'a str, all: &[Heading<'a>]) -> Vec<Heading<'a>> {
    let line_start =
        |heading: &Heading<'_>| text[..heading.at.start].rfind('\n').map_or(0, |at| at + 1);
    let owners: Vec<&Heading<'a>> = all.iter().filter(|heading| heading.level <= 2).collect();
    let end = owners.first().map_or(text.len(), |first| line_start(first));
    let above = Heading { level: 1, text: "Tasks", at: 0..0, body: 0..end, own: 0..end };
    let below = owners.iter().enumerate().map(|(at, owner)| {
        let end = owners.get(at + 1).map_or(text.len(), |next| line_start(next));
        Heading { body: owner.body.start..end.max(owner.body.start), ..(*owner).clone() }
    });
    std::iter::once(above).chain(below).collect()
}

/// The tasks of one section, and its other boxes.
#[derive(Debug, Default)]
struct SectionTasks<'a> {
    tasks: Vec<TaskLine<'a>>,
    nameless: Vec<Range<usize>>,
}

struct SectionReader<'a, 'h> {
    text: &'a str,
    all: &'h [Heading<'a>],
    comments: Vec<Range<usize>>,
    style: TaskStyle,
}

impl<'a> SectionReader<'a, '_> {
    fn read(&self, section: &Heading<'a>) -> SectionTasks<'a> {
        match self.style {
            TaskStyle::Headings => {
                let tasks = self.heading_tasks(section);
                SectionTasks { tasks, nameless: Vec::new() }
            }
            TaskStyle::Ids | TaskStyle::Boxes => self.box_tasks(section),
        }
    }

    /// The headings below this one.
    fn inside(&self, section: &Heading<'a>) -> impl Iterator<Item = &Heading<'a>> {
        let body = section.body.clone();
        let from = self.all.partition_point(|heading| heading.at.start < body.start);
        self.all[from..].iter().take_while(move |heading| heading.at.start < body.end)
    }

    /// The tasks that are headings: this one, or below it.
    fn heading_tasks(&self, section: &Heading<'a>) -> Vec<TaskLine<'a>> {
        let own = heading_task(self.text, section).into_iter();
        own.chain(self.inside(section).filter_map(|heading| heading_task(self.text, heading)))
            .collect()
    }

    fn box_tasks(&self, section: &Heading<'a>) -> SectionTasks<'a> {
        let text = self.text;
        let mut inner = self.inside(section).map(|inner| inner.at.start).peekable();
        let mut found = SectionTasks::default();
        // The end of the last task or box: what is below it belongs to it.
        let mut end = 0;
        for item in items(text, section.body.clone()) {
            let mut after_heading = false;
            while inner.next_if(|start| *start < item.text.start).is_some() {
                after_heading = true;
            }
            let commented = is_inside(&self.comments, item.text.start);
            let Some(ticked) = item.ticked.filter(|_| !commented) else { continue };
            let is_outer = item.text.start >= end;
            end = end.max(item.below.end);
            let line = match task(text, &item) {
                None if self.style == TaskStyle::Boxes && is_outer => {
                    Some(nameless_task(text, &item))
                }
                found => found,
            };
            match line {
                Some(line) => found.tasks.push(TaskLine { ticked, after_heading, ..line }),
                None if is_outer && !ticked => found.nameless.push(item.text.range()),
                None => {}
            }
        }
        found
    }
}

impl SpecKitDocument<'_> {
    /// Makes the names unique: every line is a task, whatever its id.
    fn name_tasks(&mut self) {
        // The place of the first, and the number of the next.
        let mut first: BTreeMap<String, (Range<usize>, usize)> = BTreeMap::new();
        let all = self.phases.iter().flat_map(|phase| &phase.tasks);
        let mut used: BTreeSet<String> = all.map(|task| task.name.to_ascii_lowercase()).collect();
        for task in self.phases.iter_mut().flat_map(|phase| &mut phase.tasks) {
            let place = task.id.range();
            let key = task.name.to_ascii_lowercase();
            let Some((before, next)) = first.get_mut(&key) else {
                first.insert(key, (place, 2));
                continue;
            };
            let id = task.name.clone();
            while !used.insert(format!("{id}.{next}").to_ascii_lowercase()) {
                *next += 1;
            }
            task.name = format!("{id}.{next}");
            self.repeated.push((task.name.clone(), place, before.clone()));
        }
    }
}

/// `#### T001: words [P]`, with its boxes as steps. It is done if all of them are ticked.
fn heading_task<'a>(text: &'a str, heading: &Heading<'a>) -> Option<TaskLine<'a>> {
    let line = TextLine { text: heading.text, start: heading.at.start };
    let front = line.part(line.text.trim_start_matches("Task "));
    // Nested sections overlap, so their items are read only for tasks.
    let found = labelled(text, &front, heading.body.end.max(line.end()))?;
    let all = items(text, heading.body.clone());
    let boxes: Vec<ListItem<'a>> = all.into_iter().filter(|item| item.ticked.is_some()).collect();
    let done = line.text.contains('✅') || line.text.contains("[x]");
    let ticked = done || (!boxes.is_empty() && boxes.iter().all(|item| item.ticked == Some(true)));
    let top = boxes.iter().map(|item| item.indent).min().unwrap_or_default();
    let steps = boxes.into_iter().filter(|item| item.indent == top).collect();
    Some(TaskLine { ticked, steps, after_heading: false, ..found })
}

/// `T001 [P] [US1] words`, with or without marks around the id.
fn task<'a>(text: &'a str, item: &ListItem<'a>) -> Option<TaskLine<'a>> {
    labelled(text, &item.text, item.whole().end)
}

fn labelled<'a>(text: &'a str, line: &TextLine<'a>, end: usize) -> Option<TaskLine<'a>> {
    let start = line.text.len() - line.text.trim_start_matches(['*', '[', '`', ' ']).len();
    let id = task_id(&line.text[start..])?;
    let number = id.trim_start_matches(|c: char| !c.is_ascii_digit());
    let number = number[..number.bytes().take_while(u8::is_ascii_digit).count()].parse().ok();
    let rest = &line.text[start + id.len()..];
    let rest = rest.trim_start_matches(['*', ']', '`', ':', '.', ' ']);
    Some(TaskLine { number, ..described(text, line, line.part(id), rest, end) })
}

/// The id that a text starts with: `T001`, `T071-A`, `T019a`, `T082.2`, and with three digits or more
/// any letters, `M001`.
fn task_id(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "-.".contains(c)));
    let word = text[..end.unwrap_or(text.len())].trim_end_matches(['.', '-']);
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let bare = &word[letters..];
    let bare = bare.strip_prefix('-').unwrap_or(bare);
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let tail = &bare[digits..];
    let tail = tail.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(tail);
    let marked = tail.is_empty() || tail.starts_with(['-', '.']);
    let ours = match &word[..letters] {
        "T" => digits > 0,
        _ => (1..5).contains(&letters) && digits > 2,
    };
    let goes_on = text[word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (ours && marked && digits < 9 && tail.len() < 16 && !goes_on).then_some(word)
}

/// A box without an id: named by its number, or by its text.
fn nameless_task<'a>(text: &'a str, item: &ListItem<'a>) -> TaskLine<'a> {
    let line = item.text;
    let (name, rest) = match leading_number(line.text) {
        Some((number, rest)) => (number.to_owned(), rest),
        None => (text_id(line.text), line.text),
    };
    let whole = item.whole().end;
    let found = described(text, &line, line, rest, whole);
    TaskLine { name, ..found }
}

/// The marks after an id, and the words.
fn described<'a>(
    text: &'a str,
    line: &TextLine<'a>,
    id: TextLine<'a>,
    rest: &'a str,
    end: usize,
) -> TaskLine<'a> {
    let mut rest = rest;
    let mut parallel = rest.trim_end().ends_with("[P]");
    let mut story = None;
    while let Some((tag, after)) = rest.strip_prefix('[').and_then(|tag| tag.split_once(']')) {
        let label =
            tag.strip_prefix("US").or_else(|| tag.strip_prefix("Story ")).unwrap_or_default();
        if tag.eq_ignore_ascii_case("p") {
            parallel = true;
        } else if let Ok(number) = label.trim().parse() {
            story = Some(number);
        } else {
            break;
        }
        rest = after.trim_start();
    }
    let words = line.part(rest);
    let end = end.max(words.end());
    TaskLine {
        name: id.text.to_owned(),
        id,
        number: None,
        parallel,
        story,
        words,
        text: TextLine { text: &text[words.start..end], start: words.start },
        ticked: false,
        after_heading: false,
        steps: Vec::new(),
    }
}

/// The story of a phase: by its heading, or the label of all its tasks.
fn story(heading: &Heading<'_>, tasks: &[TaskLine<'_>]) -> Option<u64> {
    let words = TextLine { text: heading.text, start: heading.at.start };
    let named = super::stated::stories(&words).into_iter().next();
    let label = tasks.first().and_then(|task| task.story);
    let same = tasks.iter().all(|task| task.story == label);
    named.or(label.filter(|_| same))
}

/// The ranges of comments, which contain examples.
fn comments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("<!--").map(|start| at + start) {
        let Some(length) = text[start..].find("-->") else { break };
        found.push(start..start + length);
        at = start + length;
    }
    found
}

/// Whether a byte is inside one of the sorted comments.
fn is_inside(comments: &[Range<usize>], at: usize) -> bool {
    let next = comments.partition_point(|comment| comment.start <= at);
    next > 0 && comments[next - 1].contains(&at)
}
