//! A `<task>` at which a person is asked.

use std::ops::Range;

use afresh_core::outcome::DecisionOption;
use afresh_core::plan::{Checkpoint, CheckpointKind};

use crate::plan_md::parse::item::dedented;
use crate::plan_md::parse::tags::{PlanTag, tags, unescape};

/// The parts that the person needs, with the label of each.
const SHOWN_PARTS: [(&str, &str); 12] = [
    ("decision", ""),
    ("what-built", ""),
    ("context", ""),
    ("action", ""),
    ("instructions", ""),
    ("how-to-verify", "How to verify:"),
    ("verify", "How to verify:"),
    ("verification", "How to verify:"),
    ("precondition", "Before:"),
    ("acceptance_criteria", "Accepted if:"),
    ("done", "Done when:"),
    ("resume-signal", "Answer:"),
];

/// The kind of checkpoint, if the task's type is one.
pub fn kind(task_type: &str) -> Option<CheckpointKind> {
    match task_type.strip_prefix("checkpoint")?.trim_start_matches([':', '-']) {
        "decision" => Some(CheckpointKind::Decision),
        "human-action" | "action" => Some(CheckpointKind::Action),
        _ => Some(CheckpointKind::Verify),
    }
}

/// The question that the task asks.
pub fn read(text: &str, kind: CheckpointKind, name: &str, parts: &[PlanTag]) -> Checkpoint {
    let mut shown = vec![name.to_owned()];
    for (wanted, label) in SHOWN_PARTS {
        for part in parts.iter().filter(|part| part.opening.name == wanted) {
            let words = unescape(&dedented(&text[part.inner.clone()])).into_owned();
            if !words.is_empty() && words != name {
                shown.push(if label.is_empty() { words } else { format!("{label}\n{words}") });
            }
        }
    }
    let options = parts
        .iter()
        .filter(|part| part.opening.name == "options" && kind != CheckpointKind::Action)
        .flat_map(|part| options(text, &part.inner))
        .collect();
    Checkpoint { kind, text: shown.join("\n\n"), options }
}

/// `<option id="a"><name>…</name><pros>…</pros><cons>…</cons></option>`
fn options(text: &str, part: &Range<usize>) -> Vec<DecisionOption> {
    let all = tags(text, part.clone(), &["option"]).known;
    all.iter().enumerate().map(|(at, option)| choice(text, at, option)).collect()
}

fn choice(text: &str, at: usize, option: &PlanTag) -> DecisionOption {
    let inside = tags(text, option.inner.clone(), &["name", "pros", "cons", "description"]).known;
    let part = |wanted: &str| {
        let found = inside.iter().find(|tag| tag.opening.name == wanted)?;
        Some(unescape(&text[found.inner.clone()]).split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let mut description = if inside.is_empty() {
        unescape(&text[option.inner.clone()]).trim().to_owned()
    } else {
        part("name").unwrap_or_default()
    };
    for (wanted, label) in [("description", ""), ("pros", "for: "), ("cons", "against: ")] {
        if let Some(words) = part(wanted).filter(|words| !words.is_empty()) {
            let gap = if description.is_empty() { "" } else { "; " };
            description = format!("{description}{gap}{label}{words}");
        }
    }
    let key = option.opening.attribute("id").filter(|id| !id.trim().is_empty());
    DecisionOption::new(key.unwrap_or(&(at + 1).to_string()), &description)
}
