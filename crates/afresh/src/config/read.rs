//! `.afresh/config.toml` into a [`Config`].

use std::path::Path;
use std::time::Duration;

use afresh_agents::scripted::ScriptFile;
use afresh_agents::{Agent, Kind, PromptBy};
use afresh_core::plan::nearest;
use afresh_core::settings::{History, Schedule, ScopeMode, TimeoutAction};
use afresh_formats::Finding;
use afresh_formats::finding::Source;
use afresh_formats::node::{Entry, Node, Value};

use super::{Config, origin};
use crate::moment::parse_span;
use crate::script_file;

/// Tables that belong to the format, and are carried out by later versions.
const LATER: &[(&str, &str)] = &[
    ("context", "context limits"),
    ("sandbox", "sandbox settings"),
    ("review", "reviews"),
    ("hooks", "hooks"),
];
const TABLES: &[&str] =
    &["run", "agents", "workspace", "checks", "budget", "context", "sandbox", "review", "hooks"];
pub(super) const RUN: &[&str] = &[
    "parallel",
    "schedule",
    "agent",
    "attempt_timeout",
    "silence_timeout",
    "timeout_action",
    "attempts",
    "halt_grace",
    "history",
    "scope",
    "backoff",
    "output_limit",
    "unlisted",
];
const AGENT: &[&str] = &["kind", "command", "prompt", "script", "env", "models"];
const KINDS: &[&str] = &["command", "claude", "codex", "gemini", "opencode", "acp", "scripted"];
pub(super) const BUDGET: &[&str] = &["usd", "tokens", "task_usd", "task_tokens"];
pub(super) const WORKSPACE: &[&str] = &["setup", "keep"];
pub(super) const CHECKS: &[&str] = &["always", "timeout", "parallel", "env"];

/// Reads the file onto `config`; everything that is wrong comes back.
pub(super) fn read(file: &str, bytes: &[u8], config: &mut Config) -> Vec<Finding> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let message = format!("byte {} is not UTF-8", error.valid_up_to());
            return vec![Finding::of_file(file, "not-utf8", message)];
        }
    };
    let source = Source::new(file, text);
    let mut reader = Reader { source: &source, findings: Vec::new() };
    match afresh_formats::toml::parse(&source) {
        Ok(root) => {
            config.written = origin::written(&source, &root);
            reader.root(&root, config);
        }
        Err(finding) => reader.findings.push(finding),
    }
    reader.findings
}

struct Reader<'a, 's> {
    source: &'a Source<'s>,
    findings: Vec<Finding>,
}

impl Reader<'_, '_> {
    fn root(&mut self, root: &Node, config: &mut Config) {
        for entry in self.entries(root) {
            match entry.key.as_str() {
                "run" => self.run(&entry.node, config),
                "agents" => self.agents(&entry.node, config),
                "workspace" => self.workspace(&entry.node, config),
                "checks" => self.checks(&entry.node, config),
                "budget" => self.budget(&entry.node, config),
                key => match LATER.iter().find(|(table, _)| *table == key) {
                    Some((_, what)) => self.later(entry, what),
                    None => self.unknown(entry, TABLES),
                },
            }
        }
    }

    fn run(&mut self, node: &Node, config: &mut Config) {
        let settings = &mut config.settings;
        for entry in self.entries(node) {
            let value = &entry.node;
            match entry.key.as_str() {
                "parallel" => self.set(&mut settings.parallel, value, Self::count),
                "attempts" => {
                    self.set(&mut settings.attempts, value, |r, n| r.count(n).map(u32::from));
                }
                "schedule" => self.set(&mut settings.schedule, value, |r, n| {
                    r.word(n, Schedule::WORDS, Schedule::from_word)
                }),
                "history" => self.set(&mut settings.history, value, |r, n| {
                    r.word(n, History::WORDS, History::from_word)
                }),
                "scope" => self.set(&mut settings.scope, value, |r, n| {
                    r.word(n, ScopeMode::WORDS, ScopeMode::from_word)
                }),
                "timeout_action" => self.set(&mut settings.timeout_action, value, |r, n| {
                    r.word(n, TimeoutAction::WORDS, TimeoutAction::from_word)
                }),
                "halt_grace" => self.set(&mut settings.halt_grace, value, Self::span),
                "backoff" => self.set(&mut settings.backoff, value, Self::spans),
                "unlisted" => self.set(&mut settings.unlisted_beside_others, value, |r, n| {
                    r.word(n, &["alone", "beside"], |word| match word {
                        "alone" => Some(false),
                        "beside" => Some(true),
                        _ => None,
                    })
                }),
                "agent" => self.set(&mut config.agent, value, |r, n| r.text(n).map(Some)),
                "attempt_timeout" => self.set(&mut config.attempt_timeout, value, Self::span),
                "silence_timeout" => self.set(&mut config.silence_timeout, value, Self::span),
                "output_limit" => self.set(&mut config.output_bytes, value, Self::bytes),
                _ => self.unknown(entry, RUN),
            }
        }
    }

    fn agents(&mut self, node: &Node, config: &mut Config) {
        for entry in self.entries(node) {
            if let Some(agent) = self.agent(entry, &config.home) {
                config.agents.insert(entry.key.clone(), agent);
            }
        }
    }

    fn agent(&mut self, entry: &Entry, home: &Path) -> Option<Agent> {
        let (mut kind, mut command, mut prompt, mut env) =
            (None, Vec::new(), PromptBy::Stdin, Vec::new());
        let mut script = None;
        let mut kind_at = entry.key_span.clone();
        for field in self.entries(&entry.node) {
            let value = &field.node;
            match field.key.as_str() {
                "kind" => {
                    kind = self.text(value);
                    kind_at = value.span.clone();
                }
                "command" => self.set(&mut command, value, Self::texts),
                "env" => self.set(&mut env, value, Self::texts),
                "script" => script = Some(value),
                "prompt" => self.set(&mut prompt, value, |r, n| {
                    r.word(n, &["stdin", "file", "arg"], |word| match word {
                        "stdin" => Some(PromptBy::Stdin),
                        "file" => Some(PromptBy::File),
                        "arg" => Some(PromptBy::Arg),
                        _ => None,
                    })
                }),
                "models" => self.later(field, "models"),
                _ => self.unknown(field, AGENT),
            }
        }
        match kind.as_deref() {
            Some("command") if command.is_empty() => {
                let message = format!("agent {:?} has no command", entry.key);
                self.problem(
                    &entry.key_span,
                    message,
                    Some("command = [\"program\", \"argument\"]"),
                );
                None
            }
            Some("command") => Some(Agent {
                name: entry.key.clone(),
                kind: Kind::Command { command, prompt },
                env,
            }),
            Some("scripted") => {
                let script = self.script(entry, script, home)?;
                Some(Agent { name: entry.key.clone(), kind: Kind::Scripted { script }, env })
            }
            Some(other) if !KINDS.contains(&other) => {
                let message = format!("agent {:?} is of an unknown kind, {other:?}", entry.key);
                let near = nearest(other, KINDS.iter().copied());
                let help = near.map_or_else(
                    || format!("known are: {}", KINDS.join(", ")),
                    |near| format!("did you mean {near:?}?"),
                );
                self.problem(&kind_at, message, Some(&help));
                None
            }
            Some(other) => {
                let message = format!("agents of kind {other:?} are not in this version");
                let finding = self.source.finding("later", &entry.key_span, message);
                self.findings
                    .push(finding.as_warning().with_help("kind = \"command\" runs any program"));
                None
            }
            None => {
                let message = format!("agent {:?} has no kind", entry.key);
                self.problem(&entry.key_span, message, Some("kind = \"command\""));
                None
            }
        }
    }

    /// The script of an agent, read and judged now: no run starts with one that cannot be played.
    fn script(&mut self, agent: &Entry, node: Option<&Node>, home: &Path) -> Option<ScriptFile> {
        let Some(node) = node else {
            let message = format!("agent {:?} has no script", agent.key);
            self.problem(&agent.key_span, message, Some("script = \"path/to/script.toml\""));
            return None;
        };
        let written = self.text(node)?;
        match script_file::load(home, &written) {
            Ok(loaded) => {
                self.findings.extend(loaded.warnings);
                Some(loaded.file)
            }
            Err(findings) => {
                if findings.iter().any(|finding| finding.line == 0) {
                    let message = format!("the script {written:?} cannot be used");
                    self.problem(&node.span, message, None);
                }
                self.findings.extend(findings);
                None
            }
        }
    }

    fn workspace(&mut self, node: &Node, config: &mut Config) {
        for entry in self.entries(node) {
            match entry.key.as_str() {
                "setup" => self.set(&mut config.setup, &entry.node, Self::texts),
                "keep" => self.set(&mut config.keep, &entry.node, Self::texts),
                _ => self.unknown(entry, WORKSPACE),
            }
        }
    }

    fn checks(&mut self, node: &Node, config: &mut Config) {
        for entry in self.entries(node) {
            match entry.key.as_str() {
                "always" => self.set(&mut config.settings.always, &entry.node, Self::texts),
                "timeout" => self.set(&mut config.check_timeout, &entry.node, Self::span),
                "parallel" => self.set(&mut config.checks_parallel, &entry.node, Self::count),
                "env" => self.set(&mut config.check_env, &entry.node, Self::texts),
                _ => self.unknown(entry, CHECKS),
            }
        }
    }

    fn budget(&mut self, node: &Node, config: &mut Config) {
        let settings = &mut config.settings;
        for entry in self.entries(node) {
            let value = &entry.node;
            match entry.key.as_str() {
                "usd" => settings.budget.cost_micros = self.dollars(value),
                "tokens" => settings.budget.tokens = self.tokens(value),
                "task_usd" => settings.task_budget.cost_micros = self.dollars(value),
                "task_tokens" => settings.task_budget.tokens = self.tokens(value),
                _ => self.unknown(entry, BUDGET),
            }
        }
    }

    /// Dollars as millionths.
    fn dollars(&mut self, node: &Node) -> Option<u64> {
        let amount = match node.value {
            Value::Fraction(number) => Some(number),
            Value::Integer(number) => i32::try_from(number).ok().map(f64::from),
            _ => None,
        };
        let micros = amount.and_then(afresh_agents::usage::micros);
        if micros.is_none() {
            self.wrong(node, "an amount of dollars, such as 2.50");
        }
        micros
    }

    fn tokens(&mut self, node: &Node) -> Option<u64> {
        if let Value::Integer(number) = node.value
            && let Ok(number @ 1..) = u64::try_from(number)
        {
            return Some(number);
        }
        self.wrong(node, "a number of tokens");
        None
    }

    /// Puts the value where it belongs, if it is one.
    fn set<T>(
        &mut self,
        place: &mut T,
        node: &Node,
        read: impl FnOnce(&mut Self, &Node) -> Option<T>,
    ) {
        if let Some(value) = read(self, node) {
            *place = value;
        }
    }

    fn entries<'n>(&mut self, node: &'n Node) -> &'n [Entry] {
        if let Value::Table(entries) = &node.value {
            return entries;
        }
        self.wrong(node, "a table");
        &[]
    }

    fn text(&mut self, node: &Node) -> Option<String> {
        if let Value::Text(text) = &node.value {
            return Some(text.clone());
        }
        self.wrong(node, "a text");
        None
    }

    fn texts(&mut self, node: &Node) -> Option<Vec<String>> {
        let Value::List(items) = &node.value else {
            self.wrong(node, "a list of texts");
            return None;
        };
        items.iter().map(|item| self.text(item)).collect()
    }

    fn count(&mut self, node: &Node) -> Option<u16> {
        if let Value::Integer(number @ 1..=1000) = node.value {
            return u16::try_from(number).ok();
        }
        self.wrong(node, "a number from 1 to 1000");
        None
    }

    fn bytes(&mut self, node: &Node) -> Option<u64> {
        if let Value::Integer(number) = node.value
            && let Ok(bytes @ 65_536..) = u64::try_from(number)
        {
            return Some(bytes);
        }
        self.wrong(node, "a number of bytes, at least 65536");
        None
    }

    fn span(&mut self, node: &Node) -> Option<Duration> {
        if let Value::Text(text) = &node.value
            && let Some(span) = parse_span(text)
        {
            return Some(span);
        }
        self.wrong(node, "a span such as \"30m\", \"5s\" or \"500ms\"");
        None
    }

    fn spans(&mut self, node: &Node) -> Option<Vec<Duration>> {
        let Value::List(items) = &node.value else {
            self.wrong(node, "a list of spans");
            return None;
        };
        items.iter().map(|item| self.span(item)).collect()
    }

    fn word<T>(
        &mut self,
        node: &Node,
        words: &[&str],
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        if let Value::Text(text) = &node.value
            && let Some(value) = read(text)
        {
            return Some(value);
        }
        self.wrong(node, &format!("one of: {}", words.join(", ")));
        None
    }

    fn wrong(&mut self, node: &Node, expected: &str) {
        let message = format!("expected {expected}, found {}", node.value.shown());
        self.problem(&node.span, message, None);
    }

    fn problem(&mut self, at: &std::ops::Range<usize>, message: String, help: Option<&str>) {
        let mut finding = self.source.finding("config", at, message);
        finding.help = help.map(str::to_owned);
        self.findings.push(finding);
    }

    fn unknown(&mut self, entry: &Entry, known: &[&str]) {
        let message = format!("unknown key {:?}", entry.key);
        let near = nearest(&entry.key, known.iter().copied());
        let help = near.map_or_else(
            || format!("known here: {}", known.join(", ")),
            |near| format!("did you mean {near:?}?"),
        );
        self.problem(&entry.key_span, message, Some(&help));
    }

    fn later(&mut self, entry: &Entry, what: &str) {
        let message = format!("{what} are read, but not carried out by this version");
        self.findings.push(self.source.finding("later", &entry.key_span, message).as_warning());
    }
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
        assert!(findings[0].help.as_deref().is_some_and(|help| help.contains("parallel")));
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let (_, findings) =
            findings("[run]\nparallel = 0\nschedule = \"now\"\nhalt_grace = 5\n[agents.x]\n");
        assert_eq!(findings.len(), 4, "{findings:?}");
    }
}
