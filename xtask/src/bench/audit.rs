//! How long the audit of a large specification takes, besides looking at the repository.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::{git, millis, verdict};
use crate::measured::{self, Measured};

const LINES: usize = 500;
/// Files of the repository, which the specification names some of.
const FILES: usize = 2_000;
const ROUNDS: usize = 5;
/// The limit of CPU time beyond that of a specification of a few lines, which looks at the same repository.
const LIMIT: Duration = Duration::from_millis(200);

/// The table, and whether everything in it is within the limit.
pub(super) fn bench(afresh: &Path, scratch: &Path) -> Result<(String, bool)> {
    let repository = scratch.join("audit/repository");
    write_files(&repository)?;
    let audit = |spec: &str| -> Result<Measured> {
        let program = [
            afresh.as_os_str(),
            OsStr::new("-C"),
            repository.as_os_str(),
            OsStr::new("audit"),
            OsStr::new(spec),
        ];
        // Every verdict is an answer.
        measured::best_of(ROUNDS, &program, &[0, 10, 11])
    };
    let (small, large) = (audit("small.md")?, audit("large.md")?);
    let beyond = large.cpu.saturating_sub(small.cpu);
    let within = beyond < LIMIT;
    let mut text =
        format!("audit: {LINES} lines against {FILES} files; limit {} ms\n", LIMIT.as_millis());
    writeln!(
        text,
        "  a few lines       wall {:>6.1} ms   CPU {:>6.1} ms",
        millis(small.wall),
        millis(small.cpu)
    )?;
    writeln!(
        text,
        "  {LINES} lines         wall {:>6.1} ms   CPU {:>6.1} ms",
        millis(large.wall),
        millis(large.cpu)
    )?;
    writeln!(text, "  beyond discovery                    CPU {:>6.1} ms", millis(beyond))?;
    writeln!(text, "  {}", verdict(within))?;
    Ok((text, within))
}

fn write_files(repository: &Path) -> Result<()> {
    let directory = repository.join("src/services");
    fs::create_dir_all(&directory)?;
    for number in 0..FILES {
        let text = format!("export function f{number}() {{\n  return {number}\n}}\n");
        fs::write(directory.join(format!("service-{number}.ts")), text)?;
    }
    let small = "# Small\n\n## Requirements\n\n- R1: it must work\n";
    fs::write(repository.join("small.md"), small)?;
    let large = large_spec();
    fs::write(repository.join("large.md"), &large).context("cannot write the specification")?;
    git(repository, &["init", "-q"])?;
    git(repository, &["add", "-A"])?;
    git(repository, &["commit", "-q", "-m", "a repository"])
}

/// Requirements with criteria and files, as people write them.
fn large_spec() -> String {
    let mut text = String::from("# Large\n\nEverything at once.\n\n## Requirements\n\n");
    let mut number = 0;
    while text.lines().count() < LINES {
        number += 1;
        let _ = write!(
            text,
            "### FR-{number:03}: service {number}\n\n\
             The service must answer within a second, and `src/services/service-{number}.ts` is to be modified.\n\
             It should never lose a request that was accepted; a second one with the same id changes nothing.\n\n\
             - **AC-{number}.1**: a request with `id = {number}` is answered once\n\
             - **AC-{number}.2**: `src/new/service-{number}-test.ts` is created and passes\n\
             - **AC-{number}.3**: without an id, the answer is an error that names the field\n\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specification_has_the_lines_that_the_report_names() {
        let lines = large_spec().lines().count();
        assert!((LINES..LINES + 12).contains(&lines), "{lines}");
    }
}
