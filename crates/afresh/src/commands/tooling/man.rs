//! `afresh man`: the manual pages.

use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap_mangen::Man;

use crate::cli::Cli;
use crate::exit::Exit;
use crate::terminal::output::{Output, count};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// Print a manual page, or write all of them
#[derive(Debug, clap::Args)]
#[command(after_help = "afresh man | man -l -          reads it\n\
afresh man --dir DIR           writes afresh.1, afresh-run.1, … there")]
pub(crate) struct Args {
    /// The command; by default, the whole program
    command: Option<String>,
    /// Write a page per command to this directory
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    dir: Option<PathBuf>,
}

pub(crate) fn man(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let mut cli = Cli::command();
    cli.build();
    if let Some(directory) = &args.dir {
        return write_all(&cli, &context.directory()?.join(directory), output);
    }
    let page = match &args.command {
        None => cli,
        Some(name) => named(&cli, name)?,
    };
    let text = render(&page)?;
    output.data(String::from_utf8_lossy(&text).trim_end());
    Ok(Exit::Done)
}

fn named(cli: &clap::Command, name: &str) -> Result<clap::Command, AppError> {
    let found = cli.find_subcommand(name).filter(|command| !command.is_hide_set()).cloned();
    found.ok_or_else(|| {
        let known = visible(cli).map(clap::Command::get_name);
        let failure = AppError::usage("command", format!("there is no command {name:?}"));
        match afresh_core::plan::nearest(name, known) {
            Some(near) => failure.hint(format!("did you mean {near:?}?")),
            None => failure.hint("`afresh --help` lists them"),
        }
    })
}

fn visible(cli: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    cli.get_subcommands().filter(|command| !command.is_hide_set())
}

fn render(page: &clap::Command) -> Result<Vec<u8>, AppError> {
    let mut text = Vec::new();
    Man::new(page.clone())
        .render(&mut text)
        .map_err(|error| AppError::bug("man", error.to_string()))?;
    Ok(text)
}

fn write_all(cli: &clap::Command, directory: &Path, output: &Output) -> Result<Exit, AppError> {
    let failed = |error: std::io::Error| AppError::cannot_write("man", directory, error);
    std::fs::create_dir_all(directory).map_err(failed)?;
    let pages: Vec<clap::Command> =
        std::iter::once(cli.clone()).chain(visible(cli).cloned()).collect();
    let mut files = Vec::new();
    for page in &pages {
        let file = directory.join(Man::new(page.clone()).get_filename());
        std::fs::write(&file, render(page)?).map_err(failed)?;
        files.push(file);
    }
    if output.json {
        output.document(&serde_json::json!({"files": files}));
    } else {
        output.note(&format!("wrote {} to {}", count(files.len(), "page"), directory.display()));
    }
    Ok(Exit::Done)
}
