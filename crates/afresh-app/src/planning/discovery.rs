//! What the repository is, before any agent is asked (PL-03): found by the planner's rules, remembered by tree, and on
//! request with what its commands show when they are run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use afresh_core::Plan;
use afresh_core::ids::{CommitId, TreeId};
use afresh_core::probe::ProbedCheck;
use afresh_engine::RepoContext;
use afresh_planner::discovery::facts::{CommandProbe, FACTS_VERSION};
use afresh_planner::discovery::{ProjectFacts, discover};
use afresh_store::write_atomically;

use crate::config::{self, Config};
use crate::context::AppContext;
use crate::error::AppError;
use crate::notice::Notice;
use crate::planning::checkout::CheckoutFiles;
use crate::planning::commit_files::{CommitFiles, DirectoryFiles};
use crate::session::probe::{PreparedProbe, ProbeOptions};
use crate::text::files::read_bounded;

/// No entry of the cache is larger.
const MAX_ENTRY_BYTES: usize = 4 * 1024 * 1024;
/// Older entries are removed when a new one is written.
const KEEP: Duration = Duration::from_secs(30 * 24 * 3600);
/// The longest explanation of a probe, in characters.
const MAX_DETAIL_CHARS: usize = 100;

/// What the repository around a directory is; of a subdirectory only the files below it.
pub fn discover_project(
    context: &AppContext,
    directory: &Path,
    notices: &mut Vec<Notice>,
) -> Result<ProjectFacts, AppError> {
    let repository = context.repository_around(directory)?;
    let part = directory_in(&repository, directory);
    let head = repository.git.head().map_err(AppError::git)?;
    let facts = if let Some(commit) = head {
        describe_commit(&repository, &commit, &part)?
    } else {
        notices.push(Notice::note("there is no commit yet: the files of the checkout were read"));
        let checkout = CheckoutFiles::list(Some(&context.git()?), directory);
        discover(&DirectoryFiles::new(&checkout, &part))
    };
    Ok(facts.in_directory(&directory.to_string_lossy()))
}

/// What a commit is, as remembered if its tree was described before.
fn describe_commit(
    repository: &RepoContext,
    commit: &CommitId,
    part: &str,
) -> Result<ProjectFacts, AppError> {
    let tree = repository.git.commit_tree(commit).map_err(AppError::git)?;
    let cache = cache_entry(repository, &tree, part);
    if let Some(facts) = load(&cache) {
        return Ok(facts);
    }
    let facts = discover(&CommitFiles::list(&repository.git, commit, part)?);
    save(&cache, &facts);
    Ok(facts)
}

/// Commands that are ready to be run, each once, in a clean checkout of the current commit.
#[derive(Debug)]
pub struct DiscoveryProbe {
    prepared: PreparedProbe,
}

impl DiscoveryProbe {
    /// Prepares the test, build and lint commands. Those that set up are not checks: the configured ones run first.
    pub fn prepare(
        context: &AppContext,
        directory: &Path,
        facts: &ProjectFacts,
        options: &ProbeOptions,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, AppError> {
        let repository = context.repository_around(directory)?;
        if !directory_in(&repository, directory).is_empty() {
            return Err(AppError::usage("probe", "commands are run at the root of a repository")
                .cause(format!("{} is a part of one", directory.display()))
                .hint("name the root, or leave out --probe"));
        }
        let config = config::load(directory, context.config_file.as_deref())?;
        notices.extend(set_up_notice(facts, &config));
        let commands: BTreeSet<String> = facts
            .packages
            .iter()
            .flat_map(|package| package.commands.checks())
            .map(|command| command.command.clone())
            .collect();
        let prepared = PreparedProbe::for_commands(
            context,
            &repository,
            &commands,
            &config,
            options,
            notices,
        )?;
        Ok(Self { prepared })
    }

    /// How many commands will run.
    pub fn count(&self) -> usize {
        self.prepared.count()
    }

    /// Runs them, and adds what each showed to the facts.
    pub fn run(&self, facts: &mut ProjectFacts, on_probed: &(dyn Fn(&ProbedCheck) + Sync)) {
        let probed = self.prepared.run(&Plan::without_tasks(), on_probed);
        let probed: BTreeMap<&str, CommandProbe> =
            probed.iter().map(|check| (check.command(), describe(check))).collect();
        for command in facts.commands_mut() {
            command.probed = probed.get(command.command.as_str()).cloned();
        }
    }
}

/// What is found needs a set-up that is not configured.
fn set_up_notice(facts: &ProjectFacts, config: &Config) -> Option<Notice> {
    let found = facts.packages.iter().find_map(|package| package.commands.setup.first())?;
    config.setup.is_empty().then(|| {
        Notice::note(format!(
            "`{}` is not run first, because no set-up is configured; `afresh init` proposes one",
            found.command
        ))
    })
}

fn describe(check: &ProbedCheck) -> CommandProbe {
    let plain = afresh_core::printable::line(&check.detail).replace('`', "'");
    let detail: String = plain.chars().take(MAX_DETAIL_CHARS).collect();
    CommandProbe { class: check.class, detail: (!detail.is_empty()).then_some(detail) }
}

/// The directory relative to the root of the repository; empty for the root.
fn directory_in(repository: &RepoContext, directory: &Path) -> String {
    let root = repository.git.root().and_then(|root| root.canonicalize().ok());
    let inside = root.and_then(|root| directory.strip_prefix(root).ok().map(Path::to_owned));
    inside.unwrap_or_default().to_string_lossy().into_owned()
}

/// The file that remembers the facts about a tree. The same tree has the same facts in every repository.
fn cache_entry(repository: &RepoContext, tree: &TreeId, part: &str) -> PathBuf {
    let version = env!("CARGO_PKG_VERSION");
    let key = format!("{version}\n{FACTS_VERSION}\n{tree}\n{part}");
    let name = blake3::hash(key.as_bytes()).to_hex();
    repository.layout.discovery_cache().join(format!("{name}.json"))
}

/// What cannot be read is found again.
fn load(entry: &Path) -> Option<ProjectFacts> {
    let bytes = read_bounded(entry, MAX_ENTRY_BYTES).ok()?;
    let facts: ProjectFacts = serde_json::from_slice(&bytes).ok()?;
    (facts.version == FACTS_VERSION).then_some(facts)
}

/// A cache that cannot be written is no reason to fail.
fn save(entry: &Path, facts: &ProjectFacts) {
    let (Some(directory), Ok(json)) = (entry.parent(), serde_json::to_vec(facts)) else { return };
    if json.len() > MAX_ENTRY_BYTES || fs::create_dir_all(directory).is_err() {
        return;
    }
    prune(directory);
    let _ = write_atomically(entry, &json);
}

fn prune(directory: &Path) {
    let oldest = SystemTime::now().checked_sub(KEEP);
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let made = entry.metadata().and_then(|found| found.modified()).ok();
        if made.is_some() && made < oldest {
            let _ = fs::remove_file(entry.path());
        }
    }
}
