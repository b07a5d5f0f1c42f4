//! The views in a terminal with a large run: what one redraw of `watch` costs, and what the live region adds to `run`.
//!
//! The programs run in a terminal of 200×50 that this process reads. CPU time is that of all their threads, as the
//! kernel counts it in nanoseconds.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use afresh_store::Journal;
use anyhow::{Context, Result, ensure};
use nix::pty::{Winsize, openpty};

use super::large_run::{EVENTS, LargeRun, TASKS};
use super::{memory_of, millis, verdict};

/// From a record or a key to everything that follows from it, on all threads; the mean.
const REDRAW_MS: f64 = 16.0;
/// Of one core.
const REGION_PERCENT: f64 = 1.0;
const REDRAWS: u32 = 40;
/// Longer than the view waits between two looks at the journal, so that each record is drawn by itself.
const PAUSE: Duration = Duration::from_millis(250);
const REGION_TIME: Duration = Duration::from_secs(20);
/// A driver that uses less than a twentieth of a core for so long has started.
const REST: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) fn bench(afresh: &Path, scratch: &Path) -> Result<(String, bool)> {
    let run = LargeRun::make(afresh, &scratch.join("views"))?;
    let mut text = format!("the views in a terminal, {TASKS} tasks and {EVENTS} events\n");
    let redraws = measure_redraws(&run, afresh, &mut text)?;
    let region = measure_region(&run, afresh, &mut text)?;
    writeln!(text, "  {}", verdict(redraws && region))?;
    Ok((text, redraws && region))
}

fn measure_redraws(run: &LargeRun, afresh: &Path, text: &mut String) -> Result<bool> {
    let started = Instant::now();
    let view = PtyProgram::start(run.command(afresh, &["watch"]))?;
    view.await_text("/1000")?;
    let opened = millis(started.elapsed());
    writeln!(text, "  watch opens after       {opened:>7.0} ms")?;
    let mut journal = Journal::open(&run.state)?;
    let mut within = true;
    for (key, name) in [("1", "tasks"), ("2", "graph"), ("3", "timeline"), ("4", "cost")] {
        view.press(key)?;
        std::thread::sleep(PAUSE * 8);
        let idle = cpu_while_waiting(&view, PAUSE * REDRAWS)?;
        let records = cpu_during(&view, || {
            for number in 0..REDRAWS {
                journal.append(&[run.log_line(&format!("redraw {number}"))])?;
                std::thread::sleep(PAUSE);
            }
            Ok(())
        })?;
        let keys = cpu_during(&view, || {
            for number in 0..REDRAWS {
                view.press(if number % 2 == 0 { "j" } else { "k" })?;
                std::thread::sleep(PAUSE);
            }
            Ok(())
        })?;
        let each = |cpu: Duration| millis(cpu.saturating_sub(idle)) / f64::from(REDRAWS);
        let (record, key) = (each(records), each(keys));
        within &= record < REDRAW_MS && key < REDRAW_MS;
        writeln!(
            text,
            "  redraw of {name:<9} {record:>5.1} ms of CPU after a record, {key:>5.1} ms after a key; limit {REDRAW_MS:.0} ms"
        )?;
    }
    writeln!(text, "  memory of watch         {:>7} KiB", memory_of(view.pid(), "VmHWM:"))?;
    view.press("q")?;
    view.end()?;
    Ok(within)
}

/// The same run, driven with and without the region; its workers print, and nothing is decided.
fn measure_region(run: &LargeRun, afresh: &Path, text: &mut String) -> Result<bool> {
    let mut spent = Vec::new();
    for progress in ["none", "live"] {
        let arguments =
            ["run", "p.plan.toml", "--no-input", "--on-orphan", "retry", "--progress", progress];
        let driver = PtyProgram::start(run.command(afresh, &arguments))?;
        run.await_workers(afresh)?;
        await_rest(&driver)?;
        spent.push(cpu_while_waiting(&driver, REGION_TIME)?);
        ensure!(
            (progress == "live") == driver.has_shown("/1000"),
            "the region is shown exactly if it is asked for"
        );
        driver.end()?;
    }
    let added = spent[1].saturating_sub(spent[0]);
    let percent = added.as_secs_f64() * 100.0 / REGION_TIME.as_secs_f64();
    writeln!(
        text,
        "  live region of run      {percent:>7.2} % of a core ({:.0} ms with and {:.0} ms without it in {} s); limit {REGION_PERCENT:.0} %",
        millis(spent[1]),
        millis(spent[0]),
        REGION_TIME.as_secs()
    )?;
    Ok(percent < REGION_PERCENT)
}

fn cpu_during(program: &PtyProgram, work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let before = program.cpu()?;
    work()?;
    Ok(program.cpu()?.saturating_sub(before))
}

/// Until what a driver does at its start is over.
fn await_rest(program: &PtyProgram) -> Result<()> {
    let until = Instant::now() + PATIENCE;
    while cpu_while_waiting(program, REST)? > REST / 20 {
        ensure!(Instant::now() < until, "the driver never comes to rest");
    }
    Ok(())
}

fn cpu_while_waiting(program: &PtyProgram, span: Duration) -> Result<Duration> {
    cpu_during(program, || {
        std::thread::sleep(span);
        Ok(())
    })
}

/// A program whose standard streams are a terminal.
struct PtyProgram {
    child: Child,
    keyboard: File,
    printed: Arc<Mutex<String>>,
}

impl PtyProgram {
    fn start(mut command: Command) -> Result<Self> {
        let size = Winsize { ws_row: 50, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None)?;
        let side = || pty.slave.try_clone().map(Stdio::from);
        command.stdin(side()?).stdout(side()?).stderr(side()?);
        let child = command.env("TERM", "xterm-256color").spawn()?;
        drop(command);
        drop(pty.slave);
        let keyboard = File::from(pty.master);
        let mut master = keyboard.try_clone()?;
        let printed = Arc::new(Mutex::new(String::new()));
        let screen = Arc::clone(&printed);
        std::thread::spawn(move || {
            let mut piece = vec![0; 65_536];
            // The terminal is gone once its other side is closed.
            while let Ok(count @ 1..) = master.read(&mut piece) {
                let text = String::from_utf8_lossy(&piece[..count]);
                screen.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
            }
        });
        Ok(Self { child, keyboard, printed })
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn press(&self, key: &str) -> Result<()> {
        Ok((&self.keyboard).write_all(key.as_bytes())?)
    }

    fn has_shown(&self, text: &str) -> bool {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner).contains(text)
    }

    fn await_text(&self, text: &str) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        while !self.has_shown(text) {
            ensure!(Instant::now() < until, "{text:?} never came on the screen");
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Of all its threads; one that has ended is not counted any more.
    fn cpu(&self) -> Result<Duration> {
        let mut nanos = 0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.pid()))?.flatten() {
            let text = fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
            nanos +=
                text.split_whitespace().next().and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
        }
        ensure!(nanos > 0, "the kernel counts no CPU time of threads");
        Ok(Duration::from_nanos(nanos))
    }

    fn end(mut self) -> Result<()> {
        let until = Instant::now() + Duration::from_secs(5);
        while self.child.try_wait()?.is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        self.child.wait().context("it was started")?;
        Ok(())
    }
}

impl Drop for PtyProgram {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
