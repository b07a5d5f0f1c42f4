//! Texts of a repository, made harmless: they end up in prompts and terminals.

use afresh_core::printable;

/// The longest text, in characters.
const MAX_CHARS: usize = 120;
/// The longest name of a package or a dependency, in characters.
const MAX_NAME_CHARS: usize = 60;

/// One line, printable and bounded, that cannot end a code span.
pub(super) fn text(text: &str) -> String {
    bounded(text, MAX_CHARS)
}

fn bounded(text: &str, limit: usize) -> String {
    let plain = printable::line(text.trim()).replace('`', "'");
    match plain.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &plain[..end]),
        None => plain,
    }
}

/// The name of a package or a dependency; none if it is not one that package managers accept.
pub(super) fn name(text: &str) -> Option<String> {
    let text = text.trim();
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "@/_.:-".contains(c));
    (is_plain && !text.is_empty() && text.len() <= MAX_NAME_CHARS).then(|| text.to_owned())
}

/// A version that a manifest asks for; none if it does not look like one.
pub(super) fn version(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['"', '\'']);
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || " <>=!~^.,*|-+".contains(c));
    (is_plain && !text.is_empty() && text.len() <= MAX_NAME_CHARS).then(|| text.to_owned())
}

/// A command that a file of the repository contains: one line of printable ASCII.
pub(super) fn command(text: &str) -> Option<String> {
    let text = text.trim();
    let is_plain = text.chars().all(|c| c.is_ascii_graphic() || c == ' ') && !text.contains('`');
    (is_plain && !text.is_empty() && text.len() <= MAX_CHARS).then(|| text.to_owned())
}
