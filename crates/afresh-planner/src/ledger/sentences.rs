//! Sentences of a paragraph that demand something.

use std::ops::Range;

use afresh_formats::text::markdown::{FenceTracker, LineKind, TextLine, lines_from};

use crate::words::has_words;

/// Words that make a sentence a demand.
const DEMANDS: &[&str] = &[
    "must", "shall", "should", "required", "requires", "needs to", "need to", "has to", "have to",
    "never", "always", "cannot", "may not", "ensure", "ensures", "will",
];

/// Words that demand even where a section only informs.
const STRICT: &[&str] = &["MUST", "SHALL", "must", "shall"];

/// How much a sentence has to demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DemandLevel {
    Any,
    Strict,
}

/// The sentences of the paragraphs in a part of a text that demand something.
pub(super) fn demands(text: &str, within: Range<usize>, level: DemandLevel) -> Vec<Range<usize>> {
    let sentences =
        paragraphs(text, within).into_iter().flat_map(|paragraph| sentences(text, paragraph));
    sentences.filter(|sentence| is_demand(&text[sentence.clone()], level)).collect()
}

/// The first paragraph in a part of a text.
pub(super) fn first_paragraph(text: &str, within: Range<usize>) -> Option<Range<usize>> {
    paragraphs(text, within).into_iter().next()
}

/// Lines of text between blank lines, lists, tables, quotes and code.
fn paragraphs(text: &str, within: Range<usize>) -> Vec<Range<usize>> {
    let mut fences = FenceTracker::within(text, within.clone());
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    let mut in_list = false;
    for line in lines_from(&text[within.clone()], within.start) {
        let is_text = fences.kind(&line) == LineKind::Text;
        let bare = line.text.trim();
        let starts_list = is_text && is_list_item(bare);
        in_list = starts_list || (in_list && !bare.is_empty());
        let is_part =
            is_text && !bare.is_empty() && !in_list && !bare.starts_with(['|', '#', '<', '>']);
        if !is_part || bare.chars().all(|c| "-=*_ ".contains(c)) {
            found.extend(open.take());
            continue;
        }
        let trimmed: TextLine<'_> = line.trimmed();
        let start = open.map_or(trimmed.start, |open| open.start);
        open = Some(start..trimmed.end());
    }
    found.extend(open);
    found
}

fn is_list_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = if digits > 0 {
        line[digits..].strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+'])
    };
    rest.is_some_and(|rest| rest.starts_with([' ', '\t']))
}

fn sentences(text: &str, paragraph: Range<usize>) -> Vec<Range<usize>> {
    let own = &text[paragraph.clone()];
    let mut found = Vec::new();
    let mut start = 0;
    for (at, mark) in own.match_indices(['.', '!', '?']) {
        let end = at + mark.len();
        let after = own[end..].chars().next();
        let is_end =
            after.is_none_or(char::is_whitespace) && !ends_with_abbreviation(&own[start..end]);
        if is_end {
            found.push(start..end);
            start = end + own[end..].len() - own[end..].trim_start().len();
        }
    }
    if start < own.len() {
        found.push(start..own.len());
    }
    let found = found.into_iter().filter(|range| !own[range.clone()].trim().is_empty());
    found.map(|range| paragraph.start + range.start..paragraph.start + range.end).collect()
}

fn ends_with_abbreviation(sentence: &str) -> bool {
    ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx."].iter().any(|short| sentence.ends_with(short))
}

fn is_demand(sentence: &str, level: DemandLevel) -> bool {
    // A question asks the reader.
    if sentence.trim_end().ends_with('?') {
        return false;
    }
    let lower = sentence.to_lowercase();
    match level {
        DemandLevel::Any => DEMANDS.iter().any(|words| has_words(&lower, words)),
        DemandLevel::Strict => STRICT.iter().any(|words| has_words(sentence, words)),
    }
}
