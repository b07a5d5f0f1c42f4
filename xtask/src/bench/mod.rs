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
//! | `calls` | many commands at the same time |
//! | `discovery` | what a large repository is |
//! | `estimate` | our estimate of tokens against public tokenizers; only if it is named |
//! | `orchestration` | 200 tasks against bare commits |
//! | `probe` | checks before any work |
//! | `reading` | large plans of every format |
//! | `watching`, `talker` | agents that print a lot |
//! | `sandbox` | what the sandbox adds |
//! | `large_run` | 1,000 tasks and 100,000 events, for `serving` and `views` |
//! | `serving` | the page of a large run, in a browser |
//! | `views` | `watch` and the live region with a large run |

mod audit;
mod calls;
mod discovery;
mod estimate;
mod large_run;
mod orchestration;
mod probe;
mod reading;
mod sandbox;
mod serving;
pub(crate) mod talker;
mod views;
mod watching;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// Measures a part with the release program, in a scratch directory; returns what is printed, and whether it is
/// within its limits.
type PartBench = fn(&Path, &Path) -> Result<(String, bool)>;

/// What is measured, in this order.
const PARTS: &[(&str, PartBench)] = &[
    ("reading", reading::bench),
    ("audit", audit::bench),
    ("discovery", discovery::bench),
    ("watching", watching::bench),
    ("sandbox", sandbox::bench),
    ("probe", probe::bench),
    ("calls", calls::bench),
    ("serving", serving::bench),
    ("views", views::bench),
    ("orchestration", orchestration::bench),
];
/// The one that needs directories, and so is not among them.
const ESTIMATE: &str = "estimate";

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
    let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = arguments.iter().find(|name| !names.contains(&name.as_str())) {
        bail!(
            "there is no benchmark {unknown:?}; there are: {}, {ESTIMATE} DIR…",
            names.join(", ")
        );
    }
    let afresh = build("release")?;
    let scratch = std::env::temp_dir().join(format!("afresh-bench-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    let mut within = true;
    for (name, bench) in PARTS {
        if arguments.is_empty() || arguments.iter().any(|wanted| wanted == name) {
            let (measured, fits) = bench(&afresh, &scratch)?;
            println!("{measured}");
            within &= fits;
        }
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
