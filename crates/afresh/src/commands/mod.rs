//! One file per command: what it takes, and one function that does it.

pub(crate) mod agent;
pub(crate) mod agents;
pub(crate) mod bundle;
pub(crate) mod clean;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod decide;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod halt;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod issue;
pub(crate) mod land;
pub(crate) mod lint;
pub(crate) mod log;
pub(crate) mod logs;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod questions;
pub(crate) mod report;
pub(crate) mod report_result;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod scan;
pub(crate) mod schema;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod step;
pub(crate) mod task;

use crate::cli::{Cli, Command};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

pub(crate) fn dispatch(cli: &Cli, output: &Output) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Init(args) => init::init(args, &cli.common, output),
        Command::Doctor(args) => Ok(doctor::doctor(args, &cli.common, output)),
        Command::Agents(args) => agents::agents(args, &cli.common, output),
        Command::Config(args) => config::config(args, &cli.common, output),
        Command::Completions(args) => completions::completions(args, output),
        Command::Man(args) => man::man(args, &cli.common, output),
        Command::Demo(args) => demo::demo(args, output),
        Command::Run(args) => run::run(args, &cli.common, output),
        Command::Status(args) => status::status(args, &cli.common, output),
        Command::Report(args) => report::report(args, &cli.common, output),
        Command::Logs(args) => logs::logs(args, &cli.common, output),
        Command::Scan(args) => scan::scan(args, &cli.common, output),
        Command::Clean(args) => clean::clean(args, &cli.common, output),
        Command::Land(args) => land::land(args, &cli.common, output),
        Command::Lint(args) => lint::lint(args, &cli.common, output),
        Command::Import(args) => import::import(args, &cli.common, output),
        Command::Show(args) => show::show(args, &cli.common, output),
        Command::Halt(args) => halt::halt(args, &cli.common, output),
        Command::Resume(args) => resume::resume(args, &cli.common, output),
        Command::Questions(args) => questions::questions(args, &cli.common, output),
        Command::Decide(args) => decide::decide(args, &cli.common, output),
        Command::Task(args) => task::task(args, &cli.common, output),
        Command::Bundle(args) => bundle::bundle(args, &cli.common, output),
        Command::Step(args) => step::step(args, output),
        Command::Agent(args) => agent::agent(args, &cli.common, output),
        Command::Log(args) => log::log(args, output),
        Command::Issue(args) => issue::issue(args, output),
        Command::ReportResult(args) => report_result::report_result(args, output),
        Command::Mcp(args) => mcp::mcp(args),
        Command::Hook(args) => hook::hook(args, output),
        Command::Schema(args) => Ok(schema::schema(args, output)),
    }
}
