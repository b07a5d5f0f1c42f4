//! `[merge]`: how finished work is checked and landed together (IN-02).

use afresh_core::run::settings::{BatchLimit, FilterRule, MergePolicy};
use afresh_formats::text::node::{Node, Value as NodeValue};
use afresh_formats::text::node_reader::NodeReader;
use serde_json::{Value, json};

use super::read::set;

pub(super) const MERGE: &[&str] = &["batch"];
/// More would only make a failure harder to attribute.
const MAX_BATCH: u64 = 64;

/// What holds if the configuration says nothing.
pub(super) const DEFAULT: MergePolicy =
    MergePolicy { batch: BatchLimit::Auto, filter: FilterRule::Adaptive, slots: 1 };

pub(super) fn read(reader: &mut NodeReader<'_, '_>, node: &Node, policy: &mut MergePolicy) {
    for entry in reader.entries(node) {
        match entry.key.as_str() {
            "batch" => set(&mut policy.batch, read_batch(reader, &entry.node)),
            _ => reader.unknown_key(entry, MERGE),
        }
    }
}

fn read_batch(reader: &mut NodeReader<'_, '_>, node: &Node) -> Option<BatchLimit> {
    if matches!(node.value, NodeValue::Text(_)) {
        return reader.word(node, &[("auto", BatchLimit::Auto)]);
    }
    let most = reader.number(node, 1..=MAX_BATCH)?;
    u16::try_from(most).ok().map(BatchLimit::AtMost)
}

/// The effective settings, by key.
pub(super) fn values(policy: MergePolicy) -> [(&'static str, Value); 1] {
    let batch = match policy.batch {
        BatchLimit::Auto => json!("auto"),
        BatchLimit::AtMost(most) => json!(most),
    };
    [("merge.batch", batch)]
}
