//! Numbers of a sentence, with what they count or measure, and whether they are limits.

use super::measures::{AT_LEAST, AT_MOST, EXCEEDS, LABELS, NUMBER_WORDS, REFUSES, SIZES, TIMES};

/// A number and what it is about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StatedQuantity {
    /// In the smallest unit of its kind: milliseconds, bytes.
    pub(crate) value: f64,
    /// What is counted or measured: `duration`, `size`, `per cent`, `port`, or the noun, without its ending.
    pub(crate) kind: String,
    pub(crate) bound: QuantityBound,
    /// As it is written.
    pub(crate) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuantityBound {
    AtMost,
    AtLeast,
    Exactly,
    /// What holds if nothing else is said.
    Default,
}

impl StatedQuantity {
    /// Whether both cannot be true of the same thing.
    pub(crate) fn excludes(&self, other: &Self) -> bool {
        use QuantityBound::{AtLeast, AtMost, Default, Exactly};
        match (self.bound, other.bound) {
            (AtMost, AtMost) | (AtLeast, AtLeast) | (Exactly, Exactly) | (Default, Default) => {
                differ(self.value, other.value)
            }
            (Exactly | AtLeast, AtMost) | (AtLeast, Exactly) => self.value > other.value,
            (AtMost, Exactly | AtLeast) | (Exactly, AtLeast) => self.value < other.value,
            (Default, _) | (_, Default) => false,
        }
    }

    pub(crate) fn is_equal(&self, other: &Self) -> bool {
        self.kind == other.kind && !differ(self.value, other.value)
    }
}

fn differ(one: f64, other: f64) -> bool {
    (one - other).abs() > 1e-9 * one.abs().max(other.abs())
}

/// How many words before a number say what it is and whether it is a limit.
const NEAR: usize = 7;

/// The numbers of a sentence that count or measure something.
pub(crate) fn quantities(sentence: &str) -> Vec<StatedQuantity> {
    let lower = sentence.to_lowercase();
    let words = tokens(&lower);
    let mut found: Vec<StatedQuantity> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let Some((number, unit)) = number(&words[at]) else {
            at += 1;
            continue;
        };
        let range = range_end(&words, at);
        let last = range.map_or(at, |(end, _)| end);
        let before: Vec<&str> =
            words[at.saturating_sub(NEAR)..at].iter().map(String::as_str).collect();
        let unit = unit.or_else(|| range.and_then(|(end, _)| number_unit(&words[end])));
        if let Some((kind, factor, used)) =
            kind_of(&before, unit.as_deref(), &words[last + 1..], number)
        {
            let text = words[at..(last + 1 + used).min(words.len())].join(" ");
            // How often something happens is another question than how long it takes.
            let is_interval = kind == "duration" && before.last() == Some(&"every");
            let kind = if is_interval { "interval".to_owned() } else { kind };
            // 3.11 is newer than 3.9.
            let number = if kind.ends_with(" version") { version(&words[at]) } else { number };
            let mut push = |value: f64, bound| {
                found.push(StatedQuantity {
                    value: value * factor,
                    kind: kind.clone(),
                    bound,
                    text: text.clone(),
                });
            };
            match range {
                Some((_, end)) => {
                    push(number, QuantityBound::AtLeast);
                    push(end, QuantityBound::AtMost);
                }
                None => push(number, bound(&lower, &before, &words[last + 1..])),
            }
        }
        at = last + 1;
    }
    found
}

/// Words and numbers; `5mb` stays one, `10,000` is one number.
fn tokens(lower: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || ".,_-'%/≤≥<>=–".contains(c);
    let marked = lower.replace([';', ':', '(', ')', '|'], ", ");
    let mut found = Vec::new();
    for whole in marked.split(|c: char| !is_part(c)) {
        let word = whole.trim_matches(['.', ',', '\'', '-', '_']).to_owned();
        if word.is_empty() {
            found.extend(whole.contains(',').then(|| ",".to_owned()));
            continue;
        }
        // `≤200`, `<=5`
        let sign = word.find(|c: char| !"≤≥<>=".contains(c)).unwrap_or(word.len());
        if sign > 0 && sign < word.len() {
            found.push(word[..sign].to_owned());
            found.push(word[sign..].to_owned());
        } else {
            found.push(word);
        }
        // What comes after a comma is not counted by the number before it.
        found.extend(whole.ends_with(',').then(|| ",".to_owned()));
    }
    found
}

/// The value of a word, and the unit that is written with it.
fn number(word: &str) -> Option<(f64, Option<String>)> {
    if let Some(at) = NUMBER_WORDS.iter().position(|known| *known == word) {
        // "one" is mostly a pronoun.
        return (at > 1).then(|| (f64::from(u32::try_from(at).unwrap_or(0)), None));
    }
    let digits =
        word.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(word.len());
    let (front, unit) = word.split_at(digits);
    if !front.starts_with(|c: char| c.is_ascii_digit()) || front.matches('.').count() > 1 {
        return None;
    }
    let plain = front.replace(',', "");
    let (value, unit) = match unit {
        "k" => (plain.parse::<f64>().ok()? * 1e3, ""),
        "m" => (plain.parse::<f64>().ok()? * 1e6, ""),
        unit => (plain.parse::<f64>().ok()?, unit),
    };
    let unit = unit.trim_start_matches(['-', '/']);
    let is_unit =
        unit.is_empty() || unit == "%" || TIMES.iter().chain(SIZES).any(|(name, _)| *name == unit);
    // `80-character`
    let is_noun = unit.len() > 3 && unit.chars().all(char::is_alphabetic);
    (is_unit || is_noun).then(|| (value, (!unit.is_empty()).then(|| unit.to_owned())))
}

/// Major and minor number as one.
fn version(word: &str) -> f64 {
    let mut parts = word.split('.').map(|part| part.parse::<f64>().unwrap_or(0.0));
    parts.next().unwrap_or(0.0) * 1_000.0 + parts.next().unwrap_or(0.0)
}

fn number_unit(word: &str) -> Option<String> {
    number(word).and_then(|(_, unit)| unit)
}

/// Where `3 to 5`, `3–5`, `between 3 and 5` ends, and its last number.
fn range_end(words: &[String], at: usize) -> Option<(usize, f64)> {
    let joins = words.get(at + 1)?.as_str();
    let is_between = at > 0 && words[at - 1] == "between" && joins == "and";
    let is_range = is_between || matches!(joins, "to" | "–" | "through");
    let (end, _) = number(words.get(at + 2)?).filter(|_| is_range)?;
    Some((at + 2, end))
}

/// What a number counts: its kind, the factor of its unit, and how many of the words after it belong to it.
fn kind_of(
    before: &[&str],
    unit: Option<&str>,
    after: &[String],
    number: f64,
) -> Option<(String, f64, usize)> {
    let measure = |unit: &str| {
        let find = |table: &[(&str, f64)]| {
            table.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor)
        };
        if matches!(unit, "%" | "percent") {
            return Some(("per cent".to_owned(), 1.0));
        }
        find(TIMES)
            .map(|factor| ("duration".to_owned(), factor))
            .or_else(|| find(SIZES).map(|f| ("size".to_owned(), f)))
    };
    if let Some(unit) = unit {
        let (kind, factor) = measure(unit).unwrap_or_else(|| (super::stem(unit), 1.0));
        return Some((kind, factor, 0));
    }
    // `the port is 8080`, `status = 404`
    let joined =
        before.iter().rev().take_while(|word| ["is", "=", "of", "to", "be"].contains(word)).count();
    let before = &before[..before.len() - joined];
    for (label, kind) in LABELS {
        let words: Vec<&str> = label.split(' ').collect();
        let is_label =
            before.len() >= words.len() && before[before.len() - words.len()..] == words[..];
        let is_status = *kind != "status" || (100.0..600.0).contains(&number);
        // `returns 3 items` counts; `returns 404` does not.
        let is_counted = *kind == "status" && after.first().is_some_and(|next| is_noun(next));
        if is_label && is_status && !is_counted {
            return Some(((*kind).to_owned(), 1.0, 0));
        }
    }
    let next = after.first()?;
    if next == "per" && after.get(1).is_some_and(|word| word == "cent") {
        return Some(("per cent".to_owned(), 1.0, 2));
    }
    if let Some((kind, factor)) = measure(next) {
        return Some((kind, factor, 1));
    }
    if matches!(next.as_str(), "or" | "a") {
        return None;
    }
    is_noun(next).then(|| {
        // `100 concurrent requests`: the noun is the last of two words that is in the plural.
        let second =
            after.get(1).filter(|word| is_plural(word) && !is_plural(next) && is_noun(word));
        match second {
            Some(noun) => (super::stem(noun), 1.0, 2),
            None => (super::stem(next), 1.0, 1),
        }
    })
}

fn is_noun(word: &str) -> bool {
    word.chars().count() > 2
        && word.chars().all(|c| c.is_alphabetic() || c == '-')
        && !super::is_stop_word(word)
}

fn is_plural(word: &str) -> bool {
    word.ends_with('s') && !word.ends_with("ss")
}

fn bound(lower: &str, before: &[&str], after: &[String]) -> QuantityBound {
    let near = format!(" {} ", before.join(" "));
    let behind =
        format!(" {} ", after.iter().take(4).map(String::as_str).collect::<Vec<_>>().join(" "));
    let has =
        |text: &str, words: &[&str]| words.iter().any(|word| text.contains(&format!(" {word} ")));
    let refuses = REFUSES.iter().any(|word| super::has_words(lower, word));
    if has(&near, AT_LEAST) || has(&behind, &["or newer", "or later", "or more"]) {
        return QuantityBound::AtLeast;
    }
    if has(&near, EXCEEDS) {
        return if refuses { QuantityBound::AtMost } else { QuantityBound::AtLeast };
    }
    if has(&near, AT_MOST) || has(&behind, &["or less", "or fewer", "maximum", "max", "at most"]) {
        return QuantityBound::AtMost;
    }
    if has(&near, &["default", "defaults", "defaults to"]) || has(&behind, &["by default"]) {
        return QuantityBound::Default;
    }
    QuantityBound::Exactly
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        quantities(text)
            .iter()
            .map(|it| format!("{:?} {} {}", it.bound, it.value, it.kind))
            .collect()
    }

    #[test]
    fn numbers_have_a_kind_and_a_bound() {
        assert_eq!(shown("Titles are at most 80 characters"), ["AtMost 80 character"]);
        assert_eq!(
            shown("A title longer than 120 characters is refused"),
            ["AtMost 120 character"]
        );
        assert_eq!(shown("It answers within 0.2 seconds"), ["AtMost 200 duration"]);
        assert_eq!(shown("Uploads up to 10MB"), ["AtMost 10000000 size"]);
        assert_eq!(shown("retries three times"), ["Exactly 3 tim"]);
        assert_eq!(shown("listens on port 8080 by default"), ["Default 8080 port"]);
        assert_eq!(
            shown("between 3 and 20 characters"),
            ["AtLeast 3 character", "AtMost 20 character"]
        );
        assert_eq!(shown("An unknown id returns 404"), ["Exactly 404 status"]);
        assert_eq!(shown("exits with code 2"), ["Exactly 2 exit code"]);
        assert_eq!(shown("handles 1,000 concurrent requests"), ["Exactly 1000 request"]);
        assert_eq!(shown("Python 3.11 or newer"), ["AtLeast 3011 python version"]);
        assert_eq!(shown("see section 3, version 1.2.3 and FR-001"), [""; 0]);
        assert_eq!(shown("at least 90 % of lines"), ["AtLeast 90 per cent"]);
        assert_eq!(shown("runs every 2 seconds"), ["Exactly 2000 interval"]);
    }
}
