//! Whether a task of the plan declares to write what is missing.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `wanted` | the paths that would provide a missing thing |

mod wanted;

use afresh_core::Plan;
use afresh_core::pattern::FilePattern;
use afresh_core::plan::{FileAction, FileScope, Task};
use afresh_core::scope::looks_like_test;

use crate::command::{CalledTool, ReadCommand};
use crate::missing::MissingThing;
use crate::runners::TestRunner;
pub(crate) use wanted::join_path;
use wanted::wanted_paths;

/// A task with the pattern that it declares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlannedFile<'a> {
    pub(crate) task: &'a Task,
    pub(crate) pattern: &'a FilePattern,
    action: Option<FileAction>,
}

impl PlannedFile<'_> {
    /// What the task does about something of this name.
    pub(crate) fn describe(&self, name: &str) -> String {
        let (task, pattern) = (&self.task.id, self.pattern);
        let is_same = name.trim_start_matches("./") == pattern.as_str();
        match self.action {
            Some(FileAction::Modify) if is_same => format!("{task} changes it"),
            _ if is_same => format!("{task} creates it"),
            _ => format!("{task} declares `{pattern}`"),
        }
    }
}

/// What the tasks that are still to be done write.
pub(crate) fn planned_files(plan: &Plan) -> impl Iterator<Item = PlannedFile<'_>> {
    let tasks = plan.tasks().iter().filter(|task| task.done_before.is_none());
    tasks.flat_map(|task| {
        let scopes = task.files.iter().chain(task.steps.iter().flat_map(|step| &step.files));
        let written = scopes.filter(|scope| scope.action != Some(FileAction::Delete));
        written.map(move |scope| {
            let FileScope { pattern, action } = scope;
            PlannedFile { task, pattern, action: *action }
        })
    })
}

/// The task that declares what is missing. A declaration that is closer to its name wins.
pub(crate) fn find_creator<'a>(
    missing: &MissingThing,
    command: &ReadCommand,
    plan: &'a Plan,
) -> Option<PlannedFile<'a>> {
    let mut wanted = wanted_paths(missing, command);
    wanted.dedup();
    wanted.iter().find_map(|path| planned_files(plan).find(|file| path.fits(file.pattern)))
}

/// The task that declares tests which this runner would execute.
pub(crate) fn find_test_author<'a>(
    runners: &[TestRunner],
    command: &ReadCommand,
    plan: &'a Plan,
) -> Option<PlannedFile<'a>> {
    let is_test = |file: &PlannedFile<'_>| {
        let path = file.pattern.as_str();
        // A directory can hold tests of any language.
        let has_extension = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
        let is_language =
            !has_extension || runners.iter().any(|runner| runner.reads_language_of(path));
        is_language && looks_like_test(path)
    };
    planned_files(plan).find(is_test).or_else(|| find_by_filter(command, plan))
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
