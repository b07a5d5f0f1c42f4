//! Prices and context sizes of models: a dated built-in table, and a project's own prices over it.
//!
//! An unknown model has no price; nothing counts as free (R14).

use std::collections::BTreeMap;

use afresh_core::estimate::DEFAULT_WINDOW;
use afresh_core::usage::Usage;
use afresh_formats::findings::SourceText;
use afresh_formats::text::node::{Node, TableEntry};
use afresh_formats::text::node_reader::NodeReader;

use crate::stream::usage::micros;

const BUILT_IN: &str = include_str!("../prices.toml");
const FIELDS: &[&str] = &["input", "output", "cache_read", "cache_write", "window"];
/// The highest price of a million tokens, in dollars.
const DOLLARS: std::ops::RangeInclusive<f64> = 0.0..=100_000.0;
const WINDOWS: std::ops::RangeInclusive<u64> = 1..=1_000_000_000;

/// One model, or a family of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelPrice {
    /// In millionths of a dollar per million tokens.
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    /// The context size in tokens, if it is known.
    pub window: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceTable {
    /// When the built-in table was last compared with the providers' prices.
    pub as_of: String,
    models: BTreeMap<String, ModelPrice>,
}

impl PriceTable {
    /// The built-in table.
    pub fn built_in() -> Self {
        let source = SourceText::new("prices.toml", BUILT_IN);
        let mut reader = NodeReader::new(&source, "prices");
        let mut prices = Self { as_of: String::new(), models: BTreeMap::new() };
        let root = afresh_formats::text::toml::parse(&source).expect("the built-in table is TOML");
        for entry in reader.entries(&root) {
            match entry.key.as_str() {
                "models" => prices.read(&mut reader, &entry.node),
                _ => prices.as_of = reader.text(&entry.node).unwrap_or_default(),
            }
        }
        assert_eq!(reader.into_findings(), [], "the built-in table is valid");
        prices
    }

    /// Adds a table of models by name, which overrides existing entries.
    pub fn read(&mut self, reader: &mut NodeReader<'_, '_>, table: &Node) {
        for entry in reader.entries(table) {
            if let Some(model) = model(reader, entry) {
                self.models.insert(entry.key.to_ascii_lowercase(), model);
            }
        }
    }

    /// The entry whose name is the longest prefix of this one: `claude-sonnet-4` for
    /// `claude-sonnet-4-5`, but not `gpt-5` for `gpt-5.9`, which is another model.
    pub fn find(&self, name: &str) -> Option<&ModelPrice> {
        let name = name.to_ascii_lowercase();
        let plain = name.rsplit('/').next().unwrap_or(&name);
        let begins = |known: &str| {
            let rest = plain.strip_prefix(known).or_else(|| name.strip_prefix(known));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', ':', '[']))
        };
        let known = self.models.iter().filter(|(known, _)| begins(known));
        known.max_by_key(|(known, _)| known.len()).map(|(_, model)| model)
    }

    /// Whether it can tell what this model costs. A short name such as `sonnet` stands for whichever version the
    /// program takes, so any of the family counts.
    pub fn has_price(&self, name: &str) -> bool {
        let part = format!("-{}-", name.to_ascii_lowercase());
        self.find(name).is_some() || self.models.keys().any(|known| known.contains(&part))
    }

    /// Every model that has a price, by name.
    pub fn models(&self) -> impl Iterator<Item = (&str, &ModelPrice)> {
        self.models.iter().map(|(name, model)| (name.as_str(), model))
    }

    /// The size of a model's context in tokens, or a default if it is unknown.
    pub fn window(&self, name: &str) -> u64 {
        if name.ends_with("[1m]") {
            return 1_000_000;
        }
        self.find(name).and_then(|model| model.window).unwrap_or(DEFAULT_WINDOW)
    }

    /// The usage with its cost, if the program did not report one and the model is known.
    #[must_use]
    pub fn with_cost(&self, name: &str, usage: Usage) -> Usage {
        let cost = || self.find(name).map(|model| model.cost(&usage));
        Usage { cost_micros: usage.cost_micros.or_else(cost), ..usage }
    }
}

impl ModelPrice {
    fn cost(&self, usage: &Usage) -> u64 {
        let parts = [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read),
            (usage.cache_write, self.cache_write),
        ];
        let total: u128 =
            parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(*price)).sum();
        u64::try_from(total.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

/// Reads one model; input and output are required, and the price of the cache defaults to that of input.
fn model(reader: &mut NodeReader<'_, '_>, entry: &TableEntry) -> Option<ModelPrice> {
    let (mut input, mut output, mut cache_read, mut cache_write) = (None, None, None, None);
    let mut window = None;
    for field in reader.entries(&entry.node) {
        let place = match field.key.as_str() {
            "input" => &mut input,
            "output" => &mut output,
            "cache_read" => &mut cache_read,
            "cache_write" => &mut cache_write,
            "window" => {
                window = reader.number(&field.node, WINDOWS);
                continue;
            }
            _ => {
                reader.unknown_key(field, FIELDS);
                continue;
            }
        };
        *place = reader.fraction(&field.node, DOLLARS).and_then(micros);
    }
    let (Some(input), Some(output)) = (input, output) else {
        let message = format!("the price of {:?} has no input or no output", entry.key);
        let hint = "input = 3.0, output = 15.0: dollars per million tokens".to_owned();
        reader.problem(&entry.key_span, message, Some(hint));
        return None;
    };
    let (cache_read, cache_write) = (cache_read.unwrap_or(input), cache_write.unwrap_or(input));
    Some(ModelPrice { input, output, cache_read, cache_write, window })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(input: u64, output: u64, cache_read: u64, cache_write: u64) -> Usage {
        Usage { input, output, cache_read, cache_write, cost_micros: None }
    }

    /// LO-03: cache reads have their own price.
    #[test]
    fn each_kind_of_token_has_its_price() {
        let prices = PriceTable::built_in();
        let usage = used(3_800, 140, 1_500, 320);
        let priced = prices.with_cost("claude-sonnet-4-5", usage).cost_micros;
        assert_eq!(priced, Some(15_150));
        assert!(!prices.as_of.is_empty());
    }

    /// R14: an unknown model has no price, and neither has one with a similar name.
    #[test]
    fn an_unknown_model_is_not_free() {
        let prices = PriceTable::built_in();
        for unknown in ["my-model", "gpt-5.9", "gpt-50", "claude", ""] {
            assert_eq!(prices.with_cost(unknown, used(1, 1, 0, 0)).cost_micros, None, "{unknown}");
        }
        // What the pinned programs use by default is among them.
        let by_default = ["claude-sonnet-5", "claude-sonnet-5-5", "gpt-5.5", "gemini-2.5-flash"];
        let others = ["gpt-5", "openai/gpt-5-mini", "gpt-5-codex", "claude-opus-4-5-20260101"];
        for known in by_default.iter().chain(&others) {
            assert!(prices.find(known).is_some(), "{known}");
        }
        let reported = Usage { cost_micros: Some(7), ..used(1, 1, 0, 0) };
        assert_eq!(
            prices.with_cost("gpt-5", reported).cost_micros,
            Some(7),
            "the program knows better"
        );
    }

    #[test]
    fn a_projects_prices_win_and_mistakes_are_located() {
        let text = "[gpt-5]\ninput = 2\noutput = 4\n[other]\ninput = 1\n[third]\nouput = 1\n";
        let source = SourceText::new("config.toml", text);
        let mut reader = NodeReader::new(&source, "config");
        let mut prices = PriceTable::built_in();
        prices.read(&mut reader, &afresh_formats::text::toml::parse(&source).expect("TOML"));
        let usage = used(1_000_000, 1_000_000, 0, 0);
        assert_eq!(prices.with_cost("gpt-5", usage).cost_micros, Some(6_000_000));
        let lines: Vec<usize> = reader.into_findings().iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [4, 6, 7]);
    }
}
