//! Reads an agent's reports from its growing output file while it works.
//!
//! Agents whose whole output is their answer are not followed.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use afresh_agents::agent::EarlierUsage;
use afresh_agents::stream::lines::LineBuffer;
use afresh_agents::stream::session_log::SessionLog;
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
use super::session_log::{LogPatience, SessionLogFollower};
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

/// Finds the program's own record of a conversation, which has an id only after its first output.
pub(crate) struct SessionLogSource {
    pub(crate) agent: Agent,
    /// The environment of the worker.
    pub(crate) environment: BTreeMap<String, String>,
}

impl SessionLogSource {
    fn of_session(&self, session: &str) -> Option<SessionLog> {
        let variable = |name: &str| self.environment.get(name).cloned();
        let home = variable("HOME").map(PathBuf::from);
        self.agent.session_log(session, home.as_deref(), &variable)
    }
}

pub(crate) struct OutputFollower {
    attempt: AttemptId,
    reader: Box<dyn StreamReader>,
    prices: Arc<PriceTable>,
    file: PathBuf,
    read: u64,
    lines: LineBuffer,
    /// The model that it works with, if known.
    model: String,
    identity: AgentIdentity,
    told_identity: AgentIdentity,
    /// The agent's name, if its program can continue the conversation.
    resumable_by: Option<String>,
    /// What the earlier attempts of the same conversation used.
    before: Usage,
    earlier_usage: EarlierUsage,
    /// What this process used at least.
    by_process: Usage,
    /// By the program's output, with its own cost.
    streamed: Usage,
    /// By the program's own record of the conversation.
    logged: Usage,
    /// The cost of all models together, if all are known.
    models_cost: Option<u64>,
    used: Usage,
    told: Usage,
    session_logs: Option<SessionLogSource>,
    log: Option<SessionLogFollower>,
    models: Vec<ModelUsage>,
    context: Option<ContextFill>,
    told_context: Option<ContextFill>,
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
            prices,
            file,
            read: 0,
            lines: LineBuffer::default(),
            model: model.unwrap_or_default().to_owned(),
            identity: AgentIdentity::default(),
            told_identity: AgentIdentity::default(),
            resumable_by: agent.can_resume().then(|| agent.name.clone()),
            before: Usage::default(),
            earlier_usage: agent.earlier_usage(),
            by_process: Usage::default(),
            streamed: Usage::default(),
            logged: Usage::default(),
            models_cost: None,
            session_logs: None,
            log: None,
            used: Usage::default(),
            told: Usage::default(),
            models: Vec::new(),
            context: None,
            told_context: None,
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

    /// Continues a conversation in which earlier attempts used `before`.
    pub(crate) fn going_on(self, before: Usage) -> Self {
        Self { before, ..self }
    }

    /// Follows the program's own record of the conversation too.
    pub(crate) fn with_session_logs(self, session_logs: SessionLogSource) -> Self {
        Self { session_logs: Some(session_logs), ..self }
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
            self.logged(&event);
        }
        let mut inputs: Vec<Input> = Vec::new();
        if self.identity != self.told_identity {
            self.told_identity = self.identity.clone();
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
        if self.used != self.told {
            self.told = self.used;
            inputs.push(Input::UsageSeen(self.attempt.clone(), self.used));
        }
        if let Some(fill) = self.context.filter(|_| self.context != self.told_context) {
            self.told_context = self.context;
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
        self.used
    }

    /// Usage by model; one model has all of it if the program does not report models.
    pub(crate) fn models(&self) -> Vec<ModelUsage> {
        if self.models.is_empty() && !self.model.is_empty() && self.used != Usage::default() {
            return vec![ModelUsage { model: self.model.clone(), usage: self.used }];
        }
        self.models.clone()
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
    pub(crate) fn outcome(&self, asked: &ResultContext<'_>) -> Outcome {
        match self.answer.as_deref().map(|text| result::read(text, asked)) {
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
                    let asked = || Some(self.model.clone()).filter(|model| !model.is_empty());
                    self.identity.model = self.identity.model.take().or_else(asked);
                }
                AgentEvent::Model(name) => {
                    self.model.clone_from(&name);
                    self.identity.model = Some(name);
                }
                AgentEvent::Text(text) => self.last_words = text,
                AgentEvent::UsedByProcess(used) => self.by_process = used,
                // Totals never fall: a late or repeated report changes nothing.
                AgentEvent::Used(total) => {
                    self.streamed = self.streamed.at_least(&self.own_part(total));
                    self.count();
                }
                AgentEvent::UsedByModel(models) => self.used_by(models),
                AgentEvent::Context { used, window } => self.context_seen(used, window),
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

    /// The part of a total that is not of earlier attempts.
    fn own_part(&self, total: Usage) -> Usage {
        let with_earlier = self.before.plus(&self.by_process).tokens();
        match self.earlier_usage {
            EarlierUsage::Included => total.minus(&self.before),
            EarlierUsage::Sometimes if total.tokens() >= with_earlier => total.minus(&self.before),
            EarlierUsage::Sometimes | EarlierUsage::Excluded => total,
        }
    }

    fn follow_log(&mut self, session: &str) {
        let log = self.session_logs.as_ref().and_then(|logs| logs.of_session(session));
        self.log = log.map(|log| SessionLogFollower::new(session, log));
    }

    /// A program's own record has the usage of the whole conversation.
    fn logged(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::Used(total) => {
                self.logged = self.logged.at_least(&total.minus(&self.before));
                self.count();
            }
            AgentEvent::Context { used, window } => self.context_seen(*used, *window),
            _ => {}
        }
    }

    /// The more complete one of output and record. Programs that leave out nothing agree, but some do not separate
    /// what was cached in their output.
    fn count(&mut self) {
        let tokens = |used: &Usage| used.tokens();
        let is_logged = tokens(&self.logged) >= tokens(&self.streamed);
        let base = if is_logged { self.logged } else { self.streamed };
        let cost_micros =
            self.streamed.cost_micros.or(self.models_cost).or(self.logged.cost_micros);
        let used = self.prices.with_cost(&self.model, Usage { cost_micros, ..base });
        if tokens(&used) >= tokens(&self.used) {
            self.used = used;
        }
    }

    fn context_seen(&mut self, used: u64, window: Option<u64>) {
        let window = window.unwrap_or_else(|| self.prices.window(&self.model));
        self.context = Some(ContextFill { used, window });
    }

    fn used_by(&mut self, models: Vec<ModelUsage>) {
        let total = models.iter().fold(Usage::default(), |sum, one| sum.plus(&one.usage));
        let mut earlier = total.minus(&self.own_part(total));
        let largest = models.iter().map(|one| one.usage.tokens()).max();
        let priced = |one: ModelUsage| {
            // Earlier usage is not separated by model: most of it is that of the model with most.
            let is_largest = Some(one.usage.tokens()) == largest;
            let earlier = if is_largest { std::mem::take(&mut earlier) } else { Usage::default() };
            let own = one.usage.minus(&earlier);
            ModelUsage { usage: self.prices.with_cost(&one.model, own), model: one.model }
        };
        self.models = models.into_iter().map(priced).collect();
        // Helper agents may use another model, with another price.
        if self.models.iter().all(|one| one.usage.cost_micros.is_some()) {
            let total = self.models.iter().fold(Usage::default(), |sum, one| sum.plus(&one.usage));
            self.models_cost = total.cost_micros;
        }
        self.count();
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

    /// AG-08, R14: if a program's totals include earlier usage, that usage is not counted twice.
    #[test]
    fn what_was_used_before_is_not_counted_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("out");
        std::fs::write(&path, "{\"type\":\"usage\",\"input\":12}\n").expect("written");
        let before = Usage { input: 5, cost_micros: Some(9), ..Usage::default() };
        let mut follower = follower(&path).going_on(before);
        follower.earlier_usage = EarlierUsage::Included;
        assert_eq!(totals(&follower.read_reports()), [7]);
        assert_eq!(follower.used().cost_micros, None, "what is not told is not known");
    }

    /// AG-08, R14: a program that includes earlier usage only sometimes is counted right in both cases.
    #[test]
    fn usage_of_the_whole_conversation_is_recognised() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("out");
        let before = Usage { input: 1_000, ..Usage::default() };
        let total = |input: u64| {
            let mut follower = follower(&path).going_on(before);
            follower.earlier_usage = EarlierUsage::Sometimes;
            follower.by_process = Usage { input: 300, ..Usage::default() };
            follower.own_part(Usage { input, ..Usage::default() }).input
        };
        assert_eq!((total(300), total(1_300), total(450)), (300, 300, 450));
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
