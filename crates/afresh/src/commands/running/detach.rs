//! `afresh run --detach`: the same command again in the background, in a session of its own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_core::ids::RunId;
use afresh_core::status::is_over;
use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::Output;

/// What the process in the background is started with.
pub(crate) const IN_BACKGROUND: &str = "--in-background";
/// How long it gets to take the lock; preparing a run may probe agents.
const START_TIMEOUT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(50);
/// How much of its messages is shown if it ends before it drives the run.
const MAX_SHOWN_BYTES: usize = 8 * 1024;

/// Starts it, and waits until it drives a run or has ended.
pub(crate) fn start(context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let log = log_file(context)?;
    let failed = |error: std::io::Error| AppError::cannot_write("detach", &log, error);
    let file = File::create(&log).map_err(failed)?;
    let copy = file.try_clone().map_err(failed)?;
    // In its place: what follows `--` is no option.
    let given =
        context.environment.arguments.iter().skip(1).flat_map(|given| match given.as_str() {
            "--detach" => vec!["--no-input", IN_BACKGROUND],
            "--no-input" => vec![],
            other => vec![other],
        });
    let mut child = Command::new(&context.environment.executable)
        .args(given)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(copy)
        .spawn()
        .map_err(|error| {
            AppError::machine("detach", "cannot start afresh in the background")
                .cause(error.to_string())
                .hint("`afresh run --no-input` runs it in this terminal")
        })?;
    match await_driver(&mut child, context)? {
        Started::Drives(run) => announce(run.as_ref(), child.id(), &log, output),
        Started::Ended(code) => return Ok(end_early(code, &log, output)),
    }
    Ok(Exit::Done)
}

/// Leaves the terminal's session, so that its end does not end the run.
pub(crate) fn leave_session() {
    // It fails for the leader of a group; then the run ends as any other does when its terminal is closed.
    let _ = nix::unistd::setsid();
}

/// One file per directory that runs are started in; each start replaces it.
fn log_file(context: &AppContext) -> Result<PathBuf, AppError> {
    let directory = context.cache_directory()?.join("detached");
    fs::create_dir_all(&directory)
        .map_err(|error| AppError::cannot_write("detach", &directory, error))?;
    let here = context.directory()?;
    let name = here.to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let end = name.len().saturating_sub(100);
    Ok(directory.join(format!("{}.log", name[end..].trim_matches('-'))))
}

/// What became of the process.
enum Started {
    /// It holds the lock; its run, if it is known.
    Drives(Option<RunId>),
    Ended(Option<i32>),
}

fn await_driver(child: &mut Child, context: &AppContext) -> Result<Started, AppError> {
    let until = Instant::now() + START_TIMEOUT;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Ok(Started::Ended(status.code()));
        }
        // The repository may be made by the process itself, or be the plan's target.
        if let Ok(repository) = context.repository()
            && repository.holder()?.is_some_and(|holder| holder.pid == child.id())
            && let Some(found) = repository.find_run(|run| !is_over(run))?
        {
            return Ok(Started::Drives(Some(found.run.id().clone())));
        }
        if Instant::now() > until {
            return Ok(Started::Drives(None));
        }
        thread::sleep(PAUSE);
    }
}

fn announce(run: Option<&RunId>, pid: u32, log: &Path, output: &Output) {
    if output.json {
        output.document(&json!({"run": run, "ok": true, "pid": pid, "log": log}));
        return;
    }
    let name = run.map_or_else(|| "the run".to_owned(), |run| format!("run {run}"));
    output
        .note(&format!("{name} continues in process {pid}; its messages are in {}", log.display()));
    output.note("`afresh attach` follows it and answers its questions; `afresh halt` stops it");
}

/// It ended before anything was to follow: its messages are those of the command.
fn end_early(code: Option<i32>, log: &Path, output: &Output) -> Exit {
    let text = fs::read(log).unwrap_or_default();
    let text =
        String::from_utf8_lossy(&text[text.len().saturating_sub(MAX_SHOWN_BYTES)..]).into_owned();
    if output.json {
        output.data(text.trim_end());
    } else {
        output.message(text.trim_end());
    }
    code.and_then(Exit::from_code).unwrap_or(Exit::Bug)
}
