//! What one attempt used: the totals that its program reports, without what earlier attempts of the same
//! conversation used.
//!
//! A program reports usage in its output, by model, and in its own record of the conversation, and a module of ours
//! may record every request; the account keeps the most complete of these. Reading the reports is [`super::output`]'s job.

use std::sync::Arc;

use afresh_agents::PriceTable;
use afresh_agents::agent::EarlierUsage;
use afresh_core::usage::{ContextFill, ModelUsage, Usage};

pub(super) struct UsageAccount {
    prices: Arc<PriceTable>,
    /// The model that the program works with; empty if unknown.
    model: String,
    /// Whether the program's totals include those of earlier attempts.
    earlier_usage: EarlierUsage,
    /// What the earlier attempts of the same conversation used.
    earlier: Usage,
    /// What this process used at least.
    by_process: Usage,
    /// By the program's output, with its own cost.
    streamed: Usage,
    /// By the program's own record of the conversation.
    logged: Usage,
    /// By a module of ours that sees every request.
    requested: Usage,
    by_model: Vec<ModelUsage>,
    /// The cost of all models together, if all are known.
    models_cost: Option<u64>,
    total: Usage,
}

impl UsageAccount {
    /// `model` is the requested one.
    pub(super) fn new(
        prices: Arc<PriceTable>,
        model: Option<&str>,
        earlier_usage: EarlierUsage,
    ) -> Self {
        Self {
            prices,
            model: model.unwrap_or_default().to_owned(),
            earlier_usage,
            earlier: Usage::default(),
            by_process: Usage::default(),
            streamed: Usage::default(),
            logged: Usage::default(),
            requested: Usage::default(),
            by_model: Vec::new(),
            models_cost: None,
            total: Usage::default(),
        }
    }

    /// Leaves out what earlier attempts of the same conversation used.
    pub(super) fn exclude_earlier(&mut self, earlier: Usage) {
        self.earlier = earlier;
    }

    pub(super) fn set_model(&mut self, model: &str) {
        model.clone_into(&mut self.model);
    }

    /// The model that the program works with, if known.
    pub(super) fn model(&self) -> Option<&str> {
        Some(self.model.as_str()).filter(|model| !model.is_empty())
    }

    pub(super) fn total(&self) -> Usage {
        self.total
    }

    /// Usage by model; one model has all of it if the program does not report models.
    pub(super) fn by_model(&self) -> Vec<ModelUsage> {
        match self.model() {
            Some(model) if self.by_model.is_empty() && self.total != Usage::default() => {
                vec![ModelUsage { model: model.to_owned(), usage: self.total }]
            }
            _ => self.by_model.clone(),
        }
    }

    /// How full the context is; the model's usual window if the program does not report one.
    pub(super) fn context_fill(&self, used: u64, window: Option<u64>) -> ContextFill {
        let window = window.unwrap_or_else(|| self.prices.window(&self.model));
        ContextFill { used, window }
    }

    pub(super) fn record_process(&mut self, used: Usage) {
        self.by_process = used;
    }

    /// Totals never fall: a late or repeated report changes nothing.
    pub(super) fn record_output(&mut self, total: Usage) {
        self.streamed = self.streamed.at_least(&self.own_part(total));
        self.update_total();
    }

    /// A program's own record has the usage of the whole conversation.
    pub(super) fn record_session_log(&mut self, total: Usage) {
        self.logged = self.logged.at_least(&total.minus(&self.earlier));
        self.update_total();
    }

    /// All requests of the conversation; their cost is not known.
    pub(super) fn record_requests(&mut self, total: Usage) {
        self.requested = self.requested.at_least(&total.minus(&self.earlier));
        self.update_total();
    }

    pub(super) fn record_models(&mut self, models: Vec<ModelUsage>) {
        let total = sum(&models);
        let mut earlier = total.minus(&self.own_part(total));
        let largest = models.iter().map(|one| one.usage.tokens()).max();
        let priced = |one: ModelUsage| {
            // Earlier usage is not separated by model: most of it is that of the model with most.
            let is_largest = Some(one.usage.tokens()) == largest;
            let earlier = if is_largest { std::mem::take(&mut earlier) } else { Usage::default() };
            let own = one.usage.minus(&earlier);
            ModelUsage { usage: self.prices.with_cost(&one.model, own), model: one.model }
        };
        self.by_model = models.into_iter().map(priced).collect();
        // Helper agents may use another model, with another price.
        if self.by_model.iter().all(|one| one.usage.cost_micros.is_some()) {
            self.models_cost = sum(&self.by_model).cost_micros;
        }
        self.update_total();
    }

    /// The part of a total that is not of earlier attempts.
    fn own_part(&self, total: Usage) -> Usage {
        let with_earlier = self.earlier.plus(&self.by_process).tokens();
        match self.earlier_usage {
            EarlierUsage::Included => total.minus(&self.earlier),
            EarlierUsage::Sometimes if total.tokens() >= with_earlier => total.minus(&self.earlier),
            EarlierUsage::Sometimes | EarlierUsage::Excluded => total,
        }
    }

    /// The most complete one of output, record and requests. Programs that leave out nothing agree, but some do not
    /// separate what was cached in their output.
    fn update_total(&mut self) {
        let is_logged = self.logged.tokens() >= self.streamed.tokens();
        let base = if is_logged { self.logged } else { self.streamed };
        let cost_micros =
            self.streamed.cost_micros.or(self.models_cost).or(self.logged.cost_micros);
        let reported = Usage { cost_micros, ..base };
        let all = if self.requested.tokens() > base.tokens() {
            self.with_unreported(reported)
        } else {
            reported
        };
        let total = self.prices.with_cost(&self.model, all);
        if total.tokens() >= self.total.tokens() {
            self.total = total;
        }
    }

    /// All requests; those that the program has not reported have the usual price, as far as it is known.
    fn with_unreported(&self, reported: Usage) -> Usage {
        let missing = Usage { cost_micros: None, ..self.requested.minus(&reported) };
        let price = self.prices.with_cost(&self.model, missing).cost_micros.unwrap_or_default();
        let cost_micros = reported.cost_micros.map(|cost| cost.saturating_add(price));
        Usage { cost_micros, ..self.requested }
    }
}

fn sum(models: &[ModelUsage]) -> Usage {
    models.iter().fold(Usage::default(), |sum, one| sum.plus(&one.usage))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(earlier_usage: EarlierUsage, earlier: Usage) -> UsageAccount {
        let mut account = UsageAccount::new(Arc::new(PriceTable::built_in()), None, earlier_usage);
        account.exclude_earlier(earlier);
        account
    }

    fn input(input: u64) -> Usage {
        Usage { input, ..Usage::default() }
    }

    /// AG-08, R14: if a program's totals include earlier usage, that usage is not counted twice.
    #[test]
    fn earlier_usage_is_not_counted_again() {
        let earlier = Usage { cost_micros: Some(9), ..input(5) };
        let mut account = account(EarlierUsage::Included, earlier);
        account.record_output(input(12));
        assert_eq!(account.total().tokens(), 7);
        assert_eq!(account.total().cost_micros, None, "a cost that is not reported is unknown");
    }

    /// AG-08, R14: a program that includes earlier usage only sometimes is counted right in both cases.
    #[test]
    fn usage_of_the_whole_conversation_is_recognised() {
        let own_part = |total: u64| {
            let mut account = account(EarlierUsage::Sometimes, input(1_000));
            account.record_process(input(300));
            account.own_part(input(total)).input
        };
        assert_eq!((own_part(300), own_part(1_300), own_part(450)), (300, 300, 450));
    }

    /// R14: a late or repeated report changes nothing.
    #[test]
    fn totals_never_fall() {
        let mut account = account(EarlierUsage::Excluded, Usage::default());
        for total in [5, 9, 7] {
            account.record_output(input(total));
        }
        assert_eq!(account.total().tokens(), 9);
    }

    /// AG-08, R14: the record of a conversation wins over the output if it is more complete.
    #[test]
    fn the_more_complete_of_output_and_record_counts() {
        let mut account = account(EarlierUsage::Excluded, input(100));
        account.record_output(input(20));
        account.record_session_log(input(130));
        assert_eq!(account.total().tokens(), 30);
        account.record_output(input(40));
        assert_eq!(account.total().tokens(), 40);
    }

    /// AG-08, R14: requests that the program has not reported yet count once, also after it has reported them, and add
    /// their price to its own cost.
    #[test]
    fn requests_that_are_not_reported_yet_count_once() {
        let prices = Arc::new(PriceTable::built_in());
        let model = "claude-sonnet-4-5";
        let mut account = UsageAccount::new(prices, Some(model), EarlierUsage::Excluded);
        account.exclude_earlier(input(100));
        account.record_output(Usage { cost_micros: Some(7), ..input(20) });
        account.record_requests(input(1_000_120));
        let price = PriceTable::built_in().with_cost(model, input(1_000_000)).cost_micros;
        assert_eq!(account.total().tokens(), 1_000_020);
        assert_eq!(account.total().cost_micros, price.map(|price| price + 7));
        account.record_session_log(input(1_000_120));
        account.record_output(Usage { cost_micros: Some(9), ..input(1_000_020) });
        assert_eq!(account.total(), Usage { cost_micros: Some(9), ..input(1_000_020) });
    }
}
