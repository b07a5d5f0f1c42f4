//! Reads an agent's reports from its growing output file while it works.
//!
//! Agents whose whole output is their answer are not followed.

use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use afresh_agents::stream::lines::LineBuffer;
use afresh_agents::stream::session_log::SessionFile;
use afresh_agents::{Agent, AgentEvent, PriceTable, ProgramEnd, StreamReader};
use afresh_core::Input;
use afresh_core::event::LogLevel;
use afresh_core::ids::AttemptId;
use afresh_core::input::AgentIdentity;
use afresh_core::model_error::ModelError;
use afresh_core::outcome::Outcome;
use afresh_core::usage::{ContextFill, ModelUsage, Usage};
use afresh_formats::result::{self, ResultContext};

use super::repetition::RepetitionGuard;
use super::request_log::RequestLogFollower;
use super::session_log::{LogPatience, SessionLogFollower, SessionLogSource};
use super::usage_account::UsageAccount;
use crate::worker_files::open_plain;

const PIECE_BYTES: usize = 64 * 1024;
/// How many retries and notices are reported, per attempt.
const MAX_NOTES: usize = 20;
/// How many malformed reports are reported.
const MAX_NONSENSE: usize = 3;
/// How many characters of the agent's last output are shown if it gave no answer.
const EXCERPT_CHARS: usize = 500;

/// How often in a row a program may retry its model before we end it. The programs' own retry limits are set
/// lower, so a program that still continues waits for something that does not come.
const MAX_RETRIES: u32 = 8;

pub(crate) struct OutputFollower {
    attempt: AttemptId,
    reader: Box<dyn StreamReader>,
    file: PathBuf,
    read: u64,
    lines: LineBuffer,
    identity: AgentIdentity,
    reported_identity: AgentIdentity,
    /// The agent's name, if its program can continue the conversation.
    resumable_by: Option<String>,
    usage: UsageAccount,
    reported_usage: Usage,
    session_logs: Option<SessionLogSource>,
    log: Option<SessionLogFollower>,
    requests: Option<RequestLogFollower>,
    context: Option<ContextFill>,
    reported_context: Option<ContextFill>,
    retries: u32,
    repetition: RepetitionGuard,
    hopeless: Option<ModelError>,
    last_words: String,
    answer: Option<String>,
    notes: Vec<(&'static str, String)>,
    notes_taken: usize,
    nonsense_seen: usize,
}

impl OutputFollower {
    /// None if there is nothing to follow. `model` is the requested one.
    pub(crate) fn new(
        agent: &Agent,
        model: Option<&str>,
        prices: Arc<PriceTable>,
        attempt: AttemptId,
        file: PathBuf,
    ) -> Option<Self> {
        Some(Self {
            attempt,
            reader: agent.reader()?,
            file,
            read: 0,
            lines: LineBuffer::default(),
            identity: AgentIdentity::default(),
            reported_identity: AgentIdentity::default(),
            resumable_by: agent.can_resume().then(|| agent.name.clone()),
            usage: UsageAccount::new(prices, model, agent.earlier_usage()),
            reported_usage: Usage::default(),
            session_logs: None,
            log: None,
            requests: None,
            context: None,
            reported_context: None,
            retries: 0,
            repetition: RepetitionGuard::default(),
            hopeless: None,
            last_words: String::new(),
            answer: None,
            notes: Vec::new(),
            notes_taken: 0,
            nonsense_seen: 0,
        })
    }

    /// Continues a conversation in which earlier attempts used `earlier`.
    pub(crate) fn with_earlier_usage(mut self, earlier: Usage) -> Self {
        self.usage.exclude_earlier(earlier);
        self
    }

    /// Follows the program's own record of the conversation too.
    pub(crate) fn with_session_logs(self, session_logs: SessionLogSource) -> Self {
        Self { session_logs: Some(session_logs), ..self }
    }

    /// Follows the requests that a module of ours records.
    pub(crate) fn with_request_log(self, file: Option<SessionFile>) -> Self {
        Self { requests: file.map(RequestLogFollower::new), ..self }
    }

    /// Reads further; returns what is new for the run.
    pub(crate) fn read_reports(&mut self) -> Vec<Input> {
        self.read_all(LogPatience::Usual)
    }

    fn read_all(&mut self, patience: LogPatience) -> Vec<Input> {
        // If it cannot be read now, the next poll may succeed, or the read at the end.
        let _ = self.read_on();
        let logged = self.log.as_mut().map(|log| log.read(patience)).unwrap_or_default();
        for event in logged {
            self.accept_logged(&event);
        }
        self.read_requests(patience);
        let mut inputs: Vec<Input> = Vec::new();
        if self.identity != self.reported_identity {
            self.reported_identity = self.identity.clone();
            inputs.push(Input::Identified(self.attempt.clone(), self.identity.clone()));
        }
        for (event, message) in std::mem::take(&mut self.notes) {
            let (level, event) = (LogLevel::Warn, event.to_owned());
            inputs.push(Input::WorkerLogged {
                attempt: self.attempt.clone(),
                level,
                event,
                message,
            });
        }
        // Only the last of several totals is needed.
        if self.used() != self.reported_usage {
            self.reported_usage = self.used();
            inputs.push(Input::UsageSeen(self.attempt.clone(), self.used()));
        }
        if let Some(fill) = self.context.filter(|_| self.context != self.reported_context) {
            self.reported_context = self.context;
            inputs.push(Input::ContextSeen(self.attempt.clone(), fill));
        }
        inputs
    }

    /// Reads the rest after the agent has ended.
    pub(crate) fn finish(&mut self) -> Vec<Input> {
        let _ = self.read_on();
        let last = self.lines.rest();
        self.line(&last);
        self.read_all(LogPatience::Last)
    }

    pub(crate) fn used(&self) -> Usage {
        self.usage.total()
    }

    /// Usage by model; one model has all of it if the program does not report models.
    pub(crate) fn models(&self) -> Vec<ModelUsage> {
        self.usage.by_model()
    }

    /// Why the program should be ended although it would continue.
    pub(crate) fn hopeless(&self) -> Option<&ModelError> {
        self.hopeless.as_ref()
    }

    /// The error between the program and its model, if that ended it; else the program's last words if it failed.
    pub(crate) fn error(&self, end: &ProgramEnd<'_>) -> Option<ModelError> {
        self.reader.error(end)
    }

    /// The agent's answer. These agents must give one: a program that ended without any was cut short.
    pub(crate) fn outcome(&self, context: &ResultContext<'_>) -> Outcome {
        match self.answer.as_deref().map(|text| result::read(text, context)) {
            Some(Outcome::Silent) => Outcome::Unreported { excerpt: self.excerpt() },
            None => self.unanswered("it ended without a final text"),
            Some(outcome) => outcome,
        }
    }

    pub(crate) fn final_text(&self) -> &str {
        self.answer.as_deref().unwrap_or(&self.last_words)
    }

    fn unanswered(&self, reason: &str) -> Outcome {
        Outcome::Unintelligible { reason: reason.to_owned(), excerpt: self.excerpt() }
    }

    fn excerpt(&self) -> String {
        self.final_text().chars().take(EXCERPT_CHARS).collect()
    }

    fn read_on(&mut self) -> std::io::Result<()> {
        let mut file = open_plain(&self.file)?;
        file.seek(SeekFrom::Start(self.read))?;
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let count = file.read(&mut piece)?;
            if count == 0 {
                return Ok(());
            }
            self.read += count as u64;
            self.accept(&piece[..count]);
        }
    }

    fn accept(&mut self, piece: &[u8]) {
        for line in self.lines.push(piece) {
            self.line(&line);
        }
    }

    fn line(&mut self, bytes: &[u8]) {
        let line = String::from_utf8_lossy(bytes);
        for event in self.reader.read_line(line.trim()) {
            self.note_retries(&event);
            if let Some(error) = self.repetition.note(&event) {
                self.hopeless = Some(error);
            }
            match event {
                AgentEvent::Session(id) => {
                    self.follow_log(&id);
                    self.identity.session = Some(id);
                    self.identity.agent = self.resumable_by.clone();
                    // Not every program reports its model; then it is the requested one.
                    let requested = || self.usage.model().map(str::to_owned);
                    self.identity.model = self.identity.model.take().or_else(requested);
                }
                AgentEvent::Model(name) => {
                    self.usage.set_model(&name);
                    self.identity.model = Some(name);
                }
                AgentEvent::Text(text) => self.last_words = text,
                AgentEvent::UsedByProcess(used) => self.usage.record_process(used),
                AgentEvent::Used(total) => self.usage.record_output(total),
                AgentEvent::UsedByModel(models) => self.usage.record_models(models),
                AgentEvent::Context { used, window } => self.note_context(used, window),
                AgentEvent::Result(text) => self.answer = Some(text),
                AgentEvent::Hopeless(error) => self.hopeless = Some(error),
                AgentEvent::Retrying(retry) => {
                    let message = format!("{}: {}", retry.class.word(), retry.message);
                    self.note("model-retry", message);
                }
                AgentEvent::Notice(what) => self.note("notice", what),
                AgentEvent::Nonsense(what) => self.note_nonsense(what),
                // These are in the transcript.
                AgentEvent::ToolStarted(_) | AgentEvent::ToolEnded(_) => {}
            }
        }
    }

    /// Counts retries in a row: a program that gets only errors for too long is ended.
    fn note_retries(&mut self, event: &AgentEvent) {
        let AgentEvent::Retrying(retry) = event else {
            self.retries = 0;
            return;
        };
        self.retries += 1;
        if self.retries > MAX_RETRIES {
            let error = ModelError::new(retry.class, retry.message.clone()).waiting(retry.wait);
            self.hopeless = Some(error);
        }
    }

    fn follow_log(&mut self, session: &str) {
        let log = self.session_logs.as_ref().and_then(|logs| logs.of_session(session));
        self.log = log.map(|log| SessionLogFollower::new(session, log));
    }

    fn accept_logged(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::Used(total) => self.usage.record_session_log(*total),
            AgentEvent::Context { used, window } => self.note_context(*used, *window),
            _ => {}
        }
    }

    fn read_requests(&mut self, patience: LogPatience) {
        let Some(requests) = &mut self.requests else { return };
        let (total, notice) = requests.read(patience, self.usage.total());
        if let Some(total) = total {
            self.usage.record_requests(total);
        }
        if let Some(notice) = notice {
            self.note("notice", notice.to_owned());
        }
    }

    fn note_context(&mut self, used: u64, window: Option<u64>) {
        self.context = Some(self.usage.context_fill(used, window));
    }

    fn note_nonsense(&mut self, what: String) {
        self.nonsense_seen += 1;
        if self.nonsense_seen <= MAX_NONSENSE {
            self.note("usage", what);
        }
    }

    fn note(&mut self, event: &'static str, message: String) {
        self.notes_taken += 1;
        if self.notes_taken <= MAX_NOTES {
            self.notes.push((event, message));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use afresh_agents::AgentKind;
    use afresh_agents::adapters::scripted::ScriptFile;
    use afresh_agents::stream::lines::MAX_LINE_BYTES;
    use afresh_core::ids::TaskId;

    use super::*;

    fn follower(file: &std::path::Path) -> OutputFollower {
        let script = ScriptFile { path: "s".into(), shown: "s".into(), text: String::new() };
        let agent = Agent { name: "a".into(), kind: AgentKind::Scripted { script }, env: vec![] };
        let attempt = AttemptId { task: TaskId::new("T1").expect("an id"), number: 1 };
        let prices = Arc::new(PriceTable::built_in());
        OutputFollower::new(&agent, None, prices, attempt, file.to_owned()).expect("it is followed")
    }

    fn totals(inputs: &[Input]) -> Vec<u64> {
        let total = |input: &Input| match input {
            Input::UsageSeen(_, usage) => Some(usage.tokens()),
            _ => None,
        };
        inputs.iter().filter_map(total).collect()
    }

    /// R14: growing totals are reported once each, however the output is split into pieces.
    #[test]
    fn growing_totals_are_reported_once_each() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("out");
        let mut out = File::create(&path).expect("a file");
        let mut follower = follower(&path);
        assert_eq!(follower.read_reports(), []);
        write!(out, "{{\"type\":\"usage\",\"input\":5}}\nnoise\n{{\"type\":\"usa")
            .expect("written");
        assert_eq!(totals(&follower.read_reports()), [5]);
        assert_eq!(totals(&follower.read_reports()), [0; 0]);
        write!(out, "ge\",\"input\":9}}\n{{\"type\":\"usage\",\"input\":7}}\n").expect("written");
        assert_eq!(totals(&follower.read_reports()), [9]);
        write!(out, "{{\"type\":\"usage\",\"input\":11}}").expect("written");
        assert_eq!(totals(&follower.read_reports()), [0; 0]);
        assert_eq!(totals(&follower.finish()), [11]);
        assert_eq!(follower.used().tokens(), 11);
    }

    /// R15: a line without an end takes no more memory than the limit of a line, and the lines after it are read.
    #[test]
    fn a_line_that_does_not_end_is_passed_over() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("out");
        let mut out = File::create(&path).expect("a file");
        for _ in 0..6 {
            out.write_all(&vec![b'x'; 1024 * 1024]).expect("written");
        }
        let mut follower = follower(&path);
        follower.read_reports();
        assert!(follower.lines.held_bytes() <= MAX_LINE_BYTES + PIECE_BYTES, "kept");
        write!(out, "x\n{{\"type\":\"usage\",\"input\":3}}\n").expect("written");
        assert_eq!(totals(&follower.read_reports()), [3]);
    }

    /// B32: an agent that must answer and does not is reported as not understood.
    #[test]
    fn without_an_answer_it_is_not_understood() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("out");
        std::fs::write(&path, "{\"type\":\"text\",\"text\":\"all well\"}\n").expect("written");
        let mut follower = follower(&path);
        follower.finish();
        let Outcome::Unintelligible { excerpt, .. } = follower.outcome(&ResultContext::default())
        else {
            panic!("understood")
        };
        assert_eq!(excerpt, "all well");
    }
}
