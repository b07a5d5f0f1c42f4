//! `afresh log LEVEL EVENT MESSAGE`: a worker adds a line to the activity log.

use afresh_core::event::LogLevel;
use clap::ValueEnum;

use crate::exit::Exit;
use crate::in_attempt::worker;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// Add a line to the activity log
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_enum, ignore_case = true)]
    level: LevelArg,
    /// A word for what happened
    event: String,
    message: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LevelArg {
    Debug,
    Info,
    Warn,
    Error,
}

pub(crate) fn log(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let mailbox = worker::mailbox("afresh log", &context.environment)?;
    let level = match args.level {
        LevelArg::Debug => LogLevel::Debug,
        LevelArg::Info => LogLevel::Info,
        LevelArg::Warn => LogLevel::Warn,
        LevelArg::Error => LogLevel::Error,
    };
    worker::notes::log(&mailbox, level, &args.event, &args.message)?;
    worker::hand_on_notice(&mailbox, output);
    Ok(Exit::Done)
}
