//! `afresh help [COMMAND]`: an overview that fits a small terminal, the list of all commands, and the
//! help of one command.

use std::fmt::Write as _;

use afresh_app::error::AppError;
use clap::CommandFactory;

use crate::cli::{Cli, WORKER_COMMANDS};
use crate::commands::suggest;
use crate::exit::Exit;
use crate::terminal::output::Output;
use afresh_app::text::wrap;

/// Fits 80 columns and 24 lines, with a prompt below it; a test checks that.
pub(crate) const OVERVIEW: &str = "\
afresh runs a plan to completion with a fresh coding agent for every task.

Set up
  demo       Watch a whole run in a scratch repository; no key, no network
  init       Write a configuration for this repository
  doctor     Check that everything a run needs is in place
Plan
  plan       Make a plan from a specification
  lint       Find mistakes in a plan of any format
  show       Show what would run: waves, files, critical path
Run
  run        Run a plan, or continue where it stopped
  status     Show the progress of the run
  logs       Show the activity of the run, or the transcript of a task
  questions  List open questions; `afresh decide` answers one
  halt       Stop gracefully; `afresh resume` continues
Finish
  report     Summarize the run
  land       Merge the finished run into your branch
  clean      Remove workspaces and files that are no longer needed

All commands and options: afresh --help. One command: afresh help COMMAND.
Example: afresh run todo.plan.toml && afresh land";

/// All commands that are not hidden, by purpose.
const GROUPS: &[(&str, &[&str])] = &[
    ("Set up", &["demo", "init", "doctor", "agents", "config"]),
    (
        "Plan",
        &[
            "new", "audit", "discover", "plan", "lint", "probe", "show", "import", "export",
            "bundle",
        ],
    ),
    (
        "Run",
        &[
            "run",
            "attach",
            "watch",
            "serve",
            "mcp",
            "status",
            "logs",
            "questions",
            "decide",
            "halt",
            "resume",
            "abort",
            "rewind",
            "fork",
            "runs",
            "statusline",
            "task",
            "tell",
            "diff",
            "open",
            "checkpoint",
        ],
    ),
    ("Finish", &["report", "trace", "land", "verify-run", "replay", "scan", "clean"]),
    ("Tools", &["help", "version", "schema", "completions", "man"]),
];

/// The width of texts that go into documents.
const WIDTH: usize = 80;

/// Explain a command; without one, show the everyday commands
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The command, and perhaps its subcommand
    command: Vec<String>,
    /// List all commands
    #[arg(long, conflicts_with = "command")]
    all: bool,
}

pub(crate) fn help(args: &Args, output: &Output) -> Result<Exit, AppError> {
    let output = output.for_people();
    if args.all {
        output.data(&full_help());
        return Ok(Exit::Done);
    }
    if args.command.is_empty() {
        output.data(OVERVIEW);
        return Ok(Exit::Done);
    }
    let cli = Cli::command();
    let mut command = &cli;
    for name in &args.command {
        let found = command.find_subcommand(name);
        command = found.ok_or_else(|| suggest::unknown_command(name))?;
    }
    // The same as `afresh COMMAND --help`, which clap answers with an error of its own.
    let words = args.command.iter().map(String::as_str);
    let asked = std::iter::once("afresh").chain(words).chain(["--help"]);
    if let Err(help) = Cli::command().try_get_matches_from(asked) {
        output.data(help.render().to_string().trim_end());
    }
    Ok(Exit::Done)
}

/// Every command, and the options that all of them take.
pub(crate) fn full_help() -> String {
    let mut text = String::from(
        "Runs a plan to completion with a fresh coding agent for every task.\n\n\
         Usage: afresh COMMAND [OPTIONS] [ARGUMENTS]\n",
    );
    let cli = Cli::command();
    let line = |text: &mut String, name: &str| {
        let about = cli.find_subcommand(name).and_then(clap::Command::get_about);
        let about = about.map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(text, "{}", wrapped_entry(name, &about));
    };
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "\n{heading}:");
        for name in *names {
            line(&mut text, name);
        }
    }
    let _ = writeln!(text, "\nCalled by workers, inside an attempt:");
    for name in WORKER_COMMANDS {
        line(&mut text, name);
    }
    text.push('\n');
    text.push_str(common_options().trim_end());
    text.push_str("\n\n`afresh help COMMAND` explains one command.");
    text
}

/// A name in a column of its own, and its description beside it.
fn wrapped_entry(name: &str, about: &str) -> String {
    const COLUMN: usize = 15;
    let wrapped = wrap::wrap(about, WIDTH - COLUMN - 2);
    let indent = " ".repeat(COLUMN + 2);
    let lines: Vec<String> = wrapped.lines().map(|line| line.trim_start().to_owned()).collect();
    format!("  {name:<COLUMN$}{}", lines.join(&format!("\n{indent}")))
}

/// The options of every command, as clap describes them.
fn common_options() -> String {
    Cli::command()
        .override_help(None::<&str>)
        .mut_subcommands(|command| command.hide(true))
        .help_template("{all-args}")
        .term_width(WIDTH)
        .render_help()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bare `afresh` is readable in the smallest usual terminal.
    #[test]
    fn the_overview_fits_80_by_24() {
        assert!(OVERVIEW.lines().count() < 24, "{} lines", OVERVIEW.lines().count());
        for line in OVERVIEW.lines() {
            assert!(line.len() <= 80, "{line}");
        }
    }

    #[test]
    fn every_visible_command_is_in_one_group() {
        let cli = Cli::command();
        let visible = cli.get_subcommands().filter(|command| !command.is_hide_set());
        let mut names: Vec<&str> = visible.map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        names.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, names);
    }
}
