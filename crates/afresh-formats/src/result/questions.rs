//! Results that ask a person: for a decision, or to do something.

use afresh_core::outcome::{ActionRequest, DecisionOption, DecisionRequest, Outcome};

use super::NoResult;
use super::fields::{ResultFields, text};
use crate::text::node::Node;

const MAX_OPTIONS: usize = 50;

pub(super) fn decision(fields: &ResultFields<'_>) -> Result<Outcome, NoResult> {
    let nested = fields.table("decision");
    let inner = |keys: &[&str]| nested.and_then(|nested| nested.text(keys));
    let question = fields
        .text(&["decision_needed"])
        .or_else(|| inner(&["decision_needed", "needed", "question"]))
        .or_else(|| fields.text(&["decision"]));
    let Some(question) = question else {
        return Err(NoResult::Broken("NEEDS_DECISION without `decision_needed`".to_owned()));
    };
    let options =
        fields.list("options").or_else(|| nested.and_then(|nested| nested.list("options")));
    let options = options.into_iter().flatten().take(MAX_OPTIONS).enumerate().filter_map(choice);
    let either = |key: &str| fields.text(&[key]).or_else(|| inner(&[key])).unwrap_or_default();
    Ok(Outcome::NeedsDecision(DecisionRequest {
        blocked_at: either("blocked_at"),
        question,
        options: options.collect(),
        context: either("context"),
    }))
}

fn choice((number, node): (usize, &Node)) -> Option<DecisionOption> {
    let key = (number + 1).to_string();
    if let Some(description) = text(node) {
        return Some(DecisionOption { key, description });
    }
    let fields = ResultFields::from_node(node)?;
    Some(DecisionOption {
        key: fields.text(&["key", "id", "name"]).unwrap_or(key),
        description: fields.text(&["description", "text"]).unwrap_or_default(),
    })
}

pub(super) fn action(fields: &ResultFields<'_>) -> Result<Outcome, NoResult> {
    let nested = fields.table("action");
    let inner = |keys: &[&str]| nested.and_then(|nested| nested.text(keys));
    let needed = fields
        .text(&["action_needed"])
        .or_else(|| inner(&["action_needed", "needed"]))
        .or_else(|| fields.text(&["action"]));
    let Some(needed) = needed else {
        return Err(NoResult::Broken("NEEDS_ACTION without `action_needed`".to_owned()));
    };
    let mut instructions = fields.texts("instructions");
    instructions.extend(nested.into_iter().flat_map(|nested| nested.texts("instructions")));
    instructions.extend(fields.text(&["instructions"]).or_else(|| inner(&["instructions"])));
    let either = |key: &str| fields.text(&[key]).or_else(|| inner(&[key])).unwrap_or_default();
    Ok(Outcome::NeedsAction(ActionRequest {
        blocked_at: either("blocked_at"),
        needed,
        instructions,
        verification: either("verification"),
    }))
}
