//! `cargo xtask bench`: what orchestration costs, measured in one run.
//!
//! Every number is compared with a floor that is measured right before and right after it on the same machine:
//! absolute times vary, ratios do not. Every round is reported, not only the best one. Nothing is deleted before
//! everything is measured: ext4 is slow for a while after many files were deleted. `bench/README.md` explains how to
//! read the table.
//!
//! | module | idea |
//! | --- | --- |
//! | `audit` | the audit of a large specification |
//! | `discovery` | what a large repository is |
//! | `estimate` | our estimate of tokens against public tokenizers; only if it is named |
//! | `probe` | checks before any work |
//! | `reading` | large plans of every format |
//! | `watching`, `talker` | agents that print a lot |
//! | `sandbox` | what the sandbox adds |

mod audit;
mod discovery;
mod estimate;
mod probe;
mod reading;
mod sandbox;
pub(crate) mod talker;
mod watching;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// What is measured.
const PARTS: &[&str] =
    &["reading", "audit", "discovery", "watching", "sandbox", "probe", "orchestration"];
/// The one that needs directories, and so is not among them.
const ESTIMATE: &str = "estimate";
const TASKS: usize = 200;
const PARALLEL: usize = 8;
const ROUNDS: usize = 3;
/// The limit of CPU time per task, for afresh and its git children.
const CPU_PER_TASK: Duration = Duration::from_millis(60);
/// The limit of afresh's memory, in KiB.
const MEMORY_KIB: u64 = 100 * 1000;

/// Runs all benchmarks, or those that are named; fails if a limit is exceeded.
#[expect(clippy::print_stdout, reason = "a chore talks to the person who runs it")]
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some((ESTIMATE, directories)) =
        arguments.split_first().map(|(name, rest)| (name.as_str(), rest))
    {
        let directories: Vec<PathBuf> = directories.iter().map(PathBuf::from).collect();
        let (estimate, within) = estimate::bench(&directories)?;
        println!("{estimate}");
        ensure!(within, "a limit is passed");
        return Ok(());
    }
    let is_wanted = |name: &str| arguments.is_empty() || arguments.iter().any(|one| one == name);
    if let Some(unknown) = arguments.iter().find(|name| !PARTS.contains(&name.as_str())) {
        bail!(
            "there is no benchmark {unknown:?}; there are: {}, {ESTIMATE} DIR…",
            PARTS.join(", ")
        );
    }
    let afresh = build("release")?;
    let scratch = std::env::temp_dir().join(format!("afresh-bench-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    let mut within = true;
    if is_wanted("reading") {
        let (reading, fits) = reading::bench(&afresh, &scratch)?;
        println!("{reading}");
        within &= fits;
    }
    if is_wanted("audit") {
        let (audit, fits) = audit::bench(&afresh, &scratch)?;
        println!("{audit}");
        within &= fits;
    }
    if is_wanted("discovery") {
        let (discovery, fits) = discovery::bench(&afresh, &scratch)?;
        println!("{discovery}");
        within &= fits;
    }
    if is_wanted("watching") {
        let (watching, fits) = watching::bench(&afresh, &scratch)?;
        println!("{watching}");
        within &= fits;
    }
    if is_wanted("sandbox") {
        let (sandbox, fits) = sandbox::bench(&afresh)?;
        println!("{sandbox}");
        within &= fits;
    }
    if is_wanted("probe") {
        let (probe, fits) = probe::bench(&afresh, &scratch)?;
        println!("{probe}");
        within &= fits;
    }
    let rounds = if is_wanted("orchestration") { ROUNDS } else { 0 };
    for round in 1..=rounds {
        let place = scratch.join(format!("round-{round}"));
        let (orchestration, fits) = bench_orchestration(&afresh, &place)?;
        println!("round {round} of {ROUNDS}: {orchestration}");
        within &= fits;
    }
    fs::remove_dir_all(&scratch)?;
    ensure!(within, "a limit is passed");
    Ok(())
}

/// The program, built with a cargo profile.
pub(crate) fn build(profile: &str) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = [
        "build",
        "--profile",
        profile,
        "--locked",
        "--package",
        "afresh",
        "--message-format=json-render-diagnostics",
    ];
    let output = Command::new(cargo)
        .args(arguments)
        .current_dir(workspace())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "the build failed");
    // Cargo reports where it put the program, whatever the target directory is.
    let text = String::from_utf8_lossy(&output.stdout);
    let marker = "\"executable\":\"";
    let line = text
        .lines()
        .rev()
        .find(|line| line.contains(marker) && line.contains("\"name\":\"afresh\""));
    let path =
        line.and_then(|line| line.split(marker).nth(1)).and_then(|rest| rest.split('"').next());
    Ok(PathBuf::from(path.context("cargo named no program")?))
}

pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// 200 one-file tasks, eight at a time, against the floor of the same work without orchestration.
fn bench_orchestration(afresh: &Path, scratch: &Path) -> Result<(String, bool)> {
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

/// The kernel's figures for a running process's memory, in KiB: `VmHWM:` is the peak so far, `RssAnon:` the current
/// amount without the pages of the program itself.
fn memory_of(pid: u32, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn make_repository(directory: &Path) -> Result<()> {
    fs::create_dir_all(directory.join("src"))?;
    fs::create_dir_all(directory.join(".afresh"))?;
    for number in 0..100 {
        fs::write(directory.join(format!("src/{number}.txt")), format!("file {number}\n"))?;
    }
    let config = "[run]\nagent = \"sh\"\n[agents.sh]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", \"echo x > $AFRESH_TASK.txt\"]\n";
    fs::write(directory.join(".afresh/config.toml"), config)?;
    git(directory, &["init", "-q"])?;
    git(directory, &["add", "-A"])?;
    git(directory, &["commit", "-q", "-m", "init"])
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

fn git(directory: &Path, arguments: &[&str]) -> Result<()> {
    let identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"];
    let status =
        Command::new("git").args(identity).args(arguments).current_dir(directory).status()?;
    ensure!(status.success(), "git {arguments:?} failed");
    Ok(())
}

fn plan(count: usize) -> String {
    let mut text = String::from("version = 1\nname = \"bench\"\n");
    for number in 1..=count {
        let _ = write!(
            text,
            "[[task]]\nid = \"T{number:05}\"\ntitle = \"task {number}\"\nfiles = [\"T{number:05}.txt\"]\nchecks = [\"test -s T{number:05}.txt\"]\n"
        );
    }
    text
}

/// CPU time of all children that end while `work` runs, and of their children.
fn cpu_of(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let spent = || -> Result<Duration> {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
        let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
        Ok(Duration::from_micros(u64::try_from(micros)?))
    };
    let before = spent()?;
    work()?;
    Ok(spent()?.saturating_sub(before))
}

fn millis(span: Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

fn verdict(within: bool) -> &'static str {
    if within { "within its limit" } else { "ABOVE ITS LIMIT" }
}
