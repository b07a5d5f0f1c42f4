//! Tasks that shrink what was asked for (PL-15): "simplified", "for now", "v1 of", stubs.
//!
//! A word that the served statement uses itself shrinks nothing.

use afresh_core::plan::PlanField;

use super::PlanReview;

const SHRINKING: &[&str] = &[
    "simplified version",
    "simplified",
    "basic version",
    "minimal version",
    "v1 of",
    "first version of",
    "for now",
    "placeholder",
    "stub",
    "stubbed",
    "mock implementation",
    "todo",
    "hard-code",
    "hardcode",
    "hard-coded",
    "hardcoded",
    "skip for now",
    "out of scope for now",
    "later on",
    "future improvement",
];

pub(super) fn check(review: &mut PlanReview<'_>) {
    for (at, task) in review.tasks() {
        let steps =
            task.steps.iter().flat_map(|step| [step.name.as_str(), step.instructions.as_str()]);
        let texts = [task.title.as_str(), task.instructions.as_str()].into_iter().chain(steps);
        let text = texts.collect::<Vec<_>>().join("\n").to_lowercase();
        let ledger = review.subject.ledger;
        let served = task.requirements.iter().filter_map(|id| ledger.find(id.as_str()));
        let served: Vec<String> = served.map(|statement| statement.quote.to_lowercase()).collect();
        let is_asked = |words: &str| served.iter().any(|quote| quote.contains(words));
        let found = SHRINKING.iter().find(|words| has_words(&text, words) && !is_asked(words));
        let Some(words) = found.filter(|words| !is_denied(&text, words)) else { continue };
        let message = format!("{} says {words:?}: a task does all of what it serves", task.id);
        let hint = "plan the whole statement; only a person defers a part of it";
        review.report(at, PlanField::Title, "shrinks-statement", message, hint);
    }
}

/// `No placeholder`, `without hard-coded paths`, `do not stub it`.
fn is_denied(text: &str, words: &str) -> bool {
    text.match_indices(words).all(|(at, _)| {
        let start = text[..at].char_indices().rev().take(24).last().map_or(at, |(start, _)| start);
        let before = &text[start..at];
        ["no ", "not ", "without ", "never ", "instead of ", "replace ", "remove "]
            .iter()
            .any(|word| before.contains(word))
    })
}

fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
