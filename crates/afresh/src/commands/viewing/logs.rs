//! `afresh logs [TASK]`: the activity of a run, or what the attempts of a task printed.

use afresh_core::ids::TaskId;
use afresh_engine::RepoContext;
use afresh_engine::reports::run_report::{ReportContext, RunReport, TaskReport};
use afresh_engine::session::RecordedRun;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

use crate::exit::Exit;
use crate::reporters::logs::activity::{self, ActivityOptions};
use crate::reporters::logs::pages::{TranscriptEncoding, TranscriptPrinter};
use crate::terminal::completion;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::logs::FOLLOW_INTERVAL;
use afresh_app::logs::activity::ActivityFilter;
use afresh_app::logs::readers::AgentReaders;
use afresh_app::logs::transcript::{AttemptTranscript, TranscriptFilter};
use afresh_app::session::runs::select;
use afresh_app::text::time;

/// How often new files are searched for.
const NEW_FILES: Duration = Duration::from_secs(1);

/// Show the activity log, or the transcript of a task's attempts
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Show the attempts of this task, or one attempt (T002.1); by default, the activity of the run
    #[arg(add = completion::tasks())]
    task: Option<String>,
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
    /// Continue while the run is active
    #[arg(short, long)]
    follow: bool,
    /// Only the last N lines, of each file
    #[arg(short = 'n', long, value_name = "N")]
    lines: Option<usize>,
    /// Only this attempt
    #[arg(long, value_name = "N", requires = "task")]
    attempt: Option<u32>,
    /// Also show the prompt
    #[arg(long, requires = "task")]
    prompt: bool,
    /// Print raw bytes, which could control a terminal; only for files and pipes
    #[arg(long, requires = "task", conflicts_with = "json")]
    raw: bool,
}

pub(crate) fn logs(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    if args.raw && output.is_data_on_terminal() {
        return Err(AppError::usage("raw", "raw output of workers could control the terminal")
            .hint("redirect it to a file or a program: `afresh logs TASK --raw | less`"));
    }
    let place = context.repository()?;
    let found = select::find_run(&place, args.run.as_deref())?;
    match &args.task {
        None => {
            let wanted = ActivityOptions {
                last: args.lines,
                filter: if output.is_verbose() {
                    ActivityFilter::WithDebug
                } else {
                    ActivityFilter::Usual
                },
                follow: args.follow,
            };
            let run = found.run.id().clone();
            activity::print(&place, &run, found.records, wanted, output)?;
        }
        Some(task) => {
            let (task, attempt) = select::find_task_or_attempt(&found.run, task)?;
            let attempt = args.attempt.or(attempt);
            let wanted = TranscriptFilter { task, attempt, prompt: args.prompt };
            let readers = AgentReaders::load(&found.run, context);
            TranscriptView { args, place, wanted, output }.print(found, readers)?;
        }
    }
    Ok(Exit::Done)
}

/// The attempts of one task, while they are read.
struct TranscriptView<'a> {
    args: &'a Args,
    place: RepoContext,
    wanted: TranscriptFilter,
    output: &'a Output,
}

impl TranscriptView<'_> {
    fn print(&self, mut found: RecordedRun, readers: AgentReaders) -> Result<(), AppError> {
        let mut transcripts = self.transcripts(&found)?;
        if transcripts.is_empty() && !self.args.follow {
            return self.nothing(&found);
        }
        if self.output.json {
            self.output.document(&self.to_json(&transcripts));
            return Ok(());
        }
        let show =
            if self.args.raw { TranscriptEncoding::Raw } else { TranscriptEncoding::Printable };
        let mut pages = TranscriptPrinter::new(show, readers, self.args.lines, self.output);
        let mut looked = Instant::now();
        // A write error means that the reader is gone, which is no failure.
        while pages.print(&transcripts).is_ok() && self.expects_more(&found)? {
            std::thread::sleep(FOLLOW_INTERVAL);
            // A running check has a file before it has a record.
            if found.catch_up(&self.place)? || looked.elapsed() > NEW_FILES {
                transcripts = self.transcripts(&found)?;
                looked = Instant::now();
            }
        }
        // What was printed before the last record arrived.
        let _ = pages.print(&transcripts);
        let _ = pages.finish();
        Ok(())
    }

    /// Whether more may come: the run is active and the task unfinished.
    fn expects_more(&self, found: &RecordedRun) -> Result<bool, AppError> {
        if !self.args.follow {
            return Ok(false);
        }
        let is_finished = found
            .run
            .state_of(&self.wanted.task)
            .is_none_or(afresh_core::run::TaskState::is_finished);
        Ok(!is_finished && self.place.holder()?.is_some())
    }

    fn transcripts(&self, found: &RecordedRun) -> Result<Vec<AttemptTranscript>, AppError> {
        let attempts = task_of(found, &self.wanted.task)?.map(|task| task.attempts);
        let wanted = attempts.into_iter().flatten();
        let wanted =
            wanted.filter(|attempt| self.wanted.attempt.is_none_or(|n| n == attempt.number));
        Ok(wanted
            .map(|attempt| {
                AttemptTranscript::find(&self.place.layout, found, &attempt, &self.wanted)
            })
            .collect())
    }

    fn nothing(&self, found: &RecordedRun) -> Result<(), AppError> {
        let task = &self.wanted.task;
        let known = task_of(found, task)?.map_or(0, |task| task.attempts.len());
        if let Some(number) = self.wanted.attempt
            && known > 0
        {
            let message = format!("{task} has no attempt {number}");
            return Err(AppError::usage("attempt", message)
                .hint(format!("its attempts are numbered 1 to {known}")));
        }
        if self.output.json {
            self.output.document(&self.to_json(&[]));
        } else {
            self.output.note(&format!("{task} has no attempts yet"));
        }
        Ok(())
    }

    fn to_json(&self, transcripts: &[AttemptTranscript]) -> Value {
        let attempts: Vec<Value> = transcripts
            .iter()
            .map(|transcript| {
                let parts: Vec<Value> = transcript
                    .parts
                    .iter()
                    .map(|part| {
                        let bytes = std::fs::read(&part.file).unwrap_or_default();
                        json!({"name": part.name, "command": part.command,
                               "text": String::from_utf8_lossy(&bytes)})
                    })
                    .collect();
                let mut reported = serde_json::to_value(&transcript.attempt).unwrap_or_default();
                reported["parts"] = parts.into();
                reported
            })
            .collect();
        json!({"task": self.wanted.task, "attempts": attempts})
    }
}

fn task_of(found: &RecordedRun, task: &TaskId) -> Result<Option<TaskReport>, AppError> {
    // Only its attempts are read, so that it does not matter what else is going on.
    let (is_driven, is_last, landed_on) = (false, true, None);
    let around = ReportContext { is_driven, is_last, landed_on, moment: time::format_utc };
    let report = RunReport::from_run(found, around).map_err(AppError::journal)?;
    Ok(report.tasks.into_iter().find(|reported| reported.id == *task))
}
