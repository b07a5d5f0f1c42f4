//! Files that are to be changed and are not there, or to be created and are.
//!
//! A file that an earlier task of the plan makes counts as there.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Plan;
use afresh_core::plan::FileAction;

use super::LintSubject;
use super::said::{LintFindings, ListedFile, listed};

pub(super) fn check_files(
    subject: LintSubject<'_>,
    repository: &BTreeSet<String>,
    said: &mut LintFindings<'_>,
) {
    let makers = FileCreators::from_plan(subject.plan);
    // A list of files may belong to several tasks; what is wrong with it is told once.
    let mut told = BTreeSet::new();
    for (at, task) in subject.work() {
        let id = &task.id;
        let mut seen = BTreeSet::new();
        for (place, scope) in listed(at, task) {
            let Some(path) = scope.pattern.literal().filter(|path| seen.insert(*path)) else {
                continue;
            };
            if !said.spot(place).is_none_or(|spot| told.insert((spot.file, spot.range.start))) {
                continue;
            }
            let there = repository.contains(path) || is_directory(repository, path);
            match scope.action {
                Some(FileAction::Modify | FileAction::Delete) if !there => {
                    missing(&makers, subject.plan, (place, path), said);
                }
                Some(FileAction::Create) if there => {
                    let message = format!("{id} is to create {path:?}, which is there already");
                    let hint = "say that it is modified, or choose another name";
                    said.of_file(place, "file-exists", message, hint);
                }
                Some(FileAction::Create) => {
                    created_twice(&makers, subject.plan, (place, path), said);
                }
                _ => {}
            }
        }
    }
}

fn missing(
    makers: &FileCreators,
    plan: &Plan,
    (place, path): (ListedFile, &str),
    said: &mut LintFindings<'_>,
) {
    let id = &plan.task(place.task).id;
    let others = makers.others(path, place.task);
    if others.iter().any(|maker| plan.is_before(maker.task, place.task)) {
        return;
    }
    let message = format!("{id} is to change {path:?}, which the repository lacks");
    match others.first() {
        Some(maker) => {
            let other = &plan.task(maker.task).id;
            let hint = format!("let {id} need {other}, so that the file is there before");
            said.of_file(place, "missing-file", message, &hint);
            said.and_file(*maker, "another task makes it here");
        }
        None => {
            said.of_file(place, "missing-file", message, "is the path right?");
        }
    }
}

fn created_twice(
    makers: &FileCreators,
    plan: &Plan,
    (place, path): (ListedFile, &str),
    said: &mut LintFindings<'_>,
) {
    let created = |maker: &&ListedFile| makers.creators.contains(&(maker.task, path.to_owned()));
    let others = makers.others(path, place.task);
    // Of two, the second one is told.
    let Some(first) = others.iter().filter(created).find(|maker| maker.task < place.task) else {
        return;
    };
    let (id, other) = (&plan.task(place.task).id, &plan.task(first.task).id);
    let message = format!("{id} is to create {path:?}, which {other} creates too");
    let hint = "let one of them create it and the other one, which needs it, modify it";
    said.of_file(place, "created-twice", message, hint);
    said.and_file(*first, "it is created here too");
}

/// A path that names a directory of the repository.
fn is_directory(repository: &BTreeSet<String>, path: &str) -> bool {
    let below = format!("{}/", path.trim_end_matches('/'));
    repository.range(below.clone()..).next().is_some_and(|next| next.starts_with(&below))
}

/// Who may bring a file into being: everybody that lists it and does not say that it is there.
struct FileCreators {
    by_path: BTreeMap<String, Vec<ListedFile>>,
    /// Those that say that they create it.
    creators: BTreeSet<(usize, String)>,
}

impl FileCreators {
    fn from_plan(plan: &Plan) -> Self {
        let mut makers = Self { by_path: BTreeMap::new(), creators: BTreeSet::new() };
        for (at, task) in plan.tasks().iter().enumerate() {
            for (place, scope) in listed(at, task) {
                let Some(path) = scope.pattern.literal() else { continue };
                if matches!(scope.action, None | Some(FileAction::Create)) {
                    makers.by_path.entry(path.to_owned()).or_default().push(place);
                }
                if scope.action == Some(FileAction::Create) {
                    makers.creators.insert((at, path.to_owned()));
                }
            }
        }
        makers
    }

    /// Of tasks other than this one.
    fn others(&self, path: &str, task: usize) -> Vec<ListedFile> {
        let all = self.by_path.get(path).into_iter().flatten();
        all.filter(|maker| maker.task != task).copied().collect()
    }
}
