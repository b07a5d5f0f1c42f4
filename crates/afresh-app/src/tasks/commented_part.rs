//! The part of an attempt's change that a comment is on (BE-12): found, and quoted from what the attempt left.

use afresh_core::comment::{CommentedPart, LineRange, MAX_QUOTED_LINES};
use afresh_core::ids::{CommitId, TaskId};
use afresh_engine::RepoContext;
use afresh_engine::session::RecordedRun;
use afresh_git::FileDifference;
use afresh_secrets::redact;

use super::diff::find_task_diff;
use crate::error::AppError;
use crate::session::runs::select::find_task_or_attempt;

/// Of a longer file, no lines are quoted.
const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;
/// Of a longer line, only the beginning is sent to the driver, which quotes less.
const MAX_SENT_CHARS: usize = 4_000;
/// The most changed files that a hint names.
const MAX_HINTED_FILES: usize = 8;

/// Where a comment is.
pub(super) struct FoundPart {
    pub(super) task: TaskId,
    pub(super) on: CommentedPart,
}

/// Finds `FILE`, `FILE:LINE` or `FILE:LINE-LINE` in what an attempt (`T001.2`) changed, or in what a task (`T001`)
/// landed or last tried.
pub(super) fn find_commented_part(
    repository: &RepoContext,
    found: &RecordedRun,
    named: &str,
    place: &str,
    secrets: &[String],
) -> Result<FoundPart, AppError> {
    let diff = find_task_diff(repository, found, &[named.to_owned()], &mut Vec::new())?;
    let shown = diff.attempts.last().map_or(named, String::as_str);
    let attempt = match find_task_or_attempt(&found.run, shown)? {
        (_, Some(number)) => number,
        (task, None) => {
            return Err(AppError::bug("attempt", format!("the work of {task} has no attempt")));
        }
    };
    let files = repository.git.count_diff(&diff.base, &diff.commit).map_err(AppError::git)?;
    let (file, lines) = find_file(&files, place, shown)?;
    let mut on = CommentedPart { attempt, path: file.path.clone(), lines, quoted: Vec::new() };
    if let Some(range) = lines {
        on.quoted = quote_lines(repository, &diff.commit, file, range, secrets)?;
    }
    Ok(FoundPart { task: diff.task, on })
}

/// The file that the place names. A file whose name ends like a line number is found by its whole name.
fn find_file<'a>(
    files: &'a [FileDifference],
    place: &str,
    attempt: &str,
) -> Result<(&'a FileDifference, Option<LineRange>), AppError> {
    let place = place.strip_prefix("./").unwrap_or(place);
    let find = |path: &str| files.iter().find(|file| file.path == path);
    if let Some(file) = find(place) {
        return Ok((file, None));
    }
    let (path, lines) = match place.rsplit_once(':') {
        Some((path, range)) => (path, parse_lines(range)),
        None => (place, Ok(None)),
    };
    // A wrong range behind the name of a file that was changed is a wrong range; else the file is what is wrong.
    if let Some(file) = find(path) {
        return Ok((file, lines?));
    }
    let path = if matches!(lines, Ok(Some(_))) { path } else { place };
    let error = AppError::usage("file", format!("{attempt} did not change {path}"));
    if let Some(renamed) = files.iter().find(|file| file.old_path.as_deref() == Some(path)) {
        return Err(error.hint(format!("it renamed it: `--on {}`", renamed.path)));
    }
    let named: Vec<&str> =
        files.iter().map(|file| file.path.as_str()).take(MAX_HINTED_FILES).collect();
    let more = files.len() - named.len();
    Err(error.hint(match (named.is_empty(), more) {
        (true, _) => "it changed no file".to_owned(),
        (false, 0) => format!("it changed {}", named.join(", ")),
        (false, more) => format!("it changed {} and {more} more", named.join(", ")),
    }))
}

/// `3` or `3-5`.
fn parse_lines(text: &str) -> Result<Option<LineRange>, AppError> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(Some(LineRange { first, last })),
        _ => Err(AppError::usage("lines", format!("{text:?} is no line and no range of lines"))
            .hint("such as `--on src/main.rs:3` or `--on src/main.rs:3-5`")),
    }
}

/// The beginning of these lines, without secrets.
fn quote_lines(
    repository: &RepoContext,
    commit: &CommitId,
    file: &FileDifference,
    range: LineRange,
    secrets: &[String],
) -> Result<Vec<String>, AppError> {
    let path = &file.path;
    let whole = |why: &str| {
        AppError::usage("lines", format!("{path} {why}"))
            .hint(format!("comment on the file as a whole: `--on {path}`"))
    };
    if file.lines.is_none() {
        return Err(whole("is binary: it has no lines"));
    }
    let content = repository.git.show_file(commit, path).map_err(AppError::git)?;
    let Some(content) = content else {
        return Err(whole("does not exist after the change: it has no lines"));
    };
    if content.len() > MAX_FILE_BYTES {
        return Err(whole("is too large to quote lines of it"));
    }
    let text = String::from_utf8_lossy(&content);
    let count = text.lines().count();
    if usize::try_from(range.last).is_ok_and(|last| last > count) {
        let lines = if count == 1 { "line" } else { "lines" };
        return Err(AppError::usage(
            "lines",
            format!("{path} has {count} {lines} after the change: there is no line {}", range.last),
        )
        .hint("lines are counted in the file as the attempt left it; `afresh diff` shows them"));
    }
    let clean = redact(&text, secrets);
    if clean.lines().count() != count {
        // A secret of several lines is in it, and part of it could be in these.
        return Ok(Vec::new());
    }
    let first = usize::try_from(range.first - 1).unwrap_or(usize::MAX);
    let quoted = usize::try_from(range.last - range.first).unwrap_or(usize::MAX).saturating_add(1);
    let lines = clean.lines().skip(first).take(quoted.min(MAX_QUOTED_LINES));
    Ok(lines.map(|line| line.chars().take(MAX_SENT_CHARS).collect()).collect())
}

#[cfg(test)]
mod tests {
    use afresh_core::harvest::ChangeKind;

    use super::*;

    fn changed(path: &str) -> FileDifference {
        FileDifference {
            path: path.to_owned(),
            old_path: None,
            kind: ChangeKind::Modified,
            lines: None,
        }
    }

    fn found(place: &str) -> Result<String, String> {
        let renamed = FileDifference { old_path: Some("old.py".to_owned()), ..changed("new.py") };
        let files = [changed("src/a.py"), changed("odd:3"), renamed];
        let found = find_file(&files, place, "T1.1");
        found
            .map(|(file, lines)| match lines {
                Some(lines) => format!("{} {lines}", file.path),
                None => file.path.clone(),
            })
            .map_err(|error| format!("{}; {}", error.message, error.hint.unwrap_or_default()))
    }

    /// BE-12: a place is a changed file with a line, a range, or neither; everything else says what is wrong.
    #[test]
    fn a_place_is_a_changed_file_with_lines_or_without() {
        for (place, wanted) in [
            ("src/a.py", "src/a.py"),
            ("./src/a.py:7", "src/a.py 7"),
            ("src/a.py:7-9", "src/a.py 7-9"),
            ("odd:3", "odd:3"),
            ("odd:3:4", "odd:3 4"),
        ] {
            assert_eq!(found(place), Ok(wanted.to_owned()), "{place}");
        }
        for (place, wanted) in [
            ("src/a.py:0", "\"0\" is no line and no range of lines"),
            ("src/a.py:9-7", "\"9-7\" is no line"),
            ("src/a.py:x", "\"x\" is no line"),
            ("src/a.py:1-99999999999", "is no line"),
            ("b.py:1", "T1.1 did not change b.py; it changed src/a.py, odd:3, new.py"),
            ("../a.py", "did not change ../a.py"),
            ("old.py:2", "T1.1 did not change old.py; it renamed it: `--on new.py`"),
            ("", "did not change"),
        ] {
            let refused = found(place).expect_err(place);
            assert!(refused.contains(wanted), "{place}: {refused}");
        }
    }
}
