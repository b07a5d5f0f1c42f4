//! Checks before a run touches anything.

use afresh_agents::AgentKind;
use afresh_agents::adapters::scripted;
use afresh_agents::prompt::size;
use afresh_core::Run;
use afresh_core::ids::CommitId;
use afresh_core::plan::Task;
use afresh_core::run::settings::{ReviewWhen, Settings};
use afresh_core::scope::leaves_tree;
use afresh_engine::execution_config::WorkerConfig;
use afresh_engine::{RepoContext, bundle};
use afresh_git::{EntryMode, RunObstacle};
use afresh_secrets::redact;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::agents::agent_files::{self, MissingFile};
use crate::agents::assignment::AgentSet;
use crate::agents::definitions;
use crate::agents::programs;
use crate::agents::which;
use crate::config::Config;
use crate::context::environment::Environment;
use crate::error::AppError;
use crate::notice::Notice;
use crate::plan_source::PlanFile;
use crate::plan_source::unstarted_run;
use crate::session::{RunOptions, worker_config};
use crate::text::count;

pub fn check(
    repository: &RepoContext,
    file: &PlanFile,
    settings: &Settings,
    workers: &WorkerConfig,
) -> Result<(), AppError> {
    check_without_repository(file, settings, workers)?;
    check_commit(repository, file)
}

/// The same for a run whose tasks people do by hand: only a reviewer has to be in place.
pub fn check_by_hand(
    repository: &RepoContext,
    file: &PlanFile,
    settings: &Settings,
    workers: &WorkerConfig,
) -> Result<(), AppError> {
    programs_are_there(workers.reviewer.iter().map(|name| (name.as_str(), None)), file, workers)?;
    no_secret_is_carried_out(file, settings, workers)?;
    something_judges(file, settings)?;
    check_commit(repository, file)
}

/// Whether a run of the plan can start from the current commit.
pub(in crate::session) fn check_commit(
    repository: &RepoContext,
    file: &PlanFile,
) -> Result<(), AppError> {
    check_repository(repository)?;
    no_path_through_a_link(repository, file)
}

/// Refs in the way of ours, and partial clones without the files of the commit.
pub fn check_repository(repository: &RepoContext) -> Result<(), AppError> {
    paths_are_text(repository)?;
    let Ok(Some(head)) = repository.git.head() else { return Ok(()) };
    match repository.git.find_run_obstacle(&head).map_err(AppError::git)? {
        Some(obstacle @ RunObstacle::ReadOnly { .. }) => {
            Err(AppError::machine("repository", obstacle.to_string()).hint(obstacle.hint()))
        }
        Some(obstacle) => {
            Err(AppError::usage("repository", obstacle.to_string()).hint(obstacle.hint()))
        }
        None => Ok(()),
    }
}

/// Supervisors and workers are given the paths of these directories as text.
fn paths_are_text(repository: &RepoContext) -> Result<(), AppError> {
    let layout = &repository.layout;
    for (what, variable, path) in
        [("state", "AFRESH_STATE", &layout.state), ("cache", "AFRESH_CACHE", &layout.cache)]
    {
        if path.to_str().is_none() {
            let message =
                format!("the path of the {what} directory is not UTF-8: {}", path.display());
            return Err(AppError::usage("path", message)
                .hint(format!("set {variable} to a directory whose path is UTF-8")));
        }
    }
    Ok(())
}

/// Checks a plan before its repository is created.
pub fn check_plan(
    file: &PlanFile,
    config: &Config,
    options: &RunOptions,
    environment: &Environment,
    notices: &mut Vec<Notice>,
) -> Result<(), AppError> {
    let agents = AgentSet::load(config, options, file, environment, notices)?;
    let workers = worker_config(config, options, file, agents, &file.root(), environment, notices)?;
    check_without_repository(file, &config.settings, &workers)
        .map_err(|failure| failure.or_in_file(&config.shown))
}

fn check_without_repository(
    file: &PlanFile,
    settings: &Settings,
    workers: &WorkerConfig,
) -> Result<(), AppError> {
    agents_are_there(file, workers)?;
    scripts_fit(file, workers)?;
    no_secret_is_carried_out(file, settings, workers)?;
    prompts_fit(file, settings, workers)?;
    something_judges(file, settings)
}

/// Commands and paths are used as they are, so they cannot be redacted: a secret in one of them would be
/// in the journal (B36).
fn no_secret_is_carried_out(
    file: &PlanFile,
    settings: &Settings,
    workers: &WorkerConfig,
) -> Result<(), AppError> {
    let secrets = workers.secrets();
    let holds = |text: &str| redact(text, &secrets) != *text;
    let contains_secret = |whose: &str, what: &str| {
        AppError::usage("secret", format!("{whose} has a {what} that contains a secret"))
            .in_file(&file.shown)
            .hint("use a variable such as \"$MY_TOKEN\" and name it in `env` under [checks]")
    };
    for task in file.plan.tasks() {
        if task.all_checks().any(|check| holds(&check.command)) {
            return Err(contains_secret(&format!("task {}", task.id), "check"));
        }
        if task.patterns().any(|pattern| holds(pattern.as_str())) {
            return Err(contains_secret(&format!("task {}", task.id), "path"));
        }
    }
    if settings.always.iter().any(|command| holds(command)) {
        return Err(contains_secret("`always` under [checks]", "command"));
    }
    Ok(())
}

/// A task whose prompt alone fills the context window never starts (PR-06). What other tasks will add
/// is not known yet.
fn prompts_fit(
    file: &PlanFile,
    settings: &Settings,
    workers: &WorkerConfig,
) -> Result<(), AppError> {
    let run = unstarted_run::without_commit(&file.plan, settings);
    for (at, task) in file.plan.indices().zip(file.plan.tasks()) {
        let fill = bundle::rendered::least(&run, at, workers);
        if let Err(error) = bundle::rendered::fits(&run, fill) {
            return Err(AppError::usage("too-large", format!("task {} is too large", task.id))
                .cause(error.to_string())
                .in_file(&file.shown)
                .hint(if file.is_planning() { SPEC_SIZE_HINT } else { size::SIZE_HINT }));
        }
    }
    Ok(())
}

/// The hint for a specification whose planner could not start.
const SPEC_SIZE_HINT: &str = "split the specification and plan its parts one after the other, shorten it, or use a larger model";

/// Agents of the plan whose programs seem to have neither a key nor a login: their workers would fail.
pub(in crate::session) fn missing_logins(
    file: &PlanFile,
    workers: &WorkerConfig,
    environment: &Environment,
) -> Vec<Notice> {
    let notice = |name: &str| {
        let hint = programs::inspect::missing_login(workers.agents.get(name)?, environment)?;
        let problem = "seems to have neither a key nor a login";
        Some(Notice::warning(format!("agent {name} {problem}: {hint}")))
    };
    workers.agents_of(&file.plan).into_iter().filter_map(notice).collect()
}

/// Every agent that a task names must exist, and so must its program; so must the agent that reviews (B37).
fn agents_are_there(file: &PlanFile, workers: &WorkerConfig) -> Result<(), AppError> {
    let mut wanted: BTreeMap<&str, Option<&str>> = BTreeMap::new();
    for task in file.plan.tasks() {
        for agent in task.agents() {
            let agent = agent.unwrap_or(&workers.default_agent);
            wanted.entry(agent).or_insert(Some(task.id.as_str()));
        }
    }
    if let Some(reviewer) = &workers.reviewer {
        wanted.entry(reviewer).or_insert(None);
    }
    programs_are_there(wanted.into_iter(), file, workers)
}

/// The agents by name, each with a task that names it.
fn programs_are_there<'a>(
    wanted: impl Iterator<Item = (&'a str, Option<&'a str>)>,
    file: &PlanFile,
    workers: &WorkerConfig,
) -> Result<(), AppError> {
    for (name, task) in wanted {
        let Some(agent) = workers.agents.get(name) else {
            return Err(match task {
                Some(task) => unknown_agent(name, task, file, workers),
                None => unknown_reviewer(name, workers),
            });
        };
        let Some(program) = agent.program() else { continue };
        // A relative path is searched in the workspace, which does not exist yet.
        let relative = program.contains('/') && !program.starts_with('/');
        let path = workers.environment.get("PATH").cloned().unwrap_or_default();
        if !relative && let Err(why) = which::find(program, path.as_ref()) {
            return Err(AppError::usage(
                "spawn",
                format!("cannot start agent {name:?}: {program:?} {why}"),
            )
            .hint(programs::remedy(name, program)));
        }
    }
    Ok(())
}

/// A program of the repository is searched in the workspace, which holds only what is committed. One that is not
/// committed yet would fail at every task.
pub fn check_agents_are_committed(
    repository: &RepoContext,
    workers: &WorkerConfig,
    run: Option<&Run>,
) -> Result<(), AppError> {
    let git = &repository.git;
    let commit = match run {
        Some(run) => run.tip().clone(),
        None => match git.head() {
            Ok(Some(head)) => head,
            _ => return Ok(()),
        },
    };
    for agent in workers.agents.values() {
        let missing = agent_files::find_missing(repository, agent, &commit)?;
        if let Some(MissingFile::Uncommitted(path)) = missing {
            let short = &commit.as_str()[..10];
            let message =
                format!("agent {:?} runs {path:?}, which is not in commit {short}", agent.name);
            let hint = match run {
                Some(run) => format!(
                    "commit it, then `afresh run --new`: run {} started from an earlier commit",
                    run.id()
                ),
                None => "commit it, then run again: workers get only what is committed".to_owned(),
            };
            return Err(AppError::usage("uncommitted-agent", message).hint(hint));
        }
    }
    Ok(())
}

/// Workers start from a commit: what is not committed is not part of the run. The plan itself is read from its file.
pub fn uncommitted_files(repository: &RepoContext, file: &PlanFile) -> Option<Notice> {
    const MAX_NAMES: usize = 5;
    let git = &repository.git;
    // A checkout that cannot be looked at stops no run.
    let (root, files) = (git.root()?, git.uncommitted_files().ok()?);
    let read: Vec<&PathBuf> = file.files.iter().chain(std::iter::once(&file.path)).collect();
    let is_read = |path: &str| {
        let whole = root.join(path.trim_end_matches('/'));
        read.iter().any(|own| own.starts_with(&whole) || whole.starts_with(own))
    };
    let is_ours = |path: &str| path.starts_with(".afresh/");
    let left: Vec<&String> = files.iter().filter(|path| !is_ours(path) && !is_read(path)).collect();
    if left.is_empty() {
        return None;
    }
    let names: Vec<&str> = left.iter().take(MAX_NAMES).map(|path| path.as_str()).collect();
    let more = match left.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let is = if left.len() == 1 { "is" } else { "are" };
    Some(Notice::note(format!(
        "{} {is} not committed, and so not part of this run: {}{more}",
        count(left.len(), "file"),
        names.join(", ")
    )))
}

/// A script must have a part for every task of its agent.
fn scripts_fit(file: &PlanFile, workers: &WorkerConfig) -> Result<(), AppError> {
    for agent in workers.agents.values() {
        let AgentKind::Scripted { script: source } = &agent.kind else { continue };
        // It was checked when the configuration was read.
        let Some(script) = scripted::read(&source.shown, source.text.as_bytes()).script else {
            continue;
        };
        let played = |task: &&Task| {
            task.agents().any(|name| name.unwrap_or(&workers.default_agent) == agent.name)
        };
        let left: Vec<&str> = file
            .plan
            .tasks()
            .iter()
            .filter(played)
            .map(|task| task.id.as_str())
            .filter(|task| script.actions_for(task, 1).is_none())
            .take(20)
            .collect();
        if !left.is_empty() {
            let message =
                format!("the script has no part for the first attempt of: {}", left.join(", "));
            return Err(AppError::usage("script", message)
                .in_file(&source.shown)
                .hint("add a [[task]] for each, or one with id = \"*\" at the end"));
        }
    }
    Ok(())
}

fn unknown_agent(name: &str, task: &str, file: &PlanFile, workers: &WorkerConfig) -> AppError {
    let home = workers.environment.get("HOME").map(PathBuf::from);
    let known: Vec<&str> = workers.agents.keys().map(String::as_str).collect();
    let defined = definitions::names(&file.root(), home.as_deref());
    let all = known.iter().copied().chain(defined.iter().map(String::as_str));
    // `plugin:name` is also compared as `name`.
    let bare = name.rsplit(':').next().unwrap_or(name);
    let near = afresh_core::plan::nearest(name, all.clone())
        .or_else(|| afresh_core::plan::nearest(bare, all));
    let help = match (near, known.is_empty()) {
        (Some(near), _) => format!("did you mean {near:?}?"),
        (None, false) => format!("the agents are: {}", known.join(", ")),
        (None, true) => "`afresh init` finds one; or write to .afresh/config.toml:\n    [run]\n    agent = \"mine\"\n    [agents.mine]\n    kind = \"command\"\n    command = [\"my-agent\"]".to_owned(),
    };
    let message = if known.is_empty() {
        "no agent is configured".to_owned()
    } else {
        format!("unknown agent {name:?} (task {task} needs it)")
    };
    AppError::usage("agent-not-found", message).hint(help)
}

/// The agent that `[review]` names does not exist.
fn unknown_reviewer(name: &str, workers: &WorkerConfig) -> AppError {
    let known = workers.agents.keys().map(String::as_str);
    let help = match afresh_core::plan::nearest(name, known.clone()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("the agents are: {}", known.collect::<Vec<_>>().join(", ")),
    };
    let message = format!("unknown agent {name:?} (`agent` under [review] names it)");
    AppError::usage("agent-not-found", message).hint(help)
}

/// A task that nothing judges is refused, unless that is intended (B21).
fn something_judges(file: &PlanFile, settings: &Settings) -> Result<(), AppError> {
    if !settings.always.is_empty() {
        return Ok(());
    }
    // A reviewer judges a change; without listed files, none may be expected.
    let is_reviewed =
        |task: &&Task| settings.review.when == ReviewWhen::Always && task.lists_files();
    let unchecked = file.plan.unchecked().filter(|task| !is_reviewed(task));
    let unchecked: Vec<&str> = unchecked.map(|task| task.id.as_str()).take(20).collect();
    if unchecked.is_empty() {
        return Ok(());
    }
    Err(AppError::usage("unchecked", format!("these tasks have no checks: {}", unchecked.join(", "))).in_file(&file.shown).hint(
        "give them `checks`, or `no_check = \"reason\"`, or set `always` under [checks] in .afresh/config.toml",
    ))
}

/// A listed path behind a symbolic link could lead anywhere (B03).
fn no_path_through_a_link(repository: &RepoContext, file: &PlanFile) -> Result<(), AppError> {
    let Ok(Some(head)) = repository.git.head() else { return Ok(()) };
    let mut parents: BTreeSet<String> = BTreeSet::new();
    for pattern in file.plan.tasks().iter().flat_map(Task::patterns) {
        parents.extend(above(pattern.as_str()).map(str::to_owned));
        parents.insert(pattern.as_str().to_owned());
    }
    let paths: Vec<String> = parents.into_iter().collect();
    let modes = repository.git.entry_modes(&head, &paths).map_err(AppError::git)?;
    for task in file.plan.tasks() {
        for path in task.patterns().map(afresh_core::pattern::FilePattern::as_str) {
            let link = above(path)
                .find(|parent| modes.get(*parent).is_some_and(|mode| *mode == EntryMode::Symlink));
            if let Some(link) = link {
                return Err(AppError::usage(
                    "bad-path",
                    format!(
                        "task {}: the path {path:?} leads through {link:?}, a symbolic link",
                        task.id
                    ),
                )
                .in_file(&file.shown)
                .hint("name the file by its real path"));
            }
            if modes.get(path) == Some(&EntryMode::Symlink) && leads_out(repository, &head, path) {
                let message = format!(
                    "task {}: {path:?} is a symbolic link that leaves the repository",
                    task.id
                );
                return Err(AppError::usage("bad-path", message)
                    .in_file(&file.shown)
                    .hint("a worker would write to its target; replace it with a file"));
            }
        }
    }
    Ok(())
}

/// Whether a link leads out of the repository; one that cannot be read might.
fn leads_out(repository: &RepoContext, commit: &CommitId, path: &str) -> bool {
    let target = repository.git.show_file(commit, path).ok().flatten();
    let target = target.and_then(|bytes| String::from_utf8(bytes).ok());
    target.is_none_or(|target| leaves_tree(path, &target))
}

/// The parent directories of a path, or of the fixed part of a glob.
fn above(pattern: &str) -> impl Iterator<Item = &str> {
    pattern
        .match_indices('/')
        .map(|(at, _)| &pattern[..at])
        .take_while(|directory| !directory.contains(['*', '?', '[', '{']))
}
