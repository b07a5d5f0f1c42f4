//! Files to modify that do not exist, and files to create that do.
//!
//! A file that an earlier task of the plan creates counts as existing.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Plan;
use afresh_core::plan::{FileAction, TaskIndex};

use super::LintSubject;
use crate::lint::findings::{LintFindings, ListedFile, listed_files};

pub(super) fn check_files(
    subject: LintSubject<'_>,
    repository: &BTreeSet<String>,
    findings: &mut LintFindings<'_>,
) {
    let creators = FileCreators::from_plan(subject.plan);
    // Several tasks may share a list of files; a problem in it is reported once.
    let mut reported = BTreeSet::new();
    for (at, task) in subject.worker_tasks() {
        let id = &task.id;
        let mut seen = BTreeSet::new();
        for (place, scope) in listed_files(at, task) {
            let Some(path) = scope.pattern.literal().filter(|path| seen.insert(*path)) else {
                continue;
            };
            if !findings
                .file_span(place)
                .is_none_or(|span| reported.insert((span.file, span.range.start)))
            {
                continue;
            }
            let there = repository.contains(path) || is_directory(repository, path);
            match scope.action {
                Some(FileAction::Modify | FileAction::Delete) if !there => {
                    check_missing_file(&creators, subject.plan, (place, path), findings);
                }
                Some(FileAction::Create) if there => {
                    let message = format!("{id} creates {path:?}, which already exists");
                    let hint = "use action = \"modify\", or choose another path";
                    findings.warn_about_file(place, "file-exists", message, hint);
                }
                Some(FileAction::Create) => {
                    check_created_twice(&creators, subject.plan, (place, path), findings);
                }
                _ => {}
            }
        }
    }
}

fn check_missing_file(
    creators: &FileCreators,
    plan: &Plan,
    (place, path): (ListedFile, &str),
    findings: &mut LintFindings<'_>,
) {
    let id = &plan.task(place.task).id;
    let others = creators.others(path, place.task);
    if others.iter().any(|creator| plan.is_before(creator.task, place.task)) {
        return;
    }
    let message = format!("{id} modifies {path:?}, which does not exist");
    match others.first() {
        Some(creator) => {
            let other = &plan.task(creator.task).id;
            let hint = format!("let {id} need {other}, which creates the file");
            findings.warn_about_file(place, "missing-file", message, &hint);
            findings.add_related_file(*creator, "another task creates it here");
        }
        None => {
            findings.warn_about_file(
                place,
                "missing-file",
                message,
                "check the path, or use action = \"create\"",
            );
        }
    }
}

fn check_created_twice(
    creators: &FileCreators,
    plan: &Plan,
    (place, path): (ListedFile, &str),
    findings: &mut LintFindings<'_>,
) {
    let created =
        |creator: &&ListedFile| creators.explicit.contains(&(creator.task, path.to_owned()));
    let others = creators.others(path, place.task);
    // The finding is about the second of two tasks.
    let Some(first) = others.iter().filter(created).find(|creator| creator.task < place.task)
    else {
        return;
    };
    let (id, other) = (&plan.task(place.task).id, &plan.task(first.task).id);
    let message = format!("{id} creates {path:?}, which {other} also creates");
    let hint = "let one task create it, and let the other need that task and modify it";
    findings.warn_about_file(place, "created-twice", message, hint);
    findings.add_related_file(*first, "also created here");
}

/// Whether the path is a directory of the repository.
fn is_directory(repository: &BTreeSet<String>, path: &str) -> bool {
    let below = format!("{}/", path.trim_end_matches('/'));
    repository.range(below.clone()..).next().is_some_and(|next| next.starts_with(&below))
}

/// The tasks that may create each file: those that list it without the action `modify` or `delete`.
struct FileCreators {
    by_path: BTreeMap<String, Vec<ListedFile>>,
    /// The tasks that list it with the action `create`.
    explicit: BTreeSet<(TaskIndex, String)>,
}

impl FileCreators {
    fn from_plan(plan: &Plan) -> Self {
        let mut found = Self { by_path: BTreeMap::new(), explicit: BTreeSet::new() };
        for (at, task) in plan.indices().zip(plan.tasks()) {
            for (place, scope) in listed_files(at, task) {
                let Some(path) = scope.pattern.literal() else { continue };
                if matches!(scope.action, None | Some(FileAction::Create)) {
                    found.by_path.entry(path.to_owned()).or_default().push(place);
                }
                if scope.action == Some(FileAction::Create) {
                    found.explicit.insert((at, path.to_owned()));
                }
            }
        }
        found
    }

    /// The creators of a file, except this task.
    fn others(&self, path: &str, task: TaskIndex) -> Vec<ListedFile> {
        let all = self.by_path.get(path).into_iter().flatten();
        all.filter(|creator| creator.task != task).copied().collect()
    }
}
