//! Words of sentences, compared without their endings.
//!
//! Rules over prose decide from whole words and numbers, never from the meaning of a sentence.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`conditions`] | what a statement says, apart from when it holds |
//! | `measures` | units, and words that say what a number is |
//! | [`quantities`] | numbers with what they count or measure, and whether they are limits |

pub(crate) mod conditions;
mod measures;
pub(crate) mod quantities;

use std::collections::BTreeSet;

/// Whether a text has these words, as whole words. Both are in lowercase.
pub(crate) fn has_words(text: &str, words: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Words that say nothing about what a sentence is about.
const STOP_WORDS: &str = "a an the this that these those it its they their them he she we you your our i be is are \
was were been being am do does did done has have had having must shall should may might can could will would to of in \
on at by for from with into onto as and or but nor so if when while where then than there here which who whose what how \
why all any each every some both either own same such only also just very too more most less least much many few other \
others able about above across after before again against along among around because below between beyond during \
except inside outside over per since through throughout toward under until up upon via within out off down e.g i.e etc \
need needs needed require requires required requirement requirements system application app service server program \
tool cli api software product solution platform project always given not no never cannot \
exactly using use used uses";

/// Words that are compared as one.
const SYNONYMS: &[(&str, &str)] = &[
    ("response", "respond"),
    ("reply", "respond"),
    ("answer", "respond"),
    ("inactive", "idle"),
    ("inactivity", "idle"),
    ("idleness", "idle"),
    ("end", "expire"),
    ("expiry", "expire"),
    ("expiration", "expire"),
    ("terminate", "expire"),
    ("remove", "delete"),
    ("deletion", "delete"),
    ("removal", "delete"),
    ("erase", "delete"),
    ("save", "store"),
    ("persist", "store"),
    ("storage", "store"),
    ("retry", "attempt"),
    ("try", "attempt"),
    ("tries", "attempt"),
    ("retries", "attempt"),
    ("customer", "user"),
    ("display", "show"),
    ("print", "show"),
    ("creation", "create"),
    ("logging", "log"),
    ("encryption", "encrypt"),
    ("validation", "validate"),
];

/// A lowercase word without its usual endings.
pub(crate) fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    let lower = lower.trim_end_matches("'s").trim_end_matches('\'');
    let stem = strip_ending(lower);
    let same = SYNONYMS.iter().find(|(from, _)| *from == lower || strip_ending(from) == stem);
    same.map_or(stem, |(_, to)| strip_ending(to))
}

fn strip_ending(word: &str) -> String {
    let letters = word.chars().count();
    let strip = |end: &str, least: usize| word.strip_suffix(end).filter(|_| letters >= least);
    if let Some(front) = strip("ies", 5) {
        return format!("{front}y");
    }
    let front = strip("ing", 6)
        .or_else(|| strip("sses", 6).map(|_| &word[..word.len() - 2]))
        .or_else(|| strip("ed", 5))
        .or_else(|| strip("es", 5).filter(|front| front.ends_with(['x', 'h', 's', 'z'])))
        .or_else(|| strip("s", 3).filter(|front| !front.ends_with(['s', 'u', 'i'])))
        .unwrap_or(word);
    // `stored`, `storing` and `store`; `planned` and `plan`.
    let front = front.strip_suffix('e').filter(|rest| rest.len() > 2).unwrap_or(front);
    let mut last = front.chars().rev();
    match (last.next(), last.next()) {
        (Some(one), Some(other)) if one == other && !"lsoe".contains(one) && front.len() > 3 => {
            front[..front.len() - one.len_utf8()].to_owned()
        }
        _ => front.to_owned(),
    }
}

/// What a text is about: its words without endings, without stop words, numbers and code.
pub(crate) fn content_words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '_' || c == '-'));
    words
        .map(|word| word.trim_matches(['-', '_', '\'']))
        .filter(|word| word.chars().count() > 1 && !is_number(word))
        .filter(|word| {
            let lower = word.to_lowercase();
            !is_stop_word(&lower) && !is_stop_word(lower.trim_end_matches('s'))
        })
        .map(stem)
        .collect()
}

pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.split(' ').any(|stop| stop == word)
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// The share of words that two sets have in common, in per cent; all of it for two empty ones.
pub(crate) fn likeness(one: &BTreeSet<String>, other: &BTreeSet<String>) -> usize {
    let common = one.intersection(other).count();
    (common * 100).checked_div(one.union(other).count()).unwrap_or(100)
}

/// The sentences of a text; list items and lines after a colon or a blank line are sentences of their own.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for (at, c) in text.char_indices() {
        let next = text[at + c.len_utf8()..].chars().next();
        let is_end = match c {
            '.' | '!' | '?' => {
                next.is_none_or(char::is_whitespace) && !is_abbreviated(&text[start..=at])
            }
            ';' => next.is_none_or(char::is_whitespace),
            '\n' => {
                let rest = text[at + 1..].trim_start_matches([' ', '\t']);
                rest.starts_with(['-', '*', '+', '\n', '#', '|'])
                    || rest.starts_with(|c: char| c.is_ascii_digit())
                    || bytes[..at].last() == Some(&b':')
            }
            _ => false,
        };
        if is_end {
            found.push(text[start..at].trim());
            start = at + c.len_utf8();
        }
    }
    found.push(text[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

fn is_abbreviated(sentence: &str) -> bool {
    ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx."].iter().any(|short| sentence.ends_with(short))
}

/// A text without what stands in backticks, and without paths and addresses.
pub(crate) fn without_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, part) in text.split('`').enumerate() {
        if at % 2 == 0 {
            for word in part.split_inclusive(char::is_whitespace) {
                out.push_str(if word.trim_end_matches(['.', ',', ' ']).contains('/') {
                    " "
                } else {
                    word
                });
            }
        } else {
            out.push(' ');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_without_endings() {
        for (one, other) in [
            ("stored", "stores"),
            ("notes", "note"),
            ("deleted", "removing"),
            ("planned", "plans"),
            ("queries", "query"),
            ("Responses", "respond"),
            ("logged", "log"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
        for (one, other) in [("status", "state"), ("process", "progress"), ("title", "text")] {
            assert_ne!(stem(one), stem(other), "{one} {other}");
        }
    }

    #[test]
    fn sentences_end_at_marks_and_items() {
        let text = "Write it, e.g. as JSON. Then\nstop; or not:\n- one\n- two v1.2 a.py";
        assert_eq!(
            sentences(text),
            ["Write it, e.g. as JSON", "Then\nstop", "or not:", "- one", "- two v1.2 a.py"]
        );
    }

    #[test]
    fn code_and_paths_are_no_words() {
        assert_eq!(without_code("call `stub()` at /api/v1 now"), "call   at  now");
    }
}
