//! Agent definitions of the repository and of the user, turned into agents before a run starts (AG-04).
//!
//! What a definition contains is parsed by `afresh-agents`.

use afresh_agents::agent::definition::{GENERAL, MAX_DEFINITION_BYTES};
use afresh_agents::bundle::FileChecksum;
use afresh_agents::{Agent, AgentDefinition, Briefing, WorkerRole};
use afresh_core::plan::{Task, nearest};
use afresh_core::printable;
use afresh_formats::Finding;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::context::environment::Environment;
use crate::error::AppError;
use crate::notice::Notice;
use crate::plan_source::PlanFile;

/// Where definitions are, in the repository and in the user's home; the first one of a name wins.
const PLACES: [&str; 2] = [".afresh/agents", ".claude/agents"];
/// How deep directories are searched, and how many files are read.
const MAX_DEPTH: usize = 4;
const MAX_FILES: usize = 1_000;

/// The definitions that a plan uses.
#[derive(Debug, Default)]
pub struct AdoptedDefinitions {
    /// As they were read.
    files: Vec<FoundDefinition>,
    roles: Vec<(String, WorkerRole)>,
}

/// A definition file, and its contents or what is wrong with them.
#[derive(Debug, Clone)]
struct FoundDefinition {
    path: PathBuf,
    text: String,
    read: Result<AgentDefinition, Finding>,
}

impl FoundDefinition {
    /// The names by which tasks can refer to it.
    fn names(&self) -> impl Iterator<Item = &str> {
        let own = self.read.as_ref().ok().map(|definition| definition.name.as_str());
        self.path.file_stem().and_then(|stem| stem.to_str()).into_iter().chain(own)
    }
}

/// Adds an agent for every definition that the plan names. An agent of the configuration wins over a
/// definition of the same name.
pub fn adopt(
    file: &PlanFile,
    home: Option<&Path>,
    default_agent: &str,
    agents: &mut BTreeMap<String, Agent>,
    notices: &mut Vec<Notice>,
) -> Result<AdoptedDefinitions, AppError> {
    let named = file.plan.tasks().iter().flat_map(Task::agents).flatten();
    let unknown: BTreeSet<&str> =
        named.chain([default_agent]).filter(|name| !agents.contains_key(*name)).collect();
    let mut adopted = AdoptedDefinitions::default();
    if unknown.is_empty() {
        return Ok(adopted);
    }
    let known = list(&file.root(), home);
    // Where the default agent is itself a definition, a program has to work in that role.
    let base = if unknown.contains(default_agent) { "claude" } else { default_agent };
    for name in unknown {
        let Some(found) = find(name, &known) else {
            // A name of another tool's plan, where there are no definitions at all.
            let is_foreign = file.format != "native" && known.is_empty() && name != default_agent;
            if is_foreign || bare(name) == GENERAL {
                adopted.add_without_file(name, base, is_foreign, agents, notices);
            }
            // Others are refused by preflight, together with all agents that are missing.
            continue;
        };
        let definition = found.read.clone().map_err(|finding| {
            let message = format!("cannot use the agent definition {}", found.path.display());
            AppError::with_findings("agent-definition", &message, vec![finding])
        })?;
        let base = definition.agent.as_deref().unwrap_or(base);
        let Some(base) = agents.get(base).cloned() else {
            return Err(unknown_base(name, base, found, agents));
        };
        if definition.has_tools_without_effect(&base) {
            notices.push(Notice::note(format!(
                "{} lists tools, but afresh cannot restrict the agent {} to them",
                printable::line(&found.path.display().to_string()),
                printable::line(&base.name)
            )));
        }
        agents.insert(name.to_owned(), definition.agent(name, &base));
        let role = WorkerRole { name: definition.name, text: definition.role };
        adopted.roles.push((name.to_owned(), role));
        adopted.files.push(found.clone());
    }
    Ok(adopted)
}

fn unknown_base(
    name: &str,
    base: &str,
    found: &FoundDefinition,
    agents: &BTreeMap<String, Agent>,
) -> AppError {
    let message =
        format!("the agent definition {name:?} uses the agent {base:?}, which does not exist");
    let near = nearest(base, agents.keys().map(String::as_str));
    let hint = near.map_or_else(
        || "name a configured or built-in agent in `agent`".to_owned(),
        |near| format!("did you mean {near:?}?"),
    );
    AppError::usage("agent-not-found", message).in_file(found.path.display().to_string()).hint(hint)
}

impl AdoptedDefinitions {
    /// An agent that needs no definition file: its worker is given the name of its role alone.
    fn add_without_file(
        &mut self,
        name: &str,
        base: &str,
        is_foreign: bool,
        agents: &mut BTreeMap<String, Agent>,
        notices: &mut Vec<Notice>,
    ) {
        let Some(base) = agents.get(base).cloned() else { return };
        agents.insert(name.to_owned(), Agent { name: name.to_owned(), ..base });
        if is_foreign {
            notices.push(Notice::warning(format!(
                "no agent definition {:?} was found; its workers are given only the name of the role",
                printable::line(name)
            )));
            let text = format!("Work in the role of `{name}`.");
            self.roles.push((name.to_owned(), WorkerRole { name: name.to_owned(), text }));
        }
    }

    /// Those inside the repository: no worker may change them.
    pub fn inside(&self, root: &Path) -> Vec<String> {
        let paths = self.files.iter().filter_map(|found| found.path.strip_prefix(root).ok());
        paths.map(|path| path.to_string_lossy().into_owned()).collect()
    }

    /// Adds the roles to what workers are given, and the files to what the run depends on.
    pub fn add_to(self, root: &Path, briefing: &mut Briefing) {
        for FoundDefinition { path, text, .. } in self.files {
            let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            briefing.sources.push(FileChecksum::from_bytes(&shown, text.as_bytes()));
        }
        briefing.roles.extend(self.roles);
    }
}

/// The user's home directory, which may contain definitions.
pub fn home(environment: &Environment) -> Option<PathBuf> {
    environment.text("HOME").map(PathBuf::from)
}

/// The names of all definitions, for suggestions.
pub fn names(root: &Path, home: Option<&Path>) -> Vec<String> {
    let known = list(root, home);
    known.iter().flat_map(|found| found.names().map(str::to_owned)).collect()
}

/// `plugin:name` is also found as `name`.
fn find<'f>(name: &str, known: &'f [FoundDefinition]) -> Option<&'f FoundDefinition> {
    let called = |wanted: &str| known.iter().find(|found| found.names().any(|own| own == wanted));
    called(name).or_else(|| called(bare(name)))
}

fn bare(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn list(root: &Path, home: Option<&Path>) -> Vec<FoundDefinition> {
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

fn read(path: PathBuf) -> Option<FoundDefinition> {
    let stem = path.file_stem()?.to_str()?.to_owned();
    let shown = path.display().to_string();
    let mut bytes = Vec::new();
    let limit = MAX_DEFINITION_BYTES as u64 + 1;
    let opened = fs::File::open(&path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    let bad = |message: String| Finding::for_file(&shown, "agent-definition", message);
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
    Some(FoundDefinition { path, text, read })
}
