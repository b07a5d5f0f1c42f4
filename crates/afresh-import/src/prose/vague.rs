//! Criteria that are too vague to verify.

use afresh_formats::text::markdown::TextLine;

/// The words that Tasker's own validation rejects, and similar ones.
const VAGUE: &[&str] = &[
    "works correctly",
    "works properly",
    "works as expected",
    "functions properly",
    "performs well",
    "is good",
    "is clean",
    "is fast",
    "is secure",
];

/// The first vague words of a line.
pub fn vague<'a>(line: &TextLine<'a>) -> Option<TextLine<'a>> {
    let small = line.text.to_ascii_lowercase();
    let is_word = |at: usize, words: &str| {
        let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !letter(small[..at].chars().next_back())
            && !letter(small[at + words.len()..].chars().next())
    };
    let found = VAGUE.iter().filter_map(|words| {
        let at = small.match_indices(words).map(|(at, _)| at).find(|at| is_word(*at, words))?;
        Some((at, words.len()))
    });
    found.min().map(|(at, length)| line.part(&line.text[at..at + length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vague_words_are_found_as_words() {
        let found = |text| vague(&TextLine { text, start: 5 }).map(|line| (line.text, line.start));
        assert_eq!(found("Login works correctly."), Some(("works correctly", 11)));
        assert_eq!(found("This goods train is faster"), None);
        assert_eq!(found("It returns 404 for unknown ids"), None);
    }
}
