//! Usage by model (LO-03).

use std::collections::BTreeMap;

use afresh_core::status::UsageStatus;
use afresh_core::usage::{ModelUsage, Usage};
use schemars::JsonSchema;
use serde::Serialize;

use super::AttemptReport;

/// The usage of one model; a price that was not reported is unknown, not zero.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct ModelUsageReport {
    pub model: String,
    /// Parts of attempts that reported no price.
    pub without_price: usize,
    #[serde(flatten)]
    pub usage: UsageStatus,
    /// The same in whole numbers, for adding up.
    #[serde(skip)]
    used: Usage,
}

impl ModelUsageReport {
    pub(super) fn from_usage(part: &ModelUsage) -> Self {
        let used = part.usage;
        Self {
            model: part.model.clone(),
            without_price: usize::from(used.cost_micros.is_none()),
            usage: UsageStatus::from(&used),
            used,
        }
    }

    fn add(&mut self, other: &Self) {
        self.without_price += other.without_price;
        self.used = self.used.plus(&other.used);
        self.usage = UsageStatus::from(&self.used);
    }
}

/// All parts of all attempts, by model name.
pub(super) fn by_model<'a>(
    attempts: impl IntoIterator<Item = &'a AttemptReport>,
) -> Vec<ModelUsageReport> {
    let mut sums: BTreeMap<String, ModelUsageReport> = BTreeMap::new();
    for part in attempts.into_iter().flat_map(parts) {
        match sums.get_mut(&part.model) {
            Some(sum) => sum.add(&part),
            None => drop(sums.insert(part.model.clone(), part)),
        }
    }
    sums.into_values().collect()
}

/// The models of one attempt and of its reviews. A worker that was killed never said which: its usage is that of the model it worked with.
fn parts(attempt: &AttemptReport) -> Vec<ModelUsageReport> {
    let reviews = attempt.reviews.iter().flat_map(|review| review.models.clone());
    let mut parts = own_parts(attempt);
    parts.extend(reviews);
    parts
}

fn own_parts(attempt: &AttemptReport) -> Vec<ModelUsageReport> {
    match &attempt.model {
        Some(model) if attempt.models.is_empty() && attempt.used != Usage::default() => {
            let part = ModelUsage { model: model.clone(), usage: attempt.used };
            vec![ModelUsageReport::from_usage(&part)]
        }
        _ => attempt.models.clone(),
    }
}
