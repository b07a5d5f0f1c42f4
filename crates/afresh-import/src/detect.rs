//! All formats of other tools, and which of them a directory contains.
//!
//! The native format is a single file, recognised by its name; see [`afresh_formats::native`].

use crate::requirements::{self, RequirementRule};
use afresh_formats::Finding;
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
    /// What its plans are for.
    pub requirements: RequirementRule,
}

impl PlanFormat {
    /// Reads a plan with its requirements.
    pub fn read_traced(&self, folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
        let mut reading = (self.read)(folder, options);
        requirements::attach(folder, &mut reading, |ledger, _| (self.requirements)(ledger));
        reading
    }
}

/// How to read a plan.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    pub unit: WorkUnit,
    /// Read only this file or directory, if the user named one; relative to the folder. A directory
    /// ends in `/`.
    pub only: Option<String>,
}

impl ReadOptions {
    /// The file that the user named.
    pub(crate) fn named_file(&self) -> Option<&str> {
        self.only.as_deref().filter(|only| !only.ends_with('/'))
    }

    /// Whether a path is, or is in, what the user named.
    pub(crate) fn includes(&self, path: &str) -> bool {
        match self.only.as_deref() {
            None => true,
            Some(only) if only.ends_with('/') => path.starts_with(only),
            Some(only) => path == only,
        }
    }
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
    crate::formats::gsd::ultraplan::FORMAT,
    crate::formats::gsd::FORMAT,
    crate::formats::specflow::FORMAT,
    crate::formats::agent_os::FORMAT,
    crate::formats::spec_kit::FORMAT,
    crate::formats::gsd2::FORMAT,
    crate::formats::tasker::FORMAT,
    crate::formats::task_master::FORMAT,
    crate::formats::beads::FORMAT,
    crate::formats::openspec::FORMAT,
    crate::formats::kiro::FORMAT,
    crate::formats::prd::FORMAT,
    crate::formats::checklist::FORMAT,
];

pub fn format_by_name(name: &str) -> Option<&'static PlanFormat> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The formats that a file of a folder belongs to: it is a plan, or its directory contains one. Any
/// other Markdown file may be a checklist.
pub fn formats_of_file(folder: &dyn PlanFolder, file: &str) -> Vec<&'static PlanFormat> {
    let own = [file.to_owned()];
    let found = detect_formats(&SubFolder { paths: &own, whole: folder });
    if !found.is_empty() {
        return with_traces(folder, found);
    }
    let (checklist, prd) = (&crate::formats::checklist::FORMAT, &crate::formats::prd::FORMAT);
    let directory = file.rsplit_once('/').map_or("", |(directory, _)| directory);
    if !directory.is_empty() {
        let mut found = formats_within(folder, &format!("{directory}/"));
        found.retain(|format| format.name != checklist.name);
        if !found.is_empty() {
            return found;
        }
    }
    let text = folder.text(file).and_then(Result::ok).unwrap_or_default();
    if file.strip_suffix(".json").is_some() && crate::formats::prd::is_ours(&text) {
        return vec![prd];
    }
    let is_checklist =
        file.to_ascii_lowercase().ends_with(".md") && crate::formats::checklist::has_tasks(&text);
    if is_checklist { vec![checklist] } else { Vec::new() }
}

/// The formats of the plans in a directory of a folder; the directory ends in `/`.
pub fn formats_within(folder: &dyn PlanFolder, directory: &str) -> Vec<&'static PlanFormat> {
    let part = SubFolder { paths: folder.starting_with(directory), whole: folder };
    with_traces(folder, detect_formats(&part))
}

/// GSD's layout is Ultra Planner's, if the project has its traces.
fn with_traces(
    folder: &dyn PlanFolder,
    mut found: Vec<&'static PlanFormat>,
) -> Vec<&'static PlanFormat> {
    // Ultra Planner's traces are beside the directory with GSD's layout.
    let (gsd, ultraplan) = (&crate::formats::gsd::FORMAT, &crate::formats::gsd::ultraplan::FORMAT);
    if (ultraplan.is_present)(folder) {
        for format in found.iter_mut().filter(|format| format.name == gsd.name) {
            *format = ultraplan;
        }
    }
    found
}

/// A part of a folder, with the paths of the whole.
struct SubFolder<'f> {
    paths: &'f [String],
    whole: &'f dyn PlanFolder,
}

impl PlanFolder for SubFolder<'_> {
    fn paths(&self) -> &[String] {
        self.paths
    }

    fn text(&self, path: &str) -> Option<Result<String, Finding>> {
        self.whole.text(path)
    }

    fn holds(&self, path: &str) -> bool {
        self.whole.holds(path)
    }
}

/// The formats that a folder contains.
pub fn detect_formats(folder: &dyn PlanFolder) -> Vec<&'static PlanFormat> {
    let mut found: Vec<_> = FORMATS.iter().filter(|format| (format.is_present)(folder)).collect();
    // A long-run plan is made from a tasks.md, so the plan is meant, not the tasks.md.
    if found.iter().any(|format| format.name == "long-run") {
        found.retain(|format| format.name != "agent-os");
    }
    // A checklist beside another plan is not the plan.
    if found.len() > 1 {
        found.retain(|format| format.name != crate::formats::checklist::FORMAT.name);
    }
    found
}
