//! Secrets in what a worker wrote: such a change does not land (B36).
//!
//! Values that workers were handed over, and words that look like keys of well-known services. Only
//! lines that were not there before count.

use afresh_core::harvest::Leak;
use afresh_git::{Change, Mode};
use afresh_process::Spotter;

use crate::secret_lines::new_lines;
use crate::world::Shared;

/// Larger files are no text that anybody wrote.
const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_FILES: usize = 2_000;
const MAX_LEAKS: usize = 20;

/// Every new line with a secret, in what was changed.
pub(super) fn among(shared: &Shared, changes: &[Change]) -> Vec<Leak> {
    let spotter = Spotter::new(&shared.rules.secrets());
    let read = |id: &str| shared.pool.repository().blob(id, MAX_BYTES).ok()?;
    let is_file = |change: &&Change| matches!(change.new_mode, Mode::File | Mode::Executable);
    let mut leaks = Vec::new();
    for change in changes.iter().filter(is_file).take(MAX_FILES) {
        let Some(text) = read(&change.new_id) else { continue };
        let spots = spotter.spots(&text);
        if spots.is_empty() {
            continue;
        }
        let before = read(&change.old_id);
        let lines = new_lines(&text, before.as_deref(), &spots);
        leaks.extend(lines.into_iter().map(|line| Leak { path: change.path.clone(), line }));
    }
    leaks.truncate(MAX_LEAKS);
    leaks
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = "hunter2-hunter2";

    fn lines(text: &str, before: Option<&str>) -> Vec<u64> {
        let spots = Spotter::new(&[VALUE.to_owned()]).spots(text.as_bytes());
        new_lines(text.as_bytes(), before.map(str::as_bytes), &spots)
    }

    /// B36: new lines with a value, or with what looks like a key.
    #[test]
    fn secrets_are_found_with_their_lines() {
        let key = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"; // afresh:allow-secret
        let text = format!(
            "fine\npassword = {VALUE}\ntoken = {key}\nexample = {key} # afresh:allow-secret\nx = {VALUE} # afresh:allow-secret\n"
        );
        assert_eq!(lines(&text, None), [2, 3, 5]);
        assert_eq!(lines(&text, Some(&format!("token = {key}\n"))), [2, 5]);
        assert!(lines("nothing here\n", None).is_empty());
    }
}
