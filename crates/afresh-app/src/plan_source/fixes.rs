//! `afresh lint --fix`: applies the fixes of findings on disk.
//!
//! `afresh_formats::findings::fixes` proves which fixes are safe. Only files of the plan are written, never
//! through a link, never over a concurrent change, and each one atomically.

use afresh_formats::Finding;
use afresh_formats::findings::fixes::{self, AppliedFixes, LintResult};
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;
use similar::TextDiff;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::AppError;
use crate::plan_source::FoundPlan;
use crate::text::files::{ReplaceError, replace_unchanged};

/// The applied and refused fixes.
#[derive(Debug)]
pub struct PlanFixes {
    pub done: Vec<Finding>,
    pub refused: Vec<Finding>,
    /// By file.
    pub diffs: BTreeMap<String, String>,
    pub dry_run: bool,
}

/// Lints a plan that was read from a folder.
type LookAt<'a> = &'a dyn Fn(&dyn PlanFolder, &PlanReading) -> Vec<Finding>;

/// Applies safe fixes; on a dry run, only computes the changes.
pub fn apply_fixes(
    found: &FoundPlan,
    dry_run: bool,
    look: LookAt<'_>,
) -> Result<PlanFixes, AppError> {
    let mut originals = BTreeMap::new();
    for finding in found.reading.findings.iter().filter(|finding| finding.fix.is_some()) {
        if !originals.contains_key(&finding.file) {
            let bytes = read(found, &finding.file)?;
            originals.insert(finding.file.clone(), bytes);
        }
    }
    let look = |folder: &dyn PlanFolder| {
        let reading = found.read_from(folder);
        LintResult { findings: look(folder, &reading), plan: reading.plan }
    };
    let AppliedFixes { files, done, refused } =
        fixes::apply_fixes(found.folder.as_ref(), &originals, &look);
    let diffs = files.iter().map(|(file, new)| {
        let shown = found.shown_path(file);
        let changes = diff(&shown, &originals[file], new);
        (shown, changes)
    });
    let diffs = diffs.collect();
    if !dry_run {
        for (file, new) in &files {
            replace(&place(found, file)?, &found.shown_path(file), &originals[file], new)?;
        }
    }
    let (done, refused) = (found.for_caller(done), found.for_caller(refused));
    Ok(PlanFixes { done, refused, diffs, dry_run })
}

impl PlanFixes {
    pub fn has_written(&self) -> bool {
        !self.dry_run && !self.diffs.is_empty()
    }
}

/// The file of a finding, if it may be written: a regular file in the plan's directory, reached without
/// links.
fn place(found: &FoundPlan, file: &str) -> Result<PathBuf, AppError> {
    let path = found.base.join(file);
    let shown = found.shown_path(file);
    let refused = |cause: String| {
        AppError::usage("fix", format!("cannot fix {shown}"))
            .in_file(&shown)
            .cause(cause)
            .hint("fix it by hand, or run `afresh lint --fix` with its real path")
    };
    let real = path.canonicalize().map_err(|error| refused(error.to_string()))?;
    // A plan in the native format is one file: the one that was read.
    let inside = found.base.canonicalize().is_ok_and(|base| real == base.join(file));
    let is_plan = real == found.path;
    let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
    if is_link || !(inside || is_plan) {
        return Err(refused("it is reached through a symbolic link".to_owned()));
    }
    Ok(path)
}

fn read(found: &FoundPlan, file: &str) -> Result<Vec<u8>, AppError> {
    let path = place(found, file)?;
    fs::read(&path).map_err(|error| cannot_write(&found.shown_path(file), &error))
}

/// Replaces the contents of a file, if they are still the old ones.
fn replace(path: &Path, file: &str, old: &[u8], new: &[u8]) -> Result<(), AppError> {
    replace_unchanged(path, old, new).map_err(|error| match error {
        ReplaceError::Changed => {
            AppError::usage("fix", format!("{file} was changed by another program"))
                .in_file(file)
                .hint("it was not written; run `afresh lint --fix` again")
        }
        ReplaceError::Io(error) => cannot_write(file, &error),
    })
}

fn cannot_write(file: &str, error: &io::Error) -> AppError {
    AppError::machine("fix", format!("cannot fix {file}"))
        .in_file(file)
        .cause(error.to_string())
        .hint("check that the file exists and is writable")
}

/// The changes as a unified diff.
pub(crate) fn diff(file: &str, old: &[u8], new: &[u8]) -> String {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let diff = TextDiff::from_lines(&*old, &*new);
    diff.unified_diff().header(&format!("a/{file}"), &format!("b/{file}")).to_string()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// BE-01: a concurrent change is not overwritten.
    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("PLAN.md");
        fs::write(&path, "newer").expect("written");
        let refused = replace(&path, "PLAN.md", b"old", b"fixed").expect_err("it changed");
        assert_eq!(refused.message, "PLAN.md was changed by another program");
        assert_eq!(fs::read(&path).expect("the file"), b"newer");
    }

    /// BE-01: only the bytes change, not who may read the file.
    #[test]
    fn a_fixed_file_keeps_its_permissions() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("PLAN.md");
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
        replace(&path, "PLAN.md", b"old", b"fixed").expect("it is as it was");
        let mode = fs::metadata(&path).expect("the file").permissions().mode();
        assert_eq!((fs::read(&path).expect("it"), mode & 0o777), (b"fixed".to_vec(), 0o640));
    }
}
