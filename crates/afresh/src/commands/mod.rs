//! One file per command: its arguments, and one function that carries it out.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`setup`] | `init`, `doctor`, `agents`, `config`, `demo` |
//! | [`planning`] | `new`, `audit`, `discover`, `plan`, `lint`, `probe`, `show`, `import`, `export`, `bundle` |
//! | [`running`] | `run`, `attach`, `questions`, `decide`, `halt`, `resume`, `abort`, `rewind`, `fork` |
//! | [`tasks`] | `task`, `tell`, `diff`, `open`, `checkpoint` |
//! | [`finishing`] | `report`, `trace`, `land`, `verify-run`, `scan`, `clean` |
//! | [`in_attempt`] | what workers and their agents call |
//! | [`suggest`] | what to type instead of a command that does not exist |
//! | [`tooling`] | `help`, `version`, `schema`, `completions`, `man` |
//! | [`viewing`] | `status`, `logs`, `runs`, `statusline`, `watch`, `serve`, `mcp`, `replay` |

pub(crate) mod finishing;
pub(crate) mod in_attempt;
pub(crate) mod planning;
pub(crate) mod running;
pub(crate) mod setup;
pub(crate) mod suggest;
pub(crate) mod tasks;
pub(crate) mod tooling;
pub(crate) mod viewing;

use crate::cli::{Cli, CliCommand};
use crate::exit::Exit;
use crate::terminal::output::Output;
use afresh_app::config;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

pub(crate) fn dispatch(cli: &Cli, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    // `init` writes the file, and `doctor` has a line about it.
    if !matches!(cli.command, CliCommand::Init(_) | CliCommand::Doctor(_)) {
        config::check_given_file(&context.directory()?, context.config_file.as_deref())?;
    }
    match &cli.command {
        CliCommand::Init(args) => setup::init::init(args, context, output),
        CliCommand::Doctor(args) => Ok(setup::doctor::doctor(args, context, output)),
        CliCommand::Agents(args) => setup::agents::agents(args, context, output),
        CliCommand::Config(args) => setup::config::config(args, context, output),
        CliCommand::Completions(args) => tooling::completions::completions(args, output),
        CliCommand::Man(args) => tooling::man::man(args, context, output),
        CliCommand::Demo(args) => setup::demo::demo(args, context, output),
        CliCommand::Run(args) => running::run::run(args, context, output),
        CliCommand::Runs(args) => viewing::runs::runs(args, context, output),
        CliCommand::Abort(args) => running::abort::abort(args, context, output),
        CliCommand::Watch(args) => viewing::watch::watch(args, context, output),
        CliCommand::Serve(args) => viewing::serve::serve(args, context, output),
        CliCommand::Attach(args) => running::attach::attach(args, context, output),
        CliCommand::Fork(args) => running::fork::fork(args, context, output),
        CliCommand::Rewind(args) => running::rewind::rewind(args, context, output),
        CliCommand::Statusline(args) => viewing::statusline::statusline(args, context, output),
        CliCommand::Checkpoint(args) => tasks::checkpoint::checkpoint(args, context, output),
        CliCommand::Status(args) => viewing::status::status(args, context, output),
        CliCommand::Report(args) => finishing::report::report(args, context, output),
        CliCommand::Trace(args) => finishing::trace::trace(args, context, output),
        CliCommand::Logs(args) => viewing::logs::logs(args, context, output),
        CliCommand::Scan(args) => finishing::scan::scan(args, context, output),
        CliCommand::Clean(args) => finishing::clean::clean(args, context, output),
        CliCommand::Replay(args) => viewing::replay::replay(args, context, output),
        CliCommand::Land(args) => finishing::land::land(args, context, output),
        CliCommand::VerifyRun(args) => finishing::verify_run::verify_run(args, context, output),
        CliCommand::New(args) => planning::new::new(args, context, output),
        CliCommand::Audit(args) => planning::audit::audit(args, context, output),
        CliCommand::Plan(args) => planning::plan::plan(args, context, output),
        CliCommand::Lint(args) => planning::lint::lint(args, context, output),
        CliCommand::Probe(args) => planning::probe::probe(args, context, output),
        CliCommand::Import(args) => planning::import::import(args, context, output),
        CliCommand::Export(args) => planning::export::export(args, context, output),
        CliCommand::Discover(args) => planning::discover::discover(args, context, output),
        CliCommand::Show(args) => planning::show::show(args, context, output),
        CliCommand::Halt(args) => running::halt::halt(args, context, output),
        CliCommand::Resume(args) => running::resume::resume(args, context, output),
        CliCommand::Questions(args) => running::questions::questions(args, context, output),
        CliCommand::Decide(args) => running::decide::decide(args, context, output),
        CliCommand::Open(args) => tasks::open::open(args, context, output),
        CliCommand::Diff(args) => tasks::diff::diff(args, context, output),
        CliCommand::Task(args) => tasks::task::task(args, context, output),
        CliCommand::Tell(args) => tasks::tell::tell(args, context, output),
        CliCommand::Bundle(args) => planning::bundle::bundle(args, context, output),
        CliCommand::Step(args) => in_attempt::step::step(args, context, output),
        CliCommand::Agent(args) => in_attempt::agent::agent(args, context, output),
        CliCommand::Log(args) => in_attempt::log::log(args, context, output),
        CliCommand::Issue(args) => in_attempt::issue::issue(args, context, output),
        CliCommand::ReportResult(args) => {
            in_attempt::report_result::report_result(args, context, output)
        }
        CliCommand::Mcp(args) => viewing::mcp::mcp(args, context, output),
        CliCommand::Hook(args) => in_attempt::hook::hook(args, context, output),
        CliCommand::Help(args) => tooling::help::help(args, output),
        CliCommand::Version(args) => Ok(tooling::version::version(args, output)),
        CliCommand::Schema(args) => Ok(tooling::schema::schema(args, output)),
    }
}
