//! Whether a task of the plan declares to write what is missing.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `wanted` | the paths that would provide a missing thing |

mod wanted;

use afresh_core::Plan;
use afresh_core::pattern::FilePattern;
use afresh_core::plan::{FileAction, FileScope, Task, TaskIndex};
use afresh_core::scope::looks_like_test;

use crate::command::{CalledTool, ReadCommand};
use crate::executed_files::may_select;
use crate::missing::MissingThing;
use crate::runners::TestRunner;
use wanted::wanted_paths;
pub(crate) use wanted::{file_places, join_path};

/// A task with the pattern that it declares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlannedFile<'a> {
    at: TaskIndex,
    task: &'a Task,
    pattern: &'a FilePattern,
    action: Option<FileAction>,
}

impl PlannedFile<'_> {
    /// What the task does about something of this name.
    fn describe(&self, name: &str) -> String {
        let (task, pattern) = (&self.task.id, self.pattern);
        let is_same = name.trim_start_matches("./") == pattern.as_str();
        match self.action {
            Some(FileAction::Modify) if is_same => format!("{task} changes it"),
            _ if is_same => format!("{task} creates it"),
            _ => format!("{task} declares `{pattern}`"),
        }
    }
}

/// Which task provides what a check needs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PlannedProvider<'a> {
    /// One that can be done before the check has to pass.
    InTime(PlannedFile<'a>),
    /// Only tasks that start after the check has passed, because they depend on the task that it judges.
    TooLate { file: PlannedFile<'a>, judged: &'a Task },
}

impl PlannedProvider<'_> {
    /// What the task does about something of this name.
    pub(crate) fn describe(&self, name: &str) -> String {
        match self {
            Self::InTime(file) => file.describe(name),
            Self::TooLate { file, judged } => {
                let (what, after) = (file.describe(name), &judged.id);
                format!(
                    "only {what}, and {} depends on {after}, which this check judges",
                    file.task.id
                )
            }
        }
    }
}

/// What the tasks that are still to be done write.
fn planned_files(plan: &Plan) -> impl Iterator<Item = PlannedFile<'_>> {
    let tasks = plan.indices().map(|at| (at, plan.task(at)));
    tasks.filter(|(_, task)| task.done_before.is_none()).flat_map(|(at, task)| {
        let written = scopes(task).filter(|scope| scope.action != Some(FileAction::Delete));
        written.map(move |scope| {
            let FileScope { pattern, action } = scope;
            PlannedFile { at, task, pattern, action: *action }
        })
    })
}

fn scopes(task: &Task) -> impl Iterator<Item = &FileScope> {
    task.files.iter().chain(task.steps.iter().flat_map(|step| &step.files))
}

/// The task that declares what a check misses. A declaration that is closer to its name wins.
pub(crate) fn find_provider<'a>(
    missing: &MissingThing,
    command: &ReadCommand,
    plan: &'a Plan,
) -> Option<PlannedProvider<'a>> {
    let mut wanted = wanted_paths(missing, command);
    wanted.dedup();
    let fitting =
        wanted.iter().flat_map(|path| planned_files(plan).filter(|file| path.fits(file.pattern)));
    choose_provider(&fitting.collect::<Vec<_>>(), command, plan)
}

/// The task that declares tests which this command would execute.
pub(crate) fn find_test_author<'a>(
    runners: &[TestRunner],
    command: &ReadCommand,
    plan: &'a Plan,
) -> Option<PlannedProvider<'a>> {
    let is_test = |file: &PlannedFile<'_>| {
        let path = file.pattern.as_str();
        // A directory can hold tests of any language.
        let has_extension = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
        // Which files a pattern will match is not known yet.
        let is_file = has_extension && file.pattern.literal().is_some();
        let executes = |runner: &TestRunner| {
            (!has_extension || runner.reads_language_of(path))
                && (!is_file || may_select(*runner, command, path))
        };
        looks_like_test(path) && runners.iter().any(executes)
    };
    let mut authors: Vec<PlannedFile<'_>> = planned_files(plan).filter(is_test).collect();
    if authors.is_empty() {
        authors.extend(find_by_filter(command, plan));
    }
    choose_provider(&authors, command, plan)
}

/// The first of these that is not too late for a task that the command judges.
fn choose_provider<'a>(
    files: &[PlannedFile<'a>],
    command: &ReadCommand,
    plan: &'a Plan,
) -> Option<PlannedProvider<'a>> {
    let first = *files.first()?;
    let is_judged = |at: &TaskIndex| {
        let task = plan.task(*at);
        let mut checks = task.all_checks();
        // A task that declares nothing may write what is missing itself.
        task.done_before.is_none()
            && scopes(task).next().is_some()
            && checks.any(|check| check.command == command.text)
    };
    let judged: Vec<TaskIndex> = plan.indices().filter(is_judged).collect();
    let is_late = |file: &PlannedFile<'_>, judged: TaskIndex| plan.is_before(judged, file.at);
    let stuck = judged.iter().find(|at| files.iter().all(|file| is_late(file, **at)));
    if let Some(at) = stuck {
        return Some(PlannedProvider::TooLate { file: first, judged: plan.task(*at) });
    }
    let in_time = files.iter().find(|file| !judged.iter().any(|at| is_late(file, *at)));
    Some(PlannedProvider::InTime(*in_time.unwrap_or(&first)))
}

/// The task that declares a file of whose name a filter of the command tells.
fn find_by_filter<'a>(command: &ReadCommand, plan: &'a Plan) -> Option<PlannedFile<'a>> {
    let calls = command.calls.iter().filter(|call| !call.arguments().is_empty());
    let words: Vec<String> = calls
        .flat_map(CalledTool::arguments)
        .filter(|word| !word.starts_with("--"))
        .map(|word| word.to_lowercase())
        .collect();
    planned_files(plan).find(|file| {
        let name = file.pattern.as_str().rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default().to_lowercase();
        let is_telling = stem.len() >= 3
            && !stem.contains(['*', '?', '[', '{'])
            && !["lib", "main", "mod", "index", "__init__", "test", "tests"]
                .contains(&stem.as_str());
        is_telling
            && words
                .iter()
                .any(|word| word.contains(&stem) || (word.len() >= 3 && stem.contains(word)))
    })
}
