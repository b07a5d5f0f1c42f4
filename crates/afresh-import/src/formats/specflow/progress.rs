//! What was executed before: by the state file of an execution, the spec's status, and the summary
//! that an execution writes.

use std::collections::BTreeMap;

use super::spec::SpecflowSpec;
use crate::draft::DraftPlan;
use afresh_formats::findings::SourceText;
use afresh_formats::folder::PlanFolder;
use afresh_formats::text::json;
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml::values::get;

/// Statuses of a spec whose groups are all executed.
const EXECUTED: &[&str] = &["done", "archived", "review", "complete", "completed"];

#[derive(Debug, Default)]
pub(super) struct SpecProgress {
    /// Why the whole spec is done.
    whole: Option<String>,
    groups: BTreeMap<String, String>,
}

impl SpecProgress {
    /// Why a group is done, if it is.
    pub(super) fn done_reason(&self, group: &str) -> Option<String> {
        self.whole.clone().or_else(|| self.groups.get(group).cloned())
    }

    /// Why a spec without groups is done, if it is.
    pub(super) fn of_all(&self) -> Option<String> {
        self.whole.clone()
    }

    pub(super) fn read(
        folder: &dyn PlanFolder,
        drafted: &mut DraftPlan,
        spec: &SpecflowSpec<'_>,
    ) -> Self {
        if is_executed(spec) {
            return Self::all(format!("{} has the status {}", spec.id, status_of(spec)));
        }
        let end = format!("execution/{}-state.json", spec.id);
        let named = |path: &&String| {
            path.strip_suffix(end.as_str())
                .is_some_and(|front| front.is_empty() || front.ends_with('/'))
        };
        if let Some(path) = folder.paths().iter().find(named) {
            return Self::of_state(folder, drafted, path);
        }
        let summary = spec.past("execution summary");
        if summary.is_some_and(|heading| spec.part(&heading.body).contains("**Executed:**")) {
            return Self::all(format!("{} has an execution summary", spec.id));
        }
        Self::default()
    }

    fn all(why: String) -> Self {
        Self { whole: Some(why), groups: BTreeMap::new() }
    }

    fn of_state(folder: &dyn PlanFolder, drafted: &mut DraftPlan, path: &str) -> Self {
        let Some(text) = drafted.read_additional(folder, path, "everything counts as open") else {
            return Self::default();
        };
        match json::parse(&SourceText::new(path, &text)) {
            Ok(state) => Self::of_waves(path, &state),
            Err(finding) => {
                let hint =
                    "expected the JSON of an execution; without it everything counts as open";
                drafted.findings.push(finding.as_warning().with_hint(hint));
                Self::default()
            }
        }
    }

    fn of_waves(path: &str, state: &Node) -> Self {
        let mut progress = Self::default();
        let waves = get(state, "waves").map(list).unwrap_or_default();
        if waves.is_empty() && is_complete(get(state, "status")) {
            return Self::all(format!("complete according to {path}"));
        }
        for wave in waves {
            let whole = is_complete(get(wave, "status"));
            let results = get(wave, "results");
            for group in get(wave, "groups").map(list).unwrap_or_default() {
                let Value::Text(id) = &group.value else { continue };
                let result = results.and_then(|results| get(results, id));
                // A result is an object with a status, or only the status.
                let status = result.map(|result| get(result, "status").unwrap_or(result));
                if status.map_or(whole, |status| is_complete(Some(status))) {
                    progress.groups.insert(id.clone(), format!("complete according to {path}"));
                }
            }
        }
        progress
    }
}

/// Whether the status of a spec says that its groups are executed.
pub(super) fn is_executed(spec: &SpecflowSpec<'_>) -> bool {
    EXECUTED.contains(&status_of(spec).as_str())
}

fn status_of(spec: &SpecflowSpec<'_>) -> String {
    spec.status.as_ref().map(|status| status.text.to_lowercase()).unwrap_or_default()
}

fn list(node: &Node) -> &[Node] {
    match &node.value {
        Value::List(items) => items,
        _ => &[],
    }
}

fn is_complete(node: Option<&Node>) -> bool {
    matches!(node.map(|node| &node.value), Some(Value::Text(word)) if matches!(word.as_str(), "complete" | "completed" | "done"))
}
