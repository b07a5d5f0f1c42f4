//! Chores of this repository: `cargo xtask NAME`.

mod agents;
mod bench;
mod breaking;
mod fuzz;
mod leftovers;
mod measured;

use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask NAME
  agents       what may go wrong with each real agent program, one after the other, against a model
               server that follows a script; with words only the programs and cases of these names.
               AFRESH_TEST_AGENTS names the directory that `.ci/agents` made
  bench        what reading large plans, watching agents and orchestration cost; with a NAME (reading,
               watching, orchestration) only that
  break-core   break copies of the core on purpose, one way after the other, and see that the
               simulator notices each; with a NAME only the ways whose name holds it
  break-walls  the same for the sandbox, the limits, the trust in files and the search for secrets: a
               test with real programs notices each
  fuzz         [--minutes N] [TARGET]: give readers any bytes, and see that they neither fail, hang,
               nor use more than 256 MiB; a minute for each target, or for one
  leftovers    COMMAND…: run it, and see that it leaves nothing: processes, temporary files, cgroups,
               mounts, files in the user's own places, refs in this repository
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
        "break-walls" => breaking::walls(rest),
        "fuzz" => fuzz::run(rest),
        "leftovers" => leftovers::run(rest),
        _ => bail!("{HELP}"),
    }
}
