//! The capability map (what the program does) and the physical map (in which files).

use std::collections::BTreeMap;

use super::HINT;
use crate::draft::DraftPlan;
use crate::draft::document::{JsonDocument, get};
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::node::Value;

#[derive(Debug, Default)]
pub(super) struct TaskerMaps {
    pub(super) slug: Option<String>,
    /// The repository that the plan is for.
    pub(super) target: Option<String>,
    /// By id: `name (type): description`.
    behaviours: BTreeMap<String, String>,
    /// The position of each behaviour.
    pub(super) places: BTreeMap<String, SourceSpan>,
    /// The position of the flows, if there are any.
    pub(super) flows: Option<SourceSpan>,
    pub(super) has_steel_thread: bool,
    /// The purposes of the files of each behaviour.
    purposes: BTreeMap<String, Vec<String>>,
}

impl TaskerMaps {
    pub(super) fn read(folder: &dyn PlanFolder, root: &str, drafted: &mut DraftPlan) -> Self {
        let mut maps = Self::default();
        let file = format!("{root}artifacts/capability-map.json");
        let text =
            drafted.read_additional(folder, &file, "behaviours have no text").unwrap_or_default();
        maps.capabilities(&file, &text, drafted);
        let file = format!("{root}artifacts/physical-map.json");
        let text =
            drafted.read_additional(folder, &file, "behaviours have no text").unwrap_or_default();
        maps.files(&file, &text, drafted);
        maps
    }

    /// A behaviour in one line, or its id if it is not in the map.
    pub(super) fn behaviour(&self, id: &str) -> String {
        self.behaviours.get(id).map_or_else(|| id.to_owned(), |about| format!("{id} {about}"))
    }

    pub(super) fn purposes(&self, behaviour: &str) -> &[String] {
        self.purposes.get(behaviour).map_or(&[], Vec::as_slice)
    }

    fn capabilities(&mut self, file: &str, text: &str, drafted: &mut DraftPlan) {
        if text.is_empty() {
            return;
        }
        let mut document = JsonDocument::new(file, text, HINT);
        if let Some(root) = document.parse() {
            self.slug = document.word(&root, "spec_slug").map(|word| word.text);
            for flow in document.objects(&root, "flows") {
                self.flows.get_or_insert_with(|| document.span(&flow.span));
                let steel = get(flow, "is_steel_thread").map(|node| &node.value);
                self.has_steel_thread |= steel == Some(&Value::Bool(true));
            }
            for domain in document.objects(&root, "domains") {
                for capability in document.objects(domain, "capabilities") {
                    for behaviour in document.objects(capability, "behaviors") {
                        let Some(id) = document.word(behaviour, "id") else { continue };
                        let name = document.prose(behaviour, "name");
                        let kind = document.prose(behaviour, "type");
                        let description = document.prose(behaviour, "description");
                        let kind = if kind.is_empty() { kind } else { format!(" ({kind})") };
                        let description = if description.is_empty() {
                            description
                        } else {
                            format!(": {description}")
                        };
                        self.places.insert(id.text.clone(), document.span(&id.at));
                        self.behaviours.insert(id.text, format!("{name}{kind}{description}"));
                    }
                }
            }
        }
        document.downgrade_errors();
        document.close(drafted);
    }

    fn files(&mut self, file: &str, text: &str, drafted: &mut DraftPlan) {
        if text.is_empty() {
            return;
        }
        let mut document = JsonDocument::new(file, text, HINT);
        if let Some(root) = document.parse() {
            self.target = document.word(&root, "target_dir").map(|word| word.text);
            for mapping in document.objects(&root, "file_mapping") {
                let Some(id) = document.word(mapping, "behavior_id") else { continue };
                for file in document.objects(mapping, "files") {
                    let path = document.prose(file, "path");
                    let (layer, purpose) =
                        (document.prose(file, "layer"), document.prose(file, "purpose"));
                    let about: Vec<&str> = [&layer, &purpose]
                        .into_iter()
                        .map(String::as_str)
                        .filter(|t| !t.is_empty())
                        .collect();
                    if !about.is_empty() {
                        let line = format!("{path}: {}", about.join(", "));
                        self.purposes.entry(id.text.clone()).or_default().push(line);
                    }
                }
            }
        }
        document.downgrade_errors();
        document.close(drafted);
    }
}
