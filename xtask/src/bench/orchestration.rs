//! What orchestration costs for each task, compared with bare commits.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::{cpu_of, git, make_repository, memory_of, millis, plan, verdict};

const TASKS: usize = 200;
const PARALLEL: usize = 8;
const ROUNDS: usize = 3;
/// The limit of CPU time per task, for afresh and its git children.
const CPU_PER_TASK: Duration = Duration::from_millis(60);
/// The limit of afresh's memory, in KiB.
const MEMORY_KIB: u64 = 100 * 1000;

pub(super) fn bench(afresh: &Path, scratch: &Path) -> Result<(String, bool)> {
    let (mut text, mut within) = (String::new(), true);
    for round in 1..=ROUNDS {
        let place = scratch.join(format!("round-{round}"));
        let (measured, fits) = bench_round(afresh, &place)?;
        writeln!(text, "round {round} of {ROUNDS}: {measured}")?;
        within &= fits;
    }
    Ok((text, within))
}

/// 200 one-file tasks, eight at a time, against the floor of the same work without orchestration.
fn bench_round(afresh: &Path, scratch: &Path) -> Result<(String, bool)> {
    let repository = scratch.join("repository");
    make_repository(&repository)?;
    fs::write(repository.join("p.plan.toml"), plan(TASKS))?;
    let programs = cpu_of(|| {
        for _ in 0..TASKS * 2 {
            ensure!(Command::new("/bin/sh").args(["-c", "echo x > /dev/null"]).status()?.success());
        }
        Ok(())
    })?;
    let before = cpu_of(|| bare_commits(&scratch.join("before")))?;
    let started = Instant::now();
    let (mut memory, mut own_memory) = (0, 0);
    let all = cpu_of(|| {
        let parallel = PARALLEL.to_string();
        let mut child = Command::new(afresh)
            .args(["run", "p.plan.toml", "--quiet", "--parallel", &parallel, "--sandbox", "off"])
            .current_dir(&repository)
            .env("AFRESH_CACHE", scratch.join("cache"))
            .spawn()?;
        let status = loop {
            memory = memory.max(memory_of(child.id(), "VmHWM:"));
            own_memory = own_memory.max(memory_of(child.id(), "RssAnon:"));
            if let Some(status) = child.try_wait()? {
                break status;
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        ensure!(status.success(), "the run ended with {status}");
        Ok(())
    })?;
    let took = started.elapsed();
    let after = cpu_of(|| bare_commits(&scratch.join("after")))?;
    let commits = (before + after) / 2;
    let tasks = u32::try_from(TASKS)?;
    // The workers and checks themselves do not count.
    let ours = all.saturating_sub(programs);
    let per_task = ours / tasks;
    let within = per_task < CPU_PER_TASK && memory < MEMORY_KIB;
    let mut text = String::new();
    writeln!(
        text,
        "{TASKS} one-file tasks, {PARALLEL} at a time (100-file repository, one check each)"
    )?;
    writeln!(
        text,
        "  CPU per task      {:>7.1} ms   afresh, its supervisors and its git children; limit 60 ms",
        millis(per_task)
    )?;
    writeln!(
        text,
        "  floor             {:>7.1} ms   a bare `git add` + `git commit` per task; {:.1} before, {:.1} after",
        millis(commits / tasks),
        millis(before / tasks),
        millis(after / tasks)
    )?;
    writeln!(
        text,
        "  ratio             {:>7.1}      isolation, journal, two rounds of checks and a merge included",
        ours.as_secs_f64() / commits.as_secs_f64()
    )?;
    writeln!(text, "  wall per task     {:>7.1} ms", millis(took / tasks))?;
    writeln!(
        text,
        "  memory of afresh  {memory:>7} KiB  limit {MEMORY_KIB} KiB; {own_memory} KiB of it are not the program's own pages"
    )?;
    writeln!(text, "  {}", verdict(within))?;
    Ok((text, within))
}

/// The floor: the same number of commits, and nothing else.
fn bare_commits(directory: &Path) -> Result<()> {
    make_repository(directory)?;
    for number in 0..TASKS {
        fs::write(directory.join(format!("T{number}.txt")), "x\n")?;
        git(directory, &["add", "-A"])?;
        git(directory, &["commit", "-q", "-m", "task"])?;
    }
    Ok(())
}
