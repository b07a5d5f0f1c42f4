//! `afresh diff TASK`: what an attempt changed, what landed, or how two attempts differ.

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::git::DiffFormat;
use afresh_app::session::runs::select;
use afresh_app::tasks::diff::{TaskDiff, TaskDiffKind, count_task_diff, find_task_diff};
use afresh_views::colored_diff::{DiffLineKind, classify_lines};

use crate::exit::Exit;
use crate::terminal::output::{Output, Paint};
use crate::terminal::{completion, wrap};

/// The width of the list of files where standard output is no terminal, as in git.
const STAT_COLUMNS: usize = 80;

/// Show what a task changed: what landed, one attempt, or the difference of two
///
/// A task that is merged shows what landed on the run's branch; any other one shows its last attempt. An attempt is
/// compared with the commit that it started from. Nothing is paged, and no diff program of your configuration runs.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The task, an attempt (T002.1), or two attempts (T002.1 T002.2)
    #[arg(required = true, num_args = 1..=2, value_name = "TASK", add = completion::tasks())]
    tasks: Vec<String>,
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
    /// Only the changed files, with the numbers of lines
    #[arg(long, conflicts_with = "name_only")]
    stat: bool,
    /// Only the paths of the changed files
    #[arg(long)]
    name_only: bool,
}

pub(crate) fn diff(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let place = context.repository()?;
    let found = select::find_run(&place, args.run.as_deref())?;
    let diff = output.with_notices(|notes| find_task_diff(&place, &found, &args.tasks, notes))?;
    if output.json {
        output.document(&count_task_diff(&place, found.run.id().as_str(), &diff)?);
        return Ok(Exit::Done);
    }
    let format = match (args.stat, args.name_only) {
        (true, _) => {
            DiffFormat::Stat { columns: wrap::columns(&std::io::stdout()).unwrap_or(STAT_COLUMNS) }
        }
        (false, true) => DiffFormat::Names,
        (false, false) => DiffFormat::Patch,
    };
    let rendered = place.git.render_diff(&diff.base, &diff.commit, format);
    let rendered = rendered.map_err(AppError::git)?;
    if rendered.is_empty() {
        output.note(&describe_no_difference(&diff));
    } else {
        print(&rendered, format, output);
    }
    Ok(Exit::Done)
}

fn describe_no_difference(diff: &TaskDiff) -> String {
    match diff.kind {
        TaskDiffKind::Between => format!("{} left the same files", diff.attempts.join(" and ")),
        TaskDiffKind::Attempt | TaskDiffKind::Merge => {
            format!("{} changed nothing", diff.attempts.join(" "))
        }
    }
}

/// Exact bytes for files and pipes, so that `git apply` takes them; on a terminal, only what it cannot obey.
fn print(rendered: &[u8], format: DiffFormat, output: &Output) {
    if !output.is_data_on_terminal() {
        // A closed standard output is no error.
        let _ = output.write_data(rendered);
        return;
    }
    let text = String::from_utf8_lossy(rendered);
    if format != DiffFormat::Patch {
        output.data(text.trim_end_matches('\n'));
        return;
    }
    for (kind, line) in classify_lines(&text) {
        // A file must not bring colours of its own.
        let line = line.replace('\x1b', "\\u{1b}");
        let shown = match paint_of(kind) {
            Some(paint) => output.paint_data(paint, &line),
            None => line,
        };
        if !output.line(&shown) {
            return;
        }
    }
}

fn paint_of(kind: DiffLineKind) -> Option<Paint> {
    match kind {
        DiffLineKind::Header => Some(Paint::Bold),
        DiffLineKind::Place => Some(Paint::Cyan),
        DiffLineKind::Added => Some(Paint::Green),
        DiffLineKind::Removed => Some(Paint::Red),
        DiffLineKind::Context => None,
    }
}
