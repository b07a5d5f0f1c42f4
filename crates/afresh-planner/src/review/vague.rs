//! Sentences that are too vague to verify.

use crate::words::{has_words, is_stop_word};

/// What is vague in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VagueWords {
    /// A verdict without a measure: `works correctly`, `is fast`.
    Verdict(String),
    /// A manner that nobody can measure: `gracefully`.
    Manner(String),
    None,
}

impl VagueWords {
    /// Only verdicts: the words of a task describe work, too.
    pub(super) fn named(self) -> Option<String> {
        match self {
            Self::Verdict(words) => Some(words),
            Self::Manner(_) | Self::None => None,
        }
    }

    pub(super) fn anything(self) -> Option<String> {
        match self {
            Self::Verdict(words) | Self::Manner(words) => Some(words),
            Self::None => None,
        }
    }

    /// Whether nothing else in the sentence could be verified.
    pub(super) fn is_all_of(&self, sentence: &str) -> bool {
        match self {
            Self::Verdict(_) => true,
            Self::Manner(_) => sentence.split_whitespace().count() <= SHORT_SENTENCE,
            Self::None => false,
        }
    }
}

/// A sentence of so few words says nothing beside a vague one.
const SHORT_SENTENCE: usize = 8;

const VERBS: &[&str] = &[
    "works",
    "work",
    "functions",
    "function",
    "behaves",
    "behave",
    "performs",
    "perform",
    "operates",
    "runs",
    "loads",
    "load",
    "responds",
    "respond",
    "renders",
    "render",
    "looks",
    "feels",
];
const ADVERBS: &[&str] = &[
    "correctly",
    "properly",
    "well",
    "fine",
    "as expected",
    "as intended",
    "nicely",
    "smoothly",
    "reliably",
    "quickly",
    "fast",
    "good",
    "great",
    "efficiently",
];
const BEING: &[&str] =
    &["is", "are", "be", "stays", "stay", "feels", "feel", "remains", "remain", "looks", "look"];
const QUALITIES: &[&str] = &[
    "fast",
    "good",
    "clean",
    "secure",
    "robust",
    "user-friendly",
    "user friendly",
    "intuitive",
    "scalable",
    "performant",
    "efficient",
    "nice",
    "easy to use",
    "high quality",
    "high-quality",
    "reliable",
    "quick",
    "smooth",
    "snappy",
    "simple to use",
    "maintainable",
    "beautiful",
    "polished",
    "fast enough",
    "good enough",
    "responsive enough",
];
const DEGREES: &[&str] =
    &["", "very ", "reasonably ", "sufficiently ", "as ", "always ", "generally "];
const MANNERS: &[&str] = &[
    "gracefully",
    "appropriately",
    "adequately",
    "seamlessly",
    "in a timely manner",
    "in reasonable time",
    "within reasonable time",
    "in a reasonable time",
    "handled properly",
    "handled correctly",
    "handles errors properly",
    "as fast as possible",
    "as soon as possible",
    "where appropriate",
    "as appropriate",
    "good performance",
    "good user experience",
    "great user experience",
    "well tested",
    "well-tested",
    "high performance",
    "state of the art",
    "works properly",
];

/// What is vague in a sentence that names nothing that could be measured.
pub(super) fn find_vague(sentence: &str) -> VagueWords {
    // A number, a piece of code or a quoted text can be verified.
    let bare = sentence.trim_start_matches(|c: char| {
        c.is_ascii_uppercase() || c.is_ascii_digit() || "-.:*() ".contains(c)
    });
    if bare.contains(|c: char| c.is_ascii_digit() || "`\"“".contains(c)) {
        return VagueWords::None;
    }
    let lower = sentence.to_lowercase();
    let mut pairs =
        VERBS.iter().flat_map(|verb| ADVERBS.iter().map(move |adverb| format!("{verb} {adverb}")));
    let qualities = BEING.iter().flat_map(|being| {
        DEGREES.iter().flat_map(move |degree| {
            QUALITIES.iter().map(move |quality| format!("{being} {degree}{quality}"))
        })
    });
    let mut qualities = qualities.filter(|words| ends_clause(&lower, words));
    if let Some(found) = pairs.find(|words| has_words(&lower, words)) {
        return VagueWords::Verdict(found);
    }
    if let Some(found) = qualities.find(|words| has_words(&lower, words)) {
        return VagueWords::Verdict(found);
    }
    let manner = MANNERS.iter().find(|words| has_words(&lower, words));
    manner.map_or(VagueWords::None, |words| VagueWords::Manner((*words).to_owned()))
}

/// `is secure` is a verdict; `is secure by TLS` and `are clean JSON` say what can be verified.
fn ends_clause(sentence: &str, words: &str) -> bool {
    sentence.match_indices(words).any(|(at, _)| {
        let rest = &sentence[at + words.len()..];
        let next = rest.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        !rest.starts_with(char::is_whitespace)
            || next.is_empty()
            || (is_stop_word(next)
                && !matches!(next, "by" | "via" | "through" | "using" | "against"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_without_a_measure_are_vague() {
        for text in [
            "Search is fast",
            "The page must be very intuitive",
            "Login works as expected",
            "It should perform well",
            "Pages must load quickly",
        ] {
            assert!(matches!(find_vague(text), VagueWords::Verdict(_)), "{text}");
        }
        for text in [
            "Search is fast: 95 % end within 200 ms",
            "`notes list` works correctly",
            "A fast path is taken",
            "Errors are shown in red",
            "Responses are clean JSON",
            "The connection is secure by TLS",
        ] {
            assert_eq!(find_vague(text), VagueWords::None, "{text}");
        }
    }
}
