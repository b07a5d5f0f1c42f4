//! What it costs to watch agents that print a lot, and whether one long line is held in memory.
//!
//! Measured from outside while they print: CPU time of the driver and of its supervisors, as the kernel reports it.
//! Workers and git are not included.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::talker;
use super::{git, memory_of, plan, verdict};

const WORKERS: usize = 8;
const SECONDS: u64 = 30;
/// Startup and shutdown are not measured.
const MARGIN: Duration = Duration::from_secs(4);
const MEASURED: Duration = Duration::from_secs(18);
/// The limit for one worker, as a share of a core.
const SHARE: f64 = 0.01;
/// The memory limit of the driver and of each supervisor.
const MEMORY_KIB: u64 = 256 * 1024;
/// Clock ticks per second in /proc, on every machine that Linux runs on today.
const TICKS: f64 = 100.0;

pub(super) fn bench(afresh: &Path, scratch: &Path) -> Result<(String, bool)> {
    let (talk, cheap) = many_lines(afresh, &scratch.join("watching"))?;
    let (line, small) = long_line(afresh, &scratch.join("long-line"))?;
    Ok((format!("{talk}{line}"), cheap && small))
}

fn many_lines(afresh: &Path, place: &Path) -> Result<(String, bool)> {
    let mut run = start(afresh, place, WORKERS, &SECONDS.to_string())?;
    let driver = run.id();
    let at_work = || supervisors(driver).len() == WORKERS;
    while !at_work() {
        ensure!(run.try_wait()?.is_none(), "the run ended before all were at work");
        std::thread::sleep(Duration::from_millis(100));
    }
    std::thread::sleep(MARGIN);
    let (began, before) = (Instant::now(), spent(driver));
    std::thread::sleep(MEASURED);
    let (wall, after) = (began.elapsed().as_secs_f64(), spent(driver));
    ensure!(at_work(), "they did not talk for as long as they were measured");
    ensure!(run.wait()?.success(), "the run failed");
    #[expect(clippy::cast_precision_loss, reason = "eight is exact")]
    let of_each = |ticks: f64| ticks / TICKS / wall / WORKERS as f64;
    let [ours, theirs] = [after.0 - before.0, after.1 - before.1].map(of_each);
    let within = ours + theirs < SHARE;
    let mut text = String::new();
    writeln!(text, "{WORKERS} workers that print 100 lines a second each, for {wall:.0} s")?;
    writeln!(
        text,
        "  of a core, each   {:>7.2} %    driver {:.2} %, supervisor {:.2} %; limit {:.0} %",
        (ours + theirs) * 100.0,
        ours * 100.0,
        theirs * 100.0,
        SHARE * 100.0
    )?;
    writeln!(text, "  {}", verdict(within))?;
    Ok((text, within))
}

fn long_line(afresh: &Path, place: &Path) -> Result<(String, bool)> {
    let mut run = start(afresh, place, 1, "line")?;
    let (mut driver, mut supervisor) = (0, 0);
    let status = loop {
        driver = driver.max(memory_of(run.id(), "VmHWM:"));
        for pid in supervisors(run.id()) {
            supervisor = supervisor.max(memory_of(pid, "VmHWM:"));
        }
        if let Some(status) = run.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    ensure!(status.success(), "the run ended with {status}");
    let within = driver < MEMORY_KIB && supervisor < MEMORY_KIB;
    let mut text = String::new();
    writeln!(text, "one line of a gigabyte from an agent that is followed")?;
    writeln!(
        text,
        "  memory            {driver:>7} KiB  driver; supervisor {supervisor} KiB; limit {MEMORY_KIB} KiB each"
    )?;
    writeln!(text, "  {}", verdict(within))?;
    Ok((text, within))
}

/// A run whose agent is this very program, printing like Claude Code.
fn start(afresh: &Path, place: &Path, tasks: usize, how: &str) -> Result<Child> {
    let repository = place.join("repository");
    fs::create_dir_all(repository.join(".afresh"))?;
    let us = std::env::current_exe()?;
    let us = us.to_str().context("our path is no text")?;
    let config = format!(
        "[run]\nagent = \"claude\"\nparallel = {tasks}\n[agents.claude]\nkind = \"claude\"\ncommand = [{us:?}, {:?}, {how:?}]\n",
        talker::CHORE
    );
    fs::write(repository.join(".afresh/config.toml"), config)?;
    fs::write(repository.join("p.plan.toml"), plan(tasks))?;
    git(&repository, &["init", "-q"])?;
    git(&repository, &["add", "-A"])?;
    git(&repository, &["commit", "-q", "-m", "init"])?;
    let mut command = Command::new(afresh);
    command.args(["run", "p.plan.toml", "--quiet", "--no-input"]).current_dir(&repository);
    command.env("AFRESH_CACHE", place.join("cache")).stdin(Stdio::null());
    Ok(command.spawn()?)
}

/// Clock ticks of the driver itself, and of its supervisors.
fn spent(driver: u32) -> (f64, f64) {
    let supervisors = supervisors(driver);
    (ticks(driver), supervisors.into_iter().map(ticks).sum())
}

/// The driver's children that supervise workers.
fn supervisors(driver: u32) -> Vec<u32> {
    let listed = fs::read_dir(format!("/proc/{driver}/task")).into_iter().flatten().flatten();
    let children =
        listed.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let pids = children.flat_map(|text| {
        text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>()
    });
    let is_supervisor = |pid: &u32| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains("supervise")
    };
    pids.filter(is_supervisor).collect()
}

/// User and system time of one process, without its children.
fn ticks(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum()
}
