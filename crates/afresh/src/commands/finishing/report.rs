//! `afresh report`: summarizes a run.

use afresh_app::store::write_atomically;
use afresh_engine::reports::run_report::RunReport;
use std::path::{Path, PathBuf};

use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::{runs, select_run};
use afresh_app::text::report_page;

/// Summarize a run, as Markdown or JSON
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run; by default, the last one
    #[arg(add = completion::runs())]
    run: Option<String>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn report(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let place = context.repository()?;
    let found = select_run::find_run(&place, args.run.as_deref())?;
    let around = runs::report_context(&place, &found.run)?;
    let report = RunReport::from_run(&found, around).map_err(AppError::journal)?;
    let Some(file) = &args.output else {
        if output.json {
            output.document(&report);
        } else {
            output.prose(report_page::render(&report).trim_end());
        }
        return Ok(Exit::Done);
    };
    let text = if output.json {
        serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
    } else {
        report_page::render(&report)
    };
    write(&context.directory()?.join(file), &text)?;
    output.note(&format!("wrote the report of {} to {}", report.run, file.display()));
    Ok(Exit::Done)
}

fn write(file: &Path, text: &str) -> Result<(), AppError> {
    write_atomically(file, text.as_bytes())
        .map_err(|error| AppError::cannot_write("report", file, error))
}
