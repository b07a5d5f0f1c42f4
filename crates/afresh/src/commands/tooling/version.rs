//! `afresh version`.

use afresh_app::error::AppError;
use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::Output;

/// Print the version
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn version(_: &Args, output: &Output) -> Result<Exit, AppError> {
    let version = env!("CARGO_PKG_VERSION");
    if output.json {
        output.document(&json!({"version": version}));
    } else {
        output.data(&format!("afresh {version}"));
    }
    Ok(Exit::Done)
}
