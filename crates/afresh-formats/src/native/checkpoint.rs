//! Tasks without work for a worker: a question to a person, or a task that was done before.

use afresh_core::outcome::DecisionOption;
use afresh_core::plan::{Checkpoint, CheckpointKind};

use super::reader::NativePlanReader;
use crate::text::node::{Node, Value};

pub const CHECKPOINT_FIELDS: &[&str] = &["kind", "text", "options"];
pub const OPTION_FIELDS: &[&str] = &["key", "description"];

impl NativePlanReader<'_, '_> {
    /// Why a task is done. An empty reason is rejected.
    pub(super) fn reason(&mut self, node: &Node) -> Option<String> {
        match &node.value {
            Value::Text(text) if !text.trim().is_empty() => Some(text.clone()),
            _ => {
                self.wrong_type(node, "a reason: how it was done");
                None
            }
        }
    }

    pub(super) fn checkpoint(&mut self, at: usize, node: &Node) -> Option<Checkpoint> {
        let (mut kind, mut text, mut options) = (None, None, Vec::new());
        if let Value::Table(entries) = &node.value {
            for entry in entries {
                let path = || format!("task.{at}.checkpoint.");
                match self.known_field(path, CHECKPOINT_FIELDS, (entries, entry)) {
                    "kind" => kind = Some(self.checkpoint_kind(&entry.node)),
                    "text" => text = Some(self.text(&entry.node)),
                    "options" => options = self.options(at, &entry.node),
                    _ => {}
                }
            }
        }
        let (Some(kind), Some(text)) = (kind, text) else {
            self.wrong_type(node, "a question to a person: { kind = \"verify\", text = \"…\" }");
            return None;
        };
        kind.map(|kind| Checkpoint { kind, text, options })
    }

    fn checkpoint_kind(&mut self, node: &Node) -> Option<CheckpointKind> {
        let kinds = [
            ("verify", CheckpointKind::Verify),
            ("decision", CheckpointKind::Decision),
            ("action", CheckpointKind::Action),
        ];
        self.word(node, &kinds)
    }

    fn options(&mut self, at: usize, node: &Node) -> Vec<DecisionOption> {
        let Value::List(items) = &node.value else {
            self.wrong_type(node, "a list of answers");
            return Vec::new();
        };
        items.iter().enumerate().map(|(item, node)| self.option(at, item, node)).collect()
    }

    fn option(&mut self, at: usize, item: usize, node: &Node) -> DecisionOption {
        let (mut key, mut description) = (None, String::new());
        if let Value::Table(entries) = &node.value {
            for entry in entries {
                let path = || format!("task.{at}.checkpoint.options.{item}.");
                match self.known_field(path, OPTION_FIELDS, (entries, entry)) {
                    "key" => key = Some(self.text(&entry.node)),
                    "description" => description = self.text(&entry.node),
                    _ => {}
                }
            }
        }
        if key.is_none() {
            self.wrong_type(node, "{ key = \"a\", description = \"…\" }");
        }
        DecisionOption { key: key.unwrap_or_default(), description }
    }
}
