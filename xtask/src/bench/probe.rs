//! What a probe adds to the commands that it runs: 500 distinct ones that do nothing.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Result, ensure};

use super::{cpu_of, make_repository, millis, verdict};

const CHECKS: usize = 500;
/// The limit of CPU time for each check, beyond the command itself.
const CPU_PER_CHECK: Duration = Duration::from_millis(15);

pub(super) fn bench(afresh: &Path, scratch: &Path) -> Result<(String, bool)> {
    let repository = scratch.join("probe/repository");
    make_repository(&repository)?;
    std::fs::write(repository.join("p.plan.toml"), plan())?;
    let floor = measure_floor()?;
    let probed = measure_probe(afresh, &repository, scratch)?;
    let floor = (floor + measure_floor()?) / 2;
    let number = u32::try_from(CHECKS)?;
    let more = probed.saturating_sub(floor) / number;
    let within = more <= CPU_PER_CHECK;
    let mut text =
        format!("probe of {CHECKS} distinct commands that do nothing, without a sandbox\n");
    writeln!(
        text,
        "  CPU {:.1} ms per check, of which the command itself {:.1} ms: {:.1} ms more",
        millis(probed / number),
        millis(floor / number),
        millis(more)
    )?;
    writeln!(text, "  {} ({} ms more)", verdict(within), CPU_PER_CHECK.as_millis())?;
    Ok((text, within))
}

/// The commands alone.
fn measure_floor() -> Result<Duration> {
    cpu_of(|| {
        for number in 0..CHECKS {
            let status = Command::new("/bin/sh").args(["-c", &command(number)]).status()?;
            ensure!(!status.success(), "the command passed");
        }
        Ok(())
    })
}

fn measure_probe(afresh: &Path, repository: &Path, scratch: &Path) -> Result<Duration> {
    cpu_of(|| {
        let status = Command::new(afresh)
            .args(["probe", "p.plan.toml", "--quiet", "--fresh", "--sandbox", "off"])
            .current_dir(repository)
            .env("AFRESH_CACHE", scratch.join("probe/cache"))
            .stdout(Stdio::null())
            .status()?;
        ensure!(status.success(), "the probe ended with {status}");
        Ok(())
    })
}

fn command(number: usize) -> String {
    format!("test -s file-{number}.txt")
}

/// One task with all the checks.
fn plan() -> String {
    let checks: Vec<String> = (0..CHECKS).map(|number| format!("{:?}", command(number))).collect();
    format!(
        "version = 1\nname = \"probe\"\n[[task]]\nid = \"T1\"\ntitle = \"all\"\nfiles = [\"*.txt\"]\nchecks = [{}]\n",
        checks.join(", ")
    )
}
