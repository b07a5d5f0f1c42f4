//! Plans written in the formats of other tools, and what each format cannot hold.
//!
//! What is lost is not guessed: the files are read again by the format's own reader, and compared with the plan.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `documents` | GSD, Ultra Planner, long-run, `SpecFlow`, GSD 2 |
//! | `lists` | lists of check boxes: Spec Kit, `OpenSpec`, Kiro, Agent OS, checklists |
//! | `losses` | what is different when it is read again |
//! | `records` | JSON: Tasker, Task Master, beads, prd.json |

mod documents;
mod lists;
mod losses;
mod records;

use std::collections::BTreeMap;

use afresh_core::Plan;
use afresh_core::ids::TaskId;
use afresh_core::pattern::FilePattern;
use afresh_core::plan::{Task, TaskIndex};

use crate::detect::PlanFormat;
use crate::writeback::finished::one_line;
pub use losses::PlanLoss;

/// A plan in another format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedPlan {
    /// The files by path.
    pub files: BTreeMap<String, String>,
    /// What the format does not hold.
    pub losses: Vec<PlanLoss>,
}

/// Writes a plan in a format.
pub fn export(plan: &Plan, format: &PlanFormat) -> ExportedPlan {
    let tasks = OrderedTasks::new(plan, format.name);
    let files = match format.name {
        "long-run" => documents::long_run(&tasks),
        "gsd" | "ultraplan" => documents::gsd(&tasks, format.name),
        "gsd2" => documents::gsd2(&tasks),
        "specflow" => documents::specflow(&tasks),
        "agent-os" => lists::agent_os(&tasks),
        "spec-kit" => lists::spec_kit(&tasks),
        "openspec" => lists::openspec(&tasks),
        "kiro" => lists::kiro(&tasks),
        "tasker" => records::tasker(&tasks),
        "task-master" => records::task_master(&tasks),
        "beads" => records::beads(&tasks),
        "prd" => records::prd(&tasks),
        _ => lists::checklist(&tasks),
    };
    let files: BTreeMap<String, String> = files.into_iter().collect();
    let losses = losses::find(&tasks, format, &files);
    ExportedPlan { files, losses }
}

/// The files of a plan: paths and texts.
type PlanFiles = Vec<(String, String)>;

/// The tasks in an order in which they can be done, with their ids in the format.
pub(crate) struct OrderedTasks<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) tasks: Vec<&'p Task>,
    ids: BTreeMap<&'p TaskId, String>,
}

impl<'p> OrderedTasks<'p> {
    fn new(plan: &'p Plan, format: &str) -> Self {
        let mut order: Vec<TaskIndex> = plan.indices().collect();
        order.sort_by_key(|at| (plan.wave(*at), at.position()));
        let tasks: Vec<&Task> = order.into_iter().map(|at| plan.task(at)).collect();
        let keeps = tasks.iter().all(|task| is_id_of(format, task.id.as_str()));
        let name = |at: usize, task: &Task| {
            if keeps { task.id.to_string() } else { id_of(format, at + 1) }
        };
        let ids = tasks.iter().enumerate().map(|(at, task)| (&task.id, name(at, task))).collect();
        Self { plan, tasks, ids }
    }

    /// The id of a task in the format.
    pub(crate) fn id(&self, task: &TaskId) -> &str {
        &self.ids[task]
    }

    /// What a task needs, by the ids of the format.
    pub(crate) fn needs(&self, task: &Task) -> Vec<&str> {
        task.needs.iter().map(|need| self.id(need)).collect()
    }

    /// The wave of a task, from 1.
    pub(crate) fn wave(&self, task: &Task) -> u32 {
        self.plan.index_of(&task.id).map_or(1, |at| self.plan.wave(at))
    }

    /// The plan's name as part of a path.
    pub(crate) fn slug(&self) -> String {
        let slug = crate::requirements::slug(&self.plan.name);
        if slug.is_empty() { "plan".to_owned() } else { slug }
    }

    pub(crate) fn name(&self) -> String {
        let name = one_line(&self.plan.name);
        if name.is_empty() { "Plan".to_owned() } else { name }
    }
}

/// The id of the nth task, where a format has ids of its own shape.
fn id_of(format: &str, number: usize) -> String {
    match format {
        "long-run" => format!("{number:02}"),
        "gsd" | "ultraplan" => format!("01-{number:02}"),
        "gsd2" => format!("M001-S01-T{number:02}"),
        "specflow" => format!("G{number}"),
        "openspec" => format!("1.{number}"),
        "spec-kit" | "tasker" => format!("T{number:03}"),
        "prd" => format!("US-{number:03}"),
        "beads" => format!("bd-{number}"),
        _ => number.to_string(),
    }
}

/// Whether an id has the shape that a format gives to its tasks.
fn is_id_of(format: &str, id: &str) -> bool {
    let shape = |front: &str, least: usize| {
        let digits = id.strip_prefix(front).unwrap_or_default();
        digits.len() >= least && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    match format {
        "spec-kit" | "tasker" => shape("T", 3),
        "specflow" => shape("G", 1),
        "prd" => shape("US-", 1),
        "beads" => id.split_once('-').is_some_and(|(front, rest)| {
            !rest.is_empty() && front.bytes().all(|byte| byte.is_ascii_lowercase())
        }),
        _ => false,
    }
}

/// The title of a task in one line.
pub(crate) fn title(task: &Task) -> String {
    one_line(&task.title).replace('`', "'")
}

/// The files of a task and its steps, once each.
pub(crate) fn files(task: &Task) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for pattern in task.patterns().map(FilePattern::as_str) {
        if !found.contains(&pattern) {
            found.push(pattern);
        }
    }
    found
}

/// The commands that check a task and its steps, once each.
pub(crate) fn commands(task: &Task) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for check in task.all_checks() {
        if !found.contains(&check.command.as_str()) {
            found.push(&check.command);
        }
    }
    found
}

/// The instructions, indented to belong to an item of a list.
pub(crate) fn indented(text: &str, width: usize) -> String {
    let space = " ".repeat(width);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let bare = lines.map(|line| line.trim().trim_start_matches("- "));
    bare.flat_map(|line| [space.as_str(), "- ", line, "\n"]).collect()
}
