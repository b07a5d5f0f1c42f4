//! The scripted agent: acts, prints and ends as a script says.
//!
//! It works in the current directory, as any worker does. What a script may say is for
//! [`afresh_agents::adapters::scripted`].

mod ends;
mod files;
#[cfg(any(debug_assertions, feature = "hostile-output"))]
mod hostile;
mod voice;

use std::process::{Command, Stdio};

use afresh_agents::Bundle;
use afresh_agents::adapters::scripted::script::{ActionKind, ScriptAction, ScriptedEnd};
use afresh_agents::adapters::scripted::stream::ScriptedLine;
use afresh_core::usage::Usage;

pub(crate) use voice::OutputMode;

/// Who plays.
#[derive(Debug)]
pub(crate) struct ScriptPlayer {
    pub(crate) task: String,
    pub(crate) attempt: u32,
    pub(crate) step: u32,
    /// The worker's bundle; none where a person tries a script by hand.
    pub(crate) bundle: Option<Bundle>,
    pub(crate) voice: OutputMode,
    used: Usage,
    changed: Vec<String>,
}

impl ScriptPlayer {
    pub(crate) fn new(
        task: String,
        attempt: u32,
        bundle: Option<Bundle>,
        voice: OutputMode,
    ) -> Self {
        let step = bundle.as_ref().map_or(1, |bundle| bundle.first_step);
        let step = u32::try_from(step).unwrap_or(1);
        Self { task, attempt, step, bundle, voice, used: Usage::default(), changed: Vec::new() }
    }

    /// Plays the script to its end; returns the exit code.
    pub(crate) fn play(&mut self, deeds: &[ScriptAction]) -> u8 {
        for deed in deeds {
            if let ActionKind::End(end) = &deed.act {
                return self.end(end);
            }
            if let Err(why) = self.carry_out(&deed.act) {
                // A retry would fail again.
                let error = format!("line {} of the script: {why}", deed.line);
                return self.end(&ScriptedEnd::Fail {
                    error,
                    at: String::new(),
                    retryable: Some(false),
                });
            }
        }
        if self.bundle.as_ref().is_some_and(|bundle| bundle.review.is_some()) {
            return self.end(&ScriptedEnd::Approve("approved by the script".to_owned()));
        }
        let files = std::mem::take(&mut self.changed);
        self.end(&ScriptedEnd::Claim { files, deviations: Vec::new(), notes: None })
    }

    fn carry_out(&mut self, act: &ActionKind) -> Result<(), String> {
        match act {
            ActionKind::Write { path, text } => self.write(path, text),
            ActionKind::Append { path, text } => self.append(path, text),
            ActionKind::Edit { path, find, replace } => self.edit(path, find, replace),
            ActionKind::Delete { path } => self.delete(path),
            ActionKind::Listed { text } => self.write_listed(text),
            ActionKind::Run { command, may_fail } => self.run(command, *may_fail),
            ActionKind::Child { command } => self.leave_behind(command),
            ActionKind::Sleep(span) => {
                std::thread::sleep(*span);
                Ok(())
            }
            ActionKind::Say(text) => self.print_line(&ScriptedLine::Text(self.filled(text))),
            ActionKind::Use(more) => {
                self.used = self.used.plus(more);
                self.print_line(&ScriptedLine::Used(self.used))
            }
            ActionKind::StepDone(number) => step_done(*number),
            #[cfg(any(debug_assertions, feature = "hostile-output"))]
            ActionKind::Hostile(kind) => {
                hostile::print(*kind);
                Ok(())
            }
            #[cfg(not(any(debug_assertions, feature = "hostile-output")))]
            ActionKind::Hostile(kind) => {
                Err(format!("this build of afresh cannot print hostile output: {kind:?}"))
            }
            ActionKind::Chance { .. } | ActionKind::End(_) => {
                unreachable!("chances are settled, ends are last")
            }
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "an act like the others")]
    fn print_line(&self, saying: &ScriptedLine) -> Result<(), String> {
        self.voice.print(saying);
        Ok(())
    }

    /// Replaces `{task}`, `{attempt}`, `{step}` and `{answer}`.
    fn filled(&self, text: &str) -> String {
        text.replace("{task}", &self.task)
            .replace("{attempt}", &self.attempt.to_string())
            .replace("{step}", &self.step.to_string())
            .replace("{answer}", self.answer())
    }

    /// The last answer of a person: the key of an option, which precedes its description.
    fn answer(&self) -> &str {
        let answered = self.bundle.as_ref().and_then(|bundle| bundle.answers.last());
        let text = answered.map_or("", |answered| answered.answer.as_str());
        text.split_once(": ").map_or(text, |(key, _)| key)
    }

    /// Its output goes to our standard error, because our standard output is a stream of reports.
    fn run(&self, command: &str, may_fail: bool) -> Result<(), String> {
        let mut shell = self.shell(command);
        let status = shell.status().map_err(|error| format!("cannot run a shell: {error}"))?;
        if status.success() || may_fail {
            return Ok(());
        }
        Err(format!("`{command}` failed: {status}"))
    }

    fn leave_behind(&self, command: &str) -> Result<(), String> {
        use std::os::unix::process::CommandExt as _;
        let mut shell = self.shell(command);
        let child = shell.process_group(0).spawn();
        child.map(drop).map_err(|error| format!("cannot run a shell: {error}"))
    }

    fn shell(&self, command: &str) -> Command {
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(std::io::stderr());
        // An answer is a person's text, so it is passed as a variable and never as part of a command.
        shell.env("AFRESH_TASK", &self.task).env("AFRESH_ATTEMPT", self.attempt.to_string());
        shell.env("AFRESH_ANSWER", self.answer());
        shell
    }
}

/// Reports a step like any worker: by calling afresh.
fn step_done(number: u32) -> Result<(), String> {
    let us = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(us);
    command.args(["step", "done", &number.to_string()]).stdin(Stdio::null());
    let output = command.stdout(std::io::stderr()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`afresh step done {number}` failed: {}", said.trim()))
}
