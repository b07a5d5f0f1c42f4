//! Titles for tasks, and text with open boxes.

/// The longest title, in characters.
const MAX_CHARS: usize = 120;

/// The first line as a title, without marks and cut if it is long.
pub fn title(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    let bare: String = first.chars().filter(|c| !matches!(c, '`' | '*')).collect();
    let mut title: String = bare.trim().chars().take(MAX_CHARS).collect();
    if title.chars().count() < bare.trim().chars().count() {
        title.push('…');
    }
    title
}

/// The text with all boxes open: boxes are checked during a run, which must not change the task.
pub fn unticked(text: &str) -> String {
    let marks = ["[x] ", "[X] ", "[✅] ", "[✓] ", "[✔] ", "[☑] "];
    marks.iter().fold(text.to_owned(), |text, mark| text.replace(mark, "[ ] "))
}
