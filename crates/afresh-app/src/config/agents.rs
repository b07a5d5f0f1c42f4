//! The agents of a configuration.

use std::ops::Range;
use std::path::Path;

use afresh_agents::adapters::scripted::ScriptFile;
use afresh_agents::{
    AcpAgent, Agent, AgentKind, AgentProgram, ModelNames, ProgramAgent, PromptDelivery,
};
use afresh_core::plan::nearest;
use afresh_formats::text::node::{Node, TableEntry, Value};
use afresh_formats::text::node_reader::NodeReader;

use super::Config;
use super::read::set;
use crate::config::script;

const AGENT: &[&str] = &["kind", "command", "args", "prompt", "script", "env", "models"];
const KINDS: &[&str] = &["command", "claude", "codex", "gemini", "opencode", "acp", "scripted"];
const SIZES: &[&str] = &["small", "standard", "large"];
const PROMPTS: &[(&str, PromptDelivery)] = &[
    ("stdin", PromptDelivery::Stdin),
    ("file", PromptDelivery::File),
    ("arg", PromptDelivery::Arg),
];

pub(super) fn read(reader: &mut NodeReader<'_, '_>, node: &Node, config: &mut Config) {
    for entry in reader.entries(node) {
        if let Some(agent) = agent(reader, entry, &config.home) {
            config.agents.insert(entry.key.clone(), agent);
        }
    }
}

fn agent(reader: &mut NodeReader<'_, '_>, entry: &TableEntry, home: &Path) -> Option<Agent> {
    let (mut named, mut command, mut prompt) = (None, Vec::new(), PromptDelivery::Stdin);
    let (mut env, mut script, mut args, mut models) = (Vec::new(), None, Vec::new(), None);
    for field in reader.entries(&entry.node) {
        let value = &field.node;
        match field.key.as_str() {
            "kind" => named = reader.text(value).map(|kind| (kind, &value.span)),
            "command" => set(&mut command, reader.texts(value)),
            "env" => set(&mut env, reader.texts(value)),
            "script" => script = Some(value),
            "prompt" => set(&mut prompt, reader.word(value, PROMPTS)),
            "args" => set(&mut args, reader.texts(value)),
            "models" => models = Some(value),
            _ => reader.unknown_key(field, AGENT),
        }
    }
    let kind = match named.as_ref().map(|(kind, _)| kind.as_str()) {
        Some("command") if !command.is_empty() => AgentKind::Command { command, prompt },
        Some("acp") if !command.is_empty() => {
            let models = models.map(|models| {
                let mut named = ModelNames::all("");
                read_models(reader, models, &mut named);
                filled(&named)
            });
            AgentKind::Acp(AcpAgent { command: [command, args].concat(), models })
        }
        Some("scripted") => AgentKind::Scripted { script: script_of(reader, entry, script, home)? },
        Some(word) if let Some(program) = AgentProgram::from_name(word) => {
            let mut agent = ProgramAgent { args, ..program.default_agent() };
            if !command.is_empty() {
                agent.command = command;
            }
            if let Some(models) = models {
                read_models(reader, models, &mut agent.models);
            }
            AgentKind::Program(agent)
        }
        _ => {
            no_agent(reader, entry, named.as_ref());
            return None;
        }
    };
    Some(Agent { name: entry.key.clone(), kind, env })
}

/// One name for every size, or one for each.
fn read_models(reader: &mut NodeReader<'_, '_>, node: &Node, models: &mut ModelNames) {
    if let Value::Text(name) = &node.value {
        *models = ModelNames::all(name);
        return;
    }
    for size in reader.entries(node) {
        match size.key.as_str() {
            "small" => set(&mut models.small, reader.text(&size.node)),
            "standard" => set(&mut models.standard, reader.text(&size.node)),
            "large" => set(&mut models.large, reader.text(&size.node)),
            _ => reader.unknown_key(size, SIZES),
        }
    }
}

/// Where only some sizes have a model, the nearest larger one, else the nearest smaller one.
fn filled(models: &ModelNames) -> ModelNames {
    let ModelNames { small, standard, large } = models;
    let first = |names: [&String; 3]| {
        names.into_iter().find(|name| !name.is_empty()).cloned().unwrap_or_default()
    };
    ModelNames {
        small: first([small, standard, large]),
        standard: first([standard, large, small]),
        large: first([large, standard, small]),
    }
}

/// Why this agent cannot be started.
fn no_agent(
    reader: &mut NodeReader<'_, '_>,
    entry: &TableEntry,
    kind: Option<&(String, &Range<usize>)>,
) {
    let (name, at) = (&entry.key, &entry.key_span);
    let kind_at = kind.map_or(at, |(_, at)| at);
    let mut problem = |at: &Range<usize>, message: String, help: &str| {
        reader.problem(at, message, Some(help.to_owned()));
    };
    match kind.map(|(kind, _)| kind.as_str()) {
        None => problem(at, format!("agent {name:?} has no kind"), "kind = \"command\""),
        Some(kind @ ("command" | "acp")) => {
            let help = match kind {
                "acp" => "command = [\"opencode\", \"acp\"]",
                _ => "command = [\"program\", \"argument\"]",
            };
            problem(at, format!("agent {name:?} has no command"), help);
        }
        Some(unknown) => {
            let help = nearest(unknown, KINDS.iter().copied()).map_or_else(
                || format!("the kinds are: {}", KINDS.join(", ")),
                |near| format!("did you mean {near:?}?"),
            );
            problem(kind_at, format!("agent {name:?} has the unknown kind {unknown:?}"), &help);
        }
    }
}

/// The script of an agent, read and checked now: no run starts with a broken one.
fn script_of(
    reader: &mut NodeReader<'_, '_>,
    agent: &TableEntry,
    node: Option<&Node>,
    home: &Path,
) -> Option<ScriptFile> {
    let Some(node) = node else {
        let message = format!("agent {:?} has no script", agent.key);
        let help = "script = \"path/to/script.toml\"".to_owned();
        reader.problem(&agent.key_span, message, Some(help));
        return None;
    };
    let written = reader.text(node)?;
    match script::load(home, &written) {
        Ok(loaded) => {
            for warning in loaded.warnings {
                reader.add(warning);
            }
            Some(loaded.file)
        }
        Err(findings) => {
            // A file that cannot be read has no position to show.
            if findings.iter().any(|finding| finding.line == 0) {
                let message = format!("the script {written:?} cannot be used");
                reader.problem(&node.span, message, None);
            }
            for finding in findings {
                reader.add(finding);
            }
            None
        }
    }
}
