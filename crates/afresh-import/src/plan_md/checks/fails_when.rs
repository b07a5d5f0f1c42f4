//! `<fails_when>`: which output of a command means failure, as newer versions of GSD write it.
//!
//! It is prose for the worker and never run. Two phrases are rules: "non-zero exit", which holds
//! anyway, and `"text" in output`, which the check then looks for as whole words: "10 passed" does not
//! contain "0 passed".

use std::ops::Range;

use super::verify::LocatedCommand;
use crate::plan_md::parse::remarks::PlanRemarks;
use crate::plan_md::parse::tags::{PlanTag, unescape};

/// Texts that say nothing.
const PLACEHOLDERS: &[&str] = &["", "tbd", "todo", "n/a", "none", "unknown", "?", "-"];
/// Phrases after a quoted text that make it a rule.
const IN_OUTPUT: &[&str] = &["in output", "in the output", "in stdout", "appears in output"];

/// Applies a `<fails_when>` to the commands before it, and reports what it does.
pub(super) fn apply(
    text: &str,
    tag: &PlanTag<'_>,
    commands: &mut [LocatedCommand],
    remarks: &mut PlanRemarks,
) {
    let (at, words) = (&tag.inner, unescape(&text[tag.inner.clone()]));
    let at = if at.is_empty() { &tag.opening.at } else { at };
    let plain = words.trim().to_ascii_lowercase();
    if PLACEHOLDERS.contains(&plain.trim_end_matches('.')) {
        let message = "this does not say when the check fails".to_owned();
        let hint = "write which output means failure; the exit code alone decides now";
        return remarks.warning("fails-when", at, message, hint);
    }
    if says_that_passing_fails(&plain) {
        let message = "this says that the check fails when it passes".to_owned();
        let hint = "the check is run as it is: exit code 0 passes; state the final behaviour";
        return remarks.warning("fails-when", at, message, hint);
    }
    let texts = texts_in_output(&words);
    if let ([(command, _)], false) = (&mut *commands, texts.is_empty())
        && !command.contains('\n')
    {
        *command = with_rules(command, &texts);
        let message = format!("the check also fails if its output contains {}", quoted(&texts));
        let hint = "whole words are compared; the rest of the text is only for the worker";
        return remarks.note("fails-when", at, message, hint);
    }
    if !is_exit_code(&plain) {
        let message = "this is prose: the worker reads it, and the exit code decides".to_owned();
        let hint = "only \"non-zero exit\" and `\"text\" in output` are rules";
        remarks.note("fails-when", at, message, hint);
    }
}

fn is_exit_code(plain: &str) -> bool {
    let bare = plain.trim_end_matches('.').trim();
    let exits = ["non-zero exit", "nonzero exit", "exit code is non-zero", "exit code != 0"];
    exits.iter().any(|exit| bare == *exit || bare.strip_suffix(" code") == Some(exit))
}

/// In test-first tasks some authors describe the wanted failure.
fn says_that_passing_fails(plain: &str) -> bool {
    let passes = ["test passes", "tests pass", "check passes", "it passes", "suite passes"];
    let quotes: Vec<Range<usize>> = quotes(plain);
    passes.iter().any(|phrase| {
        plain.find(phrase).is_some_and(|at| {
            let negated = ["no ", "not all ", "fewer ", "0 "];
            !quotes.iter().any(|quote| quote.contains(&at))
                && !negated.iter().any(|no| plain[..at].ends_with(no))
        })
    })
}

/// The quoted texts that are followed by "in output".
fn texts_in_output(words: &str) -> Vec<String> {
    let mut found = Vec::new();
    for quote in quotes(words) {
        let behind = words[quote.end..].trim_start_matches(['"', '`']).trim_start();
        let behind = behind.to_ascii_lowercase();
        let text = words[quote].trim();
        let is_rule = IN_OUTPUT.iter().any(|phrase| behind.starts_with(phrase));
        if is_rule && !text.is_empty() && !text.contains('\n') {
            found.push(text.to_owned());
        }
    }
    found
}

/// The ranges of texts in double quotes.
fn quotes(words: &str) -> Vec<Range<usize>> {
    let marks: Vec<usize> = words.match_indices('"').map(|(at, _)| at).collect();
    marks.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]).collect()
}

/// A command that prints the same, and also fails if its output contains one of the texts.
fn with_rules(command: &str, texts: &[String]) -> String {
    let patterns: Vec<String> =
        texts.iter().map(|text| format!("-e '{}'", text.replace('\'', "'\\''"))).collect();
    format!(
        "out=$( {{ {command}\n}} 2>&1 ); status=$?\nprintf '%s\\n' \"$out\"\n\
         test \"$status\" -eq 0 && ! printf '%s\\n' \"$out\" | grep -qwF {}",
        patterns.join(" ")
    )
}

fn quoted(texts: &[String]) -> String {
    let all: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
    all.join(" or ")
}
