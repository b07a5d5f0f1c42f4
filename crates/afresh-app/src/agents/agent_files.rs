//! Files of the repository that an agent's command needs: workers get only what is committed.

use afresh_agents::Agent;
use afresh_core::ids::CommitId;
use afresh_engine::RepoContext;

use crate::agents::programs::inspect::real_program;
use crate::error::AppError;

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
