//! What was typed. The commands decide what it means.

use std::path::PathBuf;

use afresh_app::context::AppContext;
use afresh_app::context::environment::Environment;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{finishing, in_attempt, planning, running, setup, tasks, tooling, viewing};

/// Runs a plan to completion with a fresh coding agent for every task.
#[derive(Debug, Parser)]
#[command(
    name = "afresh",
    version,
    about,
    propagate_version = true,
    disable_help_subcommand = true,
    override_help = tooling::help::OVERVIEW
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = COMMON_HEADING)]
pub(crate) struct CommonArgs {
    /// Print JSON on standard output, and nothing else
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Work in this directory
    #[arg(short = 'C', value_name = "DIR", default_value = ".", global = true)]
    pub(crate) directory: PathBuf,
    /// Print less
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// When to use colours; `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE` are honoured
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto, global = true)]
    pub(crate) color: ColorChoice,
    /// Use this configuration file instead of .afresh/config.toml
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
}

/// The heading of [`CommonArgs`] in help texts.
pub(crate) const COMMON_HEADING: &str = "Options of every command";

impl CommonArgs {
    pub(crate) fn context(&self, environment: Environment) -> AppContext {
        AppContext {
            directory: self.directory.clone(),
            config_file: self.config.clone(),
            environment,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    Demo(setup::demo::Args),
    Init(setup::init::Args),
    Doctor(setup::doctor::Args),
    Agents(setup::agents::Args),
    Config(setup::config::Args),
    New(planning::new::Args),
    Audit(planning::audit::Args),
    Plan(planning::plan::Args),
    Lint(planning::lint::Args),
    Probe(planning::probe::Args),
    Show(planning::show::Args),
    Import(planning::import::Args),
    Export(planning::export::Args),
    Discover(planning::discover::Args),
    Bundle(planning::bundle::Args),
    Run(running::run::Args),
    Attach(running::attach::Args),
    Watch(viewing::watch::Args),
    Serve(viewing::serve::Args),
    Replay(viewing::replay::Args),
    Mcp(viewing::mcp::Args),
    Status(viewing::status::Args),
    Runs(viewing::runs::Args),
    Statusline(viewing::statusline::Args),
    Logs(viewing::logs::Args),
    Questions(running::questions::Args),
    Decide(running::decide::Args),
    Halt(running::halt::Args),
    Resume(running::resume::Args),
    Abort(running::abort::Args),
    Rewind(running::rewind::Args),
    Fork(running::fork::Args),
    Task(tasks::task::Args),
    Tell(tasks::tell::Args),
    Diff(tasks::diff::Args),
    Open(tasks::open::Args),
    Checkpoint(tasks::checkpoint::Args),
    Report(finishing::report::Args),
    Trace(finishing::trace::Args),
    Land(finishing::land::Args),
    VerifyRun(finishing::verify_run::Args),
    Scan(finishing::scan::Args),
    Clean(finishing::clean::Args),
    Help(tooling::help::Args),
    Version(tooling::version::Args),
    Schema(tooling::schema::Args),
    Completions(tooling::completions::Args),
    Man(tooling::man::Args),
    #[command(hide = true)]
    Step(in_attempt::step::Args),
    #[command(hide = true)]
    Log(in_attempt::log::Args),
    #[command(hide = true)]
    Issue(in_attempt::issue::Args),
    #[command(hide = true)]
    ReportResult(in_attempt::report_result::Args),
    #[command(hide = true)]
    Hook(in_attempt::hook::Args),
    #[command(hide = true)]
    Agent(in_attempt::agent::Args),
}

/// Hidden commands that workers call, and that are documented. The other hidden ones are called by
/// afresh itself.
pub(crate) const WORKER_COMMANDS: &[&str] = &["step", "log", "issue", "report-result"];
