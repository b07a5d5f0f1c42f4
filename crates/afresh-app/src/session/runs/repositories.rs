//! The repositories in which this user has runs, for `afresh runs --all` (HU-08).
//!
//! Each repository has a file of its own in the cache directory, written when a run starts or continues, so that runs
//! that start at the same time do not overwrite each other. Only lists are made from it: without it, nothing is lost
//! but a line, and the next run of the repository writes it again.

use std::fs;
use std::path::{Path, PathBuf};

use afresh_engine::{RepoContext, StateLayout};
use afresh_store::write_atomically;
use serde::{Deserialize, Serialize};

use crate::context::AppContext;
use crate::error::AppError;
use crate::notice::Notice;
use crate::session::runs::{self, RunEntry};
use crate::text::files::read_bounded;

/// More than any two paths.
const MAX_ENTRY_BYTES: usize = 16 * 1024;
/// More repositories than a person works in; entries are our own, but the directory is the user's.
const MAX_ENTRIES: usize = 1_000;

/// Where a repository and its runs are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KnownRepository {
    directory: PathBuf,
    state: PathBuf,
}

/// Remembers the repository. A run does not fail because a list cannot be written.
pub(crate) fn remember(repository: &RepoContext) {
    let Ok(state) = repository.layout.state.canonicalize() else { return };
    let known = KnownRepository { directory: repository.directory().to_owned(), state };
    let name = blake3::hash(known.state.as_os_str().as_encoded_bytes()).to_hex();
    let directory = StateLayout::known_repositories(&repository.layout.cache);
    let file = directory.join(format!("{}.json", &name[..16]));
    // A path that is not UTF-8 has no JSON.
    let Ok(text) = serde_json::to_string(&known) else { return };
    if read_bounded(&file, MAX_ENTRY_BYTES).is_ok_and(|before| before == text.as_bytes()) {
        return;
    }
    let made = fs::create_dir_all(&directory);
    let _ = made.map(|()| write_atomically(&file, text.as_bytes()));
}

/// The runs of every repository that is known, by repository, the newest first. A repository that is gone is
/// forgotten, and one that cannot be read is left out; both are said.
pub fn list_all_runs(
    context: &AppContext,
    notices: &mut Vec<Notice>,
) -> Result<Vec<RunEntry>, AppError> {
    let (git, cache) = (context.git()?, context.cache_directory()?);
    let mut all = Vec::new();
    for (file, known) in read_entries(&StateLayout::known_repositories(&cache)) {
        let shown = known.directory.display();
        if !known.directory.is_dir() || !known.state.is_dir() {
            let _ = fs::remove_file(&file);
            notices.push(Notice::note(format!(
                "{shown} has no runs any more (it was moved or removed), and is no longer listed"
            )));
            continue;
        }
        let found = RepoContext::find(&git, &known.directory, Some(known.state), cache.clone());
        match found.map_err(AppError::from).and_then(|repository| runs::list_runs(&repository)) {
            Ok(runs) => all.extend(runs),
            Err(error) => {
                notices.push(Notice::note(format!("the runs of {shown} cannot be read: {error}")));
            }
        }
    }
    Ok(all)
}

/// In the order of their paths.
fn read_entries(directory: &Path) -> Vec<(PathBuf, KnownRepository)> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().take(MAX_ENTRIES);
    let read = |file: PathBuf| {
        let bytes = read_bounded(&file, MAX_ENTRY_BYTES).ok()?;
        Some((file, serde_json::from_slice::<KnownRepository>(&bytes).ok()?))
    };
    let mut known: Vec<_> = entries.filter_map(|entry| read(entry.path())).collect();
    known.sort_by(|(_, a), (_, b)| (&a.directory, &a.state).cmp(&(&b.directory, &b.state)));
    known
}
