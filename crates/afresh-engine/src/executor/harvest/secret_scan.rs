//! Searches a worker's changes for secrets: a change that adds one does not land (B36).
//!
//! Secrets are the values that workers were given, and words that look like keys of well-known services. Only lines
//! that are new count.

use afresh_core::harvest::Leak;
use afresh_git::{EntryMode, TreeChange};
use afresh_secrets::{SecretScanner, new_secret_lines};

use crate::executor::ExecutorContext;

/// Larger files are not text that a worker wrote.
const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_FILES: usize = 2_000;
const MAX_LEAKS: usize = 20;

/// Every new line with a secret in the changes.
pub(crate) fn find_leaks(shared: &ExecutorContext, changes: &[TreeChange]) -> Vec<Leak> {
    let scanner = SecretScanner::new(&shared.config.workers.secrets());
    let read = |id: &str| shared.pool.repository().blob(id, MAX_BYTES).ok()?;
    let is_file =
        |change: &&TreeChange| matches!(change.new_mode, EntryMode::File | EntryMode::Executable);
    let mut leaks = Vec::new();
    for change in changes.iter().filter(is_file).take(MAX_FILES) {
        let Some(text) = read(&change.new_id) else { continue };
        let matches = scanner.find(&text);
        if matches.is_empty() {
            continue;
        }
        let before = read(&change.old_id);
        let lines = new_secret_lines(&text, before.as_deref(), &matches);
        leaks.extend(lines.into_iter().map(|line| Leak { path: change.path.clone(), line }));
    }
    leaks.truncate(MAX_LEAKS);
    leaks
}
