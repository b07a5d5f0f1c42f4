//! Files whose presence halts a run (ST-04): our own, and the one that users of the plan's format know.

use std::path::{Path, PathBuf};

use afresh_core::Run;

use crate::session::RepoContext;

const NAME: &str = "STOP";

/// A file that halts a run while it exists; clearing the halt removes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StopFile {
    pub path: PathBuf,
    /// What people read about the halt.
    pub reason: String,
}

impl StopFile {
    pub(super) fn exists(&self) -> bool {
        self.path.exists()
    }
}

/// The files to look for; ours comes first.
pub(super) fn stop_files(context: &RepoContext, run: &Run) -> Vec<StopFile> {
    let ours =
        StopFile { path: context.layout.stop_file(), reason: "found a STOP file".to_owned() };
    let directory = planning_directory(&run.settings().pinned);
    let theirs = context.git.root().zip(directory).map(|(root, directory)| {
        let path = Path::new(directory).join(NAME);
        StopFile { reason: format!("found {}", path.display()), path: root.join(path) }
    });
    std::iter::once(ours).chain(theirs).collect()
}

/// Where Tasker keeps its plan, such as `project-planning`: the directory that holds `tasks/T001.json`.
fn planning_directory(pinned: &[String]) -> Option<&str> {
    pinned.iter().find_map(|path| {
        let (directory, name) = path.rsplit_once('/')?;
        let number = name.strip_prefix('T')?.strip_suffix(".json")?;
        let is_task = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        directory.strip_suffix("/tasks").filter(|_| is_task)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ST-04: only a plan of Tasker has a planning directory.
    #[test]
    fn the_planning_directory_follows_from_the_tasks() {
        let of = |path: &str| planning_directory(&[path.to_owned()]).map(str::to_owned);
        assert_eq!(of("project-planning/tasks/T001.json"), Some("project-planning".to_owned()));
        assert_eq!(of("a/b/tasks/T12.json"), Some("a/b".to_owned()));
        for other in ["tasks/T001.json", "a/tasks/tasks.json", "a/T001.json", "p.plan.toml"] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
