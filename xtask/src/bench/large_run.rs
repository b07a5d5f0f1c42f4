//! A run with 1,000 tasks and 100,000 events, whose driver was killed.
//!
//! It is a real run; what its first task recorded is repeated for most of the others, and the log lines of its second
//! worker are added, as a driver would.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use afresh_store::{Journal, JournalRecord, NewRecord};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::git;

pub(super) const TASKS: usize = 1_000;
pub(super) const EVENTS: usize = 100_000;
/// Each task needs two of so many before it.
const LAYER: usize = 50;
/// The last tasks are a chain that begins with these, so that they start first.
const CHAIN: usize = 50;
const FIRST: std::ops::RangeInclusive<usize> = 1..=5;
const BATCH: usize = 5_000;
const PATIENCE: Duration = Duration::from_secs(120);
/// Between two merges, as far as their times are made up.
const MERGE_MS: i64 = 400;
/// The first one lands; the others print a line five times a second.
const WORKER: &str = "[ $AFRESH_TASK = T00001 ] && { echo x > $AFRESH_TASK.txt; exit; }; \
                      while :; do echo at work on $AFRESH_TASK; sleep 0.2; done";

pub(super) struct LargeRun {
    pub(super) repository: PathBuf,
    cache: PathBuf,
    pub(super) state: PathBuf,
    pub(super) id: String,
    /// The tasks that had workers when the driver was killed.
    running: Vec<String>,
}

impl LargeRun {
    pub(super) fn make(afresh: &Path, place: &Path) -> Result<Self> {
        let repository = place.join("repository");
        fs::create_dir_all(repository.join(".afresh"))?;
        let config = format!(
            "[run]\nagent = \"mine\"\nparallel = 5\n[checks]\nprobe = \"off\"\n[sandbox]\nlevel = \"off\"\n\
             [agents.mine]\nkind = \"command\"\ncommand = [\"sh\", \"-c\", {WORKER:?}]\n"
        );
        fs::write(repository.join(".afresh/config.toml"), config)?;
        fs::write(repository.join("p.plan.toml"), plan())?;
        git(&repository, &["init", "-q"])?;
        git(&repository, &["add", "-A"])?;
        git(&repository, &["commit", "-q", "-m", "init"])?;
        let state = repository.join(".afresh/state");
        let (cache, id, running) = (place.join("cache"), String::new(), Vec::new());
        let mut run = Self { repository, cache, state, id, running };
        run.drive_until_one_landed(afresh)?;
        run.add_events()?;
        Ok(run)
    }

    fn drive_until_one_landed(&mut self, afresh: &Path) -> Result<()> {
        let arguments = ["run", "p.plan.toml", "--quiet", "--no-input"];
        let mut driver = self.command(afresh, &arguments).spawn()?;
        let until = Instant::now() + PATIENCE;
        loop {
            let is_late = driver.try_wait()?.is_some() || Instant::now() >= until;
            ensure!(!is_late, "the first task never landed");
            let status = self.command(afresh, &["status", "--json"]).output()?;
            let status: Value = serde_json::from_slice(&status.stdout).unwrap_or_default();
            self.running = ids_in_state(&status, "running");
            if status["tasks"][0]["state"] == "done" && self.running.len() == 5 {
                status["run"].as_str().context("a run")?.clone_into(&mut self.id);
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        driver.kill()?;
        driver.wait()?;
        Ok(())
    }

    /// Waits until workers of a new driver are at work.
    pub(super) fn await_workers(&self, afresh: &Path) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        loop {
            let status = self.command(afresh, &["status", "--json"]).output()?;
            let status: Value = serde_json::from_slice(&status.stdout).unwrap_or_default();
            let running = ids_in_state(&status, "running").len();
            if status["driver"].is_object() && running == 5 {
                return Ok(());
            }
            ensure!(Instant::now() < until, "no worker was started again");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn add_events(&self) -> Result<()> {
        let mut journal = Journal::open(&self.state)?;
        let known = journal.read_run(&self.id)?;
        let is_own = |record: &&JournalRecord| {
            let event: Value = serde_json::from_str(&record.body).unwrap_or_default();
            event["attempt"]["task"] == "T00001"
        };
        let own: Vec<&JournalRecord> = known.iter().filter(is_own).collect();
        let from_ms = known.first().map_or(0, |record| record.wall_ms);
        let mut added = Vec::new();
        for number in self.landed_later() {
            let task = task_id(number);
            let at_ms = from_ms + i64::try_from(number)? * MERGE_MS;
            added.extend(own.iter().enumerate().map(|(step, record)| NewRecord {
                run: record.run.clone(),
                epoch: record.epoch,
                at_ms: record.at_ms,
                wall_ms: at_ms + i64::try_from(step).unwrap_or(0) * 100,
                kind: record.kind.clone(),
                body: record.body.replace("T00001", &task),
            }));
        }
        let lines = EVENTS.saturating_sub(known.len() + added.len());
        let line = |number| self.log_line(&format!("looked at file {number} of the sources"));
        added.extend((0..lines).map(line));
        for batch in added.chunks(BATCH) {
            journal.append(batch)?;
        }
        Ok(())
    }

    /// Every task that needs none of those that are underway, and is not in the chain at the end.
    fn landed_later(&self) -> Vec<usize> {
        let mut landed = vec![1];
        for number in 2..=TASKS - CHAIN {
            let is_ready = needs(number).iter().all(|need| landed.contains(need));
            if is_ready && !self.running.contains(&task_id(number)) {
                landed.push(number);
            }
        }
        landed.split_off(1)
    }

    /// What the second worker says now.
    pub(super) fn log_line(&self, message: &str) -> NewRecord {
        let attempt = json!({"task": "T00002", "number": 1});
        let event = json!({"type": "worker-logged", "attempt": attempt, "level": "INFO", "event": "note", "message": message});
        let wall_ms = now_ms().map_or(0, |now| Duration::from_secs_f64(now / 1000.0).as_millis());
        NewRecord {
            run: self.id.clone(),
            epoch: 1,
            at_ms: 60_000,
            wall_ms: i64::try_from(wall_ms).unwrap_or(0),
            kind: "worker-logged".to_owned(),
            body: event.to_string(),
        }
    }

    pub(super) fn command(&self, afresh: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(afresh);
        command.args(arguments).current_dir(&self.repository).env("AFRESH_CACHE", &self.cache);
        command.env("AFRESH_SANDBOX", "off").stdin(Stdio::null()).stderr(Stdio::null());
        command
    }
}

pub(super) fn now_ms() -> Result<f64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64() * 1000.0)
}

fn ids_in_state(status: &Value, state: &str) -> Vec<String> {
    let tasks = status["tasks"].as_array().map(Vec::as_slice).unwrap_or_default();
    let found = tasks.iter().filter(|task| task["state"] == state);
    found.filter_map(|task| task["id"].as_str().map(str::to_owned)).collect()
}

fn task_id(number: usize) -> String {
    format!("T{number:05}")
}

/// In layers, with a chain at the end.
fn needs(number: usize) -> Vec<usize> {
    if number == TASKS - CHAIN + 1 {
        return FIRST.collect();
    }
    if number > TASKS - CHAIN {
        return vec![number - 1];
    }
    let back = [LAYER, LAYER - 1].into_iter().filter_map(|back| number.checked_sub(back));
    back.filter(|need| *need == 1 || !FIRST.contains(need)).filter(|need| *need > 0).collect()
}

fn plan() -> String {
    let mut text = String::from("version = 1\nname = \"bench\"\n");
    for number in 1..=TASKS {
        let needs: Vec<String> =
            needs(number).into_iter().map(|need| format!("\"{}\"", task_id(need))).collect();
        let _ = write!(
            text,
            "[[task]]\nid = \"T{number:05}\"\ntitle = \"task {number}\"\nfiles = [\"T{number:05}.txt\"]\n\
             checks = [\"test -s T{number:05}.txt\"]\nneeds = [{}]\n",
            needs.join(", ")
        );
    }
    text
}
