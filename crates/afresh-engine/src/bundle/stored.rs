//! The bundles that are on disk: those of attempts, and those that a person or a script asked for.
//!
//! Cleanup lists them first and reads the journal afterwards: by then every listed attempt is in the journal, and
//! an attempt that is over stays over.

use afresh_core::plan::TaskIndex;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use afresh_core::Run;
use afresh_core::ids::{AttemptId, RunId, TaskId};

use crate::bundle::rendered::{BUNDLE, PROMPT};
use crate::layout::StateLayout;

/// One bundle, with its prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBundle {
    pub attempt: AttemptId,
    pub made_for: BundlePurpose,
    pub directory: PathBuf,
    pub prompt_bytes: u64,
    pub made_at: Option<SystemTime>,
}

/// What a bundle was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BundlePurpose {
    /// For a person or a script; no worker reads it.
    Looking,
    Worker,
}

/// Whether a bundle may still be needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DependencyState {
    /// Its worker is running, or its work is being merged.
    Running,
    /// A person is asked about its task, and may want to see what the worker was given.
    Asked,
    /// Its attempt is over.
    Over,
    /// It was made for inspection only.
    Looking,
}

impl DependencyState {
    /// The word that people and scripts see.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Asked => "asked",
            Self::Over => "over",
            Self::Looking => "generated",
        }
    }

    pub fn is_over(self) -> bool {
        matches!(self, Self::Over | Self::Looking)
    }
}

impl StoredBundle {
    /// All bundles of a run, by task and attempt.
    pub fn list(layout: &StateLayout, run: &RunId) -> Vec<Self> {
        let attempts = layout.attempts(run);
        let mut found = in_directory(&attempts, BundlePurpose::Worker);
        found.extend(in_directory(&layout.bundles(run.as_str()), BundlePurpose::Looking));
        found.sort_by(|a, b| (&a.attempt, a.made_for).cmp(&(&b.attempt, b.made_for)));
        found
    }

    pub fn bundle(&self) -> PathBuf {
        self.directory.join(BUNDLE)
    }

    pub fn prompt(&self) -> PathBuf {
        self.directory.join(PROMPT)
    }

    /// Without a run there are no workers.
    pub fn need(&self, run: Option<&Run>) -> DependencyState {
        let Some(run) = run.filter(|_| self.made_for == BundlePurpose::Worker) else {
            return DependencyState::Looking;
        };
        let is_at_work = |at: TaskIndex| run.task(at).attempt() == Some(&self.attempt);
        if run.plan().index_of(&self.attempt.task).is_some_and(is_at_work) {
            DependencyState::Running
        } else if run.questions().any(|question| question.task == self.attempt.task) {
            DependencyState::Asked
        } else {
            DependencyState::Over
        }
    }

    /// Removes bundle and prompt; the worker's output and result stay.
    pub fn remove(&self) -> io::Result<()> {
        for file in [self.bundle(), self.prompt()] {
            match fs::remove_file(file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        if self.made_for == BundlePurpose::Looking {
            // Files that afresh did not put there are not ours to remove, so this fails if there are any.
            let _ = fs::remove_dir(&self.directory);
        }
        Ok(())
    }
}

fn in_directory(directory: &PathBuf, made_for: BundlePurpose) -> Vec<StoredBundle> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let kept = |entry: fs::DirEntry| {
        let attempt = attempt_of(entry.file_name().to_str()?)?;
        let directory = entry.path();
        let bundle = fs::symlink_metadata(directory.join(BUNDLE)).ok()?;
        let prompt_bytes =
            fs::symlink_metadata(directory.join(PROMPT)).map_or(0, |found| found.len());
        let made_at = bundle.modified().ok();
        bundle.is_file().then_some(StoredBundle {
            attempt,
            made_for,
            directory,
            prompt_bytes,
            made_at,
        })
    };
    entries.filter_map(kept).collect()
}

/// Parses a directory name such as `T001.2`.
fn attempt_of(name: &str) -> Option<AttemptId> {
    let (task, number) = name.rsplit_once('.')?;
    Some(AttemptId { task: TaskId::new(task).ok()?, number: number.parse().ok()? })
}
