//! git, the user's identity, and the repository.

use afresh_engine::RepoContext;
use afresh_git::ref_names::{display_name, run_of_branch_ref};
use afresh_git::{CommitIdentity, GitProgram};

use crate::context::AppContext;
use crate::error::AppError;
use crate::session::start::preflight;
use crate::setup::doctor::{DoctorLine, LineSink};

/// The repository, if there is one that can be used.
pub(super) fn check_repository(
    context: &AppContext,
    lines: &mut LineSink<'_>,
) -> Option<RepoContext> {
    match GitProgram::find(context.environment.git_environment()) {
        Ok(git) => {
            let text = format!("git {} ({})", git.version(), git.path().display());
            lines.push(DoctorLine::ok("git", text));
        }
        Err(error) => {
            lines.push(DoctorLine::failed("git", &AppError::from(error)));
            return None;
        }
    }
    let place = match context.repository() {
        Ok(place) => place,
        Err(failure) => {
            lines.push(DoctorLine::failed("repository", &failure));
            return None;
        }
    };
    lines.push(repository(&place));
    if let Err(failure) = preflight::check_repository(&place) {
        lines.push(DoctorLine::failed("repository", &failure));
    }
    lines.push(identity(&place));
    lines.extend(checked_out(&place));
    Some(place)
}

fn repository(place: &RepoContext) -> DoctorLine {
    let repository = &place.git;
    let at = repository.root().unwrap_or_else(|| repository.common_dir()).display().to_string();
    let shallow = repository.common_dir().join("shallow").is_file();
    let kind = match (repository.is_bare(), shallow) {
        (true, _) => " (bare)",
        (false, true) => " (shallow: workers see no older history either)",
        (false, false) => "",
    };
    match repository.head() {
        Ok(Some(head)) => {
            let branch = repository.branch().ok().flatten();
            let on = branch.unwrap_or_else(|| "a detached HEAD".to_owned());
            let text = format!("{at}{kind}, on {on} at {}", &head.as_str()[..10]);
            DoctorLine::ok("repository", text)
        }
        Ok(None) => DoctorLine::fail(
            "repository",
            format!("{at} has no commit yet to start from"),
            "commit something, or let `afresh run --init-git` create an empty first commit",
        ),
        Err(error) => {
            DoctorLine::fail("repository", error.to_string(), "see what `git status` says")
        }
    }
}

fn identity(repository: &RepoContext) -> DoctorLine {
    let hint = "git config --global user.name NAME; git config --global user.email ADDRESS";
    match repository.git.identity() {
        Ok(identity) if identity == CommitIdentity::default() => DoctorLine::warn(
            "identity",
            "git has no user name; commits will be made as afresh",
            hint,
        ),
        Ok(identity) => {
            DoctorLine::ok("identity", format!("{} <{}>", identity.name(), identity.email()))
        }
        Err(error) => DoctorLine::warn("identity", error.to_string(), hint),
    }
}

/// A run cannot move its branch while that is checked out.
fn checked_out(repository: &RepoContext) -> Vec<DoctorLine> {
    let worktrees = repository.git.worktrees().unwrap_or_default();
    let ours = worktrees.into_iter().filter_map(|worktree| {
        let branch = worktree.branch?;
        run_of_branch_ref(&branch)?;
        let text =
            format!("{} is checked out in {}", display_name(&branch), worktree.path.display());
        Some(DoctorLine::warn("branch", text, "switch to another branch before that run continues"))
    });
    ours.collect()
}
