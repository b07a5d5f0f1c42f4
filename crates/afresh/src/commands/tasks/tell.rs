//! `afresh tell TASK TEXT`: a person's comment for the workers of a task.

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::tasks::tell::{CommentDelivery, CommentRequest, SentComment, tell_task};

use crate::commands::running::drive;
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;
use crate::terminal::piped_text;

/// More than a comment may have in any script.
const MAX_INPUT_BYTES: u64 = 64 * 1024;

/// Tell the worker of a task something; without one, its next worker
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The task; with `--on`, also one of its attempts, such as T003.1
    #[arg(add = completion::tasks())]
    task: String,
    /// Comment on this part of what the attempt changed; its lines are quoted for the worker
    ///
    /// Lines are counted in the file as the attempt left it. Without an attempt's number, it is what the task landed,
    /// else its newest saved work: what `afresh diff TASK` shows.
    #[arg(long, value_name = "FILE[:LINE[-LINE]]")]
    on: Option<String>,
    /// What to take into account; `-` reads it from standard input
    #[arg(required = true)]
    text: Vec<String>,
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
}

pub(crate) fn tell(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let text = match args.text.as_slice() {
        [one] if one == "-" => piped_text::read("the comment", "as an argument", MAX_INPUT_BYTES)?,
        words => words.join(" "),
    };
    let run = args.run.as_deref();
    let request = CommentRequest { task: &args.task, text: &text, on: args.on.as_deref() };
    let sent = tell_task(context, &drive::open_file_reporters, run, request)?;
    if output.json {
        output.document(&sent);
    } else {
        output.note(&describe(&sent));
    }
    Ok(Exit::Done)
}

/// Where the comment is now, and what has to happen until a worker has it.
pub(crate) fn describe(sent: &SentComment) -> String {
    let (run, task) = (&sent.run, &sent.task);
    let attempt = sent.attempt.as_deref().unwrap_or(task.as_str());
    let continued =
        if sent.driven { String::new() } else { format!("; `afresh resume {run}` continues it") };
    match sent.delivery {
        CommentDelivery::Sent => format!(
            "{attempt} gets it with our next answer to it, and every later worker of {task} with its prompt"
        ),
        CommentDelivery::NextWorker => format!("the next worker of {task} gets it{continued}"),
        CommentDelivery::IfRejected => {
            format!("{attempt} has ended; if its work is rejected, the next worker gets it")
        }
        CommentDelivery::AfterRetry => format!(
            "kept for the next worker of {task}; `afresh task retry {task} --run {run}` starts one"
        ),
        CommentDelivery::AfterRewind => format!(
            "{task} is done; `afresh task redo {task} --run {run}` does it again with the comment"
        ),
    }
}
