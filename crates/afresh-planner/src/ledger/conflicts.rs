//! Statements that cannot both be met, as far as a program can tell (PL-15).
//!
//! Three kinds are found: two statements with one id, two numbers for the same thing, and one statement that demands
//! what another forbids. Both have to be about the same words; contradictions of meaning are left to people.

use std::collections::BTreeSet;

use afresh_core::plan::RequirementId;
use afresh_import::requirements::leading_id;

use super::{Ledger, LedgerStatement};
use crate::words::conditions::{ConditionalText, split_condition};
use crate::words::quantities::{StatedQuantity, quantities};
use crate::words::{content_words, has_words, likeness, stem};

/// Two statements that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementConflict {
    pub first: RequirementId,
    pub second: RequirementId,
    pub kind: ConflictKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConflictKind {
    /// Both are named by the same id.
    SameId(String),
    /// One number each, for the same thing.
    Numbers(String, String),
    /// One demands what the other forbids.
    Opposites,
}

/// The most statements that are compared with each other.
const MAX_COMPARED: usize = 1_500;
/// How alike two subjects are, in per cent, that have one number.
const SAME_SUBJECT: usize = 60;
/// How alike two predicates are that are each other's opposite.
const SAME_PREDICATE: usize = 75;

impl Ledger {
    /// Statements in scope that contradict each other, in the order of the specification.
    pub fn conflicts(&self) -> Vec<StatementConflict> {
        let mut found = self.shared_ids();
        let claims: Vec<StatementClaim<'_>> =
            self.active().take(MAX_COMPARED).map(StatementClaim::new).collect();
        for (at, one) in claims.iter().enumerate() {
            for other in &claims[at + 1..] {
                if let Some(kind) = one.conflict(other) {
                    let (first, second) = (one.statement.id.clone(), other.statement.id.clone());
                    found.push(StatementConflict { first, second, kind });
                }
            }
        }
        found
    }

    /// A statement that starts with the id of another one was given a new id when the specification was cut.
    fn shared_ids(&self) -> Vec<StatementConflict> {
        let conflict = |second: &LedgerStatement| {
            let end = leading_id(&second.quote)?;
            let id = &second.quote[..end];
            let first = self.find(id).filter(|first| first.id != second.id)?;
            let is_other =
                first.hash != second.hash && first.is_criterion() == second.is_criterion();
            let is_part = second.parent.as_ref() == Some(&first.id);
            (is_other && !is_part && first.line != second.line).then(|| StatementConflict {
                first: first.id.clone(),
                second: second.id.clone(),
                kind: ConflictKind::SameId(id.to_owned()),
            })
        };
        self.active().filter_map(conflict).collect()
    }
}

/// What a statement says about something, for comparisons.
struct StatementClaim<'a> {
    statement: &'a LedgerStatement,
    quantities: Vec<StatedQuantity>,
    subject: BTreeSet<String>,
    polarity: ClaimPolarity,
    /// When it holds.
    condition: BTreeSet<String>,
    /// What all of it is about, also its condition.
    whole: BTreeSet<String>,
    /// All of its words but the numbers, and the numbers as they are written.
    words: Vec<String>,
    numbers: Vec<String>,
    /// The numbers of all of it, also those of its condition.
    all_quantities: Vec<StatedQuantity>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClaimPolarity {
    Demands,
    Forbids,
    /// It only says how something is.
    Describes,
}

/// Words of limits and verdicts, which say nothing about what is limited.
const LIMIT_WORDS: &str = "longer shorter larger smaller bigger greater fewer limit limited maximum minimum max min \
maximal exceed refuse refused reject rejected allow allowed accept accepted error fail long take takes size length \
default defaults listen run runs support supported newer later configured set code status exit exits return returns \
respond http wait waits permitted forbidden prohibited possible";

impl<'a> StatementClaim<'a> {
    fn new(statement: &'a LedgerStatement) -> Self {
        let whole = without_parts(without_id(&statement.quote));
        let ConditionalText { condition, consequence } = split_condition(whole);
        let all_quantities = quantities(whole);
        let words = consequence.as_str();
        let quantities = quantities(words);
        let limits: BTreeSet<String> = LIMIT_WORDS.split(' ').map(stem).collect();
        let mut subject = content_words(words);
        // `respond` is what is limited in "responses take at most 5 s".
        let is_duration = quantities.iter().any(|it| it.kind == "duration");
        subject.retain(|word| (is_duration && word == "respond") || !limits.contains(word));
        // How long something takes until it ends is one question.
        let ends = ["end", "finish", "complete", "last", "take", "kept"].map(stem);
        subject.retain(|word| !(is_duration && ends.contains(word)));
        for quantity in &quantities {
            let measured: BTreeSet<String> = content_words(&quantity.text);
            subject.retain(|word| *word != quantity.kind && !measured.contains(word));
        }
        let polarity = polarity(words);
        // A condition that is not met is another condition. `no longer than` is a limit.
        let mut lower = words.to_lowercase();
        for limit in [
            "no longer",
            "no more",
            "no fewer",
            "no less",
            "no larger",
            "not more",
            "not less",
            "not exceed",
        ] {
            lower = lower.replace(limit, "");
        }
        let is_negated = has_words(&lower, "not") || has_words(&lower, "no");
        if polarity != ClaimPolarity::Forbids && is_negated {
            subject.insert("(not)".to_owned());
        }
        let mut about = content_words(whole);
        let units: BTreeSet<String> =
            all_quantities.iter().flat_map(|it| content_words(&it.text)).collect();
        about.retain(|word| !limits.contains(word) && !units.contains(word));
        let words = whole.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
        let (numbers, words) = words.map(str::to_lowercase).partition(is_number);
        Self {
            statement,
            quantities,
            subject,
            polarity,
            condition,
            whole: about,
            words,
            numbers,
            all_quantities,
        }
    }

    fn conflict(&self, other: &Self) -> Option<ConflictKind> {
        self.numbers_differ(other)
            .or_else(|| self.is_opposite(other).then_some(ConflictKind::Opposites))
    }

    /// Two sentences that are the same but for one number.
    fn is_same_but_number(&self, other: &Self) -> Option<ConflictKind> {
        let (one, two) = (self.all_quantities.as_slice(), other.all_quantities.as_slice());
        let differing: Vec<(&StatedQuantity, &StatedQuantity)> =
            one.iter().zip(two).filter(|(one, two)| !one.is_equal(two)).collect();
        // A level or a name with a number is not counted, and still tells two sentences apart.
        let other_numbers = self.numbers.iter().zip(&other.numbers).filter(|(one, two)| one != two);
        let is_only = self.numbers.len() == other.numbers.len() && other_numbers.count() == 1;
        let is_same =
            is_only && self.words == other.words && self.words.len() > 2 && one.len() == two.len();
        match differing.as_slice() {
            [(one, two)] if is_same && one.kind == two.kind => {
                Some(ConflictKind::Numbers(one.text.clone(), two.text.clone()))
            }
            _ => None,
        }
    }

    /// Two numbers for the same subject, under the same condition.
    fn numbers_differ(&self, other: &Self) -> Option<ConflictKind> {
        if self.all_quantities.is_empty() || other.all_quantities.is_empty() {
            return None;
        }
        if let Some(kind) = self.is_same_but_number(other) {
            return Some(kind);
        }
        if self.condition != other.condition {
            return self.condition_differs(other);
        }
        // Where both have words of their own, they are about different things.
        let is_part =
            self.subject.is_subset(&other.subject) || other.subject.is_subset(&self.subject);
        let is_about_same = is_part && likeness(&self.subject, &other.subject) >= SAME_SUBJECT;
        // Without another subject, what is counted is the subject.
        let has_subject = !self.subject.is_empty() && !other.subject.is_empty();
        let has_none = self.subject.is_empty() && other.subject.is_empty();
        let (one, two) = excluding_pair(&self.quantities, &other.quantities)?;
        let measures = ["duration", "interval", "size", "per cent", "status", "exit code"];
        let is_counted = !measures.contains(&one.kind.as_str());
        ((is_about_same && has_subject) || (is_counted && has_none))
            .then(|| ConflictKind::Numbers(one.text.clone(), two.text.clone()))
    }

    /// "Sessions end after 30 idle minutes" and "WHEN a session is idle for 60 minutes THEN it ends": one of them puts
    /// into a condition what the other one says.
    fn condition_differs(&self, other: &Self) -> Option<ConflictKind> {
        if self.condition.is_empty() == other.condition.is_empty() {
            return None;
        }
        let (one, two) = excluding_pair(&self.all_quantities, &other.all_quantities)?;
        (self.whole.len() > 1 && likeness(&self.whole, &other.whole) >= SAME_PREDICATE)
            .then(|| ConflictKind::Numbers(one.text.clone(), two.text.clone()))
    }

    /// What is demanded or forbidden; that it is a user who does it says nothing.
    fn predicate(&self) -> BTreeSet<String> {
        let is_anyone = |word: &&String| {
            ["user", "peopl", "person", "anyon", "everyon"].contains(&word.as_str())
        };
        self.subject.iter().filter(|word| !is_anyone(word)).cloned().collect()
    }

    /// Words that tell whose things are meant: `their own lists`, `lists of others`.
    fn owners(&self) -> BTreeSet<&str> {
        let words = self.words.iter().map(String::as_str);
        words.filter(|word| matches!(*word, "own" | "other" | "others" | "another")).collect()
    }

    fn is_opposite(&self, other: &Self) -> bool {
        use ClaimPolarity::{Describes, Forbids};
        let differ = (self.polarity == Forbids) != (other.polarity == Forbids);
        if !differ || self.condition != other.condition || self.owners() != other.owners() {
            return false;
        }
        // "can" and "may" allow; a bare description is one, too, if it is short enough to be a rule.
        let is_rule = |claim: &Self| claim.polarity != Describes || claim.subject.len() <= 6;
        let (one, two) = (self.predicate(), other.predicate());
        let common = one.intersection(&two).count();
        common >= 2 && is_rule(self) && is_rule(other) && likeness(&one, &two) >= SAME_PREDICATE
    }
}

/// The only numbers of one kind, where both cannot be true.
fn excluding_pair<'q>(
    own: &'q [StatedQuantity],
    others: &'q [StatedQuantity],
) -> Option<(&'q StatedQuantity, &'q StatedQuantity)> {
    let only = |all: &[StatedQuantity], quantity: &StatedQuantity| {
        all.iter().filter(|it| it.kind == quantity.kind && it.bound == quantity.bound).count() == 1
    };
    let pairs = own.iter().flat_map(|one| others.iter().map(move |two| (one, two)));
    let mut pairs =
        pairs.filter(|(one, two)| one.kind == two.kind && only(own, one) && only(others, two));
    pairs.find(|(one, two)| one.excludes(two))
}

fn polarity(words: &str) -> ClaimPolarity {
    let lower = words.to_lowercase();
    let has = |all: &[&str]| all.iter().any(|words| has_words(&lower, words));
    let forbids = [
        "must not",
        "shall not",
        "should not",
        "may not",
        "can not",
        "cannot",
        "can't",
        "must never",
        "never",
        "will not",
        "won't",
        "not allowed",
        "not permitted",
        "forbidden",
        "prohibited",
        "disallowed",
        "mustn't",
        "shall never",
        "not be able",
        "is impossible",
        "out of scope",
        "are impossible",
    ];
    if has(&forbids) {
        ClaimPolarity::Forbids
    } else if has(&[
        "must", "shall", "should", "always", "has to", "have to", "will", "can", "may", "required",
    ]) {
        ClaimPolarity::Demands
    } else {
        ClaimPolarity::Describes
    }
}

/// The words of a requirement without those of its criteria, which are statements of their own.
fn without_parts(words: &str) -> &str {
    let lower = words.to_ascii_lowercase();
    let parts = ["acceptance criteria", "acceptance scenarios", "scenario:"];
    let end = parts.iter().filter_map(|part| lower.find(part)).min();
    end.filter(|end| *end > 0).map_or(words, |end| &words[..end])
}

/// The words of a statement after its id.
fn without_id(quote: &str) -> &str {
    let rest = leading_id(quote).map_or(quote, |end| &quote[end..]);
    rest.trim_start_matches([':', '.', ')', ']', '*', '-', '—', '–', ' '])
}

#[cfg(test)]
mod tests;
