//! How long it takes to describe a large repository: git lists and measures its files, few texts are read.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::{git, millis, verdict};
use crate::measured;

const FILES: usize = 20_000;
/// Packages that the files are in.
const PACKAGES: usize = 50;
const ROUNDS: usize = 3;
/// The limit of CPU time of the whole command, git included: it waits for nothing else.
const LIMIT: Duration = Duration::from_secs(2);

/// The table, and whether everything in it is within the limits.
pub(super) fn bench(afresh: &Path, scratch: &Path) -> Result<(String, bool)> {
    let repository = scratch.join("discovery/repository");
    write_files(&repository)?;
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        // A cache of its own: otherwise only the first round would look at anything.
        let mut cache = OsString::from("AFRESH_CACHE=");
        cache.push(scratch.join(format!("discovery/cache-{round}")));
        let program = [
            OsStr::new("/usr/bin/env"),
            &cache,
            afresh.as_os_str(),
            OsStr::new("-C"),
            repository.as_os_str(),
            OsStr::new("discover"),
        ];
        rounds.push(measured::best_of(1, &program, &[0])?);
    }
    let best = rounds.iter().map(|round| round.cpu).min().context("a round")?;
    let within = best < LIMIT;
    let mut text = format!(
        "discovery: {FILES} files in {PACKAGES} packages, nothing remembered; limit {} ms of CPU time\n",
        LIMIT.as_millis()
    );
    for round in rounds {
        writeln!(
            text,
            "  wall {:>6.0} ms   CPU {:>6.0} ms   memory {} KiB",
            millis(round.wall),
            millis(round.cpu),
            round.peak_kib
        )?;
    }
    writeln!(text, "  {}", verdict(within))?;
    Ok((text, within))
}

fn write_files(repository: &Path) -> Result<()> {
    for package in 0..PACKAGES {
        let directory = repository.join(format!("packages/p{package:02}/src/services"));
        fs::create_dir_all(&directory)?;
        let manifest = format!("{{\"name\":\"p{package}\",\"scripts\":{{\"test\":\"true\"}}}}");
        fs::write(repository.join(format!("packages/p{package:02}/package.json")), manifest)?;
        for number in 0..FILES / PACKAGES {
            let text = format!(
                "import {{ f0 }} from './service-0'\nexport function f{number}() {{\n  throw new Error('x')\n}}\n"
            );
            fs::write(directory.join(format!("service-{number}.ts")), text)?;
        }
    }
    fs::write(repository.join("package.json"), "{\"workspaces\":[\"packages/*\"]}")?;
    git(repository, &["init", "-q"])?;
    git(repository, &["add", "-A"])?;
    git(repository, &["commit", "-q", "-m", "many files"])
}
