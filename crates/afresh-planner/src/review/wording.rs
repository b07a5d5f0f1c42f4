//! Tasks that shrink what was asked for, or that say it too vaguely to verify (PL-15).
//!
//! A word or a number that the served statement uses itself shrinks nothing.

use afresh_core::plan::{PlanField, RequirementScope, Task};

use super::PlanReview;
use super::vague::find_vague;
use crate::ledger::{Ledger, LedgerStatement};
use crate::words::quantities::{StatedQuantity, quantities};
use crate::words::{content_words, has_words, sentences, without_code};

const SHRINKING: &[&str] = &[
    "simplified version",
    "simplified",
    "simplistic",
    "basic version",
    "minimal version",
    "simple version",
    "initial version",
    "v1 of",
    "mvp",
    "for now",
    "placeholder",
    "stub",
    "stubs",
    "stubbed",
    "stub out",
    "mock implementation",
    "mock data",
    "dummy data",
    "fake data",
    "dummy implementation",
    "no-op implementation",
    "hard-code",
    "hardcode",
    "hard-coded",
    "hardcoded",
    "hard code",
    "skip for now",
    "later on",
    "future improvement",
    "future work",
    "follow-up task",
    "added later",
    "done later",
    "left for later",
    "leave for later",
    "in a future",
    "not yet implemented",
    "not implemented yet",
    "proof of concept",
    "proof-of-concept",
    "happy path only",
    "only the happy path",
    "good enough",
    "best effort",
    "best-effort",
    "as a start",
    "as a first step",
    "if time permits",
    "partial implementation",
    "partially implement",
    "partial support",
    "only a subset",
    "rough version",
    "quick and dirty",
    "naive version",
    "naive implementation",
    "scaffold only",
    "skip validation",
    "skip error handling",
    "without error handling",
    "ignore errors",
    "ignoring errors",
    "postpone it",
    "postpone this",
    "postponed to",
    "in a follow-up",
    "implemented later",
    "handled later",
    "minimal subset",
    "optional for now",
    "not needed yet",
    "bare-bones",
    "barebones",
    "bare minimum",
    "stripped-down",
    "stripped down",
    "reduced version",
    "lite version",
    "v1 version",
    "as v1",
    "for v1",
    "in v1",
    "a v1",
    "v1 only",
    "first version of",
    "in a later version",
    "in a later release",
    "in a later phase",
    "in a later iteration",
    "for a later version",
    "for a later release",
    "for a later phase",
    "for a later iteration",
    "to a later version",
    "to a later release",
    "to a later phase",
    "as a prototype",
    "prototype of",
    "temporary solution",
    "temporary implementation",
    "temporary workaround",
];

/// Words that make less of the noun that follows them.
const DIMINISHING: &[&str] =
    &["basic", "partial", "rudimentary", "crude", "minimal", "limited", "simplified"];

pub(super) fn check(review: &mut PlanReview<'_>) {
    for (at, task) in review.tasks() {
        let ledger = review.subject.ledger;
        let served: Vec<&LedgerStatement> = served(task, ledger);
        if let Some(words) = shrinking_words(task, ledger, &served) {
            let message = format!("{} says {words:?}: a task does all of what it serves", task.id);
            let hint = "plan the whole statement; only a person defers a part of it";
            review.report(at, PlanField::Title, "shrinks-statement", message, hint);
        }
        if let Some((own, statement, asked)) = changed_number(task, &served) {
            let message = format!(
                "{} says {:?}, and {} asks for {:?}",
                task.id, own.text, statement.id, asked.text
            );
            let hint = "use the number of the specification; only a person changes it";
            review.report(at, PlanField::Title, "shrinks-statement", message, hint);
        }
        let texts = task_texts(task);
        let mut vague =
            texts.iter().flat_map(|text| sentences(text)).filter_map(|it| find_vague(it).named());
        // What the specification says itself is reported there.
        let is_quoted = |words: &String| {
            served.iter().any(|statement| statement.quote.to_lowercase().contains(words.as_str()))
        };
        if let Some(words) = vague.find(|words| !is_quoted(words)) {
            let message = format!("{} says {words:?}, which is too vague to verify", task.id);
            let hint = "name a value, a status, a file or a time";
            review.report(at, PlanField::Title, "vague-criterion", message, hint);
        }
    }
    check_criteria(review);
}

/// Criteria of the specification that no command can verify.
fn check_criteria(review: &mut PlanReview<'_>) {
    let ledger = review.subject.ledger;
    for statement in ledger.active().filter(|statement| statement.scope == RequirementScope::Active)
    {
        let found = find_vague(&statement.quote);
        let is_error = statement.is_criterion() && found.is_all_of(&statement.quote);
        let Some(words) = found.anything() else { continue };
        let message = format!("{} says {words:?}, which no check can verify", statement.id);
        let hint = "let a person name a value, a status or a time: report NEEDS_DECISION";
        review.report_statement(&statement.file, statement.line, "vague-criterion", message, hint);
        if !is_error {
            review.soften_last();
        }
    }
}

fn served<'l>(task: &Task, ledger: &'l Ledger) -> Vec<&'l LedgerStatement> {
    let own: Vec<&LedgerStatement> =
        task.requirements.iter().filter_map(|id| ledger.find(id.as_str())).collect();
    let is_part =
        |part: &&LedgerStatement| own.iter().any(|whole| part.parent.as_ref() == Some(&whole.id));
    let parts: Vec<&LedgerStatement> = ledger.statements.iter().filter(is_part).collect();
    own.into_iter().chain(parts).collect()
}

fn task_texts(task: &Task) -> Vec<String> {
    let steps = task.steps.iter().flat_map(|step| [step.name.as_str(), step.instructions.as_str()]);
    let texts = [task.title.as_str(), task.instructions.as_str()].into_iter().chain(steps);
    texts.map(str::to_owned).collect()
}

fn shrinking_words(task: &Task, ledger: &Ledger, served: &[&LedgerStatement]) -> Option<String> {
    let quotes: Vec<String> =
        ledger.active().map(|statement| statement.quote.to_lowercase()).collect();
    let is_asked = |words: &str| quotes.iter().any(|quote| quote.contains(words));
    let asked = served
        .iter()
        .flat_map(|statement| content_words(&statement.quote))
        .collect::<std::collections::BTreeSet<_>>();
    for text in task_texts(task) {
        let plain = without_code(&text);
        let is_todo = |sentence: &&str| sentence.contains("TODO") && !is_denied(sentence, "TODO");
        if !is_asked("todo") && sentences(&plain).iter().any(is_todo) {
            return Some("TODO".to_owned());
        }
        // `/api/v1` is a name.
        let is_versioned = text.contains("/v1");
        let plain = plain.to_lowercase();
        for sentence in sentences(&plain) {
            // Tests may use what the program must not.
            let is_test = has_words(sentence, "test")
                || has_words(sentence, "tests")
                || has_words(sentence, "fixture");
            let in_tests = [
                "stub",
                "stubs",
                "stubbed",
                "placeholder",
                "temporary",
                "mock data",
                "fake data",
                "dummy data",
                "hardcoded",
                "hard-coded",
                "skeleton",
            ];
            let found = SHRINKING.iter().find(|words| {
                let is_for_tests = is_test && in_tests.contains(words);
                let is_name = is_versioned && has_words(words, "v1");
                let is_meant = !is_asked(words)
                    && !is_for_tests
                    && !is_name
                    && !is_other_sense(sentence, words);
                is_meant && has_words(sentence, words)
            });
            if let Some(words) = found.filter(|words| !is_denied(sentence, words)) {
                return Some((*words).to_owned());
            }
            let words: Vec<&str> = sentence
                .split(|c: char| !(c.is_alphanumeric() || c == '-'))
                .filter(|word| !word.is_empty())
                .collect();
            let pair = words.windows(2).find(|pair| {
                DIMINISHING.contains(&pair[0])
                    && asked.contains(&crate::words::stem(pair[1]))
                    && !is_asked(pair[0])
            });
            if let Some(pair) = pair.filter(|pair| !is_denied(sentence, pair[0])) {
                return Some(pair.join(" "));
            }
        }
    }
    None
}

/// `placeholder text` of an input, a `temporary file`, a loading `skeleton`.
fn is_other_sense(sentence: &str, words: &str) -> bool {
    let with = |more: &[&str]| more.iter().any(|more| sentence.contains(more));
    match words {
        "placeholder" => with(&[
            "placeholder text",
            "placeholder attribute",
            "placeholder image",
            "placeholder of",
            "template",
            "variable",
            "prompt",
            "format",
            "sql",
            "query",
            "input",
            "show",
            "display",
            "field",
            "form ",
        ]),
        // `added later than` compares.
        words if words.ends_with("later") => with(&[&format!("{words} than")]),
        "ignore errors" | "best effort" | "best-effort" => with(&["must not"]),
        _ => false,
    }
}

/// `No placeholder`, `without hard-coded paths`, `do not stub it`.
fn is_denied(text: &str, words: &str) -> bool {
    text.match_indices(words).all(|(at, _)| {
        let start = text[..at].char_indices().rev().take(24).last().map_or(at, |(start, _)| start);
        let before = &text[start..at];
        [
            "no ",
            "not ",
            "without ",
            "never ",
            "instead of ",
            "replace ",
            "remove ",
            "replaces ",
            "removes ",
            "rather than ",
        ]
        .iter()
        .any(|word| before.contains(word))
    })
}

/// A number of a task for something that the statement gives another number for.
fn changed_number<'l>(
    task: &Task,
    served: &[&'l LedgerStatement],
) -> Option<(StatedQuantity, &'l LedgerStatement, StatedQuantity)> {
    let texts = task_texts(task);
    let commands = task.all_checks().map(|check| check.command.clone());
    let whole = texts.iter().cloned().chain(commands).collect::<Vec<_>>().join("\n").to_lowercase();
    let all: Vec<StatedQuantity> =
        texts.iter().flat_map(|text| sentences(text)).flat_map(quantities).collect();
    for statement in served {
        let asked = quantities(&statement.quote);
        let topic = content_words(&statement.quote);
        for number in &asked {
            let is_only = asked.iter().filter(|other| other.kind == number.kind).count() == 1;
            // The right number somewhere in the task is enough, whatever it counts there.
            if !is_only || all.iter().any(|own| own.is_equal(number)) || has_digits(&whole, number)
            {
                continue;
            }
            // Another statement of the same task may ask for it.
            let is_of_other = |own: &StatedQuantity| {
                served
                    .iter()
                    .any(|other| quantities(&other.quote).iter().any(|asked| asked.is_equal(own)))
            };
            let unit = content_words(&number.text);
            for sentence in texts.iter().flat_map(|text| sentences(text)) {
                let common = content_words(sentence)
                    .intersection(&topic)
                    .filter(|word| !unit.contains(*word))
                    .count();
                let is_about = common >= 1 && common * 3 >= topic.len().saturating_sub(unit.len());
                let own = quantities(sentence)
                    .into_iter()
                    .find(|own| own.kind == number.kind && !is_of_other(own));
                // `500 concurrent users` says itself what it is about.
                let is_named =
                    |own: &StatedQuantity| unit.len() > 1 && content_words(&own.text) == unit;
                if let Some(own) = own.filter(|own| is_about || is_named(own)) {
                    return Some((own, statement, number.clone()));
                }
            }
        }
    }
    None
}

/// Whether a text has the digits of a number.
fn has_digits(text: &str, number: &StatedQuantity) -> bool {
    let digits = number.text.split(|c: char| !(c.is_ascii_digit() || ".,".contains(c)));
    let mut digits = digits.filter(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    digits.any(|digits| has_words(text, digits))
}
