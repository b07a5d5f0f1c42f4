//! `afresh discover [DIR]`: what the repository is, as planning prompts describe it.

use std::path::PathBuf;

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::planner::discovery::render_markdown;
use afresh_app::planning::discovery::{DiscoveryProbe, discover_project};

use crate::commands::planning::probe::{ProbeArgs, ProbeProgress};
use crate::exit::Exit;
use crate::terminal::output::Output;

/// Describe the repository: languages, packages, commands, patterns, key files
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The repository, or a directory of it
    #[arg(default_value = ".", value_name = "DIR")]
    described: PathBuf,
    /// Run the commands that were found, each once, to see which of them work
    #[arg(long)]
    probe: bool,
    #[command(flatten)]
    probing: ProbeArgs,
}

pub(crate) fn discover(
    args: &Args,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let named = context.directory()?.join(&args.described);
    let directory = named.canonicalize().map_err(|error| {
        AppError::usage("directory", format!("cannot look at {}", args.described.display()))
            .cause(error.to_string())
            .hint("name an existing directory of a repository")
    })?;
    let mut facts =
        output.with_notices(|notices| discover_project(context, &directory, notices))?;
    if args.probe {
        let options = args.probing.options();
        let probe = output.with_notices(|notices| {
            DiscoveryProbe::prepare(context, &directory, &facts, &options, notices)
        })?;
        let progress = ProbeProgress::new(probe.count(), &[], output);
        probe.run(&mut facts, &|probed| progress.add(probed));
    }
    if output.json {
        output.document(&facts);
    } else {
        output.prose(render_markdown(&facts).trim_end());
    }
    Ok(Exit::Done)
}
