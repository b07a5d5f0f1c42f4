//! Chores of this repository: `cargo xtask NAME`.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `agents` | everything that can go wrong with each real agent program |
//! | `bench` | benchmarks: reading, audit, estimates, watching agents, orchestration, sandbox, probe, calls |
//! | `breaking` | breaks our own code on purpose, and expects a test to notice |
//! | `fuzz` | runs the fuzz targets |
//! | `leftovers` | runs a command, and expects it to leave nothing behind |
//! | `measured` | measures time and memory of a command |
//! | `module_tables` | tests that tables of modules such as this one are complete |
//! | `promises` | which tests name which promise |

mod agents;
mod bench;
mod breaking;
mod fuzz;
mod leftovers;
mod measured;
#[cfg(test)]
mod module_tables;
mod promises;

use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask NAME
  agents           Run every failure that an agent program can meet, for each real program, against a
                   scripted model server. Words select programs and cases; `matrix` runs each program in
                   each sandbox and prints a table. AFRESH_TEST_AGENTS names the directory that
                   `.ci/agents` made
  bench            Measure reading of large plans, audit, discovery, watching of agents, orchestration, the sandbox, the
                   probe and many commands at once. A NAME (reading, audit, discovery, watching, sandbox, probe, calls,
                   orchestration) selects one. `bench estimate DIR…` compares our estimate of tokens with public tokenizers, for the sources
                   of a package in each directory
  break-core       Break copies of the core and the driver, one way after the other, and expect the
                   simulator to notice each. A NAME selects the ways that contain it
  break-isolation  The same for sandbox, limits, trust in files and secrets, with real programs
                   (also called break-walls)
  fuzz             [--minutes N] [TARGET]: feed arbitrary bytes to the readers, and expect no crash, no
                   hang and at most 256 MiB; one minute for each target
  leftovers        COMMAND…: run it, and expect it to leave nothing behind: no processes, temporary files,
                   cgroups, mounts, files in the user's own places, or refs in this repository
  promises         [ID…]: list the promises of docs/promises.md with the tests that name them
";

#[expect(clippy::print_stderr, reason = "a chore talks to the person who runs it")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let (name, rest) =
        arguments.split_first().map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
    match name {
        "agents" => agents::run(rest),
        "bench" => bench::run(rest),
        measured::CHORE => measured::measure(rest),
        bench::talker::CHORE => bench::talker::run(rest),
        "break-core" => breaking::core(rest),
        "break-isolation" | "break-walls" => breaking::isolation(rest),
        "fuzz" => fuzz::run(rest),
        "leftovers" => leftovers::run(rest),
        "promises" => promises::run(rest),
        _ => bail!("{HELP}"),
    }
}
