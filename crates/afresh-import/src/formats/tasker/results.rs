//! `bundles/T001-result.json`: what the executor of a task reported.
//!
//! The state outranks a result: a task that is to be done again keeps the result of its last attempt.

use std::collections::BTreeMap;

use crate::draft::status::TaskStanding;
use afresh_formats::findings::SourceText;
use afresh_formats::folder::PlanFolder;
use afresh_formats::text::json;
use afresh_formats::text::node::Value;
use afresh_formats::text::yaml::values;

/// The tasks with a successful result, and the files that say so.
#[derive(Debug, Default)]
pub(super) struct TaskerResults {
    successes: BTreeMap<String, String>,
}

impl TaskerResults {
    /// Reads the results. One that cannot be read says nothing.
    pub(super) fn find(folder: &dyn PlanFolder, root: &str) -> Self {
        let directory = format!("{root}bundles/");
        let mut successes = BTreeMap::new();
        for path in folder.starting_with(&directory) {
            let name = &path[directory.len()..];
            let Some(id) = name.strip_suffix("-result.json") else { continue };
            if folder.finished_text(path).is_some_and(|text| is_success(path, &text)) {
                successes.insert(id.to_owned(), name.to_owned());
            }
        }
        Self { successes }
    }

    pub(super) fn standing(&self, id: &str) -> Option<TaskStanding> {
        let file = self.successes.get(id)?;
        Some(TaskStanding::Done(format!("success in bundles/{file}, its executor's word")))
    }
}

fn is_success(path: &str, text: &str) -> bool {
    let Ok(root) = json::parse(&SourceText::new(path, text)) else { return false };
    let status = values::get(&root, "status").map(|node| &node.value);
    matches!(status, Some(Value::Text(status)) if status == "success")
}
