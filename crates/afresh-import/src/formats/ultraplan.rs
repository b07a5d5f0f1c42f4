//! Ultra Planner: GSD's files in GSD's places, and a directory `.ultraplan/` of its own.
//!
//! Its plans may also hold `### Wave N` headings between tasks, and tasks that say themselves that
//! they are completed; both are read wherever they stand.

use crate::detect::PlanFormat;
use crate::formats::gsd;
use crate::formats::gsd::layout;
use afresh_formats::folder::PlanFolder;

pub const FORMAT: PlanFormat = PlanFormat { name: "ultraplan", recognises, read: gsd::read };

fn recognises(folder: &dyn PlanFolder) -> bool {
    leaves_traces(folder) && !layout::plans(folder.paths()).is_empty()
}

/// Is there anything that only Ultra Planner writes?
pub(crate) fn leaves_traces(folder: &dyn PlanFolder) -> bool {
    folder.paths().iter().any(|path| path.split('/').any(|part| part == ".ultraplan"))
}
