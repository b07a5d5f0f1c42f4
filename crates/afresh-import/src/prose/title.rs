//! Texts of a plan, made fit for tasks.

/// The longest title, in characters.
const MAX_CHARS: usize = 120;

/// The first line as a title: plain, and not too long.
pub fn title(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    let bare: String = first.chars().filter(|c| !matches!(c, '`' | '*')).collect();
    let mut title: String = bare.trim().chars().take(MAX_CHARS).collect();
    if title.chars().count() < bare.trim().chars().count() {
        title.push('…');
    }
    title
}

/// A part of a document with all its boxes open: what is ticked changes while a run goes on, and
/// must not make another task of it.
pub fn unticked(text: &str) -> String {
    text.replace("[x] ", "[ ] ").replace("[X] ", "[ ] ")
}
