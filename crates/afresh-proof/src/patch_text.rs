//! Receipts as text, for the part of a patch that `git am` and `git apply` ignore.

use std::fmt::Write as _;

use afresh_core::check::{CheckEnd, CheckResult};
use afresh_core::printable;

use crate::note::{NoteLine, parse_note};
use crate::statement::Statement;

/// A short account for people, then the lines of the notes, which `afresh` and other tools can read.
pub fn render(notes: &[Vec<u8>]) -> String {
    let mut text = String::new();
    for note in notes {
        for line in parse_note(note) {
            match line {
                NoteLine::Unsigned(statement) => describe(&statement, "unsigned", &mut text),
                NoteLine::Signed(signed) => describe(&signed.statement, "signed", &mut text),
                NoteLine::Malformed(_) => {}
            }
        }
    }
    if text.is_empty() {
        return text;
    }
    text.push('\n');
    for line in notes.iter().flat_map(|note| note.split(|byte| *byte == b'\n')) {
        if !matches!(parse_note(line).as_slice(), [NoteLine::Unsigned(_) | NoteLine::Signed(_)]) {
            continue;
        }
        let line = printable::line(&String::from_utf8_lossy(line));
        let _ = writeln!(text, "Afresh-Receipt: {}", line.trim());
    }
    format!("Receipts:\n{text}")
}

fn describe(statement: &Statement, signed: &str, text: &mut String) {
    let it = &statement.predicate;
    let commit = statement.commit().unwrap_or("an unknown commit");
    let commit = printable::line(&commit.chars().take(64).collect::<String>());
    let _ = writeln!(text, "* {}.{} ({signed}), commit {commit}", it.task, it.attempt);
    let _ = writeln!(text, "  tree {}", it.receipt.tree);
    for check in &it.receipt.checks {
        let command = printable::line(&check.command);
        let _ = writeln!(text, "  {}: {command}", describe_end(check));
    }
}

fn describe_end(check: &CheckResult) -> String {
    let (seconds, tenths) = (check.duration_ms / 1000, check.duration_ms % 1000 / 100);
    match &check.end {
        CheckEnd::Exited(code) => format!("exit {code} after {seconds}.{tenths} s"),
        _ => "did not end by itself".to_owned(),
    }
}
