//! Tasks whose words are those of something deferred or out of scope (PL-15).
//!
//! That a task lists the id of such a statement is found by coverage; here its text is compared.

use std::collections::BTreeSet;

use afresh_core::plan::{PlanField, Task};

use super::PlanReview;
use crate::ledger::LedgerStatement;
use crate::words::{content_words, has_words, sentences, without_code};

/// Words that say nothing about what is left out.
const GENERIC: &str = "support feature future version handling advanced full complete real new additional extra basic custom \
multiple various data user later management option set change update add phase scope deferred nice implement build \
provide work part thing case file code test make possible several different own based include";

/// Words that narrow a single one: a mobile app is more than `mobile`.
const NARROWING: &[&str] = &[
    "app",
    "application",
    "api",
    "service",
    "server",
    "client",
    "cli",
    "tool",
    "platform",
    "system",
    "support",
];

/// More words than this describe something that no single sentence would repeat.
const MAX_WORDS: usize = 5;

pub(super) fn check(review: &mut PlanReview<'_>) {
    let ledger = review.subject.ledger;
    let wanted: BTreeSet<String> =
        ledger.active().flat_map(|statement| content_words(&statement.quote)).collect();
    let generic: BTreeSet<String> = GENERIC.split(' ').map(crate::words::stem).collect();
    let left_out: Vec<(&LedgerStatement, BTreeSet<String>)> = ledger
        .statements
        .iter()
        .filter(|statement| !statement.is_active())
        .map(|statement| (statement, topic(statement, &generic)))
        // What the rest of the specification speaks of, too, tells nothing apart.
        .filter(|(_, words)| {
            (1..=MAX_WORDS).contains(&words.len())
                && words.iter().any(|word| !wanted.contains(word) && word.len() > 3)
        })
        .collect();
    for (at, task) in review.tasks() {
        let lists = |statement: &LedgerStatement| task.requirements.contains(&statement.id);
        let found = left_out.iter().find(|(statement, words)| {
            !lists(statement) && speaks_of(task, words, &narrowing_words(statement, words))
        });
        let Some((statement, _)) = found else { continue };
        let id = &statement.id;
        let message = format!(
            "{} does something of {id}, which is not in scope: {}",
            task.id, statement.quote
        );
        let hint = "leave it out; a person changes the scope of a statement";
        review.report(at, PlanField::Title, "leaks-scope", message, hint);
    }
}

/// What a statement is about: its first clause, without its id and without general words.
fn topic(statement: &LedgerStatement, generic: &BTreeSet<String>) -> BTreeSet<String> {
    let quote = statement.quote.as_str();
    let quote = quote.strip_prefix(statement.id.as_str()).unwrap_or(quote);
    let quote = quote.trim_start_matches([':', '.', ')', ']', '-', '—', '–', ' ']);
    let clause = quote.split(['(', ';', '—', '–', '.']).next().unwrap_or(quote);
    let mut words = content_words(clause);
    words.retain(|word| !generic.contains(word));
    words
}

/// The general words of a statement whose topic is a single word.
fn narrowing_words(statement: &LedgerStatement, words: &BTreeSet<String>) -> Vec<&'static str> {
    let lower = statement.quote.to_lowercase();
    let named = NARROWING.iter().copied().filter(|word| has_words(&lower, word));
    if words.len() == 1 { named.collect() } else { Vec::new() }
}

/// Whether one sentence of the task has all of these words, and does not deny them.
fn speaks_of(task: &Task, words: &BTreeSet<String>, narrowing: &[&str]) -> bool {
    let steps = task.steps.iter().map(|step| step.instructions.as_str());
    let text =
        std::iter::once(task.instructions.as_str()).chain(steps).collect::<Vec<_>>().join("\n");
    let plain = without_code(&text);
    std::iter::once(task.title.as_str()).chain(sentences(&plain)).any(|sentence| {
        let own = content_words(sentence);
        let lower = format!(" {} ", sentence.to_lowercase());
        let is_denied = [
            " no ",
            " not ",
            " without ",
            " never ",
            " out of scope",
            "n't ",
            " later",
            " deferred",
            " instead of ",
            " excluded",
            " leave ",
            " leaves ",
            " ignore ",
            " ignores ",
            " skip ",
        ]
        .iter()
        .any(|word| lower.contains(word));
        let is_narrowed = narrowing.iter().all(|word| lower.contains(word));
        !is_denied && is_narrowed && words.iter().all(|word| own.contains(word))
    })
}
