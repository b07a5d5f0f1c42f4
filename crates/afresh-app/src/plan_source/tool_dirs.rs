//! The directories that belong to planning tools, below a project's root.

/// A tool's directory.
#[derive(Debug)]
pub(super) struct ToolDirectory {
    name: &'static str,
    pub(super) reach: PlanReach,
}

/// What a plan inside a tool's directory is read with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanReach {
    /// The whole project: order and finished work are not known without it.
    WholeProject,
    /// Its own directory. The name is not the tool's alone.
    OwnDirectory,
}

const TOOL_DIRECTORIES: &[ToolDirectory] = &[
    whole(".planning"),
    whole(".gsd"),
    whole(".kiro"),
    whole("openspec"),
    whole(".specflow"),
    whole(".long-run"),
    whole("agent-os"),
    whole(".specify"),
    whole(".taskmaster"),
    whole(".beads"),
    whole(".tasker"),
    whole(".ultraplan"),
    ToolDirectory { name: "specs", reach: PlanReach::OwnDirectory },
];

const fn whole(name: &'static str) -> ToolDirectory {
    ToolDirectory { name, reach: PlanReach::WholeProject }
}

/// The tool's directory with this name.
pub(super) fn find(name: &str) -> Option<&'static ToolDirectory> {
    TOOL_DIRECTORIES.iter().find(|directory| directory.name == name)
}
