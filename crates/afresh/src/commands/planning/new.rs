//! `afresh new [--spec] [FILE]`: a plan or a specification to start from.

use std::path::PathBuf;

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::setup::init::starter::{StarterFile, StarterKind};
use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::Output;

/// Write a commented plan or specification to start from
///
/// It can be used as it is, and has the test command of this repository where that is found. A file that exists is never
/// overwritten.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file; by default, work.plan.toml or spec.md
    file: Option<PathBuf>,
    /// Write a specification instead of a plan
    #[arg(long)]
    spec: bool,
}

pub(crate) fn new(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let directory = context.directory()?;
    let kind = if args.spec { StarterKind::Specification } else { StarterKind::Plan };
    let around = directory.ancestors().find(|place| place.join(".git").exists());
    let root = around.unwrap_or(&directory);
    let file = StarterFile::new(kind, &directory, root, args.file.as_deref())?;
    file.write()?;
    let shown = &file.shown;
    if output.json {
        output.document(&json!({"file": shown, "kind": kind.word()}));
        return Ok(Exit::Done);
    }
    output.note(&format!("wrote a {} to {shown}; edit it, then:", kind.word()));
    output.note(&match kind {
        StarterKind::Plan => format!(
            "  `afresh lint {shown}` finds mistakes, `afresh show {shown}` shows what would run"
        ),
        StarterKind::Specification => format!(
            "  `afresh audit {shown}` says how large it is, `afresh plan {shown}` makes a plan of it"
        ),
    });
    Ok(Exit::Done)
}
