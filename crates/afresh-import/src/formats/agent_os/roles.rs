//! The agent of each group: `orchestration.yml`.
//!
//! A role names an agent definition. Whether that exists is checked when the plan is run.

use std::collections::BTreeMap;

use super::groups::TaskGroup;
use crate::draft::DraftPlan;
use crate::draft::feature_dirs::FeatureDir;
use afresh_formats::findings::{Severity, SourceText};
use afresh_formats::folder::PlanFolder;
use afresh_formats::text::node::Node;
use afresh_formats::text::yaml;
use afresh_formats::text::yaml::values::{entries, get, list_words, word};

/// The settings of one group.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GroupRole {
    pub(super) agent: Option<String>,
    /// Additional instructions for its worker.
    pub(super) standards: String,
}

/// The settings of groups, by index.
pub(super) fn read(
    folder: &dyn PlanFolder,
    drafted: &mut DraftPlan,
    feature: &FeatureDir,
    groups: &[TaskGroup<'_>],
) -> BTreeMap<usize, GroupRole> {
    let mut roles = BTreeMap::new();
    let file = feature.file("orchestration.yml");
    let text = match folder.text(&file) {
        Some(Ok(text)) => text,
        Some(Err(finding)) => {
            drafted.findings.push(finding.as_warning().with_hint("its roles are ignored"));
            return roles;
        }
        None => return roles,
    };
    let source = SourceText::new(&file, &text);
    let root = match yaml::strict::parse(&source, &(0..text.len())) {
        Ok(root) => root,
        Err(finding) => {
            let hint = "expected `task_groups:` with names; its roles are ignored";
            drafted.findings.push(finding.as_warning().with_hint(hint));
            return roles;
        }
    };
    let Some(afresh_formats::text::node::Value::List(listed)) =
        get(&root, "task_groups").map(|node| &node.value)
    else {
        return roles;
    };
    let by_name: BTreeMap<String, usize> =
        groups.iter().enumerate().map(|(at, group)| (slug(group.title.text), at)).collect();
    let by_number: BTreeMap<u64, usize> =
        groups.iter().enumerate().map(|(at, group)| (group.key[0], at)).collect();
    for entry in listed {
        let name = get(entry, "name").and_then(word).unwrap_or_default();
        let numbered = || number(&name).and_then(|number| by_number.get(&number));
        let Some(at) = by_name.get(&slug(&name)).or_else(numbered) else {
            let message = format!("{name:?} is not a task group");
            let mut finding = source.finding("unresolved-name", &entry.span, message);
            finding.severity = Severity::Warning;
            drafted.findings.push(finding.with_hint("write the group's title, as in tasks.md"));
            continue;
        };
        roles.insert(*at, role(entry));
        for other in entries(entry) {
            if !matches!(other.key.as_str(), "name" | "claude_code_subagent" | "standards") {
                let written = text.get(other.node.span.clone()).unwrap_or_default();
                drafted.unknown.insert(format!("{file}:{name}.{}", other.key), written.to_owned());
            }
        }
    }
    roles
}

fn role(entry: &Node) -> GroupRole {
    let agent = get(entry, "claude_code_subagent").and_then(word).filter(|name| !name.is_empty());
    let named = get(entry, "standards").map(list_words).unwrap_or_default();
    let named: Vec<&str> = named.iter().map(|word| word.text.as_str()).collect();
    let standards = if named.is_empty() {
        String::new()
    } else {
        format!("Follow these standards: {}.", named.join(", "))
    };
    GroupRole { agent, standards }
}

/// `task-group-2`, `2`.
fn number(name: &str) -> Option<u64> {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.parse().ok()
}

/// `Data Models & Migrations` as `data-models-migrations`.
fn slug(title: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("-")
}
