//! The order of tasks and stories that sentences state.

use std::ops::Range;

use crate::prose::{TaskMention, mentions, outside_brackets};
use afresh_formats::text::markdown::{TextLine, lines_from};

/// Phrases before the dependencies of a task.
const NEEDS: &[&str] = &["depends on", "depend on", "requires", "needs", "blocked by", "after"];
/// Words between what comes first and what comes after.
const BEFORE: &[&str] = &[" blocks ", " before ", "→", "->"];

/// The tasks that a task's text says it needs: `(depends on T012, T013)`.
pub(super) fn needs<'a>(words: &TextLine<'a>) -> Vec<TaskMention<'a>> {
    let lower = words.text.to_ascii_lowercase();
    let mut found: Vec<TaskMention<'a>> = Vec::new();
    let mut from = 0;
    while let Some((at, phrase)) = first_of(&lower[from..], NEEDS) {
        let start = from + at + phrase.len();
        let end = first_of(&lower[start..], &[")", ";", ". "]);
        let end = end.map_or(lower.len(), |(length, _)| start + length);
        found.extend(mentions(&words.part(&words.text[start..end]), |letters| letters == "T"));
        from = end;
    }
    found
}

/// Pairs in a line of a section on dependencies: what comes first, and what comes after. Each clause
/// of the line speaks for itself; a remark such as "sequential after the others" names no task.
pub(super) fn pairs<'a>(line: &TextLine<'a>) -> Vec<(Vec<TaskMention<'a>>, Vec<TaskMention<'a>>)> {
    clauses(line).iter().flat_map(pairs_of_clause).collect()
}

/// The parts of a line between semicolons, full stops and quotation marks.
fn clauses<'a>(line: &TextLine<'a>) -> Vec<TextLine<'a>> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, c) in line.text.char_indices() {
        let stop = c == '.' && line.text[at + 1..].starts_with(' ');
        if stop || matches!(c, ';' | '"' | '“' | '”') {
            parts.push(line.part(&line.text[from..at]));
            from = at + c.len_utf8();
        }
    }
    parts.push(line.part(&line.text[from..]));
    parts
}

fn pairs_of_clause<'a>(line: &TextLine<'a>) -> Vec<(Vec<TaskMention<'a>>, Vec<TaskMention<'a>>)> {
    let ids = |part: &'a str| mentions(&line.part(part), |letters| letters == "T");
    let lower = line.text.to_ascii_lowercase();
    if let Some((at, phrase)) = first_of(&lower, NEEDS) {
        let (next, first) = (&line.text[..at], &line.text[at + phrase.len()..]);
        return vec![(ids(first), ids(next))];
    }
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some((at, phrase)) = first_of(&lower[from..], BEFORE) {
        parts.push(&line.text[from..from + at]);
        from += at + phrase.len();
    }
    parts.push(&line.text[from..]);
    parts.windows(2).map(|pair| (ids(pair[0]), ids(pair[1]))).collect()
}

/// The first phrase in the text, and its position.
fn first_of<'p>(text: &str, phrases: &[&'p str]) -> Option<(usize, &'p str)> {
    text.char_indices().find_map(|(at, _)| {
        let here = phrases.iter().find(|phrase| text[at..].starts_with(**phrase));
        here.map(|phrase| (at, *phrase))
    })
}

/// The stories that each story waits for: `**User Story 2 (P2)**: Can start after User Story 1 - …`.
/// Text after the first dash is an explanation.
pub(super) fn of_stories(text: &str, sections: &[Range<usize>]) -> Vec<(u64, Vec<u64>)> {
    let mut found = Vec::new();
    for section in sections {
        for line in lines_from(&text[section.clone()], section.start) {
            let Some((subject, statement)) = line.text.split_once(':') else { continue };
            let [story] = stories(&line.part(subject))[..] else { continue };
            let ends = [" - ", " – ", " — ", ";", ". "];
            let end =
                ends.iter().filter_map(|end| statement.find(end)).min().unwrap_or(statement.len());
            let clause = line.part(&statement[..end]);
            let lower = clause.text.to_lowercase();
            let speaks = ["after", "depend", "require", "need", "parallel", "independent", "start"];
            if speaks.iter().any(|word| lower.contains(word)) {
                found.push((story, stories(&clause)));
            }
        }
    }
    found
}

/// The user stories in a text, outside of brackets: `User Story 2`, `US2`.
pub(super) fn stories(line: &TextLine<'_>) -> Vec<u64> {
    let mut found = Vec::new();
    for part in outside_brackets(line) {
        found.extend(mentions(&part, |letters| letters == "US").iter().map(|m| m.number));
        let mut rest = part;
        while let Some(at) = rest.text.find("User Stor") {
            let behind = rest.part(&rest.text[at + 9..]);
            let words = behind.part(behind.text.trim_start_matches("ies").trim_start_matches('y'));
            // The number follows directly.
            let end = words.text.char_indices().nth(12).map_or(words.text.len(), |(end, _)| end);
            let near = words.part(&words.text[..end]);
            let number = mentions(&near, str::is_empty).into_iter().next();
            let next = |n: &TaskMention<'_>| near.text[..n.id.start - near.start].trim().is_empty();
            if let Some(number) = number.filter(next) {
                let last = number.through.unwrap_or(number.number);
                found.extend(number.number..=last.min(number.number.saturating_add(100)));
            }
            rest = behind;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> TextLine<'_> {
        TextLine { text, start: 0 }
    }

    fn shown(found: &[TaskMention<'_>]) -> Vec<String> {
        found.iter().map(|m| format!("{}{:?}", m.id.text, m.through)).collect()
    }

    #[test]
    fn a_task_states_its_dependencies() {
        let text = "Wire T001's parser (depends on T012, T014-T016); then T020. Requires T030.";
        assert_eq!(shown(&needs(&line(text))), ["T012None", "T014Some(16)", "T030None"]);
        assert!(needs(&line("Read the header, not T003")).is_empty());
    }

    #[test]
    fn sections_state_an_order() {
        let read = |text| -> Vec<(Vec<String>, Vec<String>)> {
            pairs(&line(text)).iter().map(|(a, b)| (shown(a), shown(b))).collect()
        };
        let strings =
            |all: &[&str]| -> Vec<String> { all.iter().map(|s| (*s).to_owned()).collect() };
        assert_eq!(
            read("- Tests (T004-T007) before implementation (T008)"),
            [(strings(&["T004Some(7)"]), strings(&["T008None"]))]
        );
        assert_eq!(read("- T008 blocks T009"), [(strings(&["T008None"]), strings(&["T009None"]))]);
        assert_eq!(read("T3 depends on T1"), [(strings(&["T1None"]), strings(&["T3None"]))]);
        assert_eq!(read("T1 → T2 → T3").len(), 2);
        let remark = "- T002, T003, T004 extend the same file; marked \"Sequential after T_n_\". `[P]` removed from T003/T004.";
        let stated = |(a, b): &(Vec<String>, Vec<String>)| !a.is_empty() && !b.is_empty();
        assert!(!read(remark).iter().any(stated), "{:?}", read(remark));
    }

    #[test]
    fn stories_state_their_dependencies() {
        let text = "- **User Story 1 (P1)**: Can start after Foundational (Phase 2) - No dependencies\n- **User Story 2**: Depends on User Story 1 - may use US3\n- **US3**: after US1 and US2\n- **Polish**: depends on US1\n";
        let whole = 0..text.len();
        assert_eq!(of_stories(text, &[whole]), [(1, vec![]), (2, vec![1]), (3, vec![1, 2])]);
    }
}
