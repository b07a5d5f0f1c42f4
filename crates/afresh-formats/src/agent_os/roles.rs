//! Who does which group: `orchestration.yml`.
//!
//! A role is told to the worker. It is no agent of ours: those are programs, and the person who runs
//! the plan chooses among them.

use std::collections::BTreeMap;

use super::groups::Group;
use crate::drafted::Drafted;
use crate::feature::Feature;
use crate::finding::{Severity, Source};
use crate::folder::Folder;
use crate::node::Node;
use crate::yaml;
use crate::yaml::values::{entries, get, word, words};

/// What is said about groups, by their positions.
pub(super) fn read(
    folder: &dyn Folder,
    drafted: &mut Drafted,
    feature: &Feature,
    groups: &[Group<'_>],
) -> BTreeMap<usize, String> {
    let mut roles = BTreeMap::new();
    let file = feature.file("orchestration.yml");
    let text = match folder.text(&file) {
        Some(Ok(text)) => text,
        Some(Err(finding)) => {
            drafted.findings.push(finding.as_warning().with_help("no roles are read from it"));
            return roles;
        }
        None => return roles,
    };
    let source = Source::new(&file, &text);
    let root = match yaml::strict::parse(&source, &(0..text.len())) {
        Ok(root) => root,
        Err(finding) => {
            let help = "expected `task_groups:` with names; no roles are read from it";
            drafted.findings.push(finding.as_warning().with_help(help));
            return roles;
        }
    };
    let Some(crate::node::Value::List(listed)) = get(&root, "task_groups").map(|node| &node.value)
    else {
        return roles;
    };
    let by_name: BTreeMap<String, usize> =
        groups.iter().enumerate().map(|(at, group)| (slug(group.title.text), at)).collect();
    let by_number: BTreeMap<u64, usize> =
        groups.iter().enumerate().map(|(at, group)| (group.number, at)).collect();
    for entry in listed {
        let name = get(entry, "name").and_then(word).unwrap_or_default();
        let numbered = || number(&name).and_then(|number| by_number.get(&number));
        let Some(at) = by_name.get(&slug(&name)).or_else(numbered) else {
            let message = format!("{name:?} is none of the task groups");
            let mut finding = source.finding("unresolved-name", &entry.span, message);
            finding.severity = Severity::Warning;
            drafted.findings.push(finding.with_help("write the group's title, as in tasks.md"));
            continue;
        };
        if let Some(role) = role(entry) {
            roles.insert(*at, role);
        }
        for other in entries(entry) {
            if !matches!(other.key.as_str(), "name" | "claude_code_subagent" | "standards") {
                let written = text.get(other.node.span.clone()).unwrap_or_default();
                drafted.unknown.insert(format!("{file}:{name}.{}", other.key), written.to_owned());
            }
        }
    }
    roles
}

/// What a worker is told about itself.
fn role(entry: &Node) -> Option<String> {
    let role = get(entry, "claude_code_subagent").and_then(word);
    let standards = get(entry, "standards").map(words).unwrap_or_default();
    let mut said = role.map(|role| format!("Work in the role of `{role}`.")).unwrap_or_default();
    if !standards.is_empty() {
        let named: Vec<&str> = standards.iter().map(|word| word.text.as_str()).collect();
        said = format!("{said} Keep to these standards: {}.", named.join(", "));
    }
    Some(said.trim().to_owned()).filter(|said| !said.is_empty())
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
