//! The list of tasks to read: the file has one, or one for every tag.

use crate::draft::document::{JsonDocument, get};
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml::values;

const DEFAULT: &str = "master";

pub(super) struct TaskList<'n> {
    pub(super) name: String,
    /// An object with `tasks`.
    pub(super) node: &'n Node,
}

/// The list of the current tag, or else `master`, or else the only one.
pub(super) fn choose<'n>(
    document: &mut JsonDocument<'_>,
    root: &'n Node,
    current: Option<&str>,
) -> Option<TaskList<'n>> {
    if get(root, "tasks").is_some_and(|node| matches!(node.value, Value::List(_))) {
        let name = project_name(document, root).unwrap_or_else(|| "Task Master".to_owned());
        return Some(TaskList { name, node: root });
    }
    let tags: Vec<_> =
        values::entries(root).iter().filter(|entry| get(&entry.node, "tasks").is_some()).collect();
    let named = |name: &str| tags.iter().find(|tag| tag.key == name).copied();
    let only = || tags.first().filter(|_| tags.len() == 1).copied();
    let chosen = current.and_then(named).or_else(|| named(DEFAULT)).or_else(only);
    let others: Vec<&str> = tags
        .iter()
        .map(|tag| tag.key.as_str())
        .filter(|name| chosen.is_some_and(|chosen| chosen.key != *name))
        .take(10)
        .collect();
    let Some(tag) = chosen else {
        document.wrong(root, "`tasks`, or tags with `tasks`, one of them called master");
        return None;
    };
    if !others.is_empty() {
        let message = format!("reading the tag {:?}; other tags: {}", tag.key, others.join(", "));
        let hint = "set `currentTag` in .taskmaster/state.json to choose another";
        document.warn(&tag.key_span, "other-tags", message, hint);
    }
    Some(TaskList { name: tag.key.clone(), node: &tag.node })
}

fn project_name(document: &mut JsonDocument<'_>, root: &Node) -> Option<String> {
    let about = ["metadata", "meta"].iter().find_map(|key| get(root, key))?;
    ["projectName", "name"].iter().find_map(|key| document.word(about, key)).map(|word| word.text)
}
