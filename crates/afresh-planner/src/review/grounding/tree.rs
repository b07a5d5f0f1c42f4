//! What exists when a task starts: the repository, and what this task and those before it write.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Plan;
use afresh_core::plan::{FileAction, FileScope, Task, TaskIndex, nearest};

use crate::discovery::RepositoryFiles;
use crate::words::has_words;

/// What a path is for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlannedPath {
    /// In the repository: a file, or a directory with files.
    Exists,
    /// The task writes it, or one that it needs does.
    Planned,
    /// Only a task that this one does not need writes it.
    PlannedElsewhere(TaskIndex),
    /// In the repository, but a task before this one deletes it.
    Deleted(TaskIndex),
    Absent,
}

/// The files of the repository and of the plan.
pub(crate) struct PlannedTree<'a> {
    plan: &'a Plan,
    pub(crate) repository: &'a dyn RepositoryFiles,
    existing: BTreeSet<&'a str>,
    by_name: BTreeMap<&'a str, Vec<&'a str>>,
}

/// The most files of one name that are kept.
const MAX_SAME_NAME: usize = 5;

/// Directories whose files are made by tools, and are not committed.
const GENERATED: &[&str] = &[
    "target",
    "build",
    "dist",
    "out",
    "node_modules",
    ".venv",
    "venv",
    "coverage",
    "htmlcov",
    "__pycache__",
    "bin",
    "obj",
    "tmp",
    "temp",
    ".next",
    ".nuxt",
    ".cache",
    ".tox",
    ".gradle",
    "_build",
    "generated",
    ".pytest_cache",
    ".git",
    "vendor",
    "reports",
    "logs",
    "playwright-report",
    "test-results",
    "DerivedData",
    ".build",
    "site",
];

impl<'a> PlannedTree<'a> {
    pub(crate) fn new(plan: &'a Plan, repository: &'a dyn RepositoryFiles) -> Self {
        let existing: BTreeSet<&str> =
            repository.files().iter().map(|file| file.path.as_str()).collect();
        let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let planned =
            plan.tasks().iter().flat_map(Task::patterns).filter_map(|pattern| pattern.literal());
        for path in existing.iter().copied().chain(planned) {
            let same = by_name.entry(name_of(path)).or_default();
            if !same.contains(&path) && same.len() < MAX_SAME_NAME {
                same.push(path);
            }
        }
        Self { plan, repository, existing, by_name }
    }

    /// As this task finds it.
    pub(crate) fn for_task(&self, task: TaskIndex) -> TaskTree<'_, 'a> {
        let plan = self.plan;
        let mut before = BTreeSet::from([task]);
        let mut open = vec![task];
        while let Some(at) = open.pop() {
            open.extend(plan.needs(at).iter().copied().filter(|need| before.insert(*need)));
        }
        TaskTree { tree: self, task, before }
    }

    /// Whether the repository has this file, or files below it.
    pub(crate) fn exists(&self, path: &str) -> bool {
        self.existing.contains(path)
            || self
                .existing
                .range(path..)
                .take_while(|next| next.starts_with(path))
                .any(|next| is_below(next, path))
    }

    /// Files whose path ends like this one.
    pub(crate) fn ending_like(&self, path: &str) -> Vec<&'a str> {
        let end = format!("/{path}");
        let same = self.by_name.get(name_of(path)).map_or(&[][..], Vec::as_slice);
        same.iter().copied().filter(|other| other.ends_with(&end)).collect()
    }

    /// The only file of the same name, or one with almost the same path.
    pub(crate) fn nearest(&self, path: &str) -> Option<String> {
        let same = self.by_name.get(name_of(path)).map_or(&[][..], Vec::as_slice);
        if let [only] = same {
            return Some((*only).to_owned());
        }
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let beside = self.by_name.values().flatten().copied().filter(|other| {
            other.rsplit_once('/').map_or("", |(directory, _)| directory) == directory
        });
        let near = nearest(path, beside)
            .or_else(|| nearest(path, self.by_name.values().flatten().copied()));
        near.map(str::to_owned)
    }

    /// Files with this name, anywhere in the repository.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.existing.iter().copied().filter(move |path| name_of(path) == name)
    }

    pub(crate) fn task_id(&self, task: TaskIndex) -> afresh_core::ids::TaskId {
        self.plan.task(task).id.clone()
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &'a str> {
        self.existing.iter().copied()
    }
}

/// The tree as one task finds it.
pub(crate) struct TaskTree<'t, 'a> {
    pub(crate) tree: &'t PlannedTree<'a>,
    pub(crate) task: TaskIndex,
    /// The task itself, and all that it needs.
    before: BTreeSet<TaskIndex>,
}

impl<'a> TaskTree<'_, 'a> {
    pub(crate) fn state(&self, path: &str) -> PlannedPath {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        if path.is_empty() || path == "." {
            return PlannedPath::Exists;
        }
        let (mut elsewhere, mut deleted) = (None, None);
        for other in self.tree.plan.indices() {
            let is_before = self.before.contains(&other);
            for scope in scopes(self.tree.plan.task(other)) {
                let holds = is_below(scope.pattern.as_str(), path);
                if !scope.pattern.matches(path) && !holds {
                    continue;
                }
                match scope.action {
                    Some(FileAction::Delete) if is_before && other != self.task && !holds => {
                        deleted = Some(other);
                    }
                    // To modify a file is no promise that it will exist.
                    Some(FileAction::Delete | FileAction::Modify) => {}
                    Some(FileAction::Create) | None if is_before => return PlannedPath::Planned,
                    Some(FileAction::Create) | None => elsewhere = elsewhere.or(Some(other)),
                }
            }
        }
        match (self.tree.exists(path), deleted, elsewhere) {
            (true, Some(by), _) => PlannedPath::Deleted(by),
            (true, None, _) => PlannedPath::Exists,
            (false, _, Some(by)) => PlannedPath::PlannedElsewhere(by),
            (false, _, None) => PlannedPath::Absent,
        }
    }

    /// Whether it is there when the task ends.
    pub(crate) fn has(&self, path: &str) -> bool {
        matches!(self.state(path), PlannedPath::Exists | PlannedPath::Planned)
    }

    /// Whether the task, or one before it, may write this file.
    pub(crate) fn may_change(&self, path: &str) -> bool {
        self.tasks().any(|task| task.may_write(path))
    }

    /// The task and those before it.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &'a Task> + '_ {
        self.before.iter().map(|at| self.tree.plan.task(*at))
    }

    /// Whether the texts of these tasks have a word.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        self.tasks().any(|task| {
            let steps = task.steps.iter().map(|step| step.instructions.as_str());
            let mut texts =
                [task.title.as_str(), task.instructions.as_str()].into_iter().chain(steps);
            texts.any(|text| has_words(&text.to_lowercase(), &word))
        })
    }

    /// The patterns that these tasks write.
    pub(crate) fn planned(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.tasks().flat_map(scopes).map(|scope| scope.pattern.as_str())
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.tree.repository.text(path)
    }
}

/// Every file that a task lists, with its steps'.
pub(crate) fn scopes(task: &Task) -> impl Iterator<Item = &FileScope> {
    task.files.iter().chain(task.steps.iter().flat_map(|step| &step.files))
}

/// Whether tools make the files of this place.
pub(crate) fn is_generated(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|part| GENERATED.contains(&part)) || GENERATED.contains(&path)
}

pub(crate) fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
