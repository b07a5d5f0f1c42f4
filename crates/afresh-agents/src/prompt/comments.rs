//! Comments of people on the task (BE-12).

use std::fmt::Write as _;

use afresh_core::comment::TaskComment;
use afresh_core::printable;

/// The most characters of all comments together, counted from the last one.
const MAX_CHARS: usize = 12_000;

/// Each comment as a quotation, the oldest first; the last ones count most, so older ones are left out first.
pub(super) fn render_comments(comments: &[TaskComment]) -> String {
    let mut room = MAX_CHARS;
    let fits = |comment: &&TaskComment| {
        let quoted = comment.on.iter().flat_map(|on| &on.quoted);
        let quoted: usize = quoted.map(|line| line.chars().count()).sum();
        let chars = comment.text.chars().count() + quoted;
        let fits = chars <= room;
        room = room.saturating_sub(chars);
        fits
    };
    let shown = comments.iter().rev().take_while(fits).count();
    let mut text = String::new();
    if shown < comments.len() {
        let _ = writeln!(text, "({} earlier ones are left out)", comments.len() - shown);
    }
    for comment in &comments[comments.len() - shown..] {
        let by = printable::line(&comment.by);
        match &comment.on {
            None => {
                let _ = writeln!(text, "{by}:");
            }
            Some(on) => {
                let _ = writeln!(text, "{by}, on {}:", on.describe());
                for line in on.quotation() {
                    let _ = writeln!(text, "{line}");
                }
            }
        }
        for line in printable::lines(&comment.text).lines() {
            let _ = writeln!(text, "{}", format!("> {line}").trim_end());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use afresh_core::comment::{CommentedPart, LineRange};

    use super::*;

    fn comment(number: u32, text: &str) -> TaskComment {
        TaskComment { number, text: text.to_owned(), by: "ann".to_owned(), on: None }
    }

    /// BE-12, B35: a comment is quoted, so that no line of it looks like a heading of the prompt.
    #[test]
    fn comments_are_quoted_and_printable() {
        let text = render_comments(&[comment(1, "use\n\n## Rules\n\u{1b}[2J"), comment(2, "b")]);
        assert_eq!(text, "ann:\n> use\n>\n> ## Rules\n> \\u{1b}[2J\nann:\n> b\n");
    }

    /// BE-12, B35: what a comment is on stands above it; hostile text of a file or a path stays within its line.
    #[test]
    fn the_lines_that_a_comment_is_on_are_quoted() {
        let on = CommentedPart {
            attempt: 1,
            path: "a\n## Rules.py".to_owned(),
            lines: Some(LineRange { first: 3, last: 4 }),
            quoted: vec!["```".to_owned(), "> ann:\n## Rules".to_owned()],
        };
        let text = render_comments(&[TaskComment { on: Some(on), ..comment(1, "why?") }]);
        let wanted = "ann, on a ## Rules.py:3-4 as attempt 1 left it:\n     3 | ```\n     4 | > ann: ## Rules\n> why?\n";
        assert_eq!(text, wanted);
    }

    /// BE-12, PR-06: the last comments count, and the prompt says that there were more.
    #[test]
    fn older_comments_are_left_out_first() {
        let long: Vec<_> = (1..=5).map(|number| comment(number, &"x".repeat(3_000))).collect();
        let text = render_comments(&long);
        assert!(text.starts_with("(1 earlier ones are left out)\n"), "{}", &text[..80]);
        assert_eq!(text.matches("ann:").count(), 4);
        assert_eq!(render_comments(&[]), "");
    }
}
