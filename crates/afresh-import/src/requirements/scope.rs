//! Headings that say what is deferred, left out, or no requirement at all.

use afresh_core::plan::RequirementScope;

const OUT_OF_SCOPE: &[&str] = &[
    "out of scope",
    "out-of-scope",
    "not in scope",
    "non-goal",
    "non goal",
    "nongoal",
    "excluded",
    "exclusions",
    "won't have",
    "will not",
    "not included",
];

const DEFERRED: &[&str] = &[
    "deferred",
    "future",
    "later",
    "backlog",
    "nice to have",
    "nice-to-have",
    "postponed",
    "post-mvp",
    "next version",
    "parking lot",
    "could have",
];

/// Sections whose ids are no requirements.
const OTHERS: &[&str] = &[
    "decision",
    "risk",
    "question",
    "assumption",
    "changelog",
    "change log",
    "history",
    "revision",
    "glossary",
    "reference",
    "traceability",
    "coverage",
    "task",
    "milestone",
    "review",
    "clarification",
    "appendix",
    "checklist",
];

/// Sections whose list items are requirements, also without ids.
const STATEMENTS: &[&str] = &[
    "requirement",
    "user stories",
    "user story",
    "acceptance criteria",
    "success criteria",
    "definition of done",
    "must have",
    "must-have",
    "criteria",
];

pub(super) fn scope_of(heading: &str) -> Option<RequirementScope> {
    let lower = heading.to_lowercase();
    if OUT_OF_SCOPE.iter().any(|words| lower.contains(words)) {
        return Some(RequirementScope::OutOfScope);
    }
    let is_version = ["v2", "v3", "phase 2 requirements", "version 2"];
    let later = DEFERRED.iter().chain(&is_version).any(|words| has_words(&lower, words));
    later.then_some(RequirementScope::Deferred)
}

pub(super) fn is_about_other_things(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    OTHERS.iter().any(|words| lower.contains(words)) && !states_requirements(heading)
}

pub(super) fn states_requirements(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    STATEMENTS.iter().any(|words| lower.contains(words))
}

/// Whether these are whole words of a text.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        before.is_none_or(|c| !c.is_alphanumeric()) && after.is_none_or(|c| !c.is_alphanumeric())
    })
}

/// What an item says about itself: `(deferred)`, `~~struck out~~`.
pub(super) fn scope_of_item(text: &str) -> Option<RequirementScope> {
    let lower = text.to_lowercase();
    if lower.contains("[out of scope]") || lower.contains("(out of scope") {
        return Some(RequirementScope::OutOfScope);
    }
    let marks = ["[deferred]", "(deferred", "(v2)", "[v2]", "(postponed"];
    let struck = text.trim_start_matches(['*', ' ']).starts_with("~~");
    (struck || marks.iter().any(|mark| lower.contains(mark))).then_some(RequirementScope::Deferred)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_say_what_is_left_out() {
        let scope = |heading: &str| scope_of(heading);
        assert_eq!(scope("Out of Scope"), Some(RequirementScope::OutOfScope));
        assert_eq!(scope("Non-Goals"), Some(RequirementScope::OutOfScope));
        assert_eq!(scope("v2 Requirements"), Some(RequirementScope::Deferred));
        assert_eq!(scope("Future Enhancements"), Some(RequirementScope::Deferred));
        assert_eq!(scope("v1 Requirements"), None);
        assert_eq!(scope("Related work"), None);
        assert_eq!(scope("Collateral"), None);
        assert!(is_about_other_things("Open Questions") && !is_about_other_things("Requirements"));
        assert_eq!(scope_of_item("~~R1: x~~"), Some(RequirementScope::Deferred));
    }
}
