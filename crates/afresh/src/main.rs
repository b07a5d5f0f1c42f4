//! Runs a specification to done with a fresh coding agent for every task.
//!
//! This crate is the only one that prints, reads the environment and parses arguments.
//!
//! | module | idea |
//! | --- | --- |
//! | [`cli`], [`commands`] | what was typed; one file per command |
//! | [`completing`] | what a shell completes |
//! | [`environment`] | every variable that we read |
//! | [`budgets`] | limits as people set them, and where they cannot be kept |
//! | [`config`] | the configuration file, and what it means together with the flags |
//! | [`driving`] | driving a run: options, who watches, taking it up |
//! | [`plan_file`], [`preflight`] | finding and reading a plan; what must hold before a run touches anything |
//! | [`prospect`], [`prompt_sizes`] | a run that nobody has started; how large its prompts would be |
//! | [`plan_json`], [`plan_picture`] | a plan for scripts; as a tree, for Mermaid, for Graphviz |
//! | [`estimates`], [`file_sizes`] | how much of a context a task will fill, by the files that it names |
//! | [`parked`] | which agents wait for their model |
//! | [`briefing`] | what all workers of a run are told alike: finding the files for it |
//! | [`bundles`] | what workers are given, looked at from outside |
//! | [`files`] | reading files that others wrote |
//! | [`workplace`], [`the_run`], [`ordering`] | the repository; the run that is meant; orders to a run that somebody drives |
//! | [`byte_size`], [`moment`] | sizes, moments and spans as people read them |
//! | [`output`], [`failure`], [`exit`] | data on stdout, people on stderr, errors, exit codes |
//! | [`progress`], [`event_lines`], [`summary`] | what a run looks like while it runs, and at its end |
//! | [`report_page`], [`state_page`], [`markdown`] | a report and the state of a run as Markdown |
//! | [`patch_file`] | a run's work as one patch |
//! | [`sarif`] | findings for code hosts and editors |
//! | [`worker`], [`mcp`] | what a worker says from inside its attempt: by command, by tool |
//! | [`acp`] | the client of agents that speak the Agent Client Protocol |
//! | [`json_lines`] | messages of one line each |
//! | [`script_file`], [`player`] | the scripted agent: its script, and doing what it says |
//! | [`logs`] | the activity of a run, the transcripts of its attempts |
//! | [`interruption`] | a wave that was interrupted, and how to take it up |
//! | [`person`], [`signals`] | whoever sits at this terminal: answers, Ctrl-C and its kin |
//! | [`programs`], [`trial`] | the programs of agents on this machine; starting one to see what it says |
//! | [`init`], [`on_path`], [`asking`] | what a new configuration holds; programs; the person at the terminal |
//! | [`doctor`] | whether everything is there that a run needs |

mod acp;
mod agent_network;
mod asking;
mod briefing;
mod budgets;
mod bundles;
mod byte_size;
mod cli;
mod commands;
mod completing;
mod config;
mod definitions;
mod demo;
mod doctor;
mod driving;
mod environment;
mod estimates;
mod event_lines;
mod exit;
mod failure;
mod file_sizes;
mod files;
mod foreground;
mod init;
mod interruption;
mod json_lines;
mod limiting;
mod logs;
mod markdown;
mod mcp;
mod mending;
mod moment;
mod on_path;
mod ordering;
mod output;
mod parked;
mod patch_file;
mod person;
mod plan_file;
mod plan_json;
mod plan_picture;
mod player;
mod preflight;
mod programs;
mod progress;
mod prompt_sizes;
mod prospect;
mod report_page;
mod sandboxing;
mod sarif;
mod script_file;
mod side_by_side;
mod signals;
mod staff;
mod state_page;
mod summary;
mod the_run;
mod trial;
mod worker;
mod workplace;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // The supervisor is this very program; it must start fast and knows no options.
    if std::env::args().nth(1).as_deref() == Some(afresh_process::HIDDEN_COMMAND) {
        return afresh_process::supervise_main();
    }
    // So is the last step before a program in a sandbox.
    if std::env::args().nth(1).as_deref() == Some(afresh_sandbox::CONFINE) {
        return afresh_sandbox::confine_main();
    }
    exit::on_panic();
    if completing::answered_a_shell() {
        return ExitCode::SUCCESS;
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::of_usage(&error),
    };
    let output = output::Output::new(&cli.common);
    match commands::dispatch(&cli, &output) {
        Ok(exit) => exit.into(),
        Err(failure) => output.failed(&failure),
    }
}
