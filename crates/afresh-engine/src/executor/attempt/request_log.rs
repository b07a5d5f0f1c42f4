//! Follows the requests that a module of ours records inside the agent program.
//!
//! A program may load the module or not: without it, its own record counts, which may lack the last request.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::Path;

use afresh_agents::stream::session_log::{SessionFile, SessionLog};
use afresh_agents::{Agent, AgentEvent};
use afresh_core::usage::Usage;

use super::session_log::{LogPatience, SessionLogFollower};
use crate::worker_files::open_plain;

/// How much of an earlier log is copied.
const MAX_LOG_BYTES: u64 = 64 * 1024 * 1024;

const NOT_LOADED: &str = "the program did not load afresh's module that records every request: \
     if it is killed, its last request is not counted";

pub(super) struct RequestLogFollower {
    log: SessionLogFollower,
    is_reported_missing: bool,
}

impl RequestLogFollower {
    pub(super) fn new(file: SessionFile) -> Self {
        let log = SessionLogFollower::new("", SessionLog::Lines(file));
        Self { log, is_reported_missing: false }
    }

    /// The total of the conversation, if it is new, and a notice if there is no log although the program has used
    /// something: the module writes its first line before the program starts.
    pub(super) fn read(
        &mut self,
        patience: LogPatience,
        used: Usage,
    ) -> (Option<Usage>, Option<&'static str>) {
        let is_late = !self.log.is_open() && used.tokens() > 0 && !self.is_reported_missing;
        let patience = if is_late { LogPatience::Last } else { patience };
        let total = |event| match event {
            AgentEvent::Used(total) => Some(total),
            _ => None,
        };
        let total = self.log.read(patience).into_iter().filter_map(total).next_back();
        let is_missing = is_late && !self.log.is_open();
        self.is_reported_missing |= is_missing;
        (total, is_missing.then_some(NOT_LOADED))
    }
}

/// Copies what earlier processes of a conversation recorded, so that the log is that of the whole conversation. The
/// driver may have been killed before it read the end of it.
pub(super) fn continue_log(agent: &Agent, earlier_worker: &Path, log: &SessionFile) {
    let Some(earlier) = agent.request_log(earlier_worker) else { return };
    let copy = || -> io::Result<()> {
        let mut from = open_plain(&earlier.path())?.take(MAX_LOG_BYTES);
        let mut to = OpenOptions::new().append(true).create_new(true).open(log.path())?;
        io::copy(&mut from, &mut to)?;
        // A line that a kill cut off does not take the next one with it.
        to.write_all(b"\n")
    };
    // Without the copy, the program's own record of the conversation counts.
    let _ = copy();
}

#[cfg(test)]
mod tests {
    use std::fs;

    use afresh_agents::{AgentKind, AgentProgram};

    use super::*;

    fn agent() -> Agent {
        let kind = AgentKind::Program(AgentProgram::Opencode.default_agent());
        Agent { name: "opencode".into(), kind, env: vec![] }
    }

    fn line(id: &str) -> String {
        let usage = "{\"prompt_tokens\":10,\"completion_tokens\":1}";
        format!("{{\"id\":\"{id}\",\"usage\":{usage}}}\n")
    }

    fn append(file: &SessionFile, text: &str) {
        let mut open =
            OpenOptions::new().append(true).create(true).open(file.path()).expect("opened");
        open.write_all(text.as_bytes()).expect("written");
    }

    /// R14: a resumed program's log begins with the requests of the process before it, each counted once, also if a kill
    /// cut the last line off.
    #[test]
    fn a_resumed_log_is_that_of_the_whole_conversation() {
        let directory = tempfile::tempdir().expect("a directory");
        let workers = ["1", "2"].map(|name| directory.path().join(name));
        for worker in &workers {
            fs::create_dir(worker).expect("a directory");
        }
        let [before, after] =
            workers.each_ref().map(|worker| agent().request_log(worker).expect("a log"));
        append(&before, &format!("{}{}{{\"id\":\"c", line("a"), line("b")));
        continue_log(&agent(), &workers[0], &after);
        append(&after, &line("d"));
        let mut follower = RequestLogFollower::new(after);
        let (total, notice) = follower.read(LogPatience::Usual, Usage::default());
        assert_eq!((total.map(|total| total.tokens()), notice), (Some(33), None));
    }

    /// R14: a program that has used something without a log is reported once.
    #[test]
    fn a_log_that_is_missing_is_reported_once() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = agent().request_log(directory.path()).expect("a log");
        let mut follower = RequestLogFollower::new(file.clone());
        let used = Usage { input: 5, ..Usage::default() };
        assert_eq!(follower.read(LogPatience::Usual, Usage::default()), (None, None));
        assert_eq!(follower.read(LogPatience::Usual, used), (None, Some(NOT_LOADED)));
        assert_eq!(follower.read(LogPatience::Usual, used), (None, None));
        append(&file, "{\"id\":\"p\"}\n");
        let mut loaded = RequestLogFollower::new(file);
        assert_eq!(loaded.read(LogPatience::Usual, used), (None, None));
    }
}
