//! Agent OS: `agent-os/specs/NAME/tasks.md`, with `spec.md` and `planning/requirements.md` beside it.
//!
//! A task group is a task, its numbered boxes are its steps. A group whose boxes are all ticked is
//! done; one that is ticked in part is done again as a whole, which is said.
//!
//! | module | idea |
//! | --- | --- |
//! | `groups` | the task groups of a tasks.md |
//! | `needs` | what a line of dependencies names |
//! | `roles` | who does which group, from orchestration.yml |
//! | `tasks` | groups as tasks |

mod groups;
mod needs;
mod roles;
mod tasks;

use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::DraftPlan;
use crate::draft::feature_dirs::{FeatureDir, features, read_one};
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;
use afresh_formats::text::markdown::headings;

pub const FORMAT: PlanFormat = PlanFormat { name: "agent-os", recognises, read };

/// Where its specifications are, from the project's root or from its own directories.
const OWN: &str = "agent-os/specs/";
const OTHERS: &[&str] = &["specs/", ""];

fn recognises(folder: &dyn PlanFolder) -> bool {
    !found(folder).is_empty()
}

/// Its features. Elsewhere than in its own directory a tasks.md may be of another format, so there
/// its text tells.
fn found(folder: &dyn PlanFolder) -> Vec<FeatureDir> {
    let mut found = features(folder, &[OWN], "tasks.md");
    found.retain(|feature| !feature.directory.is_empty());
    if found.is_empty() {
        found = features(folder, OTHERS, "tasks.md");
        found.retain(|feature| match feature.text(folder, "tasks.md") {
            Some(Ok(text)) => headings(&text).iter().any(groups::is_group),
            _ => false,
        });
    }
    found
}

fn read(folder: &dyn PlanFolder, wishes: &ReadOptions) -> PlanReading {
    read_one(wishes, &found(folder), |feature| read_feature(folder, feature))
}

fn read_feature(folder: &dyn PlanFolder, feature: &FeatureDir) -> PlanReading {
    let file = feature.file("tasks.md");
    let text = match folder.text(&file) {
        Some(Ok(text)) => text,
        Some(Err(finding)) => return PlanReading::failed(finding),
        None => return PlanReading::failed(missing(&file)),
    };
    let mut drafted = DraftPlan { name: title(&text, feature), ..DraftPlan::default() };
    let spec = feature.file("spec.md");
    drafted.spec = folder.holds(&spec).then_some(spec);
    tasks::add(folder, &mut drafted, feature, &file, &text);
    if drafted.tasks.is_empty() {
        let message = "there is no task group here: nothing to do";
        let finding = Finding::for_file(&file, "empty-plan", message);
        drafted.findings.push(finding.with_hint("expected headings `#### Task Group 1: …`"));
    }
    drafted.finish(folder)
}

fn title(text: &str, feature: &FeatureDir) -> String {
    let first = headings(text).into_iter().find(|heading| heading.level == 1);
    let named = first.map(|heading| heading.text.trim_start_matches("Task Breakdown:").trim());
    named.filter(|name| !name.is_empty()).unwrap_or(feature.name()).to_owned()
}

fn missing(file: &str) -> Finding {
    Finding::for_file(file, "unreadable", "the file is gone").with_hint("was it moved?")
}
