//! A specification: who it is, and its sections.

use std::ops::Range;

use crate::markdown::{Frontmatter, Heading, Key, Line, headings, lines_from};

/// Sections that tell what happened, in which tables and files are no plans.
const HISTORY: &[&str] = &["audit history", "review history", "execution summary", "completion"];

/// Fields of the frontmatter that are used or are known to mean nothing for a run.
const KNOWN: &[&str] = &[
    "id",
    "type",
    "status",
    "priority",
    "complexity",
    "created",
    "parent",
    "depends_on",
    "split_into",
    "source",
    "todo",
    "todo_ref",
    "delta",
    "research",
];

#[derive(Debug)]
pub(super) struct Spec<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) status: Option<Line<'a>>,
    pub(super) depends_on: Vec<Line<'a>>,
    split_into: Vec<Line<'a>>,
    /// Fields that mean nothing here, as they were written.
    pub(super) unknown: Vec<(&'a str, &'a str)>,
    /// Without what is in the history.
    pub(super) headings: Vec<Heading<'a>>,
    all_headings: Vec<Heading<'a>>,
}

impl<'a> Spec<'a> {
    pub(super) fn read(file: &'a str, text: &'a str) -> Self {
        let keys = Frontmatter::early(text).map(|block| block.keys()).unwrap_or_default();
        let values = |name: &str| -> Vec<Line<'a>> {
            keys.iter().find(|key| key.name == name).map(Key::texts).unwrap_or_default()
        };
        let first = |name: &str| values(name).first().copied();
        let all_headings = headings(text);
        let title = all_headings.iter().find(|heading| heading.level == 1);
        let name = file.rsplit('/').next().unwrap_or(file);
        let id = first("id").map_or(name.strip_suffix(".md").unwrap_or(name), |id| id.text);
        let unknown = |key: &&Key<'a>| !KNOWN.contains(&key.name);
        Self {
            file,
            text,
            id: id.to_owned(),
            title: title.map_or(id, |heading| heading.text).to_owned(),
            status: first("status"),
            depends_on: values("depends_on"),
            split_into: values("split_into"),
            unknown: keys.iter().filter(unknown).map(|key| (key.name, key.value)).collect(),
            headings: without_history(&all_headings),
            all_headings,
        }
    }

    pub(super) fn is_split(&self) -> bool {
        self.status.is_some_and(|status| status.text.eq_ignore_ascii_case("split"))
    }

    /// The specifications that this one was split into: its field, else the quote in front.
    pub(super) fn children(&self) -> Vec<&'a str> {
        if !self.split_into.is_empty() {
            return self.split_into.iter().map(|child| child.text).collect();
        }
        let quoted = lines_from(self.text, 0).filter_map(|line| {
            let said = line.text.trim_start().strip_prefix('>')?.trim();
            let said = said.trim_start_matches(['-', '*', ' ', '`']);
            let end = said.find([':', ' ', '`', ',']).unwrap_or(said.len());
            Some(&said[..end]).filter(|word| word.starts_with("SPEC-"))
        });
        quoted.take(100).collect()
    }

    /// The first heading with one of these names, written in small letters.
    pub(super) fn heading(&self, names: &[&str]) -> Option<&Heading<'a>> {
        self.headings.iter().find(|heading| names.contains(&plain(heading.text).as_str()))
    }

    /// The same, also among those of the history.
    pub(super) fn past(&self, name: &str) -> Option<&Heading<'a>> {
        self.all_headings.iter().find(|heading| plain(heading.text) == name)
    }

    pub(super) fn part(&self, range: &Range<usize>) -> &'a str {
        &self.text[range.clone()]
    }
}

/// A heading's words in small letters, without what stands in brackets behind them.
pub(super) fn plain(heading: &str) -> String {
    let bare = heading.split(" (").next().unwrap_or(heading);
    bare.trim_matches(['*', '`', ':', ' ']).to_lowercase()
}

fn without_history<'a>(all: &[Heading<'a>]) -> Vec<Heading<'a>> {
    let mut until = 0;
    let mut kept = Vec::new();
    for heading in all {
        if heading.at.start < until {
            continue;
        }
        if HISTORY.contains(&plain(heading.text).as_str()) {
            until = heading.body.end;
        } else {
            kept.push(heading.clone());
        }
    }
    kept
}
