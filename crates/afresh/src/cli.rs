//! What was typed. What it means is for the commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{finishing, in_attempt, planning, running, setup, tooling};
use afresh_app::context::AppContext;
use afresh_app::environment::Environment;

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

impl Common {
    pub(crate) fn context(&self, environment: Environment) -> AppContext {
        AppContext {
            directory: self.directory.clone(),
            config_file: self.config.clone(),
            environment,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(setup::demo::Args),
    Init(setup::init::Args),
    Doctor(setup::doctor::Args),
    Agents(setup::agents::Args),
    Lint(planning::lint::Args),
    Show(planning::show::Args),
    Import(planning::import::Args),
    Run(running::run::Args),
    Status(running::status::Args),
    Logs(running::logs::Args),
    Questions(running::questions::Args),
    Decide(running::decide::Args),
    Halt(running::halt::Args),
    Resume(running::resume::Args),
    Task(running::task::Args),
    Bundle(planning::bundle::Args),
    Report(finishing::report::Args),
    Land(finishing::land::Args),
    Scan(finishing::scan::Args),
    Clean(finishing::clean::Args),
    Config(setup::config::Args),
    Schema(tooling::schema::Args),
    Completions(tooling::completions::Args),
    Man(tooling::man::Args),
    Step(in_attempt::step::Args),
    Log(in_attempt::log::Args),
    Issue(in_attempt::issue::Args),
    ReportResult(in_attempt::report_result::Args),
    Mcp(in_attempt::mcp::Args),
    #[command(hide = true)]
    Hook(in_attempt::hook::Args),
    #[command(hide = true)]
    Agent(in_attempt::agent::Args),
}
