//! Agent OS: `agent-os/specs/NAME/tasks.md`, with `spec.md` and `planning/requirements.md`.
//!
//! A task group is a task, and its numbered boxes are steps. A group whose boxes are all checked is
//! done; a group with some boxes checked is done again as a whole, with a warning.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `groups` | the task groups of a tasks.md |
//! | `needs` | the groups in a line of dependencies |
//! | `roles` | the agent of each group, from orchestration.yml |
//! | `tasks` | groups as tasks |
//! | `trace` | requirements and criteria, and which groups serve them |

mod groups;
mod needs;
mod roles;
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
    PlanFormat { name: "agent-os", is_present, read, requirements: trace::add };

/// The directories of specs, from the project's root or from inside it.
const OWN: &str = "agent-os/specs/";
const OTHERS: &[&str] = &["specs/", ""];

fn is_present(folder: &dyn PlanFolder) -> bool {
    !found(folder).is_empty()
}

/// The features. Outside of `agent-os/`, a tasks.md may belong to another format, so its text decides.
fn found(folder: &dyn PlanFolder) -> Vec<FeatureDir> {
    let mut found = features(folder, &[OWN], "tasks.md");
    found.retain(|feature| !feature.directory.is_empty());
    if found.is_empty() {
        found = features(folder, OTHERS, "tasks.md");
        found.retain(|feature| match feature.text(folder, "tasks.md") {
            Some(Ok(text)) => is_alone(folder, feature) && groups::has_groups(&text),
            _ => false,
        });
    }
    found
}

/// Whether the documents of no other format are beside the tasks.
fn is_alone(folder: &dyn PlanFolder, feature: &FeatureDir) -> bool {
    let others = ["proposal.md", "requirements.md", "bugfix.md", "design.md"];
    !others.iter().any(|name| folder.holds(&feature.file(name)))
}

/// Whether a text has task groups.
pub(crate) fn has_groups(text: &str) -> bool {
    groups::has_groups(text)
}

fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    read_one(folder, options, &found(folder), |feature| read_feature(folder, feature))
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
        let message = "no task group here: nothing to do";
        let finding = Finding::for_file(&file, "empty-plan", message);
        drafted.findings.push(
            finding.with_hint("expected headings `#### Task Group 1: …`, or boxes `- [ ] 1. …`"),
        );
    }
    drafted.finish(folder)
}

fn title(text: &str, feature: &FeatureDir) -> String {
    let first = headings(text).into_iter().find(|heading| heading.level == 1);
    let named = first.map(|heading| heading.text.trim_start_matches("Task Breakdown:").trim());
    named.filter(|name| !name.is_empty()).unwrap_or(feature.name()).to_owned()
}

fn missing(file: &str) -> Finding {
    Finding::for_file(file, "unreadable", "the file does not exist")
        .with_hint("check whether it was moved")
}
