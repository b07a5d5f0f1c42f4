//! The formats of plans that lie in several files, and how each is known by what is there.
//!
//! The own format is a single file, known by its name; see [`afresh_formats::native`].

use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;

/// A format: whether it is there, and what it says. Both are pure.
#[derive(Debug, Clone, Copy)]
pub struct PlanFormat {
    /// What `--format` calls it.
    pub name: &'static str,
    /// Looks at paths, and at texts only where paths do not tell. The folder may be the project's
    /// root, or the format's own directory inside it.
    pub recognises: fn(&dyn PlanFolder) -> bool,
    pub read: fn(&dyn PlanFolder, &ReadOptions) -> PlanReading,
}

/// How to read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    pub unit: WorkUnit,
    /// Only what this file says, where the person named a file; relative to the folder.
    pub only: Option<String>,
}

/// What one fresh worker gets, where a format has both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorkUnit {
    /// A plan file; its tasks are steps.
    #[default]
    Plan,
    /// Every task of a plan file.
    Task,
}

/// All of them; where several are there, the first wins over those that it says so about.
pub const FORMATS: &[PlanFormat] = &[
    crate::formats::long_run::FORMAT,
    crate::formats::ultraplan::FORMAT,
    crate::formats::gsd::FORMAT,
    crate::formats::specflow::FORMAT,
    crate::formats::agent_os::FORMAT,
    crate::formats::spec_kit::FORMAT,
    crate::formats::gsd2::FORMAT,
    crate::formats::tasker::FORMAT,
    crate::formats::task_master::FORMAT,
    crate::formats::beads::FORMAT,
];

pub fn by_name(name: &str) -> Option<&'static PlanFormat> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The formats that are there.
pub fn recognise(folder: &dyn PlanFolder) -> Vec<&'static PlanFormat> {
    let mut found: Vec<_> = FORMATS.iter().filter(|format| (format.recognises)(folder)).collect();
    // A plan that was made from a tasks.md is meant, not the tasks.md.
    if found.iter().any(|format| format.name == "long-run") {
        found.retain(|format| format.name != "agent-os");
    }
    found
}
