//! What was typed. What it means is for the commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands;

/// Runs a specification to done with a fresh coding agent for every task.
#[derive(Debug, Parser)]
#[command(
    name = "afresh",
    version,
    about,
    propagate_version = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Common {
    /// Print JSON on standard output, and nothing else
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Work in this directory
    #[arg(short = 'C', value_name = "DIR", default_value = ".", global = true)]
    pub(crate) directory: PathBuf,
    /// Say less
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// When to use colours; the variable `NO_COLOR` is honoured
    #[arg(long, value_enum, default_value_t = Color::Auto, global = true)]
    pub(crate) color: Color,
    /// Another configuration file than .afresh/config.toml
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(commands::demo::Args),
    Init(commands::init::Args),
    Doctor(commands::doctor::Args),
    Agents(commands::agents::Args),
    Lint(commands::lint::Args),
    Show(commands::show::Args),
    Import(commands::import::Args),
    Run(commands::run::Args),
    Status(commands::status::Args),
    Logs(commands::logs::Args),
    Questions(commands::questions::Args),
    Decide(commands::decide::Args),
    Halt(commands::halt::Args),
    Resume(commands::resume::Args),
    Task(commands::task::Args),
    Bundle(commands::bundle::Args),
    Report(commands::report::Args),
    Land(commands::land::Args),
    Scan(commands::scan::Args),
    Clean(commands::clean::Args),
    Config(commands::config::Args),
    Schema(commands::schema::Args),
    Completions(commands::completions::Args),
    Man(commands::man::Args),
    Step(commands::step::Args),
    Log(commands::log::Args),
    Issue(commands::issue::Args),
    ReportResult(commands::report_result::Args),
    Mcp(commands::mcp::Args),
    #[command(hide = true)]
    Hook(commands::hook::Args),
    #[command(hide = true)]
    Agent(commands::agent::Args),
}
