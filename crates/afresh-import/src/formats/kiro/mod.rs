//! Kiro: `.kiro/specs/NAME/tasks.md`, with `requirements.md` or `bugfix.md`, and `design.md` (FO-09).
//!
//! A leaf of the numbered boxes is a task, and unnumbered boxes below it are steps. The order is that
//! of the graph at the end of the file, or else that of the file. A checkpoint asks a person. Optional
//! tasks (`- [ ]*`) are left out.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `outline` | the numbered boxes: parents, leaves, steps |
//! | `graph` | the dependency graph: waves as JSON, or arrows |
//! | `order` | the dependencies of each task |
//! | `requirements` | the requirements that tasks cite |
//! | `tasks` | leaves as tasks |
//! | `trace` | requirements, and which tasks cite them |

mod graph;
mod order;
mod outline;
mod requirements;
mod tasks;
mod trace;

use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::feature_dirs::{FeatureDir, read_one};
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;

pub const FORMAT: PlanFormat =
    PlanFormat { name: "kiro", is_present, read, requirements: trace::add };

const SPECS: &str = ".kiro/specs/";
/// Documents that make a directory a spec of Kiro.
const DOCUMENTS: &[&str] = &["requirements.md", "bugfix.md", "design.md"];

fn is_present(folder: &dyn PlanFolder) -> bool {
    !specs(folder).is_empty()
}

/// The directories of specs, also below the root; from inside `.kiro` or a spec, by their documents.
fn specs(folder: &dyn PlanFolder) -> Vec<FeatureDir> {
    let spec = |path: &String| {
        let directory = path.strip_suffix("tasks.md")?;
        let own = |rest: &str| {
            rest.strip_suffix('/').is_some_and(|name| !name.is_empty() && !name.contains('/'))
        };
        let at = directory.rfind(SPECS).filter(|at| *at == 0 || directory[..*at].ends_with('/'));
        let placed = if let Some(at) = at {
            own(&directory[at + SPECS.len()..])
        } else {
            let beside = |name: &&str| folder.holds(&format!("{directory}{name}"));
            let other = ["spec.md", "proposal.md", "plan.md", "planning/requirements.md"];
            let inside = directory.is_empty() || directory.strip_prefix("specs/").is_some_and(own);
            inside && DOCUMENTS.iter().any(&beside) && !other.iter().any(beside)
        };
        placed.then(|| FeatureDir { directory: directory.to_owned() })
    };
    folder.paths().iter().filter_map(spec).collect()
}

fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    read_one(folder, options, &specs(folder), |feature| tasks::read(folder, feature))
}

/// The places of the open parent boxes of a tasks.md whose needed parts are all done.
pub(crate) fn finished_parents(text: &str) -> Vec<std::ops::Range<usize>> {
    let list = crate::box_lists::boxes::BoxList::read(text);
    outline::KiroOutline::read(&list).finished_parents()
}
