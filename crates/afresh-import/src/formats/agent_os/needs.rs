//! A line of dependencies: `Task Groups 1-3`, `Task Group 1.2 and 2`, `All previous task groups`,
//! `Phase 1 complete`, `None`.

use super::groups::GroupKey;
use crate::prose::outside_brackets;
use afresh_formats::text::markdown::TextLine;

/// Texts of a line without dependencies.
const NOTHING: &[&str] = &["", "-", "—", "–", "none", "n/a", "nothing", "no dependencies"];
/// Phrases that mean all groups before.
const ALL: &[&str] = &[
    "all previous",
    "all prior",
    "all preceding",
    "all earlier",
    "all above",
    "all other",
    "all task groups",
    "all groups",
    "all tasks",
    "all of the above",
    "everything",
];

/// What a line says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StatedGroups<'a> {
    pub(super) groups: Vec<GroupMention<'a>>,
    pub(super) phases: Vec<u64>,
    pub(super) all_before: bool,
    /// It says that there are none.
    pub(super) nothing: bool,
}

/// A group, or the first of a range.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GroupMention<'a> {
    pub(super) at: TextLine<'a>,
    pub(super) key: GroupKey,
    /// The last one, if this is a range.
    pub(super) through: Option<u64>,
}

impl StatedGroups<'_> {
    pub(super) fn is_understood(&self) -> bool {
        self.nothing || self.all_before || !self.groups.is_empty() || !self.phases.is_empty()
    }
}

impl GroupMention<'_> {
    /// Whether it means a group: the same numbers, a part of it, or one of the range.
    pub(super) fn covers(&self, key: &GroupKey) -> bool {
        match self.through {
            Some(last) => key.first().is_some_and(|first| (self.key[0]..=last).contains(first)),
            None => key.starts_with(&self.key),
        }
    }
}

/// Reads a line.
pub(super) fn read<'a>(line: &TextLine<'a>) -> StatedGroups<'a> {
    let mut stated = StatedGroups::default();
    let mut words = String::new();
    // A number belongs to groups until another word follows.
    let mut of_groups = true;
    for part in outside_brackets(line) {
        words.push_str(part.text);
        for piece in pieces(&part) {
            let lower = piece.text.to_lowercase();
            if let Some(phase) = phase(&lower) {
                stated.phases.push(phase);
                continue;
            }
            let bare = lower.chars().all(|c| c.is_ascii_digit() || " .-–".contains(c));
            let named = lower.contains("group") || lower.starts_with("task ");
            of_groups = if bare { of_groups } else { named };
            if of_groups {
                numbers(&piece, &mut stated.groups);
            }
        }
    }
    let words = words.trim().trim_matches(['.', ',', '*']).to_lowercase();
    stated.all_before = words == "all" || ALL.iter().any(|phrase| words.contains(phrase));
    stated.nothing = NOTHING.contains(&words.as_str()) || words.starts_with("none");
    stated
}

/// `phase 1`, `phase 1 complete`.
fn phase(lower: &str) -> Option<u64> {
    let rest = lower.strip_prefix("phase ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = rest[digits..].trim();
    let done = ["", "complete", "completed", "completion", "done", "finished", "is complete"];
    rest[..digits].parse().ok().filter(|_| done.contains(&after))
}

/// The numbers in a piece, and whether two of them are a range.
fn numbers<'a>(piece: &TextLine<'a>, found: &mut Vec<GroupMention<'a>>) {
    let text = piece.text;
    let mut at = 0;
    let mut end_of_last: Option<usize> = None;
    while let Some(start) = text[at..].find(|c: char| c.is_ascii_digit()).map(|next| at + next) {
        let length = text[start..].find(|c: char| !c.is_ascii_digit() && c != '.');
        let end = length.map_or(text.len(), |length| start + length);
        let number = text[start..end].trim_end_matches('.');
        let number = number.strip_suffix(".0").unwrap_or(number);
        at = end;
        let key: Option<GroupKey> = number.split('.').map(|part| part.parse().ok()).collect();
        let Some(key) = key.filter(|key| !key.is_empty()) else { continue };
        let between = end_of_last.map(|last| text[last..start].trim());
        end_of_last = Some(start + number.len());
        let is_range = matches!(between, Some("-" | "–" | "—" | "to" | "through" | ".." | "…"));
        match found.last_mut().filter(|last| is_range && last.through.is_none()) {
            Some(last) if last.key[0] < key[0] => last.through = Some(key[0]),
            _ => found.push(GroupMention { at: piece.part(number), key, through: None }),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    type Numbers = Vec<(GroupKey, Option<u64>)>;

    fn groups(text: &str) -> Option<Numbers> {
        let stated = read(&TextLine { text, start: 0 });
        let shown = |m: &GroupMention<'_>| (m.key.clone(), m.through);
        stated.is_understood().then(|| stated.groups.iter().map(shown).collect())
    }

    #[test]
    fn groups_are_read_in_every_notation() {
        let one = |number: u64| (vec![number], None);
        assert_eq!(groups("None"), Some(vec![]));
        assert_eq!(groups("None (but needs group 7 of another spec)"), Some(vec![]));
        assert_eq!(groups("Task Group 1"), Some(vec![one(1)]));
        assert_eq!(groups("Task Groups 1-3"), Some(vec![(vec![1], Some(3))]));
        assert_eq!(groups("Task Groups 1, 2 and 4"), Some(vec![one(1), one(2), one(4)]));
        let noted = "Task Group 01 (base), Task Group 02 (3 events)";
        assert_eq!(groups(noted), Some(vec![one(1), one(2)]));
        assert_eq!(groups("Task Group 1, Phase 2 approval"), Some(vec![one(1)]));
        assert_eq!(groups("1.0, 2.0"), Some(vec![one(1), one(2)]));
        assert_eq!(
            groups("Task Group 1.2, 1.3"),
            Some(vec![(vec![1, 2], None), (vec![1, 3], None)])
        );
        assert_eq!(groups("the database"), None);
    }

    /// FO-11: an order in words is an order.
    #[test]
    fn everything_before_and_phases_are_read() {
        let stated = |text| read(&TextLine { text, start: 0 });
        for text in [
            "All previous task groups",
            "All previous task groups (1-12)",
            "All",
            "all prior groups",
        ] {
            assert!(stated(text).all_before, "{text}");
        }
        assert_eq!(stated("Phase 1 complete").phases, [1]);
        assert_eq!(stated("Phase 1, Phase 2").phases, [1, 2]);
    }
}
