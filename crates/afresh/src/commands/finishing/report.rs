//! `afresh report`: summarizes a run.

use afresh_app::store::write_atomically;
use afresh_engine::reports::run_report::RunReport;
use std::path::{Path, PathBuf};

use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::logs::watched_run::WatchedRun;
use afresh_app::plan_source::PlanReadOptions;
use afresh_app::session::runs;
use afresh_app::session::runs::select;
use afresh_app::session::tracing::{self, TraceRequest};
use afresh_app::text::report_page;
use afresh_views::html_report::{self, HtmlReportParts};

/// Summarize a run, as Markdown, JSON or one HTML page
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run; by default, the last one
    #[arg(add = completion::runs())]
    run: Option<String>,
    /// Write to this file instead of standard output; a name that ends in `.html` means a page
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Make one HTML page with all pictures in it, and write it to this file if one is named
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with = "json")]
    #[expect(clippy::option_option, reason = "the option may stand without its file")]
    html: Option<Option<PathBuf>>,
}

/// What a report looks like.
enum ReportForm {
    Markdown,
    Json,
    Html,
}

impl Args {
    fn file(&self) -> Option<&Path> {
        let page = self.html.as_ref().and_then(Option::as_deref);
        self.output.as_deref().or(page)
    }

    fn form(&self, output: &Output) -> ReportForm {
        let is_page =
            self.output.as_ref().and_then(|file| file.extension()).is_some_and(|end| {
                end.eq_ignore_ascii_case("html") || end.eq_ignore_ascii_case("htm")
            });
        match (output.json, self.html.is_some() || is_page) {
            (true, _) => ReportForm::Json,
            (false, true) => ReportForm::Html,
            (false, false) => ReportForm::Markdown,
        }
    }
}

pub(crate) fn report(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let place = context.repository()?;
    let found = select::find_run(&place, args.run.as_deref())?;
    let around = runs::report_context(&place, &found.run)?;
    let report = RunReport::from_run(&found, around).map_err(AppError::journal)?;
    let text = match args.form(output) {
        ReportForm::Json => serde_json::to_string_pretty(&report).unwrap_or_default() + "\n",
        ReportForm::Markdown => report_page::render(&report),
        ReportForm::Html => page(&report, context, output)?,
    };
    if let (Some(_), Some(Some(_))) = (&args.output, &args.html) {
        return Err(AppError::usage("report", "two files are named")
            .hint("`--html FILE` and `-o FILE.html` mean the same"));
    }
    let Some(file) = args.file() else {
        match args.form(output) {
            ReportForm::Markdown => output.prose(text.trim_end()),
            ReportForm::Json | ReportForm::Html => output.data(text.trim_end()),
        }
        return Ok(Exit::Done);
    };
    write(&context.directory()?.join(file), &text)?;
    output.note(&format!("wrote the report of {} to {}", report.run, file.display()));
    Ok(Exit::Done)
}

fn page(report: &RunReport, context: &AppContext, output: &Output) -> Result<String, AppError> {
    let run = Some(report.run.as_str());
    let dashboard = WatchedRun::open(context, run)?.dashboard()?;
    let request = TraceRequest { run, plan: None, how: PlanReadOptions::default() };
    // A plan that cannot be read any more says nothing about requirements.
    let trace = output.with_notices(|notices| tracing::load_trace(context, &request, notices)).ok();
    let parts = HtmlReportParts { report, dashboard: &dashboard, trace: trace.as_ref() };
    Ok(html_report::render(parts))
}

fn write(file: &Path, text: &str) -> Result<(), AppError> {
    write_atomically(file, text.as_bytes())
        .map_err(|error| AppError::cannot_write("report", file, error))
}
