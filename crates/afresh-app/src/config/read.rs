//! `.afresh/config.toml` into a [`Config`].

use afresh_core::commit::CommitTemplate;
use afresh_core::plan::TierChoice;
use afresh_core::run::settings::{
    History, OnChange, Schedule, ScopeMode, TimeoutAction, WritebackMode,
};
use afresh_formats::Finding;
use afresh_formats::findings::SourceText;
use afresh_formats::text::node::{Node, TableEntry};
use afresh_formats::text::node_reader::NodeReader;
use afresh_planner::stages::AcceptanceTests;
use jiff::civil::Date;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::{Config, agents, checks, hooks, merge, origin, review};
use crate::config::policy::network::{self, NetworkMode};
use crate::config::policy::sandbox::SandboxRequest;
use crate::text::time;

const TABLES: &[&str] = &[
    "run",
    "agents",
    "workspace",
    "checks",
    "budget",
    "context",
    "prices",
    "sandbox",
    "audit",
    "plan",
    "commit",
    "writeback",
    "review",
    "merge",
    "hooks",
    "notify",
];
pub(super) const RUN: &[&str] = &[
    "parallel",
    "schedule",
    "agent",
    "tier",
    "attempt_timeout",
    "silence_timeout",
    "timeout_action",
    "on_change",
    "attempts",
    "halt_grace",
    "history",
    "scope",
    "backoff",
    "output_limit",
    "unlisted",
];
/// What a budget may be.
const TOKENS: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// In bytes: a worker's result must fit, and a disk is finite.
const OUTPUT_LIMITS: RangeInclusive<u64> = 65_536..=1_000_000_000_000;
pub(super) const BUDGET: &[&str] = &["usd", "tokens", "task_usd", "task_tokens"];
pub(super) const SANDBOX: &[&str] =
    &["level", "network", "agent_network", "memory_mib", "file_mib", "processes"];
pub(super) const AUDIT: &[&str] =
    &["create", "modify", "lines", "criteria", "requirements", "context"];
pub(super) const PLAN: &[&str] = &["acceptance"];
pub(super) const COMMIT: &[&str] = &["template"];
pub(super) const WRITEBACK: &[&str] = &["mode"];
/// What a threshold may be.
const THRESHOLDS: RangeInclusive<u64> = 0..=1_000_000;
pub(super) const CONTEXT: &[&str] = &["soft", "hard"];
pub(super) const WORKSPACE: &[&str] = &["setup", "keep", "quota_mib"];
pub(super) const CHECKS: &[&str] = &[
    "always",
    "timeout",
    "parallel",
    "env",
    "probe",
    "probe_limit",
    "vacuous",
    "on_red_base",
    "rerun",
    "quarantine",
    "mutants",
    "strength",
];

/// Reads the file into `config`; returns everything that is wrong.
pub(super) fn read(file: &str, bytes: &[u8], config: &mut Config) -> Vec<Finding> {
    read_on(file, bytes, config, time::today())
}

/// The same, as of this day.
pub(super) fn read_on(file: &str, bytes: &[u8], config: &mut Config, today: Date) -> Vec<Finding> {
    if let Some(finding) = afresh_formats::findings::wide_encoding(file, bytes) {
        return vec![finding];
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let message = format!("byte {} is not UTF-8", error.valid_up_to());
            return vec![Finding::for_file(file, "not-utf8", message)];
        }
    };
    let source = SourceText::new(file, text);
    let mut reader = NodeReader::new(&source, "config");
    match afresh_formats::text::toml::parse(&source) {
        Ok(root) => {
            config.written = origin::written(&source, &root);
            tables(&mut reader, &root, config, today);
        }
        Err(finding) => reader.add(finding),
    }
    reader.into_findings()
}

fn tables(reader: &mut NodeReader<'_, '_>, root: &Node, config: &mut Config, today: Date) {
    for entry in reader.entries(root) {
        match entry.key.as_str() {
            "run" => run(reader, &entry.node, config),
            "agents" => agents::read(reader, &entry.node, config),
            "workspace" => workspace(reader, &entry.node, config),
            "checks" => checks::read(reader, &entry.node, config, today),
            "budget" => budget(reader, &entry.node, config),
            "context" => context(reader, &entry.node, config),
            "prices" => config.prices.read(reader, &entry.node),
            "audit" => audit(reader, &entry.node, config),
            "plan" => plan(reader, &entry.node, config),
            "review" => review::read(reader, &entry.node, &mut config.settings.review),
            "merge" => merge::read(reader, &entry.node, &mut config.settings.merge),
            "commit" => commit(reader, &entry.node, config),
            "writeback" => writeback(reader, &entry.node, config),
            "hooks" => hooks::read(reader, &entry.node, config),
            "notify" => hooks::read_notify(reader, &entry.node, config),
            "sandbox" => sandbox(reader, &entry.node, &mut config.sandbox),
            _ => reader.unknown_key(entry, TABLES),
        }
    }
}

fn run(reader: &mut NodeReader<'_, '_>, node: &Node, config: &mut Config) {
    let settings = &mut config.settings;
    for entry in reader.entries(node) {
        let value = &entry.node;
        match entry.key.as_str() {
            "parallel" => set(&mut settings.parallel, count(reader, value)),
            "attempts" => set(&mut settings.attempts, count(reader, value).map(u32::from)),
            "schedule" => {
                let word = reader.word_by(value, Schedule::WORDS, Schedule::from_word);
                set(&mut settings.schedule, word);
            }
            "history" => {
                set(
                    &mut settings.history,
                    reader.word_by(value, History::WORDS, History::from_word),
                );
            }
            "scope" => {
                let word = reader.word_by(value, ScopeMode::WORDS, ScopeMode::from_word);
                set(&mut settings.scope, word);
            }
            "timeout_action" => {
                let word = reader.word_by(value, TimeoutAction::WORDS, TimeoutAction::from_word);
                set(&mut settings.timeout_action, word);
            }
            "on_change" => {
                let word = reader.word_by(value, OnChange::WORDS, OnChange::from_word);
                set(&mut settings.on_change, word);
            }
            "halt_grace" => set(&mut settings.halt_grace, reader.duration(value)),
            "backoff" => set(&mut settings.backoff, spans(reader, value)),
            "unlisted" => {
                let word = reader.word(value, &[("alone", false), ("beside", true)]);
                set(&mut settings.unlisted_beside_others, word);
            }
            "tier" => set(&mut settings.tier, reader.word(value, TierChoice::WORDS)),
            "agent" => set(&mut config.agent, reader.text(value).map(Some)),
            "attempt_timeout" => set(&mut config.attempt_timeout, reader.duration(value)),
            "silence_timeout" => set(&mut config.silence_timeout, reader.duration(value)),
            "output_limit" => set(&mut config.output_bytes, reader.number(value, OUTPUT_LIMITS)),
            _ => reader.unknown_key(entry, RUN),
        }
    }
}

fn workspace(reader: &mut NodeReader<'_, '_>, node: &Node, config: &mut Config) {
    for entry in reader.entries(node) {
        match entry.key.as_str() {
            "setup" => set(&mut config.setup, reader.texts(&entry.node)),
            "keep" => set(&mut config.keep, reader.texts(&entry.node)),
            "quota_mib" => config.quota = mebibytes(reader, &entry.node),
            _ => reader.unknown_key(entry, WORKSPACE),
        }
    }
}

fn budget(reader: &mut NodeReader<'_, '_>, node: &Node, config: &mut Config) {
    let settings = &mut config.settings;
    for entry in reader.entries(node) {
        let value = &entry.node;
        match entry.key.as_str() {
            "usd" => settings.budget.cost_micros = dollars(reader, value),
            "tokens" => settings.budget.tokens = reader.number(value, TOKENS),
            "task_usd" => settings.task_budget.cost_micros = dollars(reader, value),
            "task_tokens" => settings.task_budget.tokens = reader.number(value, TOKENS),
            _ => reader.unknown_key(entry, BUDGET),
        }
    }
}

fn context(reader: &mut NodeReader<'_, '_>, node: &Node, config: &mut Config) {
    let limits = &mut config.settings.context;
    let mut soft = None;
    for entry in reader.entries(node) {
        match entry.key.as_str() {
            "soft" => soft = share(reader, &entry.node),
            "hard" => set(&mut limits.hard, share(reader, &entry.node)),
            _ => reader.unknown_key(entry, CONTEXT),
        }
    }
    // A hard limit alone is enough to say.
    limits.soft = soft.unwrap_or(limits.soft.min(limits.hard));
    if limits.soft > limits.hard {
        let message = "the soft limit is above the hard one".to_owned();
        reader.problem(&node.span, message, Some("soft = 0.5, hard = 0.7".to_owned()));
    }
}

fn audit(reader: &mut NodeReader<'_, '_>, node: &Node, config: &mut Config) {
    let limits = &mut config.audit;
    for entry in reader.entries(node) {
        let value = &entry.node;
        let limit = match entry.key.as_str() {
            "create" => &mut limits.create,
            "modify" => &mut limits.modify,
            "lines" => &mut limits.lines,
            "criteria" => &mut limits.criteria,
            "requirements" => &mut limits.requirements,
            "context" => {
                set(&mut limits.context, share(reader, value));
                continue;
            }
            _ => {
                reader.unknown_key(entry, AUDIT);
                continue;
            }
        };
        set(limit, reader.number(value, THRESHOLDS));
    }
}

fn plan(reader: &mut NodeReader<'_, '_>, node: &Node, config: &mut Config) {
    for entry in reader.entries(node) {
        match entry.key.as_str() {
            "acceptance" => {
                let words = AcceptanceTests::ALL.map(|tests| (tests.word(), tests));
                set(&mut config.acceptance, reader.word(&entry.node, &words));
            }
            _ => reader.unknown_key(entry, PLAN),
        }
    }
}

fn commit(reader: &mut NodeReader<'_, '_>, node: &Node, config: &mut Config) {
    for entry in reader.entries(node) {
        match entry.key.as_str() {
            "template" => {
                let Some(text) = reader.text(&entry.node) else { continue };
                match CommitTemplate::parse(&text) {
                    Ok(template) => config.settings.commit_template = Some(template),
                    Err(problem) => {
                        reader.problem(&entry.node.span, problem.message, Some(problem.hint));
                    }
                }
            }
            _ => reader.unknown_key(entry, COMMIT),
        }
    }
}

fn writeback(reader: &mut NodeReader<'_, '_>, node: &Node, config: &mut Config) {
    for entry in reader.entries(node) {
        match entry.key.as_str() {
            "mode" => {
                let words = WritebackMode::WORDS;
                let mode = reader.word_by(&entry.node, words, WritebackMode::from_word);
                set(&mut config.writeback, mode);
            }
            _ => reader.unknown_key(entry, WRITEBACK),
        }
    }
}

/// A project can only ask for more isolation. Anything else is reported and ignored.
fn sandbox(reader: &mut NodeReader<'_, '_>, node: &Node, asked: &mut SandboxRequest) {
    for field in reader.entries(node) {
        let value = &field.node;
        match field.key.as_str() {
            "level" => {
                let levels = [("auto", "auto"), ("off", "off"), ("required", "required")];
                let level = reader.word(value, &levels);
                asked.required = level == Some("required");
                if level == Some("off") {
                    not_for_projects(reader, field, "turn the sandbox off", "--sandbox off");
                }
            }
            "network" => {
                if reader.flag(value) == Some(true) {
                    not_for_projects(reader, field, "give checks a network", "--check-network");
                }
            }
            "agent_network" => {
                let mode = reader.word_by(value, network::WORDS, NetworkMode::from_word);
                if mode == Some(NetworkMode::Open) {
                    let flag = "--agent-network open";
                    not_for_projects(reader, field, "give agents the whole network", flag);
                }
                asked.agent_network = mode.filter(|mode| *mode != NetworkMode::Open);
            }
            "memory_mib" => asked.limits.memory = mebibytes(reader, value),
            "file_mib" => asked.file = mebibytes(reader, value),
            "processes" => asked.limits.processes = reader.number(value, 1..=1_000_000),
            _ => reader.unknown_key(field, SANDBOX),
        }
    }
}

/// As bytes.
fn mebibytes(reader: &mut NodeReader<'_, '_>, node: &Node) -> Option<u64> {
    reader.number(node, 1..=1 << 30).map(|number| number << 20)
}

fn not_for_projects(reader: &mut NodeReader<'_, '_>, entry: &TableEntry, what: &str, flag: &str) {
    let message = format!("a project cannot {what}; only the user can");
    let finding = reader.finding("sandbox", &entry.key_span, message);
    reader.add(finding.as_warning().with_hint(format!("use `afresh run {flag}` if you want that")));
}

/// A share of a whole, in per cent.
pub(super) fn share(reader: &mut NodeReader<'_, '_>, node: &Node) -> Option<u8> {
    let share = reader.fraction(node, 0.01..=1.0)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and 100, as was just checked"
    )]
    Some((share * 100.0).round() as u8)
}

/// Sets a field, if there is a value.
pub(super) fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

pub(super) fn count(reader: &mut NodeReader<'_, '_>, node: &Node) -> Option<u16> {
    reader.number(node, 1..=1000).and_then(|number| u16::try_from(number).ok())
}

/// Dollars as millionths.
fn dollars(reader: &mut NodeReader<'_, '_>, node: &Node) -> Option<u64> {
    reader.fraction(node, 0.0..=1e6).and_then(afresh_agents::stream::usage::micros)
}

fn spans(reader: &mut NodeReader<'_, '_>, node: &Node) -> Option<Vec<Duration>> {
    reader.list(node, "a list of durations").iter().map(|item| reader.duration(item)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> (Config, Vec<Finding>) {
        let mut config = Config::default();
        let findings = read("config.toml", text.as_bytes(), &mut config);
        (config, findings)
    }

    #[test]
    fn the_documented_keys_are_read() {
        let (config, findings) = findings(
            "[run]\nparallel = 8\nattempt_timeout = \"90s\"\nscope = \"strict\"\n\
             [agents.mine]\nkind = \"command\"\ncommand = [\"python3\", \"a.py\"]\nprompt = \"file\"\nenv = [\"T\"]\n\
             [checks]\nalways = [\"make test\"]\n",
        );
        assert_eq!(findings, []);
        assert_eq!(config.settings.parallel, 8);
        assert_eq!(config.settings.scope, ScopeMode::Strict);
        assert_eq!(config.attempt_timeout, Duration::from_secs(90));
        assert_eq!(config.agents["mine"].env, ["T"]);
        assert_eq!(config.settings.always, ["make test"]);
    }

    #[test]
    fn a_misspelt_key_is_shown_where_it_is_with_the_nearest_one() {
        let (_, findings) = findings("[run]\nparalel = 8\n");
        assert_eq!((findings[0].line, findings[0].column), (2, 1));
        assert!(findings[0].hint.as_deref().is_some_and(|help| help.contains("parallel")));
    }

    /// AG-07: both limits are read; a soft one is never above a hard one.
    #[test]
    fn the_limits_of_a_context_are_read() {
        let (config, reported) = findings("[context]\nsoft = 0.4\nhard = 0.6\n");
        assert_eq!((config.settings.context.soft, config.settings.context.hard), (40, 60));
        assert_eq!(reported, []);
        let (config, reported) = findings("[context]\nhard = 0.4\n");
        assert_eq!(
            (config.settings.context.soft, reported),
            (40, vec![]),
            "a hard one alone is enough"
        );
        let (_, refused) = findings("[context]\nsoft = 0.6\nhard = 0.4\n");
        assert!(refused.iter().any(Finding::is_error), "{refused:?}");
    }

    /// F22, B22: a project can ask for a sandbox, and cannot turn one off.
    #[test]
    fn a_project_can_only_tighten() {
        let (config, reported) =
            findings("[sandbox]\nlevel = \"required\"\nmemory_mib = 512\nprocesses = 100\n");
        assert!(config.sandbox.required && reported.is_empty(), "{reported:?}");
        assert_eq!(config.sandbox.limits.memory, Some(512 << 20));
        let (config, reported) = findings("[workspace]\nquota_mib = 100\n");
        assert_eq!((config.quota, reported), (Some(100 << 20), vec![]));
        let (config, reported) = findings("[sandbox]\nlevel = \"off\"\nnetwork = true\n");
        assert!(!config.sandbox.required);
        assert!(
            reported.len() == 2 && reported.iter().all(|found| !found.is_error()),
            "{reported:?}"
        );
        assert!(reported[0].hint.as_deref().is_some_and(|help| help.contains("--sandbox off")));
        let (config, reported) = findings("[sandbox]\nagent_network = \"off\"\n");
        assert_eq!(config.sandbox.agent_network, Some(NetworkMode::Off));
        assert!(reported.is_empty(), "{reported:?}");
        let (config, reported) = findings("[sandbox]\nagent_network = \"open\"\n");
        assert_eq!(config.sandbox.agent_network, None);
        assert!(
            reported[0].hint.as_deref().is_some_and(|help| help.contains("--agent-network open"))
        );
    }

    /// EX-16: a template is read with its variables; a mistake in it is shown where it is.
    #[test]
    fn the_template_of_commits_is_checked_when_it_is_read() {
        let (config, reported) = findings("[commit]\ntemplate = \"{subject}\\n\\n{summary}\"\n");
        assert_eq!(reported, []);
        let template = config.settings.commit_template.expect("a template");
        assert_eq!(template.text(), "{subject}\n\n{summary}");
        let (config, reported) = findings("[run]\n[commit]\ntemplate = \"{titel}\"\n");
        assert_eq!(config.settings.commit_template, None);
        assert!(reported.len() == 1 && reported[0].is_error(), "{reported:?}");
        assert_eq!((reported[0].line, reported[0].column), (3, 12));
        assert_eq!(reported[0].hint.as_deref(), Some("did you mean {title}?"));
    }

    #[test]
    fn every_mistake_is_reported_at_once() {
        let (_, findings) =
            findings("[run]\nparallel = 0\nschedule = \"now\"\nhalt_grace = 5\n[agents.x]\n");
        assert_eq!(findings.len(), 4, "{findings:?}");
    }
}
