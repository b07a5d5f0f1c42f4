//! `afresh trace [REQUIREMENT]`: which requirement is proved by what.

use std::path::PathBuf;

use afresh_core::status::trace::{RequirementState, RequirementTrace};
use afresh_views::trace::{markdown, text};

use crate::commands::planning::PlanArgs;
use crate::exit::Exit;
use crate::terminal::completion;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::notice::Notice;
use afresh_app::session::tracing::{self, TraceRequest, TraceSubject};

/// Show which tasks, checks and commits prove each requirement
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only this requirement and its parts, or what this task serves
    #[arg(value_name = "REQUIREMENT", add = completion::requirements())]
    id: Option<String>,
    /// REQUIREMENT is a task, although a requirement has the same id
    #[arg(long, requires = "id")]
    task: bool,
    /// Use this run instead of the last one
    #[arg(long, value_name = "RUN", add = completion::runs())]
    run: Option<String>,
    /// A plan file, or a directory that contains one; its last run is used, if it has any
    #[arg(long, value_name = "PLAN")]
    plan: Option<PathBuf>,
    #[command(flatten)]
    how: PlanArgs,
    /// Print Markdown, for a pull request
    #[arg(long, conflicts_with_all = ["json", "id"])]
    markdown: bool,
    /// Exit with code 1 if a requirement is not covered (by default), or not proved
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "covered"
    )]
    check: Option<CheckLevel>,
}

/// What `--check` demands of every requirement.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum CheckLevel {
    /// No gap: nothing is uncovered, stale or partial
    Covered,
    /// Everything in scope is proved
    Proved,
}

impl CheckLevel {
    fn accepts(self, state: RequirementState) -> bool {
        match (self, state) {
            (
                _,
                RequirementState::Proved
                | RequirementState::Deferred
                | RequirementState::OutOfScope,
            ) => true,
            (Self::Covered, state) => !state.is_gap(),
            (Self::Proved, _) => false,
        }
    }
}

pub(crate) fn trace(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let request = TraceRequest {
        run: args.run.as_deref(),
        plan: args.plan.as_deref(),
        how: args.how.options(),
    };
    let mut trace =
        output.with_notices(|notices| tracing::load_trace(context, &request, notices))?;
    let subject = args.id.as_deref().map(|id| tracing::select_subject(&mut trace, id, args.task));
    let subject = subject.transpose()?;
    if let (Some(TraceSubject::Both), Some(id)) = (subject, &args.id) {
        output.notices(vec![Notice::note(format!(
            "{id} is a task too; `afresh trace --task {id}` shows what it serves"
        ))]);
    }
    if matches!(args.check, Some(CheckLevel::Proved)) && trace.requirements.is_empty() {
        return Err(nothing_to_prove(args.id.as_deref()));
    }
    print(&trace, subject, args.markdown, output);
    let is_accepted = |level: CheckLevel| {
        trace.requirements.iter().all(|requirement| level.accepts(requirement.state))
    };
    Ok(match args.check {
        Some(level) if !is_accepted(level) => Exit::Incomplete,
        _ => Exit::Done,
    })
}

/// Nothing is uncovered where nothing is stated; but nothing is proved there either.
fn nothing_to_prove(task: Option<&str>) -> AppError {
    let who = task.map_or_else(|| "the plan states".to_owned(), |task| format!("{task} serves"));
    AppError::usage(
        "no-requirements",
        format!("{who} no requirement, so there is nothing to prove"),
    )
    .hint(
        "name the specification in the plan (`spec`), and let tasks cite its ids (`requirements`)",
    )
}

fn print(
    trace: &RequirementTrace,
    subject: Option<TraceSubject>,
    as_markdown: bool,
    output: &Output,
) {
    if output.json {
        return output.document(trace);
    }
    let page = match subject {
        _ if as_markdown => return output.data(markdown::render(trace).trim_end()),
        None => text::list(trace),
        Some(TraceSubject::Task) => text::task(trace),
        Some(TraceSubject::Requirement | TraceSubject::Both) => text::requirement(trace),
    };
    output.prose(page.trim_end());
}
