//! `afresh version`.

use afresh_app::text::schemas;
use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::Output;

/// Print the version
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn version(_: &Args, output: &Output) -> Exit {
    let version = env!("CARGO_PKG_VERSION");
    if output.json {
        output.document(&json!({"version": version, "json_version": schemas::JSON_VERSION}));
    } else {
        output.data(&format!("afresh {version}"));
    }
    Exit::Done
}
