//! Paths of a plan's files as the caller would write them.
//!
//! Formats are read relative to their own directory, whatever that is. A person opens
//! `specs/001-x/tasks.md:3:1` from where the command was started.

use std::path::{Component, Path, PathBuf};

use afresh_formats::Finding;

/// Turns paths in a plan's directory into paths for the caller.
#[derive(Debug, Clone)]
pub struct CallerPaths {
    /// The directory of the plan, absolute.
    base: PathBuf,
    /// Where the caller is; none if the caller named the plan by an absolute path.
    caller: Option<PathBuf>,
}

impl CallerPaths {
    /// For a plan below `base` that was given as `given`, relative to `caller`. Both directories are
    /// absolute and without links.
    pub fn new(base: &Path, caller: &Path, given: &Path) -> Self {
        let caller = (!given.is_absolute()).then(|| caller.to_owned());
        Self { base: base.to_owned(), caller }
    }

    /// The path of a file in the plan's directory; `.` is that directory.
    pub fn show(&self, file: &str) -> String {
        let slash = if file.ends_with('/') { "/" } else { "" };
        let path: PathBuf = self.base.join(file).components().collect();
        let shown = match &self.caller {
            Some(caller) => relative_path(caller, &path),
            None => path,
        };
        format!("{}{slash}", shown.display())
    }

    /// A finding with the caller's paths.
    pub fn show_finding(&self, mut finding: Finding) -> Finding {
        finding.rename_files(|file| self.show(file));
        finding
    }

    /// The field `file:path` of a plan, with the caller's path.
    pub(super) fn show_field(&self, field: &str) -> String {
        match field.split_once(':') {
            Some((file, path)) => format!("{}:{path}", self.show(file)),
            None => field.to_owned(),
        }
    }
}

/// The way from one directory to a path, both absolute and without links; `.` if they are the same.
pub fn relative_path(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(to.components().skip(shared)).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_as_seen_by_the_caller() {
        let shown = |base: &str, given: &str, file: &str| {
            CallerPaths::new(Path::new(base), Path::new("/repo/app"), Path::new(given)).show(file)
        };
        assert_eq!(shown("/repo/app", ".", "specs/x/tasks.md"), "specs/x/tasks.md");
        assert_eq!(shown("/repo/app/specs/x", "specs/x", "tasks.md"), "specs/x/tasks.md");
        assert_eq!(shown("/repo/app/specs", "specs", "x/"), "specs/x/");
        assert_eq!(shown("/repo", ".", "app/.planning/a.md"), ".planning/a.md");
        assert_eq!(shown("/repo/other", "../other", "tasks.md"), "../other/tasks.md");
        assert_eq!(shown("/repo/app", ".", "."), ".");
        assert_eq!(shown("/repo/other", "/repo/other", "tasks.md"), "/repo/other/tasks.md");
    }

    /// EX-12: a plan that moves is still for the same directory.
    #[test]
    fn a_directory_is_named_as_seen_from_another() {
        let seen = |from: &str, to: &str| relative_path(Path::new(from), Path::new(to));
        assert_eq!(seen("/a/plans/deep", "/a/service"), Path::new("../../service"));
        assert_eq!(seen("/a/plans", "/a/plans/service"), Path::new("service"));
        assert_eq!(seen("/a/plans", "/a/plans"), Path::new("."));
    }
}
