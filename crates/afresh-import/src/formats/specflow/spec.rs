//! A spec: its id and its sections.

use std::ops::Range;

use afresh_formats::findings::{Finding, SourceText};
use afresh_formats::text::markdown::{Frontmatter, Heading, headings, lines};
use afresh_formats::text::yaml;
use afresh_formats::text::yaml::values::{LocatedWord, entries, get, list_words};

/// Sections about the past, whose tables and files are not part of the plan.
const HISTORY: &[&str] = &["audit history", "review history", "execution summary", "completion"];

/// Known fields of the frontmatter, including those that afresh ignores.
pub(super) const KNOWN: &[&str] = &[
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
pub(super) struct SpecflowSpec<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) status: Option<LocatedWord>,
    pub(super) depends_on: Vec<LocatedWord>,
    split_into: Vec<LocatedWord>,
    /// Unknown fields, with their source text.
    pub(super) unknown: Vec<(LocatedWord, &'a str)>,
    /// The finding about the frontmatter.
    pub(super) trouble: Option<Finding>,
    /// The headings without the history.
    pub(super) headings: Vec<Heading<'a>>,
    all_headings: Vec<Heading<'a>>,
}

impl<'a> SpecflowSpec<'a> {
    pub(super) fn read(file: &'a str, text: &'a str) -> Self {
        let source = SourceText::new(file, text);
        let block = Frontmatter::early(text).map(|block| yaml::frontmatter(&source, &block));
        let (fields, trouble) = block.map_or((None, None), |(node, found)| (Some(node), found));
        let values = |name: &str| -> Vec<LocatedWord> {
            fields.as_ref().and_then(|fields| get(fields, name)).map(list_words).unwrap_or_default()
        };
        let first = |name: &str| values(name).into_iter().next();
        let all_headings = headings(text);
        let title = all_headings.iter().find(|heading| heading.level == 1);
        let name = file.rsplit('/').next().unwrap_or(file);
        let name = name.strip_suffix(".md").unwrap_or(name);
        let id = first("id").map_or_else(|| name.to_owned(), |id| id.text);
        let known = fields.as_ref().map(entries).unwrap_or_default();
        let unknown = known.iter().filter(|entry| !KNOWN.contains(&entry.key.as_str()));
        Self {
            file,
            text,
            title: title.map_or(id.as_str(), |heading| heading.text).to_owned(),
            id,
            status: first("status"),
            depends_on: values("depends_on"),
            split_into: values("split_into"),
            unknown: unknown
                .map(|entry| {
                    let key = LocatedWord { text: entry.key.clone(), at: entry.key_span.clone() };
                    (key, &text[entry.node.span.clone()])
                })
                .collect(),
            trouble,
            headings: without_history(&all_headings),
            all_headings,
        }
    }

    pub(super) fn is_split(&self) -> bool {
        self.status.as_ref().is_some_and(|status| status.text.eq_ignore_ascii_case("split"))
    }

    /// The specs that this one was split into: by its field, or else the quote at the start.
    pub(super) fn children(&self) -> Vec<&str> {
        if !self.split_into.is_empty() {
            return self.split_into.iter().map(|child| child.text.as_str()).collect();
        }
        let quoted = lines(self.text).filter_map(|line| {
            let text = line.text.trim_start().strip_prefix('>')?.trim();
            let text = text.trim_start_matches(['-', '*', ' ', '`']);
            let end = text.find([':', ' ', '`', ',']).unwrap_or(text.len());
            Some(&text[..end]).filter(|word| word.starts_with("SPEC-"))
        });
        quoted.take(100).collect()
    }

    /// The first heading with one of these lowercase names.
    pub(super) fn heading(&self, names: &[&str]) -> Option<&Heading<'a>> {
        self.headings.iter().find(|heading| names.contains(&plain(heading.text).as_str()))
    }

    /// Like `heading`, including the history.
    pub(super) fn past(&self, name: &str) -> Option<&Heading<'a>> {
        self.all_headings.iter().find(|heading| plain(heading.text) == name)
    }

    pub(super) fn part(&self, range: &Range<usize>) -> &'a str {
        &self.text[range.clone()]
    }
}

/// A heading in lowercase, without text in brackets at its end.
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
