//! `afresh report`: what a run came to.

use std::path::{Path, PathBuf};

use afresh_engine::reports::run_report::{ReportContext, RunReport};
use afresh_store::write_atomically;

use crate::app::error::Failure;
use crate::app::session::select_run;
use crate::app::session::workplace;
use crate::app::text::moment;
use crate::cli::Common;
use crate::exit::Exit;
use crate::reporters::report_page;
use crate::terminal::completion;
use crate::terminal::output::Output;

/// Report what a run came to, as Markdown or JSON
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run; without it the last one
    #[arg(add = completion::runs())]
    run: Option<String>,
    /// Write it to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn report(args: &Args, common: &Common, output: &Output) -> Result<Exit, Failure> {
    let place = workplace::find(common)?;
    let found = select_run::find(&place, args.run.as_deref())?;
    let is_driven = place.holder().ok().flatten().is_some();
    let report = RunReport::of(&found, ReportContext { is_driven, moment: moment::iso })
        .map_err(|error| Failure::usage("journal", error.to_string()))?;
    let Some(file) = &args.output else {
        if output.json {
            output.document(&report);
        } else {
            output.data(report_page::render(&report).trim_end());
        }
        return Ok(Exit::Done);
    };
    let text = if output.json {
        serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
    } else {
        report_page::render(&report)
    };
    write(&workplace::directory(common)?.join(file), &text)?;
    output.note(&format!("the report of {} is in {}", report.run, file.display()));
    Ok(Exit::Done)
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    write_atomically(file, text.as_bytes()).map_err(|error| {
        Failure::usage("report", format!("cannot write {}", file.display()))
            .cause(error.to_string())
            .about(file.display().to_string())
    })
}
