//! The page of `afresh serve` with a large run: 1,000 tasks and 100,000 events, in a real browser on this machine.
//!
//! The run is a real one that was killed; its worker's log lines are added to the journal afterwards, as a driver
//! would. `AFRESH_TEST_PAGE_TOOLS` names the directory of `.ci/page-tools`; without it nothing is measured.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use afresh_store::{Journal, NewRecord};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::{git, memory_of, plan, verdict, workspace};

const TASKS: usize = 1_000;
const EVENTS: usize = 100_000;
const BATCH: usize = 5_000;
const UPDATES: usize = 21;
/// From the request for the page until every task is there.
const FIRST_VIEW_MS: f64 = 1_000.0;
/// From the moment at which a record is about to be written until the page shows it; the median.
const UPDATE_MS: f64 = 300.0;
const MEMORY_KIB: u64 = 100_000;
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) fn bench(afresh: &Path, scratch: &Path) -> Result<(String, bool)> {
    let Some(tools) = std::env::var_os("AFRESH_TEST_PAGE_TOOLS") else {
        let why = "serving: skipped, AFRESH_TEST_PAGE_TOOLS names no directory; `.ci/page-tools` makes one\n";
        return Ok((why.to_owned(), true));
    };
    let run = LargeRun::make(afresh, &scratch.join("serving"))?;
    let mut server =
        run.command(afresh, &["serve", "--port", "0"]).stdout(Stdio::piped()).spawn()?;
    let mut url = String::new();
    BufReader::new(server.stdout.take().context("a pipe")?).read_line(&mut url)?;
    let measured = measure(&run, Path::new(&tools), url.trim(), server.id());
    server.kill()?;
    server.wait()?;
    measured
}

fn measure(run: &LargeRun, tools: &Path, url: &str, server: u32) -> Result<(String, bool)> {
    let mut page = PageDriver::start(tools)?;
    page.tell(&json!({"command": "open", "url": url}))?;
    page.await_true("document.title.includes('Needs you')")?;
    page.evaluate(&format!("location.hash = {}", json!(format!("/run/{}", run.id))))?;
    page.await_true(&all_rows())?;
    let mut views = Vec::new();
    for _ in 0..3 {
        page.evaluate("location.reload()")?;
        std::thread::sleep(Duration::from_millis(50));
        page.await_true(&all_rows())?;
        let figures = "[performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.now()]";
        let found = page.evaluate(figures)?;
        let number = |at: usize| found[at].as_f64().context("a number");
        views.push((number(0)?, number(1)?));
    }
    let mut updates = Vec::new();
    let mut journal = Journal::open(&run.state)?;
    for number in 0..UPDATES {
        let marker = format!("update {number} of the bench");
        page.evaluate(&watch_for(&marker))?;
        let sent_at = now_ms()?;
        journal.append(&[run.log_line(&marker)])?;
        page.await_true("window.seenAt > 0")?;
        let seen_at = page.evaluate("window.seenAt")?.as_f64().context("a moment")?;
        updates.push(seen_at - sent_at);
    }
    updates.sort_by(f64::total_cmp);
    let errors = page.tell(&json!({"command": "errors"}))?;
    ensure!(errors == json!([]), "the page reported {errors}");
    let (paint, all) =
        views.into_iter().min_by(|one, other| one.1.total_cmp(&other.1)).context("views")?;
    let (median, slowest) = (updates[UPDATES / 2], updates[UPDATES - 1]);
    let memory = memory_of(server, "VmHWM:");
    let within = all < FIRST_VIEW_MS && median < UPDATE_MS && memory < MEMORY_KIB;
    let mut text = String::new();
    writeln!(text, "the page of a run with {TASKS} tasks and {EVENTS} events")?;
    writeln!(
        text,
        "  first view        {all:>7.0} ms    every task; first paint {paint:.0} ms; best of 3; limit {FIRST_VIEW_MS:.0} ms"
    )?;
    writeln!(
        text,
        "  update            {median:>7.0} ms    slowest of {UPDATES} {slowest:.0} ms; limit of the median {UPDATE_MS:.0} ms"
    )?;
    writeln!(text, "  memory of serve   {memory:>7} KiB   limit {MEMORY_KIB} KiB")?;
    writeln!(text, "  {}", verdict(within))?;
    Ok((text, within))
}

fn all_rows() -> String {
    format!("document.querySelectorAll('table.tasks tbody tr').length >= {TASKS}")
}

/// Notes when this text first stands in the activity.
fn watch_for(marker: &str) -> String {
    let marker = json!(marker);
    format!(
        "(() => {{ window.seenAt = 0; const place = document.querySelector('ol.activity'); \
         const observer = new MutationObserver(() => {{ \
         if (!place.firstElementChild?.textContent.includes({marker})) return; \
         requestAnimationFrame(() => {{ window.seenAt = performance.timeOrigin + performance.now(); }}); \
         observer.disconnect(); }}); \
         observer.observe(place, {{ childList: true }}); }})()"
    )
}

fn now_ms() -> Result<f64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64() * 1000.0)
}

/// A run whose driver was killed.
struct LargeRun {
    repository: std::path::PathBuf,
    cache: std::path::PathBuf,
    state: std::path::PathBuf,
    id: String,
}

impl LargeRun {
    fn make(afresh: &Path, place: &Path) -> Result<Self> {
        let repository = place.join("repository");
        fs::create_dir_all(repository.join(".afresh"))?;
        let worker = "[ $AFRESH_TASK = T00001 ] || exec sleep 600; echo x > $AFRESH_TASK.txt";
        let config = format!(
            "[run]\nagent = \"mine\"\nparallel = 1\n[checks]\nprobe = \"off\"\n[sandbox]\nlevel = \"off\"\n\
             [agents.mine]\nkind = \"command\"\ncommand = [\"sh\", \"-c\", {worker:?}]\n"
        );
        fs::write(repository.join(".afresh/config.toml"), config)?;
        fs::write(repository.join("p.plan.toml"), plan(TASKS))?;
        git(&repository, &["init", "-q"])?;
        git(&repository, &["add", "-A"])?;
        git(&repository, &["commit", "-q", "-m", "init"])?;
        let state = repository.join(".afresh/state");
        let mut run = Self { repository, cache: place.join("cache"), state, id: String::new() };
        let mut driver =
            run.command(afresh, &["run", "p.plan.toml", "--quiet", "--no-input"]).spawn()?;
        let until = Instant::now() + PATIENCE;
        loop {
            ensure!(
                driver.try_wait()?.is_none() && Instant::now() < until,
                "the second task never ran"
            );
            let status = run.command(afresh, &["status", "--json"]).output()?;
            let status: Value = serde_json::from_slice(&status.stdout).unwrap_or_default();
            if status["tasks"][1]["state"] == "running" {
                status["run"].as_str().context("a run")?.clone_into(&mut run.id);
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        driver.kill()?;
        driver.wait()?;
        run.add_events()?;
        Ok(run)
    }

    fn add_events(&self) -> Result<()> {
        let mut journal = Journal::open(&self.state)?;
        let lines: Vec<NewRecord> = (0..EVENTS)
            .map(|number| self.log_line(&format!("looked at file {number} of the sources")))
            .collect();
        for batch in lines.chunks(BATCH) {
            journal.append(batch)?;
        }
        Ok(())
    }

    fn log_line(&self, message: &str) -> NewRecord {
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

    fn command(&self, afresh: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(afresh);
        command.args(arguments).current_dir(&self.repository).env("AFRESH_CACHE", &self.cache);
        command.env("AFRESH_SANDBOX", "off").stdin(Stdio::null()).stderr(Stdio::null());
        command
    }
}

/// The driver of the stories in a browser.
struct PageDriver {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl PageDriver {
    fn start(tools: &Path) -> Result<Self> {
        let script = workspace().join("crates/afresh/tests/page/driver.mjs");
        let mut node = Command::new("node");
        node.arg(script).arg(tools).arg(json!({"width": 1280, "height": 900}).to_string());
        let mut child =
            node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("node")?;
        let commands = child.stdin.take().context("a pipe")?;
        let answers = BufReader::new(child.stdout.take().context("a pipe")?);
        Ok(Self { child, commands, answers })
    }

    fn tell(&mut self, command: &Value) -> Result<Value> {
        writeln!(self.commands, "{command}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let mut answer: Value = serde_json::from_str(&line)?;
        if let Some(failure) = answer["failure"].as_str() {
            bail!("{command}: {failure}");
        }
        Ok(answer["value"].take())
    }

    fn evaluate(&mut self, script: &str) -> Result<Value> {
        self.tell(&json!({"command": "evaluate", "script": script}))
    }

    fn await_true(&mut self, script: &str) -> Result<()> {
        self.tell(&json!({"command": "until", "script": script})).map(|_| ())
    }
}

impl Drop for PageDriver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
