//! `[review]`: when a fresh agent reviews work whose checks passed.

use afresh_core::plan::ModelTier;
use afresh_core::run::settings::{ReviewPolicy, ReviewWhen};
use afresh_formats::text::node::Node;
use afresh_formats::text::node_reader::NodeReader;
use serde_json::{Value, json};

use super::read::set;

pub(super) const REVIEW: &[&str] = &["when", "agent", "tier", "rounds", "large_files"];
/// More rounds would only spend more on the same disagreement.
const MAX_ROUNDS: u64 = 20;
const MAX_FILES: u64 = 100_000;

pub(super) fn read(reader: &mut NodeReader<'_, '_>, node: &Node, policy: &mut ReviewPolicy) {
    for entry in reader.entries(node) {
        let value = &entry.node;
        let mut number = |most| {
            let number = reader.number(value, 1..=most);
            number.and_then(|number| u32::try_from(number).ok())
        };
        match entry.key.as_str() {
            "rounds" => set(&mut policy.rounds, number(MAX_ROUNDS)),
            "large_files" => set(&mut policy.large_files, number(MAX_FILES)),
            "when" => {
                let word = reader.word_by(value, ReviewWhen::WORDS, ReviewWhen::from_word);
                set(&mut policy.when, word);
            }
            "agent" => set(&mut policy.agent, reader.text(value)),
            "tier" => {
                let tiers = [ModelTier::Small, ModelTier::Standard, ModelTier::Large];
                set(&mut policy.tier, reader.word(value, &tiers.map(|tier| (tier.word(), tier))));
            }
            _ => reader.unknown_key(entry, REVIEW),
        }
    }
}

/// The effective settings, by key.
pub(super) fn values(policy: &ReviewPolicy) -> [(&'static str, Value); 5] {
    let agent = Some(&policy.agent).filter(|name| !name.is_empty());
    [
        ("review.when", json!(policy.when.word())),
        ("review.agent", json!(agent)),
        ("review.tier", json!(policy.tier.word())),
        ("review.rounds", json!(policy.rounds)),
        ("review.large_files", json!(policy.large_files)),
    ]
}
