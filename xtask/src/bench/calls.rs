//! Many commands from other terminals at the same time: how long each waits for the store.
//!
//! The floor is the same number of processes that read the run at the same time: what is above it is waiting for the
//! store and for the driver's answer.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::{make_repository, millis, plan, verdict};

const CALLS: usize = 200;
const ROUNDS: usize = 3;
/// A task takes a limited number of comments.
const TASKS: usize = 20;
/// How many times longer than the slowest reader the slowest writer may take.
const RATIO: f64 = 10.0;

pub(super) fn bench(afresh: &Path, scratch: &Path) -> Result<(String, bool)> {
    let scene = Scene::new(afresh, &scratch.join("calls"))?;
    let mut text = format!("{CALLS} commands at the same time, to a run that is driven\n");
    let mut within = true;
    for round in 1..=ROUNDS {
        let readers = scene.call_all(|_| vec!["status".to_owned(), "--json".to_owned()])?;
        let writers = scene.call_all(|number| {
            let comment = format!("comment {round}.{number}");
            vec!["tell".to_owned(), format!("T{:05}", number % TASKS + 1), comment]
        })?;
        let ratio = longest(&writers).as_secs_f64() / longest(&readers).as_secs_f64();
        within &= ratio <= RATIO;
        writeln!(
            text,
            "  round {round}: `status` median {:.0} ms, longest {:.0} ms; `tell` median {:.0} ms, longest {:.0} ms; \
             ratio of the longest {ratio:.2}",
            millis(median(&readers)),
            millis(longest(&readers)),
            millis(median(&writers)),
            millis(longest(&writers)),
        )?;
    }
    scene.end(ROUNDS * CALLS)?;
    writeln!(text, "  {} (ratio {RATIO})", verdict(within))?;
    Ok((text, within))
}

/// A run whose worker waits, and its driver.
struct Scene<'a> {
    afresh: &'a Path,
    directory: std::path::PathBuf,
    driver: Child,
}

impl<'a> Scene<'a> {
    fn new(afresh: &'a Path, scratch: &Path) -> Result<Self> {
        let directory = scratch.join("repository");
        make_repository(&directory)?;
        fs::write(directory.join("p.plan.toml"), plan(TASKS))?;
        let config = "[run]\nparallel = 1\nagent = \"sh\"\n[agents.sh]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", \"sleep 600\"]\n";
        fs::write(directory.join(".afresh/config.toml"), config)?;
        let driver = Command::new(afresh)
            .args(["run", "p.plan.toml", "--quiet", "--no-input", "--sandbox", "off"])
            .current_dir(&directory)
            .env("AFRESH_CACHE", scratch.join("cache"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let scene = Self { afresh, directory, driver };
        let until = Instant::now() + Duration::from_secs(60);
        while !scene.status()?.contains("\"running\": 1") {
            ensure!(Instant::now() < until, "the worker never started");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(scene)
    }

    fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(self.afresh);
        command.args(arguments).current_dir(&self.directory).stdin(Stdio::null());
        command.stderr(Stdio::null()).stdout(Stdio::null());
        command
    }

    fn status(&self) -> Result<String> {
        let arguments = ["status".to_owned(), "--json".to_owned()];
        let output = self.command(&arguments).stdout(Stdio::piped()).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Starts all commands, and returns how long each took from its start to its end.
    fn call_all(&self, arguments: impl Fn(usize) -> Vec<String>) -> Result<Vec<Duration>> {
        let mut waiting = Vec::new();
        for number in 0..CALLS {
            let started = Instant::now();
            let mut child = self.command(&arguments(number)).spawn()?;
            waiting.push(std::thread::spawn(move || -> Result<Duration> {
                let status = child.wait()?;
                ensure!(status.success(), "a command ended with {status}");
                Ok(started.elapsed())
            }));
        }
        let mut took: Vec<Duration> = waiting
            .into_iter()
            .map(|thread| thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))?)
            .collect::<Result<_>>()?;
        took.sort_unstable();
        Ok(took)
    }

    /// Ends the run, and checks that every comment is there.
    fn end(mut self, comments: usize) -> Result<()> {
        let found = self.status()?.matches("\"text\": \"comment ").count();
        self.command(&["halt".to_owned(), "--now".to_owned()]).status()?;
        self.driver.wait().context("the driver did not end")?;
        ensure!(found == comments, "{found} of {comments} comments were kept");
        Ok(())
    }
}

impl Drop for Scene<'_> {
    fn drop(&mut self) {
        // After an error the driver still runs.
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn longest(sorted: &[Duration]) -> Duration {
    sorted.last().copied().unwrap_or_default()
}

fn median(sorted: &[Duration]) -> Duration {
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
