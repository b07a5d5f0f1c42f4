//! Large plans of every format, all of the same shape, for measuring how reading time grows.
//!
//! Tasks come in groups of ten: each depends on the one before it, and the first of a group on the first of the
//! previous group. Every task has its own file, shares one with its group, and has a command that proves it.
//!
//! | module | idea |
//! | --- | --- |
//! | `data` | formats whose tasks are TOML or JSON |
//! | `markdown` | formats whose tasks are Markdown |

mod data;
mod markdown;

/// The formats, by their `--format` names.
pub const FORMATS: &[&str] = &[
    "native",
    "long-run",
    "ultraplan",
    "gsd",
    "specflow",
    "agent-os",
    "spec-kit",
    "gsd2",
    "tasker",
    "task-master",
    "beads",
    "openspec",
    "kiro",
    "prd",
    "checklist",
];

/// The files of a plan with this many tasks: paths and texts.
pub fn files(format: &str, tasks: usize) -> Vec<(String, String)> {
    let tasks: Vec<PlanShape> = (1..=tasks).map(|number| PlanShape { number }).collect();
    match format {
        "native" => data::native(&tasks),
        "tasker" => data::tasker(&tasks),
        "task-master" => data::task_master(&tasks),
        "beads" => data::beads(&tasks),
        "long-run" => markdown::long_run(&tasks),
        "gsd" => markdown::gsd(&tasks),
        "ultraplan" => markdown::ultraplan(&tasks),
        "specflow" => markdown::specflow(&tasks),
        "agent-os" => markdown::agent_os(&tasks),
        "spec-kit" => markdown::spec_kit(&tasks),
        "gsd2" => markdown::gsd2(&tasks),
        "openspec" => markdown::openspec(&tasks),
        "kiro" => markdown::kiro(&tasks),
        "checklist" => markdown::checklist(&tasks),
        "prd" => data::prd(&tasks),
        _ => panic!("no format is called {format}"),
    }
}

/// One task, by its number from 1.
#[derive(Debug, Clone, Copy)]
struct PlanShape {
    number: usize,
}

impl PlanShape {
    fn need(self) -> Option<usize> {
        let first_of_ten = self.number % 10 == 1;
        let need = if first_of_ten { self.number.checked_sub(10) } else { Some(self.number - 1) };
        need.filter(|need| *need > 0)
    }

    /// The number of its group of ten, from 1.
    fn ten(self) -> usize {
        self.number.div_ceil(10)
    }

    fn place_in_ten(self) -> usize {
        (self.number - 1) % 10 + 1
    }

    fn title(self) -> String {
        format!("Write part {} of the service", self.number)
    }

    fn text(self) -> String {
        format!(
            "Part {} takes what the parts before it give and adds its own. Keep the interface as it is.\n\
             Say what went wrong where something can go wrong.",
            self.number
        )
    }

    fn file(self) -> String {
        format!("src/part{}/piece{}.rs", self.ten(), self.number)
    }

    fn shared_file(self) -> String {
        format!("src/part{}/mod.rs", self.ten())
    }

    fn check(self) -> String {
        format!("cargo test part{}::piece{}", self.ten(), self.number)
    }
}
