//! Misspelt keywords of a format, whose values would be lost.

use afresh_core::plan::nearest;

use crate::draft::DraftPlan;
use afresh_formats::findings::Severity;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::TextLine;

/// The longest word that counts as misspelt.
const MAX_CHARS: usize = 40;

/// The known word that an unknown one resembles.
pub fn nearest_keyword<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word = word.trim().to_lowercase();
    let is_word = !word.is_empty() && word.chars().count() <= MAX_CHARS;
    if !is_word || known.contains(&word.as_str()) {
        return None;
    }
    nearest(&word, known.iter().copied())
}

/// Warns about a misspelt word.
pub fn warn_about_misspelt(drafted: &mut DraftPlan, file: &str, word: &TextLine<'_>, meant: &str) {
    let message = format!("unknown keyword {:?}; it is ignored", word.text);
    let found = drafted.find(&SourceSpan::new(file, word.range()), "unknown-field", message);
    found.severity = Severity::Warning;
    found.hint = Some(format!("did you mean {meant:?}?"));
}
