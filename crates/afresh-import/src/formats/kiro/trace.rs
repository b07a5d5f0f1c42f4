//! What the tasks of a spec serve: `_Requirements: 1.2, 3.1_`, as numbered in requirements.md or bugfix.md.

use std::ops::Range;

use afresh_core::plan::{RequirementKind, RequirementScope};
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::{headings, items, lines_from};

use crate::prose::leading_number;
use crate::requirements::ledger::{LedgerBuilder, StatedRequirement};
use crate::requirements::{RequirementFamilies, SourceDocument, add_document};

/// Labels of lists of numbers that are no requirements.
const OTHER_LABELS: &[&str] = &["depend", "blocked", "property", "wave", "boundary", "files"];

pub(super) fn add(ledger: &mut LedgerBuilder<'_>) {
    for file in ledger.sources.files() {
        let directory = file.rfind('/').map_or("", |at| &file[..=at]).to_owned();
        for name in ["requirements.md", "bugfix.md"] {
            let path = format!("{directory}{name}");
            if let Some(text) = ledger.text(&path) {
                add_numbered(ledger, &SourceDocument::new(&path, &text));
            }
        }
        for task in ledger.sources.of_file(&file).to_vec() {
            cite(ledger, task);
        }
    }
    ledger.cite_mentions();
}

/// Requirements by number, and their criteria; what has ids of its own is read too.
fn add_numbered(ledger: &mut LedgerBuilder<'_>, document: &SourceDocument<'_>) {
    let text = document.text;
    for heading in headings(text) {
        let Some((number, title)) = numbered_heading(heading.text) else { continue };
        let whole = heading.at.start..heading.body.end;
        state(ledger, document, (number, title), whole, None);
        let mut count = 0;
        for item in items(text, heading.body.clone()).iter().filter(|item| item.indent < 3) {
            let line_start = text[..item.text.start].rfind('\n').map_or(0, |at| at + 1);
            if !text[line_start..item.text.start].trim().starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            count += 1;
            let own = leading_number(item.text.text).filter(|(id, _)| id.contains('.'));
            let id = own.map_or_else(|| format!("{number}.{count}"), |(id, _)| id.to_owned());
            state(ledger, document, (&id, item.text.text), item.whole(), Some(number));
        }
    }
    // `1.1 WHEN …` without a bullet.
    for line in lines_from(text, 0) {
        let bare = line.part(line.text.trim().trim_start_matches(['-', '*', ' ']));
        if let Some((id, title)) = leading_number(bare.text).filter(|(id, _)| id.contains('.')) {
            state(ledger, document, (id, title), bare.range(), None);
        }
    }
    if ledger.is_empty() {
        add_document(ledger, document, RequirementFamilies::Document);
    }
}

fn state(
    ledger: &mut LedgerBuilder<'_>,
    document: &SourceDocument<'_>,
    (id, title): (&str, &str),
    whole: Range<usize>,
    parent: Option<&str>,
) {
    let is_part = id.contains('.');
    let stated = StatedRequirement {
        id: id.to_owned(),
        kind: if is_part { RequirementKind::Criterion } else { RequirementKind::Requirement },
        title,
        whole: &document.text[whole.clone()],
        at: whole.start..(whole.start + title.len()).min(whole.end),
        parent: parent.map(str::to_owned),
        scope: RequirementScope::Active,
        note: None,
        family: document.file.to_owned(),
    };
    ledger.add(document, stated);
}

/// `Requirement 2: Title`, also in another language, and `2. Title`.
fn numbered_heading(heading: &str) -> Option<(&str, &str)> {
    let rest = match heading.split_once(' ') {
        Some((word, rest)) if !word.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => heading,
    };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, title) = rest.split_at(end);
    let title = title.trim_start();
    let marked = title.is_empty() || title.starts_with([':', '：', '.', ')', '-', '–', '—']);
    let title = title.trim_start_matches([':', '：', '.', ')', '-', '–', '—', ' ']);
    let is_number = (1..4).contains(&number.len());
    (is_number && marked).then_some((number, if title.is_empty() { heading } else { title }))
}

/// Numbers, ranges and `All` after a label in the notes of a task.
fn cite(ledger: &mut LedgerBuilder<'_>, task: usize) {
    let place = ledger.sources.tasks[task].place.clone();
    let text = ledger.sources.text(&place.file);
    let own = ledger.sources.own_range(task);
    for line in lines_from(&text[own.clone()], own.start).skip(1) {
        let bare = line.part(line.text.trim().trim_start_matches(['-', ' ', '_', '*']));
        let Some((label, list)) = bare.text.rsplit_once([':', '：']) else { continue };
        let (label, list) = (label.to_lowercase(), bare.part(list));
        // `**Validates: Requirements 1.4**`
        let list = match list.text.trim_start().to_lowercase().strip_prefix("requirement") {
            Some(_) => list.part(list.text.trim_start().split_once(' ').map_or("", |(_, l)| l)),
            None => list,
        };
        let is_other = OTHER_LABELS.iter().any(|other| label.contains(other));
        if is_other || label.chars().count() > 40 {
            continue;
        }
        for (id, at) in cited_numbers(ledger, list.text, list.start) {
            ledger.cite(task, &id, SourceSpan::in_file(&place.file, at));
        }
    }
}

/// The numbers of a list; none if it holds other words.
fn cited_numbers(
    ledger: &LedgerBuilder<'_>,
    list: &str,
    start: usize,
) -> Vec<(String, Range<usize>)> {
    let whole = start..start + list.len();
    let bare = list.trim_matches(['_', '*', '.', ' ', '(', ')']);
    if bare.eq_ignore_ascii_case("all") || bare.eq_ignore_ascii_case("all requirements") {
        let top = ledger.known_ids().filter(|(_, parent)| parent.is_none());
        return top.map(|(id, _)| (id.to_owned(), whole.clone())).collect();
    }
    let mut found: Vec<(String, Range<usize>)> = Vec::new();
    for word in list.split(|c: char| c.is_whitespace() || ",;、，".contains(c)) {
        let at = start + (word.as_ptr() as usize - list.as_ptr() as usize);
        let word = word.trim_matches(['_', '*', '.', '(', ')', '[', ']', '`']);
        let range = word.split_once(['-', '–', '—']);
        match range {
            Some((first, last)) if is_number(first) && is_number(last) => {
                let between = numbers_between(first, last);
                found.extend(between.into_iter().map(|id| (id, at..at + word.len())));
            }
            None if is_number(word) => found.push((word.to_owned(), at..at + word.len())),
            _ if word.is_empty() || word.eq_ignore_ascii_case("and") => {}
            _ => return Vec::new(),
        }
    }
    found
}

fn is_number(word: &str) -> bool {
    let part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    word.len() < 12 && word.split('.').all(part)
}

/// `1.2` to `1.5`.
fn numbers_between(first: &str, last: &str) -> Vec<String> {
    let split = |id: &str| match id.rsplit_once('.') {
        Some((front, number)) => (format!("{front}."), number.parse::<u32>().ok()),
        None => (String::new(), id.parse::<u32>().ok()),
    };
    let ((front, from), (other, to)) = (split(first), split(last));
    match (from, to) {
        (Some(from), Some(to)) if front == other && from <= to && to - from < 100 => {
            (from..=to).map(|number| format!("{front}{number}")).collect()
        }
        _ => vec![first.to_owned(), last.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_requirements_are_numbered_in_any_language() {
        assert_eq!(numbered_heading("Requirement 2: Delete"), Some(("2", "Delete")));
        assert_eq!(numbered_heading("需求 3：删除"), Some(("3", "删除")));
        assert_eq!(numbered_heading("4. Export"), Some(("4", "Export")));
        assert_eq!(numbered_heading("Introduction"), None);
        assert_eq!(numbered_heading("Phase 2 notes"), None);
    }

    #[test]
    fn ranges_mean_every_number_between() {
        assert_eq!(numbers_between("1.2", "1.4"), ["1.2", "1.3", "1.4"]);
        assert_eq!(numbers_between("1.2", "2.4"), ["1.2", "2.4"]);
    }
}
