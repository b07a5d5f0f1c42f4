//! The page of `afresh serve` with a large run: 1,000 tasks and 100,000 events, in a real browser on this machine.
//!
//! `AFRESH_TEST_PAGE_TOOLS` names the directory of `.ci/page-tools`; without it nothing is measured.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use afresh_store::Journal;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::large_run::{EVENTS, LargeRun, TASKS, now_ms};
use super::{memory_of, verdict, workspace};

const UPDATES: usize = 21;
/// From the request for the page until every task is there.
const FIRST_VIEW_MS: f64 = 1_000.0;
/// From the moment at which a record is about to be written until the page shows it; the median.
const UPDATE_MS: f64 = 300.0;
const MEMORY_KIB: u64 = 100_000;

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
        page.evaluate("window.isOld = true; location.reload()")?;
        page.await_on_new_page(&format!("window.isOld !== true && {}", all_rows()))?;
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

    /// The same while the page is replaced: what was asked of the old one is asked again.
    fn await_on_new_page(&mut self, script: &str) -> Result<()> {
        for _ in 0..5 {
            match self.await_true(script) {
                Err(error) if error.to_string().contains("context was destroyed") => {}
                other => return other,
            }
        }
        bail!("the page is replaced again and again")
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
