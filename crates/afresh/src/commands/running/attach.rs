//! `afresh attach [RUN]`: follows a run that another process drives, and answers its questions.

use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::control;
use afresh_app::session::runs::LastDriver;
use afresh_app::session::runs::select;
use afresh_core::run::DriveState;
use afresh_core::time::Timestamp;
use afresh_core::{Event, Input};
use afresh_engine::journal_records;
use afresh_engine::session::RecordedRun;
use afresh_engine::{ControlCommand, RecordedEvent, RepoContext, Reporter};

use crate::commands::running::drive;
use crate::exit::Exit;
use crate::reporters::json_events::JsonEventReporter;
use crate::reporters::progress::{ProgressReporter, QuestionDisplay};
use crate::terminal::completion;
use crate::terminal::output::Output;
use crate::terminal::questions::{TerminalRole, TerminalUser};

const INTERVAL: Duration = Duration::from_millis(100);

/// Follow a run that another process drives, and answer its questions; Ctrl-C only ends the view
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run; by default, the last one
    #[arg(add = completion::runs())]
    run: Option<String>,
}

pub(crate) fn attach(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let repository = context.repository()?;
    let found = select::find_run(&repository, args.run.as_deref())?;
    let run = found.run.id().clone();
    let Some(pid) = LastDriver::find(&repository)?.holder_of(&run).map(|holder| holder.pid) else {
        let message = format!("no process drives run {run}");
        return Err(AppError::incomplete("attach", message).hint(format!(
            "`afresh status` shows where it stands, `afresh resume {run}` continues it"
        )));
    };
    output.note(&format!(
        "following run {run}, which process {pid} drives; Ctrl-C ends only the view"
    ));
    let mut view = AttachedView::new(context, repository, found, output);
    while view.is_driven(pid)? {
        view.catch_up()?;
        view.pass_on_inputs();
        thread::sleep(INTERVAL);
    }
    view.catch_up()?;
    Ok(view.finish(output))
}

/// A run as it is seen from another terminal.
struct AttachedView<'a> {
    context: &'a AppContext,
    repository: RepoContext,
    found: RecordedRun,
    reporters: Vec<Box<dyn Reporter>>,
    /// What is typed here.
    typed: Receiver<Input>,
    output: &'a Output,
}

impl<'a> AttachedView<'a> {
    fn new(
        context: &'a AppContext,
        repository: RepoContext,
        found: RecordedRun,
        output: &'a Output,
    ) -> Self {
        let (sender, typed) = channel();
        let person = TerminalUser::at_terminal(output, TerminalRole::View);
        let shown =
            person.as_ref().map_or(QuestionDisplay::ShownHere, |_| QuestionDisplay::AskedElsewhere);
        let mut reporters: Vec<Box<dyn Reporter>> = if output.json {
            vec![Box::new(JsonEventReporter { output: output.clone() })]
        } else {
            vec![Box::new(ProgressReporter::new(output.clone(), shown))]
        };
        if let Some(mut person) = person {
            // Questions that are open already are shown as at the start of a session.
            let event = Event::Opened { epoch: found.run.epoch() };
            let (seq, wall_ms, at, run) = (0, 0, None, &found.run);
            person.event_recorded(&RecordedEvent { seq, wall_ms, at, event: &event, run });
            person.listen(sender);
            reporters.push(Box::new(person));
        }
        Self { context, repository, found, reporters, typed, output }
    }

    /// Whether the run is driven by this process, which drives no other, or by a later one.
    fn is_driven(&self, first: u32) -> Result<bool, AppError> {
        match self.repository.holder()? {
            None => Ok(false),
            Some(holder) if holder.pid == first => Ok(true),
            Some(_) => {
                let driver = LastDriver::find(&self.repository)?;
                Ok(driver.holder_of(self.found.run.id()).is_some())
            }
        }
    }

    /// Shows what was recorded since.
    fn catch_up(&mut self) -> Result<(), AppError> {
        let known = self.found.records.len();
        if !self.found.catch_up(&self.repository)? {
            return Ok(());
        }
        for record in &self.found.records[known..] {
            let event = journal_records::to_event(record).map_err(AppError::journal)?;
            let recorded = RecordedEvent {
                seq: record.seq,
                wall_ms: record.wall_ms,
                at: None,
                event: &event,
                run: &self.found.run,
            };
            self.reporters.iter_mut().for_each(|reporter| reporter.event_recorded(&recorded));
        }
        Ok(())
    }

    /// Answers and a typed STOP go to the driver, like those of `afresh decide` and `afresh halt`.
    fn pass_on_inputs(&self) {
        for input in self.typed.try_iter() {
            let run = self.found.run.id().clone();
            let command = match input {
                Input::Answered { question, answer, by } => {
                    ControlCommand::Decide { run, question: question.0, answer, by }
                }
                Input::HaltAsked { now, reason, by } => {
                    ControlCommand::Halt { run, now, reason, by }
                }
                _ => continue,
            };
            let sent = control::send_to_run(self.context, &drive::open_file_reporters, command);
            if let Err(error) = sent {
                self.output.note(crate::error::to_text(&error, usize::MAX).trim_end());
            }
        }
    }

    /// What is left to do, now that nothing drives the run any more.
    fn finish(mut self, output: &Output) -> Exit {
        let run = &self.found.run;
        self.reporters.iter_mut().for_each(|reporter| reporter.drive_ended(run));
        let id = run.id();
        let state = run.drive_state(Timestamp::default());
        output.note(&match state {
            DriveState::Finished { ok: true } => {
                format!("run {id} has ended; `afresh land` merges it")
            }
            DriveState::Waiting => {
                format!(
                    "run {id} waits for an answer: `afresh questions`, then `afresh resume {id}`"
                )
            }
            DriveState::Busy => {
                format!(
                    "the process that drove run {id} has ended; `afresh resume {id}` continues it"
                )
            }
            _ => format!("run {id} has ended; `afresh status` shows where it stands"),
        });
        match state {
            DriveState::Busy => Exit::Incomplete,
            ended => Exit::from(ended),
        }
    }
}
