//! Ids of requirements as documents write them, and where a text names them.

use std::ops::Range;

/// Letters that start an id of something else: priorities, phases, questions.
const OTHER_LETTERS: &[&str] = &["P", "Q", "H", "V"];

/// Letters of names that end in a number and are no ids.
const OTHER_NAMES: &[&str] =
    &["UTF", "SHA", "MD", "ISO", "RFC", "HTTP", "WCAG", "ES", "IPV", "CVE", "GPT", "OAUTH", "X"];

/// The end of the id that a text starts with: `FR-001`, `AUTH-LOGIN-2`, `R1.2`, `NFR12`, `US1a`.
pub fn leading_id(text: &str) -> Option<usize> {
    let word_end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "-._".contains(c)));
    let word = text[..word_end.unwrap_or(text.len())].trim_end_matches(['-', '.', '_']);
    is_id(word).then_some(word.len())
}

/// Uppercase letters, then a number: with a dash between them, or with few of both.
pub(crate) fn is_id(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let (name, rest) = word.split_at(letters);
    let is_name = (1..=16).contains(&letters) && word.len() <= 40;
    if !is_name || OTHER_LETTERS.contains(&name) || OTHER_NAMES.contains(&name) {
        return false;
    }
    match rest.strip_prefix(['-', '_']) {
        // `AUTH-LOGIN-02`
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_uppercase()) => is_id(rest),
        Some(rest) => is_number(rest),
        None => letters <= 4 && is_number(rest),
    }
}

/// `1`, `001`, `1.2`, `3a`, `2-1`.
fn is_number(text: &str) -> bool {
    let mut parts = text.split(['.', '-']);
    let part = |part: &str| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let tail = &part[digits..];
        (1..=5).contains(&digits) && tail.len() <= 1 && tail.bytes().all(|b| b.is_ascii_lowercase())
    };
    parts.all(part)
}

/// A word of a text that may be an id, with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IdMention {
    pub(crate) id: String,
    pub(crate) at: Range<usize>,
}

/// The words of a text that have the shape of an id, and those that a range of them means.
pub(crate) fn mentions(text: &str, start: usize) -> Vec<IdMention> {
    let mut found: Vec<IdMention> = Vec::new();
    let mut last_end = 0;
    for (at, word) in words(text) {
        let (at, word) = trimmed(at, word);
        if !is_id(word) {
            continue;
        }
        let between = text[last_end..at].trim();
        let is_range = matches!(between, "-" | "–" | "—" | "to" | "through" | ".." | "…" | "...");
        if let Some(first) = found.last().filter(|_| is_range) {
            found.extend(between_ids(&first.id.clone(), word, start + at..start + at + word.len()));
        }
        found.push(IdMention { id: word.to_owned(), at: start + at..start + at + word.len() });
        last_end = at + word.len();
    }
    found
}

/// The words of a text with their positions.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_');
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = at + text[at..].find(is_part)?;
        let end = text[from..].find(|c| !is_part(c)).map_or(text.len(), |length| from + length);
        at = end;
        Some((from, &text[from..end]))
    })
}

fn trimmed(at: usize, word: &str) -> (usize, &str) {
    let marks = ['-', '.', '_'];
    let front = word.len() - word.trim_start_matches(marks).len();
    (at + front, word.trim_matches(marks))
}

/// The most ids that a range means.
const MAX_RANGE: u64 = 200;

/// The ids between two of the same letters.
pub(crate) fn between_ids(first: &str, last: &str, at: Range<usize>) -> Vec<IdMention> {
    let split = |id: &str| {
        let digits = id.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (front, number) = id.split_at(id.len() - digits);
        Some((front.to_owned(), number.parse::<u64>().ok()?, number.len()))
    };
    let (Some((front, from, width)), Some((other, to, _))) = (split(first), split(last)) else {
        return Vec::new();
    };
    if front != other || from >= to || to - from > MAX_RANGE {
        return Vec::new();
    }
    let id = |number: u64| format!("{front}{number:0width$}");
    (from + 1..to).map(|number| IdMention { id: id(number), at: at.clone() }).collect()
}

/// A part of an id from words: lowercase letters, digits and dashes.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if slug.chars().count() >= 48 {
            break;
        }
        if c.is_alphanumeric() {
            slug.extend(c.to_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-05: ids of requirements are told from other words with numbers.
    #[test]
    fn ids_are_told_from_other_words() {
        for id in ["FR-001", "R1", "R1.2", "NFR-12", "AUTH-LOGIN-02", "US1", "SC-001", "G2a", "B12"]
        {
            assert!(is_id(id), "{id}");
        }
        for word in
            ["UTF-8", "SHA256", "P1", "v2", "HTTP-2", "T", "FR", "2.1", "ABCDE12", "R123456"]
        {
            assert!(!is_id(word), "{word}");
        }
        assert_eq!(leading_id("FR-001: a"), Some(6));
        assert_eq!(leading_id("R1. a"), Some(2));
    }

    #[test]
    fn ranges_mean_every_id_between() {
        let ids = |text: &str| -> Vec<String> {
            mentions(text, 0).into_iter().map(|found| found.id).collect()
        };
        assert_eq!(ids("for FR-008 to FR-010, R2."), ["FR-008", "FR-009", "FR-010", "R2"]);
        assert_eq!(ids("R1–R3 and [US1]"), ["R1", "R2", "R3", "US1"]);
        assert_eq!(ids("R1 - R999999999 R3 - A4"), ["R1", "R3", "A4"]);
    }

    #[test]
    fn slugs_are_short_words() {
        assert_eq!(slug("Session  Expiry (v2)!"), "session-expiry-v2");
        assert!(slug(&"x".repeat(500)).len() <= 48);
    }
}
