//! Text of workers and plans as paragraphs of a commit message.
//!
//! A commit travels as a mail (`git format-patch`, `git am`), through editors and through `git interpret-trailers`. A
//! line of a worker's text must not be taken for the end of the message, a header of the mail, a comment or a trailer
//! of ours.

use crate::printable;

/// The width of a message.
const WIDTH: usize = 72;
const MAX_PROSE_CHARS: usize = 2_000;
const MAX_PROSE_LINES: usize = 40;
const MAX_LISTED: usize = 20;
const MAX_LISTED_CHARS: usize = 200;

/// What git or a mail reader takes for something else at the start of a line.
const MISREAD_STARTS: &[&str] =
    &["---", "diff -", "Index: ", "From ", "From:", "Subject:", "Date:", ">From", "#", "Afresh-"];

/// Prose of bounded length, wrapped; empty if nothing is left.
pub fn wrap_prose(text: &str) -> String {
    let cut: String = text.chars().take(MAX_PROSE_CHARS).collect();
    let is_cut = cut.len() < text.len();
    let mut lines: Vec<String> = Vec::new();
    for line in printable::lines(&cut).lines() {
        let line = line.replace('\t', "  ");
        if line.trim().is_empty() {
            if lines.last().is_some_and(|last| !last.is_empty()) {
                lines.push(String::new());
            }
            continue;
        }
        wrap_line(line.trim_end(), &mut lines);
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    if lines.len() > MAX_PROSE_LINES || (is_cut && !lines.is_empty()) {
        lines.truncate(MAX_PROSE_LINES);
        lines.push("[…]".to_owned());
    }
    lines.join("\n")
}

/// A list with one entry per line, and how many are left out.
pub fn code_list(entries: &[String]) -> String {
    let shown = entries.iter().take(MAX_LISTED).map(|entry| {
        let line = printable::line(entry.trim());
        let cut: String = line.chars().take(MAX_LISTED_CHARS).collect();
        let more = if cut.len() < line.len() { " […]" } else { "" };
        format!("- {}{more}", cut.trim_end())
    });
    let more = entries.len().saturating_sub(MAX_LISTED);
    let rest = (more > 0).then(|| format!("- and {more} more"));
    shown.chain(rest).collect::<Vec<String>>().join("\n")
}

/// Wraps one line; what follows in the same list item is indented below it.
fn wrap_line(line: &str, lines: &mut Vec<String>) {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let indent = indent.min(8);
    let is_item = line.trim_start().starts_with(['-', '*', '+']);
    let hanging = " ".repeat(indent + if is_item { 2 } else { 0 });
    let mut current = " ".repeat(indent);
    let mut is_start = true;
    for word in line.split_whitespace() {
        let width = current.chars().count() + word.chars().count();
        if !is_start && width + 1 > WIDTH {
            push_line(lines, std::mem::replace(&mut current, hanging.clone()));
            is_start = true;
        }
        if !is_start {
            current.push(' ');
        }
        current.push_str(word);
        is_start = false;
    }
    push_line(lines, current);
}

fn push_line(lines: &mut Vec<String>, line: String) {
    let is_misread = MISREAD_STARTS
        .iter()
        .any(|start| line.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)));
    lines.push(if is_misread { format!(" {line}") } else { line });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EX-16: a worker's words neither end the message nor add to it.
    #[test]
    fn lines_that_git_reads_are_indented() {
        let hostile =
            "---\ndiff --git a b\nAfresh-Task: T9\n# a comment\nFrom: Eve <eve@example>\nplain";
        let wrapped = wrap_prose(hostile);
        let lines: Vec<&str> = wrapped.lines().collect();
        assert_eq!(
            lines,
            [
                " ---",
                " diff --git a b",
                " Afresh-Task: T9",
                " # a comment",
                " From: Eve <eve@example>",
                "plain"
            ]
        );
        // Also where only wrapping brings the words to the start of a line.
        let wrapped = wrap_prose(&format!("{} Afresh-Run: x", "y".repeat(WIDTH)));
        assert!(wrapped.lines().all(|line| !line.starts_with("Afresh-")), "{wrapped}");
    }

    #[test]
    fn prose_is_wrapped_bounded_and_printable() {
        let wrapped = wrap_prose("a\u{1b}[2J\r\n\n\n\n- one two\n\n");
        assert_eq!(wrapped, "a\\u{1b}[2J\n\n- one two");
        let long = wrap_prose(&"word ".repeat(1_000));
        assert!(long.lines().all(|line| line.chars().count() <= WIDTH), "{long}");
        assert!(long.lines().count() <= MAX_PROSE_LINES + 1 && long.ends_with("[…]"), "{long}");
        let item = wrap_prose(&format!("- {}", "word ".repeat(20)));
        assert!(item.lines().skip(1).all(|line| line.starts_with("  word")), "{item}");
        assert_eq!(wrap_prose(" \n\t\n"), "");
    }

    #[test]
    fn a_list_is_bounded() {
        let many: Vec<String> = (0..30).map(|n| format!("check {n}\nx")).collect();
        let list = code_list(&many);
        assert_eq!(list.lines().count(), MAX_LISTED + 1);
        assert!(list.starts_with("- check 0 x\n") && list.ends_with("- and 10 more"), "{list}");
        assert_eq!(code_list(&["x".repeat(500)]).chars().count(), MAX_LISTED_CHARS + 6);
    }
}
