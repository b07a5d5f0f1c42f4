//! `afresh rewind TARGET`: moves a run's branch back to where it was earlier; everything is kept.

use afresh_app::context::{AppContext, user_name};
use afresh_app::error::AppError;
use afresh_app::session::control;
use afresh_app::session::runs::select;
use afresh_core::Run;
use afresh_core::ids::{CommitId, TaskId};
use afresh_core::run::{RewindPath, RewindTarget};
use afresh_engine::ControlCommand;
use afresh_engine::session::RecordedRun;
use serde_json::json;

use crate::commands::running::drive;
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;

/// Go back to before a task or a wave, or to a commit; what is taken back is kept and done again
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A task (to before its merge), the number of a wave, a commit of the run, or `base`
    #[arg(add = completion::tasks())]
    target: String,
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
    /// Show what would be taken back, and exit
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn rewind(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let repository = context.repository()?;
    let found = select::find_run(&repository, args.run.as_deref())?;
    let target = select::find_rewind_target(&found.run, &args.target)?;
    let path = found.run.plan_rewind(&target).map_err(|why| {
        AppError::incomplete("refused", why).hint("`afresh report` lists what has been merged")
    })?;
    if args.dry_run {
        show(&found.run, &path, RewindProgress::Planned, output);
        return Ok(Exit::Done);
    }
    carry_out(RewindRequest { found: &found, target, path }, context, output)
}

/// A way back that is possible.
pub(crate) struct RewindRequest<'a> {
    pub(crate) found: &'a RecordedRun,
    pub(crate) target: RewindTarget,
    pub(crate) path: RewindPath,
}

pub(crate) fn carry_out(
    request: RewindRequest<'_>,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let RewindRequest { found, target, path } = request;
    let run = found.run.id().clone();
    let command = ControlCommand::Rewind { run: run.clone(), target, by: user_name() };
    control::send_to_run(context, &drive::open_file_reporters, command)?;
    let now = select::find_run(&context.repository()?, Some(run.as_str()))?.run;
    let progress =
        if *now.tip() == path.to { RewindProgress::Done } else { RewindProgress::Pending };
    show(&found.run, &path, progress, output);
    Ok(Exit::Done)
}

/// How far a rewind has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RewindProgress {
    Planned,
    /// Something is underway, which is saved first.
    Pending,
    Done,
}

/// `run` is the run as it was before.
fn show(run: &Run, path: &RewindPath, progress: RewindProgress, output: &Output) {
    let (id, kept) = (run.id(), run.tip());
    if output.json {
        output.document(&json!({
            "run": id,
            "ok": true,
            "to": path.to,
            "undone": path.undone,
            "kept": kept,
            "moved": progress == RewindProgress::Done,
        }));
        return;
    }
    let tasks: Vec<&str> = path.undone.iter().map(TaskId::as_str).collect();
    let short = |commit: &CommitId| commit.as_str()[..12].to_owned();
    let (branch, to) = (run.branch(), short(&path.to));
    output.note(&match progress {
        RewindProgress::Planned => format!("{branch} would move back to {to}"),
        RewindProgress::Pending => {
            format!("{branch} moves back to {to} as soon as running work is saved")
        }
        RewindProgress::Done => format!("{branch} is back at {to}"),
    });
    output.note(&format!("to be done again: {}", tasks.join(", ")));
    output.note(&format!("the old tip {} is kept under refs/afresh/salvage/{id}/", short(kept)));
    if progress != RewindProgress::Planned {
        output.note(&format!("`afresh resume {id}` continues from there if the run is not active"));
    }
}
