//! Files of the repository that an agent's command needs: workers get only what is committed.

use afresh_agents::Agent;
use afresh_core::Run;
use afresh_core::ids::CommitId;
use afresh_engine::RepoContext;
use afresh_engine::execution_config::WorkerConfig;

use crate::agents::programs::inspect::real_program;
use crate::error::AppError;
use crate::notice::Notice;

/// Programs whose first argument is the script that they run.
const INTERPRETERS: &[&str] =
    &["sh", "bash", "dash", "zsh", "python", "python3", "node", "ruby", "perl", "php"];

/// A file that a worker's command would not find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingFile {
    /// It is in the user's checkout only.
    Uncommitted(String),
    /// It is nowhere in the repository.
    Absent(String),
}

/// The first file of an agent's command that is missing in a commit. What the checkout ignores may be made by the
/// set-up commands, and is not missing.
pub fn find_missing(
    repository: &RepoContext,
    agent: &Agent,
    commit: &CommitId,
) -> Result<Option<MissingFile>, AppError> {
    let git = &repository.git;
    for path in needed_files(agent.command().unwrap_or_default()) {
        let known = git.entry_modes(commit, std::slice::from_ref(&path)).map_err(AppError::git)?;
        if !known.is_empty() || git.is_ignored(&path).unwrap_or(true) {
            continue;
        }
        let is_here = git.root().is_some_and(|root| root.join(&path).is_file());
        return Ok(Some(if is_here {
            MissingFile::Uncommitted(path)
        } else {
            MissingFile::Absent(path)
        }));
    }
    Ok(None)
}

/// A run continues with the agents of its own commits: a program that was corrected in the checkout since would fail
/// again and again, without any visible reason.
pub fn note_outdated(
    repository: &RepoContext,
    workers: &WorkerConfig,
    run: &Run,
) -> Option<Notice> {
    let commands = workers.agents.values().filter_map(Agent::command);
    let paths: Vec<String> = commands.flat_map(needed_files).collect();
    if paths.is_empty() || run.tasks().all(|(_, state)| state.is_finished()) {
        return None;
    }
    let git = &repository.git;
    // A checkout that cannot be looked at stops no run.
    let (head, uncommitted) = (git.head().ok()??, git.uncommitted_files().ok()?);
    let is_outdated = |path: &String| {
        let (now, then) = (git.show_file(&head, path), git.show_file(run.tip(), path));
        let is_committed = matches!((now, then), (Ok(now), Ok(then)) if now != then);
        is_committed || uncommitted.contains(path)
    };
    let path = paths.into_iter().find(is_outdated)?;
    let (short, id) = (&run.tip().as_str()[..10], run.id());
    Some(Notice::note(format!(
        "workers of run {id} get {path} as it is in commit {short}, and yours has changed: to use it, commit it and \
         start over with `afresh run --new`"
    )))
}

/// The paths inside the repository that a command line starts: its program, or the script of an interpreter.
fn needed_files(command: &[String]) -> Vec<String> {
    let program = real_program(command);
    let name = program.rsplit('/').next().unwrap_or_default();
    let behind = command.iter().skip_while(|word| *word != program).nth(1);
    let script = behind.filter(|word| INTERPRETERS.contains(&name) && !word.starts_with('-'));
    let program = Some(program).filter(|program| program.contains('/'));
    let paths = program.into_iter().chain(script.map(String::as_str));
    paths
        .map(|path| path.strip_prefix("./").unwrap_or(path))
        .filter(|path| !path.starts_with('/') && !path.contains("..") && !path.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B37: the program of a command and the script of an interpreter are needed; other arguments are not known.
    #[test]
    fn the_program_and_the_script_of_a_command_are_needed() {
        let needed = |line: &str| {
            needed_files(&line.split(' ').map(str::to_owned).collect::<Vec<_>>()).join(" ")
        };
        assert_eq!(needed("./bin/agent --fast x.txt"), "bin/agent");
        assert_eq!(needed("sh ag.sh"), "ag.sh");
        assert_eq!(needed("env A=1 python3 tools/ag.py now"), "tools/ag.py");
        assert_eq!(needed("sh -c true"), "");
        assert_eq!(needed("sh /opt/ag.sh"), "");
        assert_eq!(needed("claude -p"), "");
    }
}
