//! One file per command: its arguments, and one function that carries it out.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`setup`] | `init`, `doctor`, `agents`, `config`, `demo` |
//! | [`planning`] | `lint`, `show`, `import`, `bundle` |
//! | [`running`] | `run`, `status`, `logs`, `questions`, `decide`, `halt`, `resume`, `task` |
//! | [`finishing`] | `report`, `land`, `scan`, `clean` |
//! | [`in_attempt`] | what workers and their agents call |
//! | [`suggest`] | what to type instead of a command that does not exist |
//! | [`tooling`] | `help`, `version`, `schema`, `completions`, `man` |

pub(crate) mod finishing;
pub(crate) mod in_attempt;
pub(crate) mod planning;
pub(crate) mod running;
pub(crate) mod setup;
pub(crate) mod suggest;
pub(crate) mod tooling;

use crate::cli::{Cli, Command};
use crate::exit::Exit;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

pub(crate) fn dispatch(cli: &Cli, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    match &cli.command {
        Command::Init(args) => setup::init::init(args, context, output),
        Command::Doctor(args) => Ok(setup::doctor::doctor(args, context, output)),
        Command::Agents(args) => setup::agents::agents(args, context, output),
        Command::Config(args) => setup::config::config(args, context, output),
        Command::Completions(args) => tooling::completions::completions(args, output),
        Command::Man(args) => tooling::man::man(args, context, output),
        Command::Demo(args) => setup::demo::demo(args, context, output),
        Command::Run(args) => running::run::run(args, context, output),
        Command::Status(args) => running::status::status(args, context, output),
        Command::Report(args) => finishing::report::report(args, context, output),
        Command::Logs(args) => running::logs::logs(args, context, output),
        Command::Scan(args) => finishing::scan::scan(args, context, output),
        Command::Clean(args) => finishing::clean::clean(args, context, output),
        Command::Land(args) => finishing::land::land(args, context, output),
        Command::Lint(args) => planning::lint::lint(args, context, output),
        Command::Import(args) => planning::import::import(args, context, output),
        Command::Show(args) => planning::show::show(args, context, output),
        Command::Halt(args) => running::halt::halt(args, context, output),
        Command::Resume(args) => running::resume::resume(args, context, output),
        Command::Questions(args) => running::questions::questions(args, context, output),
        Command::Decide(args) => running::decide::decide(args, context, output),
        Command::Task(args) => running::task::task(args, context, output),
        Command::Bundle(args) => planning::bundle::bundle(args, context, output),
        Command::Step(args) => in_attempt::step::step(args, context, output),
        Command::Agent(args) => in_attempt::agent::agent(args, context, output),
        Command::Log(args) => in_attempt::log::log(args, context, output),
        Command::Issue(args) => in_attempt::issue::issue(args, context, output),
        Command::ReportResult(args) => {
            in_attempt::report_result::report_result(args, context, output)
        }
        Command::Mcp(args) => in_attempt::mcp::mcp(args, context),
        Command::Hook(args) => in_attempt::hook::hook(args, context, output),
        Command::Help(args) => tooling::help::help(args, output),
        Command::Version(args) => tooling::version::version(args, output),
        Command::Schema(args) => Ok(tooling::schema::schema(args, output)),
    }
}
