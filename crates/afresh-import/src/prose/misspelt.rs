//! Words that a format gives a meaning, written nearly right: what stands behind them would be lost.

use afresh_core::plan::nearest;

use crate::draft::DraftPlan;
use afresh_formats::findings::Severity;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::TextLine;

/// The longest word that is taken for a misspelt one.
const MAX_CHARS: usize = 40;

/// The known word that was meant, if this one is not known and nearly so.
pub fn meant<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let word = word.trim().to_lowercase();
    let is_word = !word.is_empty() && word.chars().count() <= MAX_CHARS;
    if !is_word || known.contains(&word.as_str()) {
        return None;
    }
    nearest(&word, known.iter().copied())
}

/// Names the word, and the one that was meant.
pub fn warn_of_misspelt(drafted: &mut DraftPlan, file: &str, word: &TextLine<'_>, meant: &str) {
    let message = format!("{:?} means nothing here, so it is passed over", word.text);
    let found = drafted.find(&SourceSpan::new(file, word.range()), "unknown-field", message);
    found.severity = Severity::Warning;
    found.hint = Some(format!("did you mean {meant:?}?"));
}
