//! Secrets in what a worker wrote: such a change does not land (B36).
//!
//! Values that workers were handed over, and words that look like keys of well-known services. Only
//! lines that were not there before count.

use std::collections::BTreeSet;

use afresh_core::harvest::Leak;
use afresh_git::{Change, Mode};
use afresh_process::masked;

use crate::world::Shared;

/// A line with this word may hold what looks like a key: an example, a test. A value that was
/// handed over is refused all the same.
const ALLOWED: &str = "afresh:allow-secret";
/// Larger files are no text that anybody wrote.
const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_FILES: usize = 2_000;
const MAX_LEAKS: usize = 20;

/// Every new line with a secret, in what was changed.
pub(super) fn among(shared: &Shared, changes: &[Change]) -> Vec<Leak> {
    let secrets = shared.rules.secrets();
    let read = |id: &str| -> Option<String> {
        let bytes = shared.pool.repository().blob(id, MAX_BYTES).ok()??;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let is_file = |change: &&Change| matches!(change.new_mode, Mode::File | Mode::Executable);
    let mut leaks = Vec::new();
    for change in changes.iter().filter(is_file).take(MAX_FILES) {
        let Some(text) = read(&change.new_id) else { continue };
        if masked(&text, &secrets) == text {
            continue;
        }
        let before = read(&change.old_id);
        leaks.extend(in_text(&change.path, &text, before.as_deref(), &secrets));
    }
    leaks.truncate(MAX_LEAKS);
    leaks
}

fn in_text(path: &str, text: &str, before: Option<&str>, secrets: &[String]) -> Vec<Leak> {
    let known: BTreeSet<&str> = before.map(|text| text.lines().collect()).unwrap_or_default();
    let leaks = |line: &str| {
        let has_value =
            secrets.iter().any(|secret| secret.len() > 7 && line.contains(secret.as_str()));
        has_value || (!line.contains(ALLOWED) && masked(line, secrets) != line)
    };
    let lines = text.lines().zip(1..).filter(|(line, _)| !known.contains(line) && leaks(line));
    lines.map(|(_, line)| Leak { path: path.to_owned(), line }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = "hunter2-hunter2";

    fn lines(text: &str, before: Option<&str>) -> Vec<u64> {
        let leaks = in_text("a", text, before, &[VALUE.to_owned()]);
        leaks.into_iter().map(|leak| leak.line).collect()
    }

    /// B36: new lines with a value, or with what looks like a key.
    #[test]
    fn b36_secrets_are_found_with_their_lines() {
        let key = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
        let text = format!(
            "fine\npassword = {VALUE}\ntoken = {key}\nexample = {key} # {ALLOWED}\nx = {VALUE} # {ALLOWED}\n"
        );
        assert_eq!(lines(&text, None), [2, 3, 5]);
        assert_eq!(lines(&text, Some(&format!("token = {key}\n"))), [2, 5]);
        assert!(lines("nothing here\n", None).is_empty());
    }
}
