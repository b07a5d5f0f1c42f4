//! `afresh plan verdict VERDICT`: registers what the plan verifier, or a person, says about a plan.

use serde_json::json;

use super::find_directory;
use crate::exit::Exit;
use crate::terminal::output::Output;
use afresh_app::config;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::formats::Finding;
use afresh_app::planner::artifacts::{
    ArtifactKind, IssueSeverity, PlanVerdict, TaskEvidence, VerdictIssue, VerdictWord,
};
use afresh_app::planning::checkout::CheckoutFiles;
use afresh_app::planning::directory::REPORT;
use afresh_app::planning::validate::{PlanValidator, PlanningArtifact};

/// Register the verdict on a plan
///
/// For plan verifiers and for people. It replaces an earlier verdict, so a person can overrule a verifier.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What is to be registered
    #[arg(value_parser = parse_word, value_name = "READY|READY_WITH_NOTES|BLOCKED")]
    verdict: VerdictWord,
    /// What holds, and what does not
    summary: String,
    /// An issue: RULE|PLACE|SEVERITY|TEXT|FIX, where PLACE is a task or a statement and SEVERITY is blocker or note
    #[arg(long = "issues", value_name = "ISSUE", num_args = 1..)]
    issues: Vec<String>,
    /// What was compared for a task: TASK=TEXT
    #[arg(long, value_name = "EVIDENCE", num_args = 1..)]
    evidence: Vec<String>,
    /// The plan; by default, the only one
    #[arg(long)]
    name: Option<String>,
}

pub(super) fn register(
    args: &Args,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let home = find_directory(args.name.as_deref(), context)?;
    let config = config::load(home.root(), context.config_file.as_deref())?;
    let files = CheckoutFiles::list(context.git().ok().as_ref(), home.root());
    let validator = PlanValidator { directory: &home, config: &config, trial: None };
    let plan = match validator.finished_plan(&files)? {
        Ok((plan, _)) => plan,
        Err(findings) => {
            return Err(AppError::with_findings("plan", "the plan is not valid yet", findings));
        }
    };
    let mut tasks = Vec::new();
    for evidence in &args.evidence {
        let Some((task, text)) = evidence.split_once('=') else {
            return Err(AppError::usage("evidence", format!("{evidence:?} has no task"))
                .hint("write TASK=TEXT, such as T001=\"S1 (line 7) is in its instructions\""));
        };
        tasks.push(TaskEvidence { task: task.trim().to_owned(), evidence: text.to_owned() });
    }
    // A verifier has to look at every task; a person may just decide.
    if context.environment.all().iter().all(|(name, _)| name != "AFRESH_TASK") {
        let is_missing = |id: &str| !tasks.iter().any(|it: &TaskEvidence| it.task == id);
        let missing = plan.tasks().iter().filter(|task| is_missing(task.id.as_str()));
        let by_person = missing.map(|task| TaskEvidence {
            task: task.id.to_string(),
            evidence: "judged by a person, with `afresh plan verdict`".to_owned(),
        });
        let by_person: Vec<TaskEvidence> = by_person.collect();
        tasks.extend(by_person);
    }
    let issues = args.issues.iter().map(|issue| parse_issue(issue)).collect::<Result<_, _>>()?;
    let verdict = PlanVerdict {
        version: "1.0".to_owned(),
        verdict: args.verdict,
        summary: args.summary.clone(),
        tasks,
        issues,
    };
    let text = serde_json::to_vec_pretty(&verdict)
        .map_err(|error| AppError::bug("verdict", error.to_string()))?;
    let before = home.read(ArtifactKind::Verdict.path());
    home.write(ArtifactKind::Verdict.path(), &text)?;
    let artifact = PlanningArtifact::Staged(ArtifactKind::Verdict);
    let findings = validator.findings(artifact, &files)?;
    if findings.iter().any(Finding::is_error) {
        match before {
            Some(bytes) => home.write(ArtifactKind::Verdict.path(), &bytes)?,
            None => home.set_aside(ArtifactKind::Verdict.path())?,
        }
        return Err(AppError::with_findings("verdict", "the verdict was not registered", findings));
    }
    home.write(REPORT, verdict.render_report(&home.name).as_bytes())?;
    let path = format!("{}/{}", home.inside(), ArtifactKind::Verdict.path());
    if output.json {
        output.document(&json!({"verdict": args.verdict.word(), "path": path}));
    } else {
        output.prose(&format!("{} is registered in {path}", args.verdict.word()));
    }
    Ok(Exit::Done)
}

fn parse_word(word: &str) -> Result<VerdictWord, String> {
    let found = VerdictWord::ALL.iter().find(|it| it.word().eq_ignore_ascii_case(word));
    found.copied().ok_or_else(|| "READY, READY_WITH_NOTES or BLOCKED".to_owned())
}

fn parse_issue(text: &str) -> Result<VerdictIssue, AppError> {
    let parts: Vec<&str> = text.split('|').map(str::trim).collect();
    let [rule, place, severity, words, fix] = parts[..] else {
        return Err(AppError::usage("issues", format!("{text:?} does not have five parts"))
            .hint("write RULE|PLACE|SEVERITY|TEXT|FIX"));
    };
    let severity = match severity {
        "blocker" => IssueSeverity::Blocker,
        "note" => IssueSeverity::Note,
        other => {
            return Err(AppError::usage("issues", format!("{other:?} is no severity"))
                .hint("write blocker or note"));
        }
    };
    let [rule, place, text, fix] = [rule, place, words, fix].map(str::to_owned);
    Ok(VerdictIssue { rule, place, severity, text, fix })
}
