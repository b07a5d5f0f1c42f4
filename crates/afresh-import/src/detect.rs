//! All formats of other tools, and which of them a directory contains.
//!
//! The native format is a single file, recognised by its name; see [`afresh_formats::native`].

use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;

/// A plan format: how it is detected and read. Both functions are pure.
#[derive(Debug, Clone, Copy)]
pub struct PlanFormat {
    /// Its name for `--format`.
    pub name: &'static str,
    /// Decides by paths, and reads texts only if paths are not enough. The folder may be the
    /// project's root, or the format's own directory inside it.
    pub is_present: fn(&dyn PlanFolder) -> bool,
    pub read: fn(&dyn PlanFolder, &ReadOptions) -> PlanReading,
}

/// How to read a plan.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    pub unit: WorkUnit,
    /// Read only this file, if the user named one; relative to the folder.
    pub only: Option<String>,
}

/// What one worker gets, in formats that have both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorkUnit {
    /// A plan file; its tasks are steps.
    #[default]
    Plan,
    /// Every task of a plan file.
    Task,
}

/// All formats.
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

pub fn format_by_name(name: &str) -> Option<&'static PlanFormat> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The formats that a folder contains.
pub fn detect_formats(folder: &dyn PlanFolder) -> Vec<&'static PlanFormat> {
    let mut found: Vec<_> = FORMATS.iter().filter(|format| (format.is_present)(folder)).collect();
    // A long-run plan is made from a tasks.md, so the plan is meant, not the tasks.md.
    if found.iter().any(|format| format.name == "long-run") {
        found.retain(|format| format.name != "agent-os");
    }
    found
}
