//! Runs a plan to completion with a fresh coding agent for every task.
//!
//! This crate is the only one that prints, reads the environment and parses arguments. Everything
//! that does not depend on a terminal is in `afresh-app`.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`agent_session`] | `afresh mcp`: tools and resources for a person's agent session |
//! | [`cli`] | what was typed |
//! | [`commands`] | one file per command |
//! | [`demo`] | the scratch repository of `afresh demo` |
//! | [`mod@env`] | reads the environment, once |
//! | [`error`] | errors as text and as JSON |
//! | [`exit`] | exit codes |
//! | [`in_attempt`] | what runs inside an attempt |
//! | [`reporters`] | data as text: for people, for scripts, for files |
//! | [`terminal`] | output, questions, signals, completion |

mod agent_session;
mod cli;
mod commands;
mod demo;
mod env;
mod error;
mod exit;
mod in_attempt;
mod reporters;
mod terminal;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use commands::tooling::help;
use exit::Exit;
use terminal::output::Output;

fn main() -> ExitCode {
    // The supervisor is this very program; it must start fast and knows no options.
    let command = std::env::args_os().nth(1).unwrap_or_default();
    if command == afresh_app::process::HIDDEN_COMMAND {
        return afresh_app::process::supervise_main();
    }
    // So is the last step before a program in a sandbox.
    if command == afresh_app::sandbox::CONFINE {
        return afresh_app::sandbox::confine_main();
    }
    exit::exit_on_panic();
    if terminal::completion::answered_a_shell() {
        return ExitCode::SUCCESS;
    }
    let environment = env::read();
    if let Some(exit) = print_overview(&environment.arguments) {
        return exit.into();
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return print_usage(&error, &environment.arguments),
    };
    let output = Output::new(&cli.common);
    let context = cli.common.context(environment);
    match commands::dispatch(&cli, &context, &output) {
        Ok(exit) => exit.into(),
        Err(error) => output.print_error(&error),
    }
}

/// `afresh` alone is answered with the everyday commands, `afresh --help` with all of them.
fn print_overview(arguments: &[String]) -> Option<Exit> {
    let rest: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
    match rest.as_slice() {
        [] => {
            let _ = writeln!(std::io::stderr().lock(), "{}", help::OVERVIEW);
            Some(Exit::Usage)
        }
        ["--help"] => {
            let _ = writeln!(std::io::stdout().lock(), "{}", help::full_help());
            Some(Exit::Done)
        }
        _ => None,
    }
}

/// What is wrong with the arguments; help and version are no errors.
fn print_usage(error: &clap::Error, arguments: &[String]) -> ExitCode {
    if !error.use_stderr() {
        // A closed terminal must not turn help into a panic.
        let _ = error.print();
        return Exit::Done.into();
    }
    let json = arguments.iter().any(|argument| argument == "--json");
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && !json {
        let _ = error.print();
        return Exit::Usage.into();
    }
    Output::for_usage_errors(json).print_error(&error::from_usage(error, arguments))
}
