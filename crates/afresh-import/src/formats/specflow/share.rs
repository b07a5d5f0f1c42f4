//! Which requirements, criteria and files belong to which group.
//!
//! A piece belongs to a group that its heading names, that names it by its id (`R2`), or that names
//! the same file. Pieces that no group claims belong to all groups.

use std::collections::BTreeMap;
use std::ops::Range;

use super::groups::SpecGroup;
use super::spec::{SpecflowSpec, plain};
use crate::prose::mentions;
use afresh_formats::text::markdown::{Heading, TextLine, items};

/// A piece that more groups claim belongs to all; this also keeps the work linear.
const MAX_OWNERS: usize = 200;

/// A requirement or a criterion.
#[derive(Debug, Clone)]
pub(super) struct SpecPiece<'a> {
    /// Its heading, or its first line.
    pub(super) name: TextLine<'a>,
    pub(super) whole: Range<usize>,
}

/// Pieces by the group that they belong to.
#[derive(Debug, Clone)]
pub(super) struct SharedPieces<T> {
    pub(super) of_group: Vec<Vec<T>>,
    pub(super) of_all: Vec<T>,
}

/// What the groups name.
pub(super) struct GroupClaims<'a> {
    groups: usize,
    by_id: BTreeMap<String, Vec<usize>>,
    by_number: BTreeMap<u64, Vec<usize>>,
    /// The groups that name an id, by letters and number.
    named: BTreeMap<(&'a str, u64), Vec<usize>>,
    /// The groups that name a range of ids.
    spans: Vec<(&'a str, Range<u64>, usize)>,
    /// The groups that name a file, by its last component.
    files: BTreeMap<&'a str, Vec<(usize, &'a str)>>,
}

impl<'a> GroupClaims<'a> {
    /// Collects the claims from the groups' rows and sections.
    pub(super) fn new(
        spec: &SpecflowSpec<'a>,
        groups: &[SpecGroup<'a>],
        sections: &[Option<Heading<'a>>],
    ) -> Self {
        let mut claims = Self {
            groups: groups.len(),
            by_id: BTreeMap::new(),
            by_number: BTreeMap::new(),
            named: BTreeMap::new(),
            spans: Vec::new(),
            files: BTreeMap::new(),
        };
        for (at, group) in groups.iter().enumerate() {
            claims.by_id.entry(group.base.clone()).or_default().push(at);
            if let Some(number) = group.number {
                claims.by_number.entry(number).or_default().push(at);
            }
            claims.note(at, group.tasks);
            if let Some(heading) = sections.get(at).and_then(Option::as_ref) {
                let (text, start) = (spec.part(&heading.own), heading.own.start);
                claims.note(at, TextLine { text, start });
            }
        }
        claims
    }

    /// Records what the text of a group names.
    fn note(&mut self, at: usize, text: TextLine<'a>) {
        for found in mentions(&text, |letters| !letters.is_empty() && letters != "G") {
            match found.through {
                Some(last) if self.spans.len() < MAX_OWNERS => {
                    self.spans.push((found.letters, found.number..last + 1, at));
                }
                _ => {
                    self.named.entry((found.letters, found.number)).or_default().push(at);
                }
            }
        }
        for word in file_words(text.text) {
            let named = self.files.entry(last(word)).or_default();
            if named.len() < MAX_OWNERS {
                named.push((at, word));
            }
        }
    }

    /// The groups that a piece with this name belongs to.
    fn owners(&self, name: &TextLine<'_>) -> Vec<usize> {
        let mut owners: Vec<usize> = Vec::new();
        for found in mentions(name, |letters| letters == "G").iter().take(MAX_OWNERS) {
            if owners.len() > MAX_OWNERS {
                break;
            }
            if let Some(last) = found.through {
                let within = self.by_number.range(found.number..=last).flat_map(|(_, at)| at);
                owners.extend(within.take(MAX_OWNERS + 1));
            } else {
                owners.extend(self.by_id.get(found.without_segment()).into_iter().flatten());
            }
        }
        // A piece starts with its id: `R2: Parse the header`.
        if let Some(own) = mentions(name, |l| !l.is_empty() && l != "G").first()
            && is_mark(&name.text[..own.id.start - name.start])
        {
            owners.extend(self.named.get(&(own.letters, own.number)).into_iter().flatten());
            let spans = self.spans.iter();
            let covering =
                spans.filter(|(l, span, _)| *l == own.letters && span.contains(&own.number));
            owners.extend(covering.map(|(_, _, at)| *at));
        }
        for word in file_words(name.text).take(MAX_OWNERS) {
            owners.extend(self.owners_of_file(word));
        }
        owners.sort_unstable();
        owners.dedup();
        owners
    }

    /// The groups that name a file, by its path or the end of it.
    pub(super) fn owners_of_file(&self, path: &str) -> Vec<usize> {
        let same = |word: &str| ends_with(path, word) || ends_with(word, path);
        let named = self.files.get(last(path)).into_iter().flatten();
        let mut owners: Vec<usize> =
            named.filter(|(_, word)| same(word)).map(|(at, _)| *at).collect();
        owners.dedup();
        owners
    }

    /// Assigns pieces to their owners, and the rest to all groups.
    pub(super) fn share<T: Clone>(
        &self,
        things: Vec<T>,
        owners: impl Fn(&Self, &T) -> Vec<usize>,
    ) -> SharedPieces<T> {
        let mut shared =
            SharedPieces { of_group: vec![Vec::new(); self.groups], of_all: Vec::new() };
        for thing in things {
            let owners = owners(self, &thing);
            if owners.is_empty() || owners.len() > MAX_OWNERS {
                shared.of_all.push(thing);
                continue;
            }
            for owner in owners {
                shared.of_group[owner].push(thing.clone());
            }
        }
        shared
    }

    pub(super) fn share_pieces(&self, pieces: Vec<SpecPiece<'a>>) -> SharedPieces<SpecPiece<'a>> {
        self.share(pieces, |claims, piece| claims.owners(&piece.name))
    }
}

/// The requirements: the sections below `## Requirements`, or else its list items.
pub(super) fn requirements<'a>(spec: &SpecflowSpec<'a>) -> Vec<SpecPiece<'a>> {
    let Some(section) = spec.heading(&["requirements", "functional requirements"]) else {
        return Vec::new();
    };
    let below = |heading: &&Heading<'a>| {
        section.body.contains(&heading.at.start)
            && heading.level == section.level + 1
            && !plain(heading.text).starts_with("files")
    };
    let piece = |heading: &Heading<'a>| SpecPiece {
        name: TextLine { text: heading.text, start: heading.at.start },
        whole: heading.at.start..heading.body.end,
    };
    let headed: Vec<SpecPiece<'a>> = spec.headings.iter().filter(below).map(piece).collect();
    if headed.is_empty() { top_items(spec, section.body.clone()) } else { headed }
}

pub(super) fn criteria<'a>(spec: &SpecflowSpec<'a>) -> Vec<SpecPiece<'a>> {
    let section = spec.heading(&["acceptance criteria", "success criteria"]);
    section.map(|section| top_items(spec, section.body.clone())).unwrap_or_default()
}

fn top_items<'a>(spec: &SpecflowSpec<'a>, within: Range<usize>) -> Vec<SpecPiece<'a>> {
    let all = items(spec.text, within);
    let top = all.iter().map(|item| item.indent).min().unwrap_or_default();
    let own = all.iter().filter(|item| item.indent == top);
    own.map(|item| SpecPiece { name: item.text, whole: item.whole() }).collect()
}

/// Whether the text is only marks.
fn is_mark(text: &str) -> bool {
    text.trim_matches(['*', '`', '[', '(', ' ']).is_empty()
}

/// Words that may be files; a loose test, because they are only compared with others.
fn file_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || ",;()`\"'".contains(c))
        .map(|word| word.trim_matches(['.', ':', '*', '_', '[', ']']))
        .filter(|word| word.len() > 2 && word.contains(['.', '/']) && !last(word).is_empty())
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a path ends with these whole components.
fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|front| front.is_empty() || front.ends_with('/'))
}
