//! Whether a run writes its progress into the plan's own files, and where they are in the repository.

use std::path::{Path, PathBuf};

use afresh_core::run::settings::{WritebackMode, WritebackTarget};
use afresh_engine::RepoContext;
use afresh_import::writeback::is_progress_document;

use crate::notice::Notice;
use crate::plan_source::{NATIVE, PlanFile, PlanHome};

/// The files to write progress into; none, perhaps with the reason, if there are none.
pub(in crate::session) fn choose(
    mode: WritebackMode,
    repository: &RepoContext,
    file: &PlanFile,
    notices: &mut Vec<Notice>,
) -> Option<WritebackTarget> {
    if mode == WritebackMode::Off {
        return None;
    }
    let (base, only) = match &file.home {
        PlanHome::Recorded(target) => return target.clone(),
        PlanHome::Single => return None,
        PlanHome::Folder { base, only } => (base, only.clone()),
    };
    if file.format == NATIVE {
        return None;
    }
    match inside(repository, file, base, only) {
        Ok(target) => {
            notices.extend(changed_documents(repository, &target));
            Some(target)
        }
        Err(why) => {
            notices.push(Notice::note(format!(
                "the files of the plan {} will not show what is done: {why}",
                file.shown
            )));
            None
        }
    }
}

/// Documents beside the plan that progress is written into, and that `afresh land` would find changed by the user.
fn changed_documents(repository: &RepoContext, target: &WritebackTarget) -> Option<Notice> {
    let git = &repository.git;
    let mut changed = git.uncommitted_files().ok()?;
    changed.retain(|path| path.starts_with(&target.directory) && is_progress_document(path));
    let known = git.entry_modes(&git.head().ok()??, &changed).ok()?;
    changed.retain(|path| known.contains_key(path));
    (!changed.is_empty()).then(|| {
        Notice::warning(format!(
            "progress is written into {}, with changes of yours that are not committed: commit them before `afresh land`",
            changed.join(", ")
        ))
    })
}

fn inside(
    repository: &RepoContext,
    file: &PlanFile,
    base: &Path,
    only: Option<String>,
) -> Result<WritebackTarget, &'static str> {
    const OUTSIDE: &str = "they are outside of the repository's checkout";
    let git = &repository.git;
    let root = git.root().and_then(|root| root.canonicalize().ok()).ok_or(OUTSIDE)?;
    let seen = |path: &Path| {
        let inside = path.strip_prefix(&root).ok().and_then(Path::to_str);
        inside.map(str::to_owned).ok_or(OUTSIDE)
    };
    let directory = seen(base)?;
    let directory = if directory.is_empty() { directory } else { format!("{directory}/") };
    let files = file.files.iter().map(|path| seen(path)).collect::<Result<Vec<_>, _>>()?;
    check_committed(repository, &files)?;
    let only = only.or_else(|| only_file(&directory, &files));
    Ok(WritebackTarget { format: file.format.to_owned(), directory, only })
}

/// Progress is part of what lands: it would be in the way of changes that are not committed.
fn check_committed(repository: &RepoContext, files: &[String]) -> Result<(), &'static str> {
    const NOT_COMMITTED: &str = "they are not committed";
    let git = &repository.git;
    let head = git.head().ok().flatten().ok_or(NOT_COMMITTED)?;
    let changed = git.uncommitted_files().map_err(|_| "git status fails")?;
    // A directory that is new as a whole is listed with a slash at its end.
    let is_changed = |file: &String| {
        changed.iter().any(|path| path == file || (path.ends_with('/') && file.starts_with(path)))
    };
    let known = git.entry_modes(&head, files).map_err(|_| "the current commit cannot be read")?;
    if files.iter().any(|file| is_changed(file) || !known.contains_key(file)) {
        return Err(NOT_COMMITTED);
    }
    Ok(())
}

/// The plan's only file: once it is all done, a reader that looks for unfinished plans would pass it over.
fn only_file(directory: &str, files: &[String]) -> Option<String> {
    let [file] = files else { return None };
    let inside = file.strip_prefix(directory)?;
    PathBuf::from(inside).is_relative().then(|| inside.to_owned())
}
