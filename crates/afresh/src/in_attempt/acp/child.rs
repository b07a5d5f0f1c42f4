//! The agent's process: its input, its output and its end.
//!
//! Reading and writing have a thread each, so that neither a program that does not read nor a silent one
//! keeps us from handling a signal. Its leftover processes are ended by the supervisor.

use std::io::{self, BufReader, Write};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::in_attempt::json_lines::{self, NextLine};

/// Longer messages are dropped; shorter than a line of ours may be, because it is written into one.
const MAX_MESSAGE_BYTES: u64 = 3 * 1024 * 1024;
/// How many messages may be queued.
const WAITING: usize = 8;
/// How long it may take to exit by itself, and then after SIGTERM.
const END_GRACE: Duration = Duration::from_millis(1_500);

/// What the client receives.
#[derive(Debug)]
pub(super) enum AgentMessage {
    /// Not parsed yet, because a message takes much more memory than its line.
    Line(Vec<u8>),
    TooLong,
    /// It has closed its output.
    Gone,
    /// A signal asks us to end.
    Stop,
    /// Nothing came in time.
    TimeIsUp,
}

#[derive(Debug)]
pub(super) struct AgentProcess {
    process: Child,
    /// Its standard input, closed when this is dropped.
    words: Option<Sender<String>>,
}

impl AgentProcess {
    pub(super) fn start(command: &[String]) -> io::Result<(Self, Receiver<AgentMessage>)> {
        let (program, args) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let (heard, hears) = mpsc::sync_channel(WAITING);
        listen(heard.clone())?;
        let mut process = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Signals for us do not reach it: it is cancelled by the protocol first.
            .process_group(0)
            .spawn()?;
        let (words, told) = mpsc::channel();
        if let Some(input) = process.stdin.take() {
            thread::spawn(move || write(input, &told));
        }
        if let Some(output) = process.stdout.take() {
            thread::spawn(move || read(output, &heard));
        }
        Ok((Self { process, words: Some(words) }, hears))
    }

    pub(super) fn send(&self, message: &Value) {
        // A program that is gone is noticed where its output is read.
        if let Some(words) = &self.words {
            let _ = words.send(message.to_string());
        }
    }

    /// Closes its input, and ends it if that is not enough; its remaining output is recorded. Returns the
    /// signal that ended it, if that was not ours.
    pub(super) fn end(
        &mut self,
        heard: &Receiver<AgentMessage>,
        mut tell: impl FnMut(&AgentMessage),
    ) -> Option<i32> {
        self.words = None;
        if self.ends_within(END_GRACE, heard, &mut tell) {
            return self.process.try_wait().ok().flatten().and_then(|status| status.signal());
        }
        // Two of the known programs do not mind.
        if let Ok(pid) = i32::try_from(self.process.id()) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
        if !self.ends_within(END_GRACE, heard, &mut tell) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
        None
    }

    fn ends_within(
        &mut self,
        span: Duration,
        heard: &Receiver<AgentMessage>,
        tell: &mut impl FnMut(&AgentMessage),
    ) -> bool {
        const LOOK: Duration = Duration::from_millis(20);
        let until = Instant::now() + span;
        loop {
            if !matches!(self.process.try_wait(), Ok(None)) {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            match heard.recv_timeout(left.min(LOOK)) {
                Ok(words) => tell(&words),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(left.min(LOOK)),
            }
        }
    }
}

/// Turns signals that ask us to end into messages.
fn listen(heard: SyncSender<AgentMessage>) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    thread::spawn(move || {
        for _ in signals.forever() {
            if heard.send(AgentMessage::Stop).is_err() {
                return;
            }
        }
    });
    Ok(())
}

fn write(mut input: ChildStdin, told: &Receiver<String>) {
    for message in told {
        if writeln!(input, "{message}").and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read(output: ChildStdout, heard: &SyncSender<AgentMessage>) {
    let mut output = BufReader::new(output);
    loop {
        let next = match json_lines::next(&mut output, MAX_MESSAGE_BYTES) {
            Ok(NextLine::Line(line)) if line.trim_ascii().is_empty() => continue,
            Ok(NextLine::Line(line)) => AgentMessage::Line(line),
            Ok(NextLine::TooLong) => AgentMessage::TooLong,
            Ok(NextLine::End) | Err(_) => {
                let _ = heard.send(AgentMessage::Gone);
                return;
            }
        };
        if heard.send(next).is_err() {
            return;
        }
    }
}
