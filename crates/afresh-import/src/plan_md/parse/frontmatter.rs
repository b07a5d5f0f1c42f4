//! The frontmatter of a PLAN.md.

use std::collections::BTreeSet;
use std::ops::Range;

use afresh_core::plan::{FileAction, FileDraft, nearest};

use crate::plan_md::files;
use crate::plan_md::parse::item::collect_files;
use crate::plan_md::parse::remarks::PlanRemarks;
use afresh_formats::findings::Fix;
use afresh_formats::text::node::Node;
use afresh_formats::text::yaml::values::{LocatedWord, entries, list_words, word};

#[derive(Debug, Default)]
pub struct PlanFrontmatter {
    pub depends_on: Vec<LocatedWord>,
    pub files: Vec<(FileDraft, Range<usize>)>,
    pub wave: Option<(u32, Range<usize>)>,
    pub autonomous: Option<(bool, Range<usize>)>,
    pub status: Option<String>,
    pub task_group: Option<String>,
    pub source_tasks: Vec<LocatedWord>,
    /// The agent definition for its worker.
    pub agent: Option<String>,
    /// All keys, in lowercase.
    pub keys: BTreeSet<String>,
    /// Everything else, with its source text (FO-06).
    pub unknown: Vec<(String, String)>,
}

/// Known keys, including those that afresh ignores.
const KEYS: [&str; 14] = [
    "phase",
    "plan",
    "type",
    "wave",
    "depends_on",
    "files_modified",
    "files_deleted",
    "autonomous",
    "must_haves",
    "status",
    "task_group",
    "source_tasks",
    "claude_code_subagent",
    "requirements",
];

impl PlanFrontmatter {
    pub fn read(text: &str, node: &Node, remarks: &mut PlanRemarks) -> Self {
        let mut fields = Self::default();
        for entry in entries(node) {
            let value = &entry.node;
            let key = entry.key.to_ascii_lowercase().replace('-', "_");
            fields.keys.insert(key.clone());
            match key.as_str() {
                "depends_on" => fields.depends_on.extend(list_words(value)),
                "source_tasks" => fields.source_tasks.extend(list_words(value)),
                "files_modified" => fields.take_files(value, None, remarks),
                "files_deleted" => fields.take_files(value, Some(FileAction::Delete), remarks),
                "wave" => fields.wave = wave(value, remarks),
                "autonomous" => {
                    let flag = word(value).map(|word| word.eq_ignore_ascii_case("true"));
                    fields.autonomous = flag.map(|flag| (flag, value.span.clone()));
                }
                "status" => fields.status = word(value),
                "claude_code_subagent" => fields.agent = word(value),
                "task_group" => fields.task_group = word(value),
                key if KEYS.contains(&key) => {}
                _ => {
                    let key = entry.key.as_str();
                    misspelt(key, &entry.key_span, remarks);
                    let raw = text.get(value.span.clone()).unwrap_or_default();
                    fields.unknown.push((key.to_owned(), raw.to_owned()));
                }
            }
        }
        fields
    }

    fn take_files(&mut self, node: &Node, action: Option<FileAction>, remarks: &mut PlanRemarks) {
        let named = list_words(node)
            .iter()
            .filter_map(|word| files::parse_item(&word.text, &word.at))
            .collect();
        let before = self.files.len();
        collect_files(named, &mut self.files, remarks);
        if action.is_some() {
            self.files[before..].iter_mut().for_each(|(file, _)| file.action = action);
        }
    }
}

fn wave(node: &Node, remarks: &mut PlanRemarks) -> Option<(u32, Range<usize>)> {
    let text = word(node)?;
    if let Ok(number) = text.trim().parse() {
        return Some((number, node.span.clone()));
    }
    let message = format!("the wave {text:?} is not a number");
    let hint = "waves follow from `depends_on`; write a number, or remove it";
    remarks.warning("wave-disagrees", &node.span, message, hint);
    None
}

/// Reports a misspelt key, whose value would be lost (B20).
fn misspelt(key: &str, at: &Range<usize>, remarks: &mut PlanRemarks) {
    if let Some(meant) = nearest(key, KEYS.into_iter()) {
        let message = format!("unknown key {key:?}");
        let hint = format!("did you mean {meant:?}?");
        remarks.fixable("unknown-field", at, message, &hint, Fix::correction(at.clone(), meant));
    }
}
