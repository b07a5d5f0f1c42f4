//! Every value that can be configured, by its dotted key.

use std::time::Duration;

use afresh_agents::{AgentKind, PromptDelivery};
use afresh_core::commit::CommitTemplate;
use afresh_core::hook::HookPoint;
use afresh_core::plan::ModelTier;
use afresh_core::usage::Budget;
use afresh_formats::text::duration;
use serde_json::{Value, json};

use super::Config;

/// One effective setting.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedSetting {
    pub key: String,
    /// Null where nothing is set and there is no default.
    pub value: Value,
}

impl Config {
    /// The effective settings, in the order of the documentation; then other keys of the file.
    pub fn values(&self) -> Vec<ListedSetting> {
        let mut values = self.run();
        values.extend(self.agent_values());
        let mutation = self.settings.mutation.as_ref();
        let strength = mutation.and_then(|rule| rule.required_percent);
        let strength = strength.map(|percent| f64::from(percent) / 100.0);
        let lists = [
            ("workspace.setup", json!(self.setup)),
            ("workspace.keep", json!(self.keep)),
            ("workspace.quota_mib", json!(self.quota.map(|bytes| bytes >> 20))),
            ("checks.always", json!(self.settings.always)),
            ("checks.timeout", spanned(self.check_timeout)),
            ("checks.parallel", json!(self.checks_parallel)),
            ("checks.env", json!(self.check_env)),
            ("checks.probe", json!(self.settings.probe.word())),
            ("checks.probe_limit", spanned(self.probe_limit)),
            ("checks.vacuous", json!(self.settings.vacuous.word())),
            ("checks.on_red_base", json!(self.settings.on_red_base.word())),
            ("checks.rerun", json!(self.settings.rerun)),
            ("checks.quarantine", json!(self.settings.quarantine)),
            ("checks.mutants", json!(mutation.map(|rule| &rule.command))),
            ("checks.strength", json!(strength)),
        ];
        values.extend(lists.map(|(key, value)| listed(key, value)));
        values.extend(self.budgets());
        let context = self.settings.context;
        let shares = [("context.soft", context.soft), ("context.hard", context.hard)];
        values.extend(shares.map(|(key, percent)| listed(key, json!(f64::from(percent) / 100.0))));
        let limits = self.audit;
        let audit = [
            ("audit.create", json!(limits.create)),
            ("audit.modify", json!(limits.modify)),
            ("audit.lines", json!(limits.lines)),
            ("audit.criteria", json!(limits.criteria)),
            ("audit.requirements", json!(limits.requirements)),
            ("audit.context", json!(f64::from(limits.context) / 100.0)),
        ];
        values.extend(audit.map(|(key, value)| listed(key, value)));
        values.push(listed("plan.acceptance", json!(self.acceptance.word())));
        let review = super::review::values(&self.settings.review);
        values.extend(review.map(|(key, value)| listed(key, value)));
        let merge = super::merge::values(self.settings.merge);
        values.extend(merge.map(|(key, value)| listed(key, value)));
        let template = self.settings.commit_template.as_ref().map(CommitTemplate::text);
        values.push(listed("commit.template", json!(template)));
        values.push(listed("writeback.mode", json!(self.writeback.word())));
        values.extend(HookPoint::ALL.map(|point| {
            let commands = self.hooks.commands.get(&point).cloned().unwrap_or_default();
            listed(&format!("hooks.{}", point.word()), json!(commands))
        }));
        values.push(listed("hooks.timeout", spanned(self.hooks.limit)));
        values.push(listed("notify.terminal", json!(self.notify.word())));
        values.extend(self.price_values());
        let besides = self.written.iter().filter(|(key, _)| values.iter().all(|v| v.key != **key));
        let besides: Vec<ListedSetting> =
            besides.map(|(key, written)| listed(key, written.value.clone())).collect();
        values.extend(besides);
        values
    }

    fn run(&self) -> Vec<ListedSetting> {
        let settings = &self.settings;
        let unlisted = if settings.unlisted_beside_others { "beside" } else { "alone" };
        let backoff: Vec<Value> = settings.backoff.iter().copied().map(spanned).collect();
        [
            ("parallel", json!(settings.parallel)),
            ("schedule", json!(settings.schedule.word())),
            ("agent", json!(self.agent)),
            ("tier", json!(settings.tier.word())),
            ("attempts", json!(settings.attempts)),
            ("attempt_timeout", spanned(self.attempt_timeout)),
            ("silence_timeout", spanned(self.silence_timeout)),
            ("timeout_action", json!(settings.timeout_action.word())),
            ("on_change", json!(settings.on_change.word())),
            ("halt_grace", spanned(settings.halt_grace)),
            ("history", json!(settings.history.word())),
            ("scope", json!(settings.scope.word())),
            ("backoff", json!(backoff)),
            ("unlisted", json!(unlisted)),
            ("output_limit", json!(self.output_bytes)),
        ]
        .into_iter()
        .map(|(key, value)| listed(&format!("run.{key}"), value))
        .collect()
    }

    fn agent_values(&self) -> Vec<ListedSetting> {
        let mut values = Vec::new();
        for agent in self.agents.values() {
            let mut add = |key: &str, value| {
                values.push(listed(&format!("agents.{}.{key}", agent.name), value));
            };
            match &agent.kind {
                AgentKind::Command { command, prompt } => {
                    add("kind", json!("command"));
                    add("command", json!(command));
                    add("prompt", json!(prompt_word(*prompt)));
                }
                AgentKind::Program(program) => {
                    add("kind", json!(program.program.name()));
                    add("command", json!(program.command));
                    add("args", json!(program.args));
                }
                AgentKind::Acp(acp) => {
                    add("kind", json!("acp"));
                    add("command", json!(acp.command));
                }
                AgentKind::Scripted { script } => {
                    add("kind", json!("scripted"));
                    add("script", json!(script.shown));
                }
            }
            for tier in [ModelTier::Small, ModelTier::Standard, ModelTier::Large] {
                if let Some(model) = agent.model(tier) {
                    add(&format!("models.{}", tier.word()), json!(model));
                }
            }
            add("env", json!(agent.env));
        }
        values
    }

    /// In dollars per million tokens, and the window in tokens.
    fn price_values(&self) -> Vec<ListedSetting> {
        let mut values = vec![listed("prices.as_of", json!(self.prices.as_of))];
        for (name, model) in self.prices.models() {
            let prices = [
                ("input", json!(dollars(model.input))),
                ("output", json!(dollars(model.output))),
                ("cache_read", json!(dollars(model.cache_read))),
                ("cache_write", json!(dollars(model.cache_write))),
                ("window", json!(model.window)),
            ];
            let own = prices.map(|(key, value)| (format!("prices.{name}.{key}"), value));
            let is_own = own.iter().any(|(key, _)| self.spelled(key).is_some());
            for (key, value) in own {
                // Prices that the file leaves out are derived from the others.
                match self.spelled(&key) {
                    Some(key) => values.push(listed(key, value)),
                    None if is_own => {}
                    None => values.push(listed(&key, value)),
                }
            }
        }
        values
    }

    /// A key as the file spells it: model names may have capitals.
    fn spelled(&self, key: &str) -> Option<&str> {
        self.written.keys().map(String::as_str).find(|written| written.eq_ignore_ascii_case(key))
    }

    fn budgets(&self) -> Vec<ListedSetting> {
        let amounts = |budget: Budget| (budget.cost_micros.map(dollars), budget.tokens);
        let ((usd, tokens), (task_usd, task_tokens)) =
            (amounts(self.settings.budget), amounts(self.settings.task_budget));
        [
            ("budget.usd", json!(usd)),
            ("budget.tokens", json!(tokens)),
            ("budget.task_usd", json!(task_usd)),
            ("budget.task_tokens", json!(task_tokens)),
        ]
        .map(|(key, value)| listed(key, value))
        .to_vec()
    }
}

fn listed(key: &str, value: Value) -> ListedSetting {
    ListedSetting { key: key.to_owned(), value }
}

fn spanned(length: Duration) -> Value {
    json!(duration::render(length))
}

#[expect(clippy::cast_precision_loss, reason = "money is shown here, not counted")]
fn dollars(micros: u64) -> f64 {
    micros as f64 / 1e6
}

fn prompt_word(prompt: PromptDelivery) -> &'static str {
    match prompt {
        PromptDelivery::Stdin => "stdin",
        PromptDelivery::File => "file",
        PromptDelivery::Arg => "arg",
    }
}

#[cfg(test)]
mod tests {
    use super::super::{hooks, read};
    use super::*;

    /// Every key that can be written is listed.
    #[test]
    fn every_key_that_is_read_is_listed() {
        let keys: Vec<String> = Config::default().values().into_iter().map(|v| v.key).collect();
        let tables = [
            ("run", read::RUN),
            ("workspace", read::WORKSPACE),
            ("checks", read::CHECKS),
            ("budget", read::BUDGET),
            ("context", read::CONTEXT),
            ("commit", read::COMMIT),
            ("writeback", read::WRITEBACK),
            ("hooks", hooks::HOOKS),
            ("notify", hooks::NOTIFY),
        ];
        for (table, names) in tables {
            for name in names {
                let key = format!("{table}.{name}");
                assert!(keys.contains(&key), "{key} is not listed");
            }
        }
    }
}
