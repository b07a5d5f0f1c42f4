//! Reads journal and files, away from the screen.

use std::fs;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant, SystemTime};

use afresh_app::context::AppContext;
use afresh_app::dashboard::data::task_rows::TaskRow;
use afresh_app::dashboard::screen::ScreenData;
use afresh_app::error::AppError;
use afresh_app::logs::watched_run::WatchedRun;
use afresh_app::tasks::attempt_diff::AttemptDiff;
use afresh_app::tasks::attempt_parts::{AttemptFile, TranscriptSource, find_end};
use afresh_app::tasks::details::read_task_details;
use afresh_core::ids::AttemptId;
use afresh_tui::ScreenInput;
use afresh_tui::action::LookedAt;
use afresh_tui::document::{self, DocumentRequest, DocumentTab, TaskDocument};

use super::WatchEvent;

const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Times and the actions of workers change without any record.
const TICK: Duration = Duration::from_secs(1);
/// A document is read again at most this often, and takes at most a twentieth of the time.
const DOCUMENT_INTERVAL: Duration = Duration::from_millis(500);
const DOCUMENT_SHARE: u32 = 20;

/// The run as it is read for the screen.
pub(super) struct RunReader {
    context: AppContext,
    watched: WatchedRun,
    rows: Arc<[TaskRow]>,
    looked_at: LookedAt,
    was_driven: bool,
    /// The document that was read last: when, how long it took, and how its file was then.
    read: Option<ReadDocument>,
}

struct ReadDocument {
    at: Instant,
    took: Duration,
    output: Option<(u64, SystemTime)>,
    is_outdated: bool,
}

impl RunReader {
    pub(super) fn new(watched: WatchedRun, context: AppContext) -> Self {
        let rows = TaskRow::list_all(&watched.found.run, &watched.history).into();
        let (looked_at, was_driven) = (LookedAt::default(), false);
        Self { context, watched, rows, looked_at, was_driven, read: None }
    }

    /// Until the screen is gone.
    pub(super) fn start(mut self, requests: Receiver<LookedAt>, events: Sender<WatchEvent>) {
        std::thread::spawn(move || {
            if let Err(error) = self.serve(&requests, &events) {
                let _ = events.send(WatchEvent::Ended(Some(error)));
            }
        });
    }

    fn serve(
        &mut self,
        requests: &Receiver<LookedAt>,
        events: &Sender<WatchEvent>,
    ) -> Result<(), AppError> {
        let send = |input| events.send(WatchEvent::Input(input)).is_ok();
        if !send(self.news()?) {
            return Ok(());
        }
        let mut told_at = Instant::now();
        loop {
            let asked = match requests.recv_timeout(POLL_INTERVAL) {
                // Only what is looked at now matters.
                Ok(first) => Some(requests.try_iter().last().unwrap_or(first)),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            let has_news = self.watched.catch_up()?;
            if has_news {
                self.rows =
                    TaskRow::list_all(&self.watched.found.run, &self.watched.history).into();
                self.read.iter_mut().for_each(|read| read.is_outdated = true);
            }
            let other_picture =
                asked.as_ref().is_some_and(|it| it.picture != self.looked_at.picture);
            if let Some(asked) = asked {
                if asked.document != self.looked_at.document {
                    self.read = None;
                }
                self.looked_at = asked;
            }
            let is_due = told_at.elapsed() >= TICK && self.ticks()?;
            if has_news || other_picture || is_due {
                told_at = Instant::now();
                if !send(self.news()?) {
                    return Ok(());
                }
            }
            if let Some(input) = self.document()
                && !send(input)
            {
                return Ok(());
            }
        }
    }

    /// Whether anything changes without a record.
    fn ticks(&mut self) -> Result<bool, AppError> {
        let is_driven = self.watched.is_driven()?;
        Ok(is_driven || self.was_driven)
    }

    fn news(&mut self) -> Result<ScreenInput, AppError> {
        let facts = self.watched.facts()?;
        self.was_driven = facts.is_driven;
        let (run, history) = (&self.watched.found.run, &self.watched.history);
        let rows = Arc::clone(&self.rows);
        let data = ScreenData::new(run, history, &facts, rows, self.looked_at.picture);
        Ok(ScreenInput::News(Arc::new(data)))
    }

    /// The document that is looked at, if it was not read yet or may have changed.
    fn document(&mut self) -> Option<ScreenInput> {
        let request = self.looked_at.document.clone()?;
        let attempt = self.attempt_of(&request);
        let output =
            attempt.as_ref().filter(|_| request.tab == DocumentTab::Log).and_then(|attempt| {
                let run = self.watched.id();
                let file = self.watched.repository.layout.attempt(run, attempt).join("stdout.log");
                let found = fs::symlink_metadata(file).ok()?;
                Some((found.len(), found.modified().ok()?))
            });
        if let Some(read) = &self.read {
            let pause = DOCUMENT_INTERVAL.max(read.took * DOCUMENT_SHARE);
            let has_changed = read.is_outdated || read.output != output;
            if !has_changed || read.at.elapsed() < pause {
                return None;
            }
        }
        let started = Instant::now();
        let document = self.read_document(&request, attempt.as_ref());
        let document = document.unwrap_or_else(|error| TaskDocument::note(&error.message));
        let took = started.elapsed();
        self.read = Some(ReadDocument { at: Instant::now(), took, output, is_outdated: false });
        Some(ScreenInput::Document(request, Arc::new(document)))
    }

    /// The attempt that is meant: the last one, unless another one is named.
    fn attempt_of(&self, request: &DocumentRequest) -> Option<AttemptId> {
        request.attempt_id().or_else(|| {
            let state = self.watched.found.run.state_of(&request.task)?;
            let number = state.retries.last_number;
            (number > 0).then(|| AttemptId { task: request.task.clone(), number })
        })
    }

    fn read_document(
        &self,
        request: &DocumentRequest,
        attempt: Option<&AttemptId>,
    ) -> Result<TaskDocument, AppError> {
        let watched = &self.watched;
        let (repository, found) = (&watched.repository, &watched.found);
        match request.tab {
            DocumentTab::Attempts | DocumentTab::Checks => {
                let details = read_task_details(repository, found, &request.task)?;
                let context = found.run.settings().context;
                return Ok(match request.tab {
                    DocumentTab::Checks => document::checks(&details),
                    _ => document::attempts(&details, [context.soft, context.hard]),
                });
            }
            _ => {}
        }
        let Some(attempt) = attempt else {
            return Ok(TaskDocument::note("it was not started yet"));
        };
        let read = |file: AttemptFile| file.read(repository, &found.run, attempt);
        Ok(match request.tab {
            DocumentTab::Log => {
                let source = TranscriptSource::find(watched, &self.context, attempt);
                document::transcript(&source.read_end()?, &request.task)
            }
            DocumentTab::Diff => {
                // Without a number, it is what landed.
                let named = match request.attempt {
                    Some(_) => attempt.to_string(),
                    None => request.task.to_string(),
                };
                let diff = AttemptDiff::read(repository, found, &named)?;
                document::change(diff.as_ref(), &request.task)
            }
            DocumentTab::Prompt => document::prompt(read(AttemptFile::Prompt).as_deref()),
            _ => document::result(
                find_end(found, attempt)?.as_ref(),
                read(AttemptFile::Result).as_deref(),
                read(AttemptFile::Errors).as_deref(),
            ),
        })
    }
}
