//! Why two tasks cannot run at the same time: `afresh show --why A B` (PL-12).

use afresh_core::Plan;
use afresh_core::ids::TaskId;
use afresh_core::plan::TaskIndex;
use afresh_core::plan::{Task, nearest};
use serde_json::{Value, json};

use afresh_app::error::AppError;
use afresh_core::printable::line as safe;

/// How many shared files are listed.
const MAX_SHARED: usize = 20;

/// Why two tasks cannot run at the same time; empty where they can.
#[derive(Debug)]
pub struct TaskConflict<'a> {
    tasks: [&'a Task; 2],
    waves: [u32; 2],
    reasons: Vec<ConflictReason<'a>>,
}

#[derive(Debug)]
enum ConflictReason<'a> {
    /// Each of these needs the one before it.
    Ordered(Vec<&'a TaskId>),
    /// Both may write it: the patterns of the first and of the second.
    Shared(&'a str, &'a str),
    /// It lists no files, so it runs alone.
    Unlisted(&'a TaskId),
    AsksPerson(&'a TaskId),
    DoneBefore(&'a TaskId),
}

impl<'a> TaskConflict<'a> {
    pub fn new(plan: &'a Plan, ids: [&str; 2]) -> Result<Self, AppError> {
        let [a, b] = [find(plan, ids[0])?, find(plan, ids[1])?];
        let tasks = [plan.task(a), plan.task(b)];
        let waves = [plan.wave(a), plan.wave(b)];
        if a == b {
            let message = format!("{} was named twice", tasks[0].id);
            return Err(AppError::usage("task", message).hint("name two tasks of the plan"));
        }
        let mut reasons = Vec::new();
        let way = plan.way(a, b).or_else(|| plan.way(b, a));
        if let Some(way) = way {
            reasons
                .push(ConflictReason::Ordered(way.iter().map(|at| &plan.task(*at).id).collect()));
        }
        for task in tasks {
            if task.checkpoint.is_some() {
                reasons.push(ConflictReason::AsksPerson(&task.id));
            } else if task.done_before.is_some() {
                reasons.push(ConflictReason::DoneBefore(&task.id));
            } else if !task.lists_files() {
                reasons.push(ConflictReason::Unlisted(&task.id));
            }
        }
        let pairs = tasks[0]
            .patterns()
            .flat_map(|one| tasks[1].patterns().map(move |other| (one, other)))
            .filter(|(one, other)| one.overlaps(other));
        let shared = pairs.map(|(one, other)| ConflictReason::Shared(one.as_str(), other.as_str()));
        reasons.extend(shared.take(MAX_SHARED));
        Ok(Self { tasks, waves, reasons })
    }

    pub fn to_json(&self) -> Value {
        json!({
            "tasks": [self.tasks[0].id, self.tasks[1].id],
            "waves": self.waves,
            "side_by_side": self.reasons.is_empty(),
            "reasons": self.reasons.iter().map(ConflictReason::to_json).collect::<Vec<_>>(),
        })
    }

    pub fn to_text(&self) -> String {
        let [a, b] = [&self.tasks[0].id, &self.tasks[1].id];
        if self.reasons.is_empty() {
            let mut text = format!("{a} and {b} can run at the same time");
            if self.waves[0] != self.waves[1] {
                let [first, second] = self.waves;
                text = format!("{text}; not with `--schedule waves`: wave {first}, wave {second}");
            }
            return text;
        }
        let lines = self.reasons.iter().map(|reason| format!("\n  {}", reason.to_text()));
        std::iter::once(format!("{a} and {b} cannot run at the same time:")).chain(lines).collect()
    }
}

impl ConflictReason<'_> {
    fn to_text(&self) -> String {
        match self {
            Self::Ordered(way) => {
                let way: Vec<&str> = way.iter().map(|id| id.as_str()).collect();
                let (first, last) = (way[0], way[way.len() - 1]);
                format!("{last} waits for {first}: {}", way.join(" → "))
            }
            Self::Shared(one, other) if one == other => format!("both may write {}", safe(one)),
            Self::Shared(one, other) => {
                format!("{} and {} may be one file", safe(one), safe(other))
            }
            Self::Unlisted(id) => format!("{id} lists no files, so it runs alone"),
            Self::AsksPerson(id) => format!("{id} asks a person and needs no worker"),
            Self::DoneBefore(id) => format!("{id} is already done"),
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Ordered(way) => json!({"kind": "ordered", "way": way}),
            Self::Shared(one, other) => json!({"kind": "shared-file", "patterns": [one, other]}),
            Self::Unlisted(id) => json!({"kind": "no-files", "task": id}),
            Self::AsksPerson(id) => json!({"kind": "asks-person", "task": id}),
            Self::DoneBefore(id) => json!({"kind": "done-before", "task": id}),
        }
    }
}

fn find(plan: &Plan, id: &str) -> Result<TaskIndex, AppError> {
    let ids = || plan.tasks().iter().map(|task| task.id.as_str());
    plan.indices().find(|at| plan.task(*at).id.as_str() == id).ok_or_else(|| {
        let failure = AppError::usage("task", format!("the plan has no task {id:?}"));
        match nearest(id, ids()) {
            Some(near) => failure.hint(format!("did you mean {near:?}?")),
            None => failure.hint("`afresh show` lists the tasks"),
        }
    })
}
