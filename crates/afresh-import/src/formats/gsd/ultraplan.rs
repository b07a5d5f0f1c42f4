//! Ultra Planner: GSD's layout, and a directory `.ultraplan/`.
//!
//! Its plans may also have `### Wave N` headings between tasks, and tasks that are marked as completed;
//! both are read in every PLAN.md.

use crate::detect::PlanFormat;
use crate::formats::gsd::{self, layout};
use afresh_formats::folder::PlanFolder;

pub const FORMAT: PlanFormat =
    PlanFormat { name: "ultraplan", is_present, read: gsd::read, requirements: gsd::trace::add };

fn is_present(folder: &dyn PlanFolder) -> bool {
    leaves_traces(folder) && !layout::plans(folder.paths()).is_empty()
}

/// Whether the folder contains something that only Ultra Planner writes.
pub(crate) fn leaves_traces(folder: &dyn PlanFolder) -> bool {
    folder.paths().iter().any(|path| path.split('/').any(|part| part == ".ultraplan"))
}
