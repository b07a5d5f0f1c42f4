//! `afresh open TASK`: a shell in a copy of a task's workspace.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::runs::select;
use afresh_app::tasks::workspace_copy::copy_workspace;
use signal_hook::consts::{SIGINT, SIGQUIT};

use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;

/// Open a shell in a copy of a task's workspace; without a terminal, print where it is
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The task, or one attempt (T002.1): what its worker has written so far, what it left, or what landed
    #[arg(add = completion::tasks())]
    task: String,
    /// Start this program in the copy instead of a shell
    #[arg(last = true, conflicts_with = "print")]
    command: Vec<String>,
    /// Only print the directory of the copy
    #[arg(long)]
    print: bool,
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
}

pub(crate) fn open(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let repository = context.repository()?;
    let found = select::find_run(&repository, args.run.as_deref())?;
    let copy =
        output.with_notices(|notices| copy_workspace(&repository, &found, &args.task, notices))?;
    if output.json {
        output.document(&copy);
        return Ok(Exit::Done);
    }
    let shown = copy.directory.display();
    if args.print || (args.command.is_empty() && !output.is_interactive()) {
        output.data(&shown.to_string());
        return Ok(Exit::Done);
    }
    let state = if copy.at_work { "as its worker has it right now" } else { "as it was saved" };
    output.note(&format!(
        "{} {state}, in a clone of its own; nothing that you do here reaches the run. Programs of the work run without a \
         sandbox",
        args.task
    ));
    let shell = context.environment.text("SHELL").unwrap_or("sh").to_owned();
    let (program, arguments) = match args.command.split_first() {
        Some((program, arguments)) => (program.clone(), arguments.to_vec()),
        None => (shell, Vec::new()),
    };
    keep_running_on_keys()?;
    let ended = Command::new(&program).args(arguments).current_dir(&copy.directory).status();
    let ended = ended.map_err(|error| {
        AppError::usage("open", format!("cannot start {program}"))
            .cause(error.to_string())
            .hint(format!("the copy is in {shown}"))
    })?;
    output.note(&format!("the copy stays in {shown}; `afresh clean --opened` removes such copies"));
    let is_success = ended.success() || args.command.is_empty() && ended.signal().is_none();
    Ok(if is_success { Exit::Done } else { Exit::Incomplete })
}

/// Keys such as Ctrl-C are for the program in the copy, and reach us too. It starts without these handlers.
fn keep_running_on_keys() -> Result<(), AppError> {
    for signal in [SIGINT, SIGQUIT] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false))).map_err(|error| {
            AppError::machine("open", "cannot set up what Ctrl-C does").cause(error.to_string())
        })?;
    }
    Ok(())
}
