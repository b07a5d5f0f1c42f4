//! What the sandbox adds to an attempt and its checks: the same small run without one and with each
//! kind, one after the other.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::{cpu_of, make_repository, millis, plan, verdict};

const TASKS: usize = 40;
const LEVELS: &[&str] = &["off", "landlock", "bubblewrap"];
/// What an attempt with its checks may take longer.
const MORE_PER_ATTEMPT: Duration = Duration::from_millis(40);

pub(super) fn bench(afresh: &Path, scratch: &Path) -> Result<(String, bool)> {
    let tasks = u32::try_from(TASKS)?;
    let mut text = format!("{TASKS} attempts with their checks, one after the other\n");
    let (mut within, mut plain) = (true, None);
    for level in LEVELS {
        let place = scratch.join(format!("sandbox-{level}"));
        let repository = place.join("repository");
        make_repository(&repository)?;
        std::fs::write(repository.join("p.plan.toml"), plan(TASKS))?;
        let started = Instant::now();
        let mut ran = false;
        let cpu = cpu_of(|| {
            let status = Command::new(afresh)
                .args(["run", "p.plan.toml", "--quiet", "--parallel", "1", "--sandbox", level])
                .current_dir(&repository)
                .env("AFRESH_CACHE", place.join("cache"))
                // With a door to the network, as agents have it whose needs are known.
                .env("AFRESH_SANDBOX_HOSTS", "model.example")
                .status()?;
            // A level that this machine does not offer is refused.
            ran = status.success();
            ensure!(ran || status.code() == Some(2), "the run ended with {status}");
            Ok(())
        })?;
        let took = started.elapsed();
        if !ran {
            writeln!(text, "  {level:<12} this machine does not offer it")?;
            continue;
        }
        let (wall, cpu) = (took / tasks, cpu / tasks);
        let (bare_wall, bare_cpu) = *plain.get_or_insert((wall, cpu));
        let more = wall.saturating_sub(bare_wall);
        within &= more < MORE_PER_ATTEMPT;
        writeln!(
            text,
            "  {level:<12} wall {:>6.1} ms, CPU {:>6.1} ms per attempt; more than without: wall {:>5.1} ms, CPU {:>5.1} ms",
            millis(wall),
            millis(cpu),
            millis(more),
            millis(cpu.saturating_sub(bare_cpu))
        )?;
    }
    writeln!(text, "  {} (wall, 40 ms more than without)", verdict(within))?;
    Ok((text, within))
}
