//! The phases of a tasks.md and their task lines.

use std::ops::Range;

use crate::prose::mentions;
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
    pub(super) id: TextLine<'a>,
    pub(super) number: u64,
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
}

/// A document: its phases, the sections on dependencies, and boxes without a task id.
#[derive(Debug, Default)]
pub(super) struct SpecKitDocument<'a> {
    pub(super) phases: Vec<SpecKitPhase<'a>>,
    pub(super) dependencies: Vec<Range<usize>>,
    pub(super) nameless: Vec<Range<usize>>,
}

/// Whether a text contains task lines.
pub(super) fn has_tasks(text: &str) -> bool {
    items(text, 0..text.len())
        .iter()
        .any(|item| item.ticked.is_some() && task(text, item).is_some())
}

pub(super) fn read(text: &str) -> SpecKitDocument<'_> {
    let mut document = SpecKitDocument::default();
    let comments = comments(text);
    let all = headings(text);
    for (at, heading) in all.iter().enumerate().filter(|(_, heading)| heading.level == 2) {
        let name = heading.text.to_lowercase();
        if name.starts_with("dependencies") {
            document.dependencies.push(heading.body.clone());
        }
        if !ABOUT.iter().any(|about| name.starts_with(about)) {
            document.add(text, heading, &all[at + 1..], &comments);
        }
    }
    if document.phases.is_empty() {
        // Without headings, the document is one phase.
        let (at, body) = (0..0, 0..text.len());
        let whole = Heading { level: 1, text: "Tasks", at, body: body.clone(), own: body };
        document.add(text, &whole, &all, &comments);
    }
    document
}

impl<'a> SpecKitDocument<'a> {
    /// Adds the section of a heading, if it is a phase.
    fn add(
        &mut self,
        text: &'a str,
        heading: &Heading<'a>,
        behind: &[Heading<'a>],
        comments: &[Range<usize>],
    ) {
        let mut inner = behind.iter().map(|inner| inner.at.start).peekable();
        let mut tasks: Vec<TaskLine<'a>> = Vec::new();
        for item in items(text, heading.body.clone()) {
            let mut after_heading = false;
            while inner.next_if(|start| *start < item.text.start).is_some() {
                after_heading = true;
            }
            let commented = is_inside(comments, item.text.start);
            let Some(ticked) = item.ticked.filter(|_| !commented) else { continue };
            match task(text, &item) {
                Some(line) => tasks.push(TaskLine { ticked, after_heading, ..line }),
                None if item.indent == 0 => self.nameless.push(item.text.range()),
                None => {}
            }
        }
        if !tasks.is_empty() {
            let story = story(heading, &tasks);
            self.phases.push(SpecKitPhase { heading: heading.clone(), story, tasks });
        }
    }
}

/// `T001 [P] [US1] words`, with or without marks around the id.
fn task<'a>(text: &'a str, item: &ListItem<'a>) -> Option<TaskLine<'a>> {
    let line = item.text;
    let start = line.text.len() - line.text.trim_start_matches(['*', '[', '`', ' ']).len();
    let words = line.text[start..].split_whitespace().next()?;
    let found = mentions(&line.part(words), |letters| letters == "T").into_iter().next()?;
    if found.id.start != line.start + start {
        return None;
    }
    let mut rest =
        line.text[found.id.end() - line.start..].trim_start_matches(['*', ']', '`', ':', '.', ' ']);
    let (mut parallel, mut story) = (false, None);
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
    let end = item.whole().end.max(words.end());
    Some(TaskLine {
        id: found.id,
        number: found.number,
        parallel,
        story,
        words,
        text: TextLine { text: &text[words.start..end], start: words.start },
        ticked: false,
        after_heading: false,
    })
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
