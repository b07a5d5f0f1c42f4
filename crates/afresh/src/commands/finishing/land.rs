//! `afresh land`: merges a run into the user's current branch, or writes it as a patch.

use afresh_app::git::ref_names::RECEIPT_NOTES;
use afresh_app::git::{
    CommitSignature, LandError, LandRequest, LandShape, LandingMode, LandingPlan,
};
use afresh_app::handover::pull_request::HandoverMode;
use afresh_app::handover::target::shell_word;
use afresh_app::proof::history::commit::UNCHECKED_MERGE;
use afresh_core::Run;
use afresh_core::status::{RunState, RunStatus};
use afresh_engine::RepoContext;
use serde_json::json;
use std::path::{Path, PathBuf};

use super::pull_request::{self, HandoverArgs};
use super::squash_message;
use crate::exit::Exit;
use crate::reporters::patch_file::{self, PatchTarget};
use crate::terminal::completion;
use crate::terminal::output::{Output, count, safe};
use afresh_app::context::AppContext;
use afresh_app::error::{AppError, ErrorClass};
use afresh_app::plan_source::caller_paths::relative_path;
use afresh_app::session::runs::select;
use afresh_app::text::time;

/// How many files in the way an error lists.
const NAMED: usize = 20;

/// Merge a finished run into your branch, or write it as a patch
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct Args {
    /// The run; by default, the last one
    #[arg(add = completion::runs())]
    run: Option<String>,
    /// Land what is done, although the run is unfinished
    #[arg(long)]
    partial: bool,
    /// Show what would happen, and exit
    #[arg(long)]
    dry_run: bool,
    /// Write the run's changes to this file (`-` for standard output) and touch nothing else
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    patch: Option<PathBuf>,
    /// Land all of the run's work as one commit
    #[arg(long, conflicts_with_all = ["patch", "pr"])]
    squash: bool,
    /// Push the run's branch and open a pull request, or update the one that is open; your checkout is not touched
    ///
    /// Through `gh`, or through `glab` for a remote whose address names GitLab. The receipts are pushed too.
    #[arg(long, conflicts_with = "patch")]
    pr: bool,
    #[command(flatten)]
    handover: HandoverArgs,
}

pub(crate) fn land(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let place = context.repository()?;
    let run = select::find_run(&place, args.run.as_deref())?.run;
    if run.tip() == run.base() {
        return nothing(&run, output);
    }
    let landed_on = place.git.branch_with(run.tip()).map_err(|error| git_failed(&error))?;
    is_finished(&run, args.partial, landed_on.as_deref())?;
    is_there(&place, &run, output)?;
    if args.pr {
        let options = args.handover.options(args.partial);
        let mode = if args.dry_run { HandoverMode::DryRun } else { HandoverMode::Real };
        return pull_request::open(&run, &place, &options, mode, (context, output));
    }
    let signature = CommitSignature {
        identity: place.git.identity().map_err(|error| git_failed(&error))?,
        at_seconds: time::now_seconds(),
    };
    if let Some(file) = &args.patch {
        let target = PatchTarget { file, context, output };
        return patch_file::write(&place, &run, &signature, &target);
    }
    let directory = context.directory()?;
    let shape = if args.squash { LandShape::Squash } else { LandShape::Commits };
    let request = LandRequest { directory: &directory, tip: run.tip(), shape };
    let landing = place.git.plan_landing(&request).map_err(|error| failed(&error, &run))?;
    if let Some(branch) = landing.branch.as_deref().filter(|name| name.starts_with("afresh/")) {
        let message = format!("{branch} is the branch of a run, and not one of yours");
        return Err(AppError::usage("branch", message)
            .hint("switch to your own branch, such as `git switch main`, then land again"));
    }
    if !landing.obstacles.is_empty() {
        return Err(in_the_way(&landing, &run, &directory));
    }
    let to = if args.dry_run {
        None
    } else {
        let message = message(&place, &run, &landing)?;
        let landed = place.git.land(&landing, &message, &signature);
        Some(landed.map_err(|error| failed(&error, &run))?)
    };
    let push = find_push_command(&place, landing.branch.as_deref());
    if output.json {
        output.document(&json!({
            "run": run.id(), "branch": landing.branch, "way": word(&landing.way), "from": landing.from,
            "to": to, "dry_run": args.dry_run, "files": landing.paths(), "push": push,
        }));
    } else {
        print_landing(&run, &landing, args.dry_run, output);
        if let Some(command) = push.filter(|_| !args.dry_run) {
            output.note(&format!("  `{command}` pushes it with its receipts"));
        }
    }
    Ok(Exit::Done)
}

/// An unfinished run is not landed by accident.
fn is_finished(run: &Run, partial: bool, landed_on: Option<&str>) -> Result<(), AppError> {
    let status = RunStatus::from_run(run);
    if partial || status.state == RunState::Done {
        return Ok(());
    }
    let counts: Vec<String> =
        status.counts.iter().map(|(state, count)| format!("{count} {state}")).collect();
    let all_done = run.tasks().all(|(_, state)| state.is_done());
    if all_done && status.error.is_none() {
        let message = format!("the final checks of run {} have not run yet", run.id());
        return Err(AppError::incomplete("unfinished", message).hint(format!(
            "`afresh resume {0}` runs them; `afresh land {0} --partial` lands without them",
            run.id()
        )));
    }
    let message = match landed_on {
        Some(branch) => format!(
            "what run {} has done is already in {branch}; it is unfinished: {}",
            run.id(),
            counts.join(", ")
        ),
        None => format!("run {} is unfinished: {}", run.id(), counts.join(", ")),
    };
    let failure = AppError::incomplete("unfinished", message);
    let failure = match &status.error {
        Some(error) => failure.cause(error.clone()),
        None => failure,
    };
    let id = run.id();
    let is_over = run.is_ended_for_good();
    Err(failure.hint(match landed_on {
        Some(_) if is_over => format!("`afresh report {id}` lists what is not done"),
        Some(_) => {
            format!("`afresh report {id}` lists what is not done; `afresh resume {id}` continues it")
        }
        None => format!(
            "`afresh land {id} --partial` lands what is done; `afresh report {id}` lists what is not"
        ),
    }))
}

fn nothing(run: &Run, output: &Output) -> Result<Exit, AppError> {
    let status = RunStatus::from_run(run);
    if run.is_ended_for_good() {
        let message = format!("nothing of run {} was done before it was ended", run.id());
        return Err(AppError::incomplete("nothing-done", message)
            .hint("`afresh run --new PLAN` starts another run"));
    }
    if status.state != RunState::Done {
        let message = format!("nothing of run {} is done yet", run.id());
        return Err(AppError::incomplete("nothing-done", message)
            .hint(format!("`afresh status --run {}` shows the progress", run.id())));
    }
    if output.json {
        output.document(&json!({
            "run": run.id(), "way": "already", "branch": null, "from": null, "to": null, "dry_run": false, "files": [],
            "push": null,
        }));
    } else {
        output.note("the run changed no files; nothing to land");
    }
    Ok(Exit::Done)
}

/// Lands exactly what afresh checked, wherever the branch points now.
fn is_there(place: &RepoContext, run: &Run, output: &Output) -> Result<(), AppError> {
    let repository = &place.git;
    if !repository.exists(run.tip()).map_err(|error| git_failed(&error))? {
        let message = format!("the last commit of run {} is gone: {}", run.id(), run.tip());
        return Err(AppError::incomplete("gone", message).hint(
            "its branch was deleted and git removed the commit; `afresh run --new PLAN` starts over",
        ));
    }
    let now = repository.read_ref(&afresh_app::git::ref_names::run_branch_ref(run.id().as_str()));
    if let Ok(Some(now)) = now
        && now != *run.tip()
    {
        output.note(&format!(
            "note: {} was moved by someone else; landing {}, the commit that afresh checked",
            run.branch(),
            short(run.tip().as_str())
        ));
    }
    Ok(())
}

/// The message of the commit that landing makes, if it makes one.
fn message(place: &RepoContext, run: &Run, landing: &LandingPlan) -> Result<String, AppError> {
    match landing.way {
        LandingMode::Squash(_) | LandingMode::SquashOnto(_) => {
            squash_message::compose(&place.git, run, landing.way.is_unchecked())
        }
        _ => Ok(merge_message(run)),
    }
}

fn merge_message(run: &Run) -> String {
    let name = safe(&run.plan().name);
    let done = run.tasks().filter(|(_, state)| state.is_done()).count();
    format!(
        "Merge run {}: {name}\n\n{}\n\nAfresh-Run: {}\n{UNCHECKED_MERGE}: {}\n",
        run.id(),
        count(done, "task"),
        run.id(),
        run.id()
    )
}

/// What pushes the user's branch together with the notes; none without a remote or without notes.
fn find_push_command(place: &RepoContext, branch: Option<&str>) -> Option<String> {
    let branch = branch?;
    let remote = place.git.push_remote(Some(branch)).ok()??;
    place.git.read_ref(RECEIPT_NOTES).ok()??;
    Some(format!("git push {} {} {RECEIPT_NOTES}", shell_word(&remote), shell_word(branch)))
}

fn word(way: &LandingMode) -> &'static str {
    match way {
        LandingMode::Already => "already",
        LandingMode::FastForward => "fast-forward",
        LandingMode::Merge(_) => "merge",
        LandingMode::Squash(_) | LandingMode::SquashOnto(_) => "squash",
    }
}

fn print_landing(run: &Run, landing: &LandingPlan, dry_run: bool, output: &Output) {
    let onto = landing.branch.as_deref().unwrap_or("HEAD (no branch)");
    let files = count(landing.paths().len(), "file");
    let verb = if dry_run { "would land" } else { "landed" };
    match &landing.way {
        LandingMode::Already => output.note(&format!("{} is already in {onto}", run.branch())),
        LandingMode::Squash(_) | LandingMode::SquashOnto(_) => {
            output.note(&format!("{verb} {} on {onto}: one commit, {files}", run.branch()));
        }
        LandingMode::FastForward => {
            output.note(&format!("{verb} {} on {onto}: fast-forward, {files}", run.branch()));
        }
        LandingMode::Merge(_) => {
            output.note(&format!("{verb} {} on {onto}: a merge commit, {files}", run.branch()));
        }
    }
    if landing.way.is_unchecked() {
        output.note(
            "  your branch has new commits since the run started; afresh has not checked the combination",
        );
    }
}

fn in_the_way(landing: &LandingPlan, run: &Run, directory: &Path) -> AppError {
    let obstacles = &landing.obstacles;
    let (are, them) = if obstacles.len() == 1 { ("is", "it") } else { ("are", "them") };
    let files = count(obstacles.len(), "file");
    let message = format!("cannot land {}: {files} of yours {are} in the way", run.branch());
    let mut failure = AppError::incomplete("in-the-way", message);
    for obstacle in obstacles.iter().take(NAMED) {
        failure = failure.cause(format!("{} {}", obstacle.path, obstacle.why));
    }
    if obstacles.len() > NAMED {
        failure = failure.cause(format!("and {} more", obstacles.len() - NAMED));
    }
    let (ignored, others): (Vec<_>, Vec<_>) =
        obstacles.iter().partition(|obstacle| obstacle.is_ignored());
    let paths: Vec<&str> = others.iter().map(|obstacle| obstacle.path.as_str()).collect();
    let stash = stash_command(&paths, directory);
    let what_to_do = match (ignored.is_empty(), others.is_empty()) {
        (true, _) => format!("commit {them} or stash {them} with `{stash}`"),
        (false, true) => format!("git ignores {them}, so move or rename {them} yourself"),
        (false, false) => format!("stash them with `{stash}`, and move aside what git ignores"),
    };
    failure.hint(format!("nothing was changed; {what_to_do}, then land again"))
}

/// Stashes these files and nothing else: the plan and the configuration may not be committed either.
fn stash_command(paths: &[&str], directory: &Path) -> String {
    const MAX_PATHS: usize = 5;
    let root = directory.ancestors().find(|place| place.join(".git").exists());
    let shown = |path: &&str| match root {
        Some(root) => relative_path(directory, &root.join(path)).display().to_string(),
        None => (*path).to_owned(),
    };
    let mut words: Vec<String> =
        paths.iter().take(MAX_PATHS).map(shown).map(|path| shell_word(&path)).collect();
    if paths.len() > MAX_PATHS {
        words = vec!["FILES".to_owned()];
    }
    format!("git stash push -u -- {}", words.join(" "))
}

fn failed(error: &LandError, run: &Run) -> AppError {
    let class = match error {
        LandError::Git(_) | LandError::File(_) => ErrorClass::Machine,
        _ => ErrorClass::Incomplete,
    };
    let kind = match error {
        LandError::Conflict { .. } => "conflict",
        LandError::Locked { .. } => "locked",
        LandError::Git(_) => "git",
        _ => "land",
    };
    let hint = match error {
        LandError::Conflict { .. } => Some(format!(
            "nothing was changed; resolve it in your checkout with `git merge {}`",
            run.branch()
        )),
        LandError::Git(_) | LandError::File(_) => Some(format!(
            "check the permissions and the free space of the repository, then `afresh land {}` again",
            run.id()
        )),
        other => other.hint(),
    };
    let mut failure = AppError::new(class, kind, format!("cannot land {}", run.branch()));
    failure = failure.cause(error.to_string());
    if let LandError::Conflict { account, .. } = error {
        let lines = account.lines().filter(|line| line.starts_with("CONFLICT")).take(NAMED);
        failure.causes.extend(lines.map(str::to_owned));
    }
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn git_failed(error: &afresh_app::git::CommandError) -> AppError {
    AppError::git(error)
}

fn short(id: &str) -> &str {
    &id[..id.len().min(10)]
}
