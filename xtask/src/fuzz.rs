//! Runs the fuzz targets, one after the other, within the limits that readers promise.
//!
//! The invariants and the kept inputs are in `fuzz/`; the ordinary tests replay those inputs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// More memory than this is a finding, in MiB.
const MAX_RSS_MB: u32 = 256;
/// More time than this for one input is a finding, in seconds.
const MAX_SECONDS: u32 = 10;

const INSTALL: &str = "cargo-fuzz is not there: `cargo install cargo-fuzz --locked`";

/// `cargo xtask fuzz [--minutes N] [TARGET]`: all targets, or the one with this name.
#[expect(clippy::print_stdout, reason = "a chore talks to the person who runs it")]
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let wish = Wish::parse(arguments)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let known = targets(&root)?;
    let chosen: Vec<&String> =
        known.iter().filter(|name| wish.target.as_ref().is_none_or(|w| w == *name)).collect();
    ensure!(!chosen.is_empty(), "there is no such target; there are: {}", known.join(", "));
    ensure!(is_installed(), INSTALL);
    let mut failed = Vec::new();
    for target in chosen {
        println!("{target}: {} min, {MAX_RSS_MB} MiB, {MAX_SECONDS} s per input", wish.minutes);
        if !holds(&root, target, wish.minutes)? {
            failed.push(target.as_str());
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    bail!(
        "broken: {}; mend it, and keep the smallest input under fuzz/corpus/TARGET/ with a name that says what it is",
        failed.join(", ")
    )
}

/// The command-line arguments.
#[derive(Debug, PartialEq, Eq)]
struct Wish {
    minutes: u32,
    target: Option<String>,
}

impl Wish {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut wish = Self { minutes: 1, target: None };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--minutes" => {
                    let number = rest.next().and_then(|number| number.parse().ok());
                    wish.minutes = number.context("--minutes needs a whole number")?;
                }
                option if option.starts_with('-') => bail!("there is no option {option}"),
                target => wish.target = Some(target.to_owned()),
            }
        }
        ensure!((1..=24 * 60).contains(&wish.minutes), "from a minute to a day");
        Ok(wish)
    }
}

fn targets(root: &Path) -> Result<Vec<String>> {
    let directory = root.join("fuzz/fuzz_targets");
    let mut names = Vec::new();
    for entry in fs::read_dir(&directory).context("fuzz/fuzz_targets")? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

fn is_installed() -> bool {
    let tried = Command::new("cargo").args(["fuzz", "--version"]).output();
    tried.is_ok_and(|output| output.status.success())
}

/// Runs one target; false if it found something.
fn holds(root: &Path, target: &str, minutes: u32) -> Result<bool> {
    // Inputs that it discovers are for the next time, and not for the repository.
    let found: PathBuf = root.join("fuzz/target/corpus").join(target);
    fs::create_dir_all(&found).with_context(|| format!("making {}", found.display()))?;
    let status = Command::new("cargo")
        // No sanitizer, and so no nightly compiler.
        .args(["fuzz", "run", "-s", "none", target])
        .args([&found, &root.join("fuzz/corpus").join(target)])
        .arg("--")
        .arg(format!("-max_total_time={}", minutes * 60))
        .arg(format!("-rss_limit_mb={MAX_RSS_MB}"))
        .arg(format!("-timeout={MAX_SECONDS}"))
        .current_dir(root)
        .status()
        .context("starting cargo fuzz")?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Wish> {
        Wish::parse(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_target_and_its_minutes_are_read_in_any_order() {
        let wish = Wish { minutes: 3, target: Some("gsd".to_owned()) };
        assert_eq!(parse(&["--minutes", "3", "gsd"]).expect("read"), wish);
        assert_eq!(parse(&["gsd", "--minutes", "3"]).expect("read"), wish);
        for wrong in [&["--minutes"][..], &["--minutes", "x"], &["--minutes", "0"], &["--fast"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
