//! Chores of this repository: `cargo xtask NAME`.

mod bench;
mod example;

use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask NAME
  example      build afresh and run the example plan in a scratch repository
  bench        what orchestration costs, against a floor measured in the same run
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
        "example" => example::run(rest),
        "bench" => bench::run(rest),
        _ => bail!("{HELP}"),
    }
}
