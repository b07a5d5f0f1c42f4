//! One file per command: its arguments, and one function that carries it out.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`setup`] | `init`, `doctor`, `agents`, `config`, `demo` |
//! | [`planning`] | `lint`, `show`, `import`, `bundle` |
//! | [`running`] | `run`, `status`, `logs`, `questions`, `decide`, `halt`, `resume`, `task` |
//! | [`finishing`] | `report`, `land`, `scan`, `clean` |
//! | [`in_attempt`] | what workers and their agents call |
//! | [`tooling`] | `schema`, `completions`, `man` |

pub(crate) mod finishing;
pub(crate) mod in_attempt;
pub(crate) mod planning;
pub(crate) mod running;
pub(crate) mod setup;
pub(crate) mod tooling;

use crate::app::error::Failure;
use crate::cli::{Cli, Command};
use crate::exit::Exit;
use crate::terminal::output::Output;

pub(crate) fn dispatch(cli: &Cli, output: &Output) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Init(args) => setup::init::init(args, &cli.common, output),
        Command::Doctor(args) => Ok(setup::doctor::doctor(args, &cli.common, output)),
        Command::Agents(args) => setup::agents::agents(args, &cli.common, output),
        Command::Config(args) => setup::config::config(args, &cli.common, output),
        Command::Completions(args) => tooling::completions::completions(args, output),
        Command::Man(args) => tooling::man::man(args, &cli.common, output),
        Command::Demo(args) => setup::demo::demo(args, output),
        Command::Run(args) => running::run::run(args, &cli.common, output),
        Command::Status(args) => running::status::status(args, &cli.common, output),
        Command::Report(args) => finishing::report::report(args, &cli.common, output),
        Command::Logs(args) => running::logs::logs(args, &cli.common, output),
        Command::Scan(args) => finishing::scan::scan(args, &cli.common, output),
        Command::Clean(args) => finishing::clean::clean(args, &cli.common, output),
        Command::Land(args) => finishing::land::land(args, &cli.common, output),
        Command::Lint(args) => planning::lint::lint(args, &cli.common, output),
        Command::Import(args) => planning::import::import(args, &cli.common, output),
        Command::Show(args) => planning::show::show(args, &cli.common, output),
        Command::Halt(args) => running::halt::halt(args, &cli.common, output),
        Command::Resume(args) => running::resume::resume(args, &cli.common, output),
        Command::Questions(args) => running::questions::questions(args, &cli.common, output),
        Command::Decide(args) => running::decide::decide(args, &cli.common, output),
        Command::Task(args) => running::task::task(args, &cli.common, output),
        Command::Bundle(args) => planning::bundle::bundle(args, &cli.common, output),
        Command::Step(args) => in_attempt::step::step(args, output),
        Command::Agent(args) => in_attempt::agent::agent(args, &cli.common, output),
        Command::Log(args) => in_attempt::log::log(args, output),
        Command::Issue(args) => in_attempt::issue::issue(args, output),
        Command::ReportResult(args) => in_attempt::report_result::report_result(args, output),
        Command::Mcp(args) => in_attempt::mcp::mcp(args),
        Command::Hook(args) => in_attempt::hook::hook(args, output),
        Command::Schema(args) => Ok(tooling::schema::schema(args, output)),
    }
}
