//! The task groups of a tasks.md: `#### Task Group 2: API Endpoints`.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::box_lists::boxes::{BoxList, is_about_criteria};
use crate::prose::{leading_number, nearest_keyword};
use afresh_formats::text::markdown::{Heading, ListItem, TextLine, headings, items, lines_from};

#[derive(Debug)]
pub(super) struct TaskGroup<'a> {
    /// The id with its spelling: `01` is not 1.
    pub(super) id: TextLine<'a>,
    /// The numbers of `1.2`.
    pub(super) key: GroupKey,
    pub(super) title: TextLine<'a>,
    pub(super) heading: Range<usize>,
    pub(super) body: Range<usize>,
    /// The number of the phase that it is in.
    pub(super) phase: Option<u64>,
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

/// The numbers of a group: `1.2` is the second part of 1.
pub(super) type GroupKey = Vec<u64>;

impl TaskGroup<'_> {
    /// The number of checked boxes, and of all boxes.
    pub(super) fn ticked(&self) -> (usize, usize) {
        let ticked = self.boxes.iter().filter(|item| item.ticked == Some(true)).count();
        (ticked, self.boxes.len())
    }
}

/// How a tasks.md writes its groups; the first that is used counts.
const PHRASES: &[&str] = &["task group", "group", "task"];

/// Whether the text has headings of task groups.
pub(super) fn has_groups(text: &str) -> bool {
    let all = headings(text);
    let titled = |name: &str| {
        all.iter().any(|heading| heading.text.to_lowercase().trim_matches(['*', ' ']) == name)
    };
    let any = |phrase: &str| all.iter().any(|heading| number(heading, phrase).is_some());
    any("task group") || (any("group") && titled("task groups")) || any("task")
}

/// `Task Group 2: Title`: the number and the title.
fn number<'a>(
    heading: &Heading<'a>,
    phrase: &str,
) -> Option<(TextLine<'a>, GroupKey, TextLine<'a>)> {
    let words = TextLine { text: heading.text, start: heading.at.start };
    let start = words.text.find(|c: char| c.is_alphanumeric())?;
    let front = words.text.get(start..start + phrase.len())?;
    let rest = words.text[start + phrase.len()..].strip_prefix(' ')?.trim_start();
    if !front.eq_ignore_ascii_case(phrase) || words.text.to_lowercase().contains("summary") {
        return None;
    }
    let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let id = rest[..length].trim_end_matches('.');
    let key: Option<GroupKey> = id.split('.').map(|part| part.parse().ok()).collect();
    let title = &rest[id.len()..];
    let marked = title.is_empty() || title.starts_with([':', '.', ' ', ')', '*', '-']);
    let title = title
        .trim_start_matches([':', '.', '-', '—', '–', ' ', ')', '*'])
        .trim_end_matches(['✅', ' ', '*']);
    let key = key.filter(|_| marked)?;
    Some((words.part(id), key, words.part(title)))
}

/// Whether groups without dependencies wait for the one before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListOrder {
    Free,
    InSequence,
}

/// The groups of a tasks.md.
#[derive(Debug)]
pub(super) struct GroupList<'a> {
    pub(super) groups: Vec<TaskGroup<'a>>,
    pub(super) order: ListOrder,
    /// The outermost open boxes that belong to no group.
    pub(super) outside: Vec<Range<usize>>,
    /// Those of them that are criteria.
    pub(super) criteria: Vec<Range<usize>>,
}

pub(super) fn read(text: &str) -> GroupList<'_> {
    let (groups, order) = read_groups(text);
    let mut list = GroupList { groups, order, outside: Vec::new(), criteria: Vec::new() };
    let boxes = BoxList::read(text);
    for one in boxes.outermost().filter(|one| !one.is_done) {
        let at = one.text.range();
        let holds = |group: &TaskGroup<'_>| {
            group.body.contains(&at.start) || group.heading.contains(&at.start)
        };
        if list.groups.iter().any(holds) {
            continue;
        }
        if boxes.headings_of(one).iter().any(|heading| is_about_criteria(heading.text)) {
            list.criteria.push(at);
        } else {
            list.outside.push(at);
        }
    }
    list
}

/// The groups: under headings, or else the outermost numbered boxes. Only the headings of task groups
/// are known to state their dependencies; other tasks are in sequence if none of them does.
fn read_groups(text: &str) -> (Vec<TaskGroup<'_>>, ListOrder) {
    let all = headings(text);
    for phrase in PHRASES {
        let mut found = under_headings(text, &all, phrase);
        // A summary names the same groups again, without any box.
        let with_boxes: BTreeSet<GroupKey> =
            found.iter().filter(|g| !g.boxes.is_empty()).map(|g| g.key.clone()).collect();
        found.retain(|group| !group.boxes.is_empty() || !with_boxes.contains(&group.key));
        if !found.is_empty() {
            let states = found.iter().any(|group| group.needs.is_some());
            let sequence = *phrase == "task" && !states;
            return (found, if sequence { ListOrder::InSequence } else { ListOrder::Free });
        }
    }
    let found = numbered_boxes(text, &all);
    let states = found.iter().any(|group| group.needs.is_some());
    (found, if states { ListOrder::Free } else { ListOrder::InSequence })
}

fn under_headings<'a>(text: &'a str, all: &[Heading<'a>], phrase: &str) -> Vec<TaskGroup<'a>> {
    let mut phase = None;
    // The body of a heading about groups, such as a summary.
    let mut about = 0..0;
    let mut found: Vec<TaskGroup<'a>> = Vec::new();
    for heading in all {
        let lower = heading.text.to_lowercase();
        if let Some(number) = phase_number(&lower) {
            phase = Some(number);
        }
        if lower.contains("summary") || lower.contains("execution order") {
            about = heading.body.clone();
        }
        if about.contains(&heading.at.start) {
            continue;
        }
        if let Some((id, key, title)) = number(heading, phrase) {
            found.push(group(text, heading, (id, key, title), phase));
        }
    }
    found
}

/// `Phase 2: …`
fn phase_number(lower: &str) -> Option<u64> {
    let rest = lower.trim_start_matches(|c: char| !c.is_alphanumeric()).strip_prefix("phase ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// `- [ ] 1. Title` with `- [ ] 1.1 …` below.
fn numbered_boxes<'a>(text: &'a str, all: &[Heading<'a>]) -> Vec<TaskGroup<'a>> {
    let boxes: Vec<ListItem<'a>> =
        items(text, 0..text.len()).into_iter().filter(|item| item.ticked.is_some()).collect();
    let top = boxes.iter().map(|item| item.indent).min().unwrap_or_default();
    let mut found = Vec::new();
    for item in boxes.iter().filter(|item| item.indent == top) {
        let bare = item.text.part(item.text.text.trim_start_matches(['*', '`']));
        let Some((number, title)) = leading_number(bare.text) else { continue };
        let key: Option<GroupKey> = number.split('.').map(|part| part.parse().ok()).collect();
        let Some(key) = key else { continue };
        let before = all.iter().rfind(|heading| heading.at.start < item.text.start);
        let phase = before.and_then(|heading| phase_number(&heading.text.to_lowercase()));
        let heading = Heading {
            level: 6,
            text: bare.text,
            at: item.text.range(),
            body: item.below.clone(),
            own: item.below.clone(),
        };
        let title = bare.part(title.trim_matches('*'));
        let mut group = group(text, &heading, (bare.part(number), key, title), phase);
        if group.boxes.is_empty() {
            group.boxes.push(item.clone());
        }
        found.push(group);
    }
    found
}

fn group<'a>(
    text: &'a str,
    heading: &Heading<'a>,
    (id, key, title): (TextLine<'a>, GroupKey, TextLine<'a>),
    phase: Option<u64>,
) -> TaskGroup<'a> {
    let all = items(text, heading.body.clone());
    let boxes: Vec<ListItem<'a>> = all.into_iter().filter(|item| item.ticked.is_some()).collect();
    let steps = steps(&boxes);
    let labels = GroupLabels::read(text, &heading.body);
    TaskGroup {
        id,
        key,
        title,
        heading: heading.at.clone(),
        body: heading.body.clone(),
        phase,
        needs: labels.needs,
        boxes,
        steps,
        criteria: labels.criteria,
        misspelt: labels.misspelt,
    }
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
