//! Runs a plan to completion with a fresh coding agent for every task.
//!
//! This crate is the only one that prints, reads the environment and parses arguments. Everything
//! that does not depend on a terminal is in `afresh-app`.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`cli`] | what was typed |
//! | [`commands`] | one file per command |
//! | [`demo`] | the scratch repository of `afresh demo` |
//! | [`env`] | reads the environment, once |
//! | [`error`] | errors as text and as JSON |
//! | [`exit`] | exit codes |
//! | [`in_attempt`] | what runs inside an attempt |
//! | [`reporters`] | data as text: for people, for scripts, for files |
//! | [`terminal`] | output, questions, signals, completion |

mod cli;
mod commands;
mod demo;
mod env;
mod error;
mod exit;
mod in_attempt;
mod reporters;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // The supervisor is this very program; it must start fast and knows no options.
    if std::env::args().nth(1).as_deref() == Some(afresh_app::process::HIDDEN_COMMAND) {
        return afresh_app::process::supervise_main();
    }
    // So is the last step before a program in a sandbox.
    if std::env::args().nth(1).as_deref() == Some(afresh_app::sandbox::CONFINE) {
        return afresh_app::sandbox::confine_main();
    }
    exit::exit_on_panic();
    if terminal::completion::answered_a_shell() {
        return ExitCode::SUCCESS;
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return error::print_usage(&error),
    };
    let environment = env::read();
    let output = terminal::output::Output::new(&cli.common, &environment);
    let context = cli.common.context(environment);
    match commands::dispatch(&cli, &context, &output) {
        Ok(exit) => exit.into(),
        Err(error) => output.print_error(&error),
    }
}
