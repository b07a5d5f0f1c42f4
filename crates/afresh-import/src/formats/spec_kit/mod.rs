//! GitHub's Spec Kit: `specs/001-name/tasks.md`, with `spec.md` and `plan.md`.
//!
//! A line `- [ ] T001 [P] [US1] Do it in src/a.py` is a task, and the paths in it are its files. The
//! order is that of the document: a phase waits for those before it, a task for the one before it,
//! unless `[P]` or the section on dependencies says otherwise.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `phases` | the phases and their task lines |
//! | `stated` | the order that sentences state |
//! | `order` | the dependencies of each task |
//! | `tasks` | lines as tasks |
//! | `trace` | user stories and requirements, and which tasks serve them |

mod order;
mod phases;
mod stated;
mod tasks;
mod trace;

use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::DraftPlan;
use crate::draft::feature_dirs::{FeatureDir, features, read_one};
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;
use afresh_formats::text::markdown::headings;

pub const FORMAT: PlanFormat =
    PlanFormat { name: "spec-kit", is_present, read, requirements: trace::add };

/// The directory of features, from the project's root or from inside it.
const PARENTS: &[&str] = &["specs/", ".specify/specs/", ""];

fn is_present(folder: &dyn PlanFolder) -> bool {
    !found(folder).is_empty()
}

/// The features. Other formats have a tasks.md too, so the text decides.
fn found(folder: &dyn PlanFolder) -> Vec<FeatureDir> {
    let mut found = features(folder, PARENTS, "tasks.md");
    found.retain(|feature| match feature.text(folder, "tasks.md") {
        Some(Ok(text)) => is_ours(folder, feature, &text),
        _ => false,
    });
    found
}

/// Task ids are Spec Kit's. Boxes without ids are, if the documents beside them are and no other
/// format claims the file.
fn is_ours(folder: &dyn PlanFolder, feature: &FeatureDir, text: &str) -> bool {
    let beside = |name: &str| folder.holds(&feature.file(name));
    let document = beside("spec.md") || beside("plan.md");
    let others = ["proposal.md", "requirements.md", "planning/requirements.md"];
    let other = others.iter().any(|name| beside(name)) || super::agent_os::has_groups(text);
    phases::has_tasks(text) || (document && !other && phases::has_boxes(text))
}

fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    let mut all = features(folder, PARENTS, "tasks.md");
    // If no file has tasks, one of them reports it; a file that cannot be read is not skipped.
    if !found(folder).is_empty() {
        all.retain(|feature| match feature.text(folder, "tasks.md") {
            Some(Ok(text)) => is_ours(folder, feature, &text),
            Some(Err(_)) => true,
            None => false,
        });
    }
    read_one(folder, options, &all, |feature| read_feature(folder, feature))
}

fn read_feature(folder: &dyn PlanFolder, feature: &FeatureDir) -> PlanReading {
    let file = feature.file("tasks.md");
    let text = match folder.text(&file) {
        Some(Ok(text)) => text,
        Some(Err(finding)) => return PlanReading::failed(finding),
        None => return PlanReading::default(),
    };
    let mut drafted = DraftPlan { name: name(&text, feature), ..DraftPlan::default() };
    let spec = feature.file("spec.md");
    drafted.spec = folder.holds(&spec).then_some(spec);
    tasks::add(folder, &mut drafted, feature, &file, &text);
    if drafted.tasks.is_empty() {
        let finding = Finding::for_file(&file, "empty-plan", "no task here: nothing to do");
        drafted.findings.push(finding.with_hint("expected lines `- [ ] T001 …` under a phase"));
    }
    drafted.finish(folder)
}

fn name(text: &str, feature: &FeatureDir) -> String {
    let first = headings(text).into_iter().find(|heading| heading.level == 1);
    let named = first.map(|heading| heading.text.trim_start_matches("Tasks:").trim());
    named.filter(|name| !name.is_empty()).unwrap_or(feature.name()).to_owned()
}
