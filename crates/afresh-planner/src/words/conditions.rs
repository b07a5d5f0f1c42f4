//! What a statement says, apart from when it holds.

use std::collections::BTreeSet;

/// Words that start a condition.
const MARKERS: &[&str] = &[
    "when", "whenever", "if", "while", "where", "once", "unless", "given", "during", "until",
    "except", "without",
];
/// Words that end one.
const ENDS: &[&str] = &["then", "shall", "must", "should", "will"];

/// A statement in two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConditionalText {
    /// The words of all conditions; empty if the statement always holds.
    pub(crate) condition: BTreeSet<String>,
    /// What holds then.
    pub(crate) consequence: String,
}

/// Parts a statement: `WHEN idle THEN it SHALL end` holds when idle.
pub(crate) fn split_condition(text: &str) -> ConditionalText {
    let mut condition = BTreeSet::new();
    let mut consequence: Vec<&str> = Vec::new();
    // The words of a condition, and those at its end that may already name who acts: `WHEN idle, the session SHALL end`.
    let mut open: Option<Vec<&str>> = None;
    for word in text.split_whitespace() {
        let bare = bare(word);
        if MARKERS.contains(&bare.as_str()) {
            note(&mut condition, open.take());
            open = Some(vec![word]);
            continue;
        }
        let Some(words) = &mut open else {
            consequence.push(word);
            continue;
        };
        let is_end = ENDS.contains(&bare.as_str());
        if is_end {
            let actor = words
                .iter()
                .rposition(|word| self::bare(word) == "the")
                .filter(|at| words.len() - at <= 4 && bare != "then");
            let rest = actor.map(|at| words.split_off(at)).unwrap_or_default();
            note(&mut condition, open.take());
            consequence.extend(rest);
            consequence.push(word);
        } else {
            words.push(word);
            if word.ends_with([',', ';', '.', ':']) {
                note(&mut condition, open.take());
            }
        }
    }
    note(&mut condition, open);
    ConditionalText { condition, consequence: consequence.join(" ") }
}

fn note(condition: &mut BTreeSet<String>, words: Option<Vec<&str>>) {
    let words = words.into_iter().flatten().map(bare);
    condition.extend(words.filter(|word| is_told_apart(word)).map(|word| super::stem(&word)));
}

/// Whether a word can tell two conditions apart.
fn is_told_apart(word: &str) -> bool {
    !word.is_empty()
        && (matches!(word, "no" | "not" | "never" | "without" | "unless")
            || !super::is_stop_word(word))
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_parted_from_what_holds() {
        let shown = |text: &str| {
            let parts = split_condition(text);
            format!("{:?} {}", parts.condition, parts.consequence)
        };
        assert_eq!(
            shown("WHEN a session is idle THEN the system SHALL end it"),
            "{\"idl\", \"session\"} THEN the system SHALL end it"
        );
        assert_eq!(
            shown("WHEN no trait is selected, THE System SHALL not show it"),
            "{\"no\", \"select\", \"trait\"} THE System SHALL not show it"
        );
        assert_eq!(shown("WHILE busy the lamp SHALL blink"), "{\"busy\"} the lamp SHALL blink");
        assert_eq!(shown("Notes are listed"), "{} Notes are listed");
    }
}
