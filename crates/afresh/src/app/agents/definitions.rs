//! Agent definitions that a plan's tasks name: found, and made into agents before a run starts
//! (AG-04).
//!
//! What a definition means is for `afresh-agents`.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use afresh_agents::agent::definition::{GENERAL, MAX_DEFINITION_BYTES};
use afresh_agents::bundle::FileChecksum;
use afresh_agents::{Agent, AgentDefinition, Briefing, WorkerRole};
use afresh_core::plan::nearest;
use afresh_engine::ExecutionConfig;
use afresh_formats::Finding;

use crate::app::error::Failure;
use crate::app::plan_source::PlanFile;
use crate::terminal::output::{Output, safe};

/// Where they are, in the repository and in the user's home; the first one of a name counts.
const PLACES: [&str; 2] = [".afresh/agents", ".claude/agents"];
/// How deep their directories may be, and how many files are looked at.
const MAX_DEPTH: usize = 4;
const MAX_FILES: usize = 1_000;

/// What a plan rests on besides its own files.
#[derive(Debug, Default)]
pub(crate) struct Adopted {
    /// Definitions that are used, as they were read.
    files: Vec<Found>,
    roles: Vec<(String, WorkerRole)>,
}

/// A definition, or why there is none.
#[derive(Debug, Clone)]
struct Found {
    path: PathBuf,
    text: String,
    read: Result<AgentDefinition, Finding>,
}

impl Found {
    /// What tasks may call it.
    fn names(&self) -> impl Iterator<Item = &str> {
        let said = self.read.as_ref().ok().map(|definition| definition.name.as_str());
        self.path.file_stem().and_then(|stem| stem.to_str()).into_iter().chain(said)
    }
}

/// Gives the rules an agent for every definition that the plan names. A name of the configuration
/// wins over a definition.
pub(crate) fn adopt(
    file: &PlanFile,
    root: &Path,
    rules: &mut ExecutionConfig,
    output: &Output,
) -> Result<Adopted, Failure> {
    let named = file.plan.tasks().iter().filter_map(|task| task.agent.as_deref());
    let unknown: BTreeSet<&str> = named
        .chain([rules.agent.as_str()])
        .filter(|name| !rules.agents.contains_key(*name))
        .collect();
    let unknown: Vec<String> = unknown.into_iter().map(str::to_owned).collect();
    let mut adopted = Adopted::default();
    if unknown.is_empty() {
        return Ok(adopted);
    }
    let home = rules.environment.get("HOME").map(PathBuf::from);
    let known = list(root, home.as_deref());
    // Where the run's own agent is a definition, somebody has to work in that role.
    let default = if unknown.contains(&rules.agent) { "claude" } else { rules.agent.as_str() };
    let default = default.to_owned();
    for name in unknown {
        let Some(found) = find(&name, &known) else {
            adopted.without_definition(&name, &default, file, &known, rules, output);
            continue;
        };
        let definition = found.read.clone().map_err(|finding| {
            let message = format!("cannot use the agent definition {}", found.path.display());
            Failure::in_file("agent-definition", &message, vec![finding])
        })?;
        let base = definition.agent.as_deref().unwrap_or(&default);
        let Some(base) = rules.agents.get(base).cloned() else {
            let message = format!(
                "the agent definition {name:?} names the agent {base:?}, which is not there"
            );
            let near = nearest(base, rules.agents.keys().map(String::as_str));
            let help = near.map_or_else(String::new, |near| format!("did you mean {near:?}?"));
            return Err(Failure::usage("agent-not-found", message)
                .about(found.path.display().to_string())
                .help(help));
        };
        if definition.has_tools_without_effect(&base) {
            output.note(&format!(
                "note: {} names tools, and the agent {} cannot be held to them",
                safe(&found.path.display().to_string()),
                safe(&base.name)
            ));
        }
        rules.agents.insert(name.clone(), definition.agent(&name, &base));
        let role = WorkerRole { name: definition.name, text: definition.role };
        adopted.roles.push((name, role));
        adopted.files.push(found.clone());
    }
    Ok(adopted)
}

impl Adopted {
    /// Only what a program has by itself, or a name of another tool's plan where nobody has any
    /// definitions, needs no file: the worker is told the name. Whatever is left is refused with the
    /// other agents that are not there.
    fn without_definition(
        &mut self,
        name: &str,
        default: &str,
        file: &PlanFile,
        known: &[Found],
        rules: &mut ExecutionConfig,
        output: &Output,
    ) {
        let is_foreign = file.format != "native" && known.is_empty() && name != rules.agent;
        if bare(name) != GENERAL && !is_foreign {
            return;
        }
        let Some(base) = rules.agents.get(default).cloned() else { return };
        rules.agents.insert(name.to_owned(), Agent { name: name.to_owned(), ..base });
        if is_foreign {
            output.note(&format!(
                "warning: there is no agent definition {:?}; its workers are told the name alone",
                safe(name)
            ));
            let text = format!("Work in the role of `{name}`.");
            self.roles.push((name.to_owned(), WorkerRole { name: name.to_owned(), text }));
        }
    }

    /// Files of the repository among them: no worker may change them.
    pub(crate) fn inside(&self, root: &Path) -> impl Iterator<Item = String> {
        let paths = self.files.iter().filter_map(|found| found.path.strip_prefix(root).ok());
        paths.map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>().into_iter()
    }

    /// Tells the workers their roles, and notes what that rests on.
    pub(crate) fn brief(self, root: &Path, briefing: &mut Briefing) {
        for Found { path, text, .. } in self.files {
            let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            briefing.sources.push(FileChecksum::from_bytes(&shown, text.as_bytes()));
        }
        briefing.roles.extend(self.roles);
    }
}

/// The names that a task could have meant, besides those of the configuration.
pub(crate) fn names(root: &Path, rules: &ExecutionConfig) -> Vec<String> {
    let home = rules.environment.get("HOME").map(PathBuf::from);
    let known = list(root, home.as_deref());
    known.iter().flat_map(|found| found.names().map(str::to_owned)).collect()
}

/// `plugin:name` is also found as `name`.
fn find<'f>(name: &str, known: &'f [Found]) -> Option<&'f Found> {
    let called = |wanted: &str| known.iter().find(|found| found.names().any(|own| own == wanted));
    called(name).or_else(|| called(bare(name)))
}

fn bare(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn list(root: &Path, home: Option<&Path>) -> Vec<Found> {
    let mut paths = Vec::new();
    for base in [Some(root), home].into_iter().flatten() {
        for place in PLACES {
            walk(&base.join(place), MAX_DEPTH, &mut paths);
        }
    }
    paths.into_iter().filter_map(read).collect()
}

/// Markdown files, in order; links are not followed.
fn walk(directory: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        if paths.len() >= MAX_FILES {
            return;
        }
        if found.is_dir() && depth > 1 {
            walk(&path, depth - 1, paths);
        } else if found.is_file() && path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
}

fn read(path: PathBuf) -> Option<Found> {
    let stem = path.file_stem()?.to_str()?.to_owned();
    let shown = path.display().to_string();
    let mut bytes = Vec::new();
    let limit = MAX_DEFINITION_BYTES as u64 + 1;
    let opened = fs::File::open(&path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    let bad = |message: String| Finding::of_file(&shown, "agent-definition", message);
    let (text, read) = match (opened, String::from_utf8(bytes)) {
        (Err(error), _) => (String::new(), Err(bad(format!("cannot be read: {error}")))),
        (_, Err(_)) => (String::new(), Err(bad("is not UTF-8".to_owned()))),
        (_, Ok(text)) if text.len() > MAX_DEFINITION_BYTES => {
            (String::new(), Err(bad(format!("is larger than {MAX_DEFINITION_BYTES} bytes"))))
        }
        (_, Ok(text)) => {
            let read = AgentDefinition::parse(&shown, &stem, &text);
            (text, read)
        }
    };
    Some(Found { path, text, read })
}
