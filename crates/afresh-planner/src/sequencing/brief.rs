//! What a worker is told: the task's own words, what it does, what others see of it, and when it is done.

use std::fmt::Write as _;

use crate::artifacts::{BehaviorKind, CapabilityMap, TaskFile};

pub(super) fn render(map: &CapabilityMap, task: &TaskFile) -> String {
    let mut text = task.instructions.trim().to_owned();
    if !task.interface.trim().is_empty() {
        let _ = write!(text, "\n\nWhat others see of it:\n{}", task.interface.trim());
    }
    let behaviors = task.behaviors.iter().filter_map(|id| map.find_behavior(id));
    let lines = behaviors.map(|behavior| {
        let kind = match behavior.kind {
            BehaviorKind::Input => "input",
            BehaviorKind::Process => "process",
            BehaviorKind::State => "state",
            BehaviorKind::Output => "output",
        };
        let description = behavior.description.trim();
        let description =
            if description.is_empty() { String::new() } else { format!(": {description}") };
        format!("{} ({kind}){description}", behavior.name)
    });
    list(&mut text, "Behaviours", lines);
    let purposes = task.files.iter().filter(|file| !file.purpose.trim().is_empty());
    list(
        &mut text,
        "Files",
        purposes.map(|file| format!("{}: {}", file.path, file.purpose.trim())),
    );
    let criteria = task.acceptance_criteria.iter();
    let criteria = criteria.map(|it| format!("{} (`{}`)", it.criterion.trim(), it.verification));
    list(&mut text, "Done when", criteria);
    let external = task.dependencies.external.iter().map(|it| it.trim().to_owned());
    list(&mut text, "Needs from outside", external);
    text
}

fn list(text: &mut String, heading: &str, lines: impl Iterator<Item = String>) {
    for (at, line) in lines.enumerate() {
        if at == 0 {
            let _ = write!(text, "\n\n{heading}:");
        }
        let _ = write!(text, "\n- {line}");
    }
}
