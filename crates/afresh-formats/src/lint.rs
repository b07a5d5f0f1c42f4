//! What is worth knowing about a plan that can be read, whatever its format (BE-01).
//!
//! Readers find what is wrong with the text; this looks at what it means together with the
//! repository. Nothing here stops a run.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Plan;
use afresh_core::plan::{FileAction, Task};

use crate::finding::Finding;
use crate::folder::Folder;
use crate::placing::Placing;
use crate::reading::Spot;

/// More pairs of tasks than this are not listed.
const MAX_PAIRS: usize = 100;
/// More files than this in one task are too many for one worker.
const MANY_FILES: usize = 15;
/// More steps than this in one task are too many for one worker.
const MANY_STEPS: usize = 5;

/// What a plan is looked at with.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub plan: &'a Plan,
    /// Where each task is.
    pub places: &'a [Spot],
    /// Every file of the repository; none where there is no repository.
    pub repository: Option<&'a BTreeSet<String>>,
}

/// Everything worth knowing, in the order of the plan.
pub fn look(folder: &dyn Folder, subject: Subject<'_>) -> Vec<Finding> {
    let mut said = Said::default();
    for (at, task) in subject.plan.tasks().iter().enumerate() {
        // What is done, or asks a person, needs no advice.
        if task.done_before.is_some() || task.checkpoint.is_some() {
            continue;
        }
        let spot = subject.places.get(at);
        let mut say = |code: &str, message: String, help: &str| said.say(spot, code, message, help);
        advice(task, subject.repository, &mut say);
    }
    same_wave(subject, &mut said);
    said.placing.place(folder, &mut said.findings);
    said.findings
}

#[derive(Default)]
struct Said {
    findings: Vec<Finding>,
    placing: Placing,
}

impl Said {
    fn say(&mut self, spot: Option<&Spot>, code: &str, message: String, help: &str) {
        if let Some(spot) = spot {
            self.placing.ask(self.findings.len(), spot);
        }
        let file = spot.map_or(".", |spot| &spot.file);
        self.findings.push(Finding::of_file(file, code, message).as_warning().with_help(help));
    }
}

fn advice(
    task: &Task,
    repository: Option<&BTreeSet<String>>,
    say: &mut dyn FnMut(&str, String, &str),
) {
    let id = &task.id;
    if task.all_checks().next().is_none() && task.no_check.is_none() {
        let message = format!("nothing proves that {id} is done");
        say("unchecked", message, "give it a command that fails until the work is done");
    }
    if !task.lists_files() {
        let message = format!("{id} names no files, so it runs alone");
        say("no-files", message, "name the files it may write, so that others can run beside it");
    }
    let files = task.patterns().count();
    if files > MANY_FILES || task.steps.len() > MANY_STEPS {
        let steps = task.steps.len();
        let message = format!("{id} has {steps} steps and {files} files: much for one worker");
        say("large-task", message, "split it: a fresh context does a small task better");
    }
    let Some(repository) = repository else { return };
    let scopes = task.files.iter().chain(task.steps.iter().flat_map(|step| &step.files));
    for scope in scopes {
        let Some(path) = scope.pattern.literal() else { continue };
        let exists = repository.contains(path);
        match scope.action {
            Some(FileAction::Modify | FileAction::Delete) if !exists => {
                let message = format!("{id} is to change {path:?}, which the repository lacks");
                say("missing-file", message, "is the path right, or does another task create it?");
            }
            Some(FileAction::Create) if exists => {
                let message = format!("{id} is to create {path:?}, which is there already");
                say("file-exists", message, "say that it is modified, or choose another name");
            }
            _ => {}
        }
    }
}

/// Tasks of one wave that may write one file: they cannot run side by side.
fn same_wave(subject: Subject<'_>, said: &mut Said) {
    let plan = subject.plan;
    let waves: BTreeMap<String, u32> = plan
        .tasks()
        .iter()
        .enumerate()
        .map(|(at, task)| (task.id.to_string(), plan.wave(at)))
        .collect();
    for conflict in plan.conflicts().iter().take(MAX_PAIRS) {
        let (a, b) = (conflict.tasks.0.to_string(), conflict.tasks.1.to_string());
        let (Some(wave), true) = (waves.get(&a), waves.get(&a) == waves.get(&b)) else { continue };
        let message =
            format!("{a} and {b} are both in wave {wave} and may both write {:?}", conflict.path);
        let at = plan.position(&conflict.tasks.1).and_then(|at| subject.places.get(at));
        let help = "they run one after the other; let one need the other, or part their files";
        said.say(at, "same-wave-file", message, help);
    }
}
