//! What the sandbox adds to an attempt and its checks: the same small run without a sandbox and with each kind, one
//! after the other.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::{cpu_of, make_repository, millis, plan, verdict};

const TASKS: usize = 20;
/// Every level runs in every round, so that a machine that becomes slower slows all of them; the best round of each
/// counts.
const ROUNDS: usize = 4;
const LEVELS: &[&str] = &["off", "landlock", "bubblewrap"];
/// How much longer an attempt with its checks may take.
const MORE_PER_ATTEMPT: Duration = Duration::from_millis(40);

/// The time of one attempt.
#[derive(Clone, Copy)]
struct Took {
    wall: Duration,
    cpu: Duration,
}

/// Not among temporary files: sandboxes have their own, and no real repository is there.
pub(super) fn bench(afresh: &Path, _: &Path) -> Result<(String, bool)> {
    let directory = afresh.parent().unwrap_or(Path::new("."));
    let scratch = tempfile::Builder::new().prefix("bench-").tempdir_in(directory)?;
    let scratch = scratch.path();
    let mut best: BTreeMap<&str, Took> = BTreeMap::new();
    for round in 0..ROUNDS {
        for level in LEVELS {
            let place = scratch.join(format!("sandbox-{level}-{round}"));
            let Some(took) = measure(afresh, &place, level)? else { continue };
            let known = best.entry(level).or_insert(took);
            known.wall = known.wall.min(took.wall);
            known.cpu = known.cpu.min(took.cpu);
        }
    }
    let mut text = format!(
        "{TASKS} attempts with their checks, one after the other; the best of {ROUNDS} rounds\n"
    );
    let mut within = true;
    for level in LEVELS {
        let (Some(took), Some(bare)) = (best.get(level), best.get("off")) else {
            writeln!(text, "  {level:<12} this machine does not offer it")?;
            continue;
        };
        let more = took.wall.saturating_sub(bare.wall);
        within &= more < MORE_PER_ATTEMPT;
        writeln!(
            text,
            "  {level:<12} wall {:>6.1} ms, CPU {:>6.1} ms per attempt; more than without: wall {:>5.1} ms, CPU {:>5.1} ms",
            millis(took.wall),
            millis(took.cpu),
            millis(more),
            millis(took.cpu.saturating_sub(bare.cpu))
        )?;
    }
    writeln!(text, "  {} (wall, 40 ms more than without)", verdict(within))?;
    Ok((text, within))
}

/// None for a level that this machine does not support.
fn measure(afresh: &Path, place: &Path, level: &str) -> Result<Option<Took>> {
    let tasks = u32::try_from(TASKS)?;
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
            // With a proxy to the network, as known agents have it.
            .env("AFRESH_SANDBOX_HOSTS", "model.example")
            .status()?;
        // A level that this machine does not support is refused.
        ran = status.success();
        ensure!(ran || status.code() == Some(2), "the run ended with {status}");
        Ok(())
    })?;
    Ok(ran.then(|| Took { wall: started.elapsed() / tasks, cpu: cpu / tasks }))
}
