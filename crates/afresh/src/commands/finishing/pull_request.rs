//! `afresh land --pr`: a run as a pull request.

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::handover::pull_request::{
    Handover, HandoverAction, HandoverMode, HandoverOutcome, PullRequestText,
};
use afresh_app::handover::target::HandoverOptions;
use afresh_app::notice::Notice;
use afresh_app::plan_source::PlanReadOptions;
use afresh_app::session::tracing::{TraceRequest, load_trace};
use afresh_core::Run;
use afresh_core::status::trace::RequirementTrace;
use afresh_engine::RepoContext;
use afresh_views::pull_request;
use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::{Output, safe};

/// Where a pull request comes from and goes to
#[derive(Debug, clap::Args)]
pub(super) struct HandoverArgs {
    /// With --pr: push to this remote instead of the one that `git push` would use
    #[arg(long, value_name = "NAME", requires = "pr")]
    remote: Option<String>,
    /// With --pr: the branch on the remote; by default, that of the run
    #[arg(long, value_name = "NAME", requires = "pr")]
    branch: Option<String>,
    /// With --pr: the branch to merge into; by default, the one you are on, or else the remote's default
    #[arg(long, value_name = "BRANCH", requires = "pr")]
    base: Option<String>,
    /// With --pr: open it as a draft
    #[arg(long, requires = "pr")]
    draft: bool,
}

impl HandoverArgs {
    pub(super) fn options(&self, is_partial: bool) -> HandoverOptions {
        HandoverOptions {
            remote: self.remote.clone(),
            branch: self.branch.clone(),
            base: self.base.clone(),
            is_draft: self.draft,
            is_partial,
        }
    }
}

pub(super) fn open(
    run: &Run,
    place: &RepoContext,
    options: &HandoverOptions,
    mode: HandoverMode,
    (context, output): (&AppContext, &Output),
) -> Result<Exit, AppError> {
    let handover = Handover::plan(context, place, run, options)?;
    let trace =
        output.with_notices(|notices| Ok::<_, AppError>(find_trace(context, run, notices)))?;
    let text = PullRequestText::new(
        &pull_request::render_title(run),
        &pull_request::render_body(run, trace.as_ref()),
        &context.environment.secrets(),
    );
    let outcome = output.with_notices(|notices| handover.carry_out(text.clone(), mode, notices))?;
    if output.json {
        let mut document = json!({"run": run.id(), "way": "pr"});
        let fields = serde_json::to_value(&outcome).unwrap_or_default();
        if let (Some(document), Some(fields)) = (document.as_object_mut(), fields.as_object()) {
            document.extend(fields.clone());
        }
        output.document(&document);
    } else {
        print_outcome(&outcome, handover.forge().noun(), output);
    }
    Ok(Exit::Done)
}

/// Without a trace it is still a pull request.
fn find_trace(
    context: &AppContext,
    run: &Run,
    notices: &mut Vec<Notice>,
) -> Option<RequirementTrace> {
    let request =
        TraceRequest { run: Some(run.id().as_str()), plan: None, how: PlanReadOptions::default() };
    match load_trace(context, &request, notices) {
        Ok(trace) => Some(trace),
        Err(error) => {
            notices.push(Notice::note(format!("the text has no trace: {error}")));
            None
        }
    }
}

fn print_outcome(outcome: &HandoverOutcome, noun: &str, output: &Output) {
    let HandoverOutcome { remote, branch, base, program, .. } = outcome;
    let commit = &outcome.commit[..outcome.commit.len().min(10)];
    if outcome.dry_run {
        output.note(&format!("would push {commit} to {} on {remote}", safe(branch)));
        if outcome.receipts_pushed.is_some() {
            output.note("would push the receipts too");
        }
        let action = match (outcome.action, outcome.number) {
            (HandoverAction::Update, Some(number)) => format!("update {noun} {number}"),
            _ if outcome.draft => format!("open a draft {noun}"),
            _ => format!("open a {noun}"),
        };
        output.note(&format!("would {action} into {} with `{program}`:", safe(base)));
        output.note(&format!("  {}", safe(&outcome.text.title)));
        for line in outcome.text.body.lines() {
            output.note(&format!("  {}", safe(line)));
        }
        return;
    }
    let receipts = if outcome.receipts_pushed == Some(true) { ", with its receipts" } else { "" };
    output.note(&format!("pushed {commit} to {} on {remote}{receipts}", safe(branch)));
    let url = outcome.url.as_deref().map(|url| format!(": {}", safe(url))).unwrap_or_default();
    let action = match outcome.action {
        HandoverAction::Create => "opened a",
        HandoverAction::Update => "updated the open",
    };
    output.note(&format!("{action} {noun} into {}{url}", safe(base)));
}
