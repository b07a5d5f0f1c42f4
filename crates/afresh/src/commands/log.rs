//! `afresh log LEVEL EVENT MESSAGE`: a worker adds a line to the activity log.

use afresh_core::event::LogLevel;
use afresh_engine::mailbox::Note;
use clap::ValueEnum;

use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;

/// Add a line to the activity log (called by a worker, inside its attempt)
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_enum, ignore_case = true)]
    level: Level,
    /// A word for what happened
    event: String,
    message: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

pub(crate) fn log(args: &Args) -> Result<Exit, Failure> {
    let attempt = environment::attempt_directory().ok_or_else(|| {
        Failure::usage("no-attempt", "`afresh log` is for workers, inside an attempt")
            .help("AFRESH_RESULT is not set")
    })?;
    let level = match args.level {
        Level::Debug => LogLevel::Debug,
        Level::Info => LogLevel::Info,
        Level::Warn => LogLevel::Warn,
        Level::Error => LogLevel::Error,
    };
    let short = |text: &str, most: usize| text.chars().take(most).collect();
    let note = Note { level, event: short(&args.event, 100), message: short(&args.message, 2_000) };
    note.leave(&attempt).map_err(|error| {
        Failure::usage("mailbox", format!("cannot leave a note in {}", attempt.display()))
            .cause(error.to_string())
    })?;
    Ok(Exit::Done)
}
