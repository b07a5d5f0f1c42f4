//! Failures of each real agent program, played against a model server that follows a script: no key, no cost.
//!
//! [`cases`] has the cases and the expected results; [`stage`] has the repository and the program; [`matrix`] has every
//! program in every sandbox. The programs run in
//! parallel, the cases of one program one after the other.

mod cases;
mod matrix;
mod stage;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use afresh_model::client::{ACP_PROGRAMS, PROGRAMS, binary_name};
use anyhow::{Context, Result, bail, ensure};

use crate::bench;
use cases::{CASES, Case};
use stage::Stage;

/// The result of one case with one program.
struct Row {
    program: &'static str,
    case: &'static str,
    went: Result<(), String>,
    took: Duration,
}

/// `cargo xtask agents [WORD…]`: everything, or the programs and cases with these names.
#[expect(clippy::print_stdout, reason = "a chore talks to the person who runs it")]
pub(crate) fn run(words: &[String]) -> Result<()> {
    if let Some(("matrix", programs)) =
        words.split_first().map(|(first, rest)| (first.as_str(), rest))
    {
        return matrix::run(programs);
    }
    let named = |name: &str| words.iter().any(|word| word == name);
    let everybody: Vec<&'static str> = PROGRAMS.iter().chain(ACP_PROGRAMS).copied().collect();
    let programs: Vec<&'static str> = wanted(everybody.iter().copied(), named);
    let names = wanted(CASES.iter().map(|case| case.name), named);
    let known = |word: &String| {
        everybody.contains(&word.as_str()) || CASES.iter().any(|case| case.name == word)
    };
    if let Some(unknown) = words.iter().find(|word| !known(word)) {
        let cases: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        bail!("{unknown:?} is none of {}, {}", everybody.join(", "), cases.join(", "));
    }
    let directory = std::env::var_os("AFRESH_TEST_AGENTS")
        .context("AFRESH_TEST_AGENTS names no directory; `.ci/agents` makes one and prints it")?;
    let bin = PathBuf::from(directory).join("node_modules/.bin");
    // Programs that are not pinned are played only if they are installed or named.
    let here =
        |program: &&str| PROGRAMS.contains(program) || bin.join(binary_name(program)).exists();
    let programs: Vec<&'static str> =
        programs.into_iter().filter(|program| named(program) || here(program)).collect();
    let exe = bench::build("dev")?;
    println!("| program | case | went | seconds |\n| --- | --- | --- | --- |");
    let bad: usize = std::thread::scope(|scope| {
        let (bin, exe, names) = (&bin, &exe, &names);
        let threads: Vec<_> = programs
            .iter()
            .map(|program| scope.spawn(move || play_all(program, names, bin, exe)))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(1)).sum()
    });
    ensure!(bad == 0, "{bad} did not go as they must");
    Ok(())
}

/// The named ones, or all if none is named.
fn wanted<'a>(
    all: impl Iterator<Item = &'a str> + Clone,
    named: impl Fn(&str) -> bool,
) -> Vec<&'a str> {
    let chosen: Vec<&str> = all.clone().filter(|name| named(name)).collect();
    if chosen.is_empty() { all.collect() } else { chosen }
}

/// How many cases of a program failed.
fn play_all(program: &'static str, names: &[&str], bin: &Path, exe: &Path) -> usize {
    let cases = CASES.iter().filter(|case| names.contains(&case.name));
    cases.filter(|case| !print_row(&play(program, case, bin, exe))).count()
}

fn play(program: &'static str, case: &'static Case, bin: &Path, exe: &Path) -> Row {
    let started = Instant::now();
    // The test kit reports failures by panicking.
    let went = std::panic::catch_unwind(|| {
        let stage = Stage::new(program, bin, exe)?;
        (case.play)(&stage)?;
        stage.repo.expect_no_survivors();
        Ok(())
    });
    let went = went.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(text.unwrap_or_else(|| "panicked".to_owned()))
    });
    Row { program, case: case.name, went, took: started.elapsed() }
}

/// Prints a row as soon as it is available; returns whether the case passed.
#[expect(clippy::print_stdout, reason = "a chore talks to the person who runs it")]
fn print_row(row: &Row) -> bool {
    let went = match &row.went {
        Ok(()) => "ok".to_owned(),
        Err(why) => format!("NOT: {}", why.replace('|', "/").replace('\n', " ⏎ ")),
    };
    println!("| {} | {} | {went} | {} |", row.program, row.case, row.took.as_secs());
    row.went.is_ok()
}
