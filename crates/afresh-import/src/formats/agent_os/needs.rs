//! The groups in a line of dependencies: `Task Groups 1-3`, `Task Group 1 and 2`, `None`.

use crate::prose::{TaskMention, mentions, outside_brackets};
use afresh_formats::text::markdown::TextLine;

/// Texts of a line without dependencies.
const NOTHING: &[&str] = &["", "-", "—", "–", "none", "n/a", "nothing", "no dependencies"];

/// The groups that a line names by number, or `None` if it says something else.
pub(super) fn named<'a>(line: &TextLine<'a>) -> Option<Vec<TaskMention<'a>>> {
    let mut found = Vec::new();
    let mut words = String::new();
    // A number belongs to groups until another word follows.
    let mut of_groups = true;
    for part in outside_brackets(line) {
        words.push_str(part.text);
        for piece in pieces(&part) {
            let lower = piece.text.to_lowercase();
            let bare = lower.chars().all(|c| c.is_ascii_digit() || " .-–".contains(c));
            of_groups = if bare { of_groups } else { lower.contains("group") };
            if of_groups {
                found.extend(mentions(&whole_number(&piece), str::is_empty));
            }
        }
    }
    let words = words.trim().trim_end_matches(['.', ',']).to_lowercase();
    let nothing = NOTHING.contains(&words.as_str()) || words.starts_with("none");
    (nothing || !found.is_empty()).then_some(found)
}

/// Splits at commas and at words such as `and`.
fn pieces<'a>(part: &TextLine<'a>) -> Vec<TextLine<'a>> {
    part.text
        .split([',', ';', '&', '+'])
        .flat_map(|piece| piece.split(" and "))
        .map(|piece| part.part(piece.trim().trim_start_matches("and ")))
        .filter(|piece| !piece.text.is_empty())
        .collect()
}

/// `2.0` means group 2.
fn whole_number<'a>(piece: &TextLine<'a>) -> TextLine<'a> {
    piece.part(piece.text.strip_suffix(".0").unwrap_or(piece.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_in_every_notation() {
        let read = |text: &'static str| {
            named(&TextLine { text, start: 0 }).map(|found| {
                let shown = |m: &TaskMention<'_>| (m.number, m.through);
                found.iter().map(shown).collect::<Vec<_>>()
            })
        };
        assert_eq!(read("None"), Some(vec![]));
        assert_eq!(read("None (but needs group 7 of another spec)"), Some(vec![]));
        assert_eq!(read("Task Group 1"), Some(vec![(1, None)]));
        assert_eq!(read("Task Groups 1-3"), Some(vec![(1, Some(3))]));
        assert_eq!(read("Task Groups 1, 2 and 4"), Some(vec![(1, None), (2, None), (4, None)]));
        assert_eq!(
            read("Task Group 01 (base), Task Group 02 (3 events)"),
            Some(vec![(1, None), (2, None)])
        );
        assert_eq!(read("Task Group 1, Phase 2 approval"), Some(vec![(1, None)]));
        assert_eq!(read("1.0, 2.0"), Some(vec![(1, None), (2, None)]));
        assert_eq!(read("the database"), None);
    }
}
