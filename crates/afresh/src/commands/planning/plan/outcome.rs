//! What becomes of the artifacts: the verdict is heard, the plan is made from them by rule, and judged once more.

use std::path::PathBuf;

use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::{Output, count};
use afresh_app::error::AppError;
use afresh_app::formats::Finding;
use afresh_app::planner::artifacts::{ArtifactKind, CapabilityMap, PlanVerdict, VerdictWord};
use afresh_app::planner::sequencing::ProjectGuard;
use afresh_app::planner::stages::PlanningRoute;
use afresh_app::planning::directory::{EARLIER_VERDICT, LEDGER, PlanDirectory, REPORT};
use afresh_app::planning::progress::{ArtifactState, PlanningPhase, PlanningProgress};
use afresh_app::planning::subject::{PlanningSubject, guard_plan};
use afresh_app::planning::validate::PlanningArtifact;

/// How far it came.
#[derive(Debug)]
pub(crate) enum PlannedSpec {
    Ready(Box<ReadyPlan>),
    Ended(Exit),
}

/// A plan that was validated.
#[derive(Debug)]
pub(crate) struct ReadyPlan {
    pub(crate) path: PathBuf,
    shown: String,
    findings: Vec<Finding>,
    progress: PlanningProgress,
    report: Option<String>,
    home: PlanDirectory,
}

/// Whether artifacts were written since the plan was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArtifactsSince {
    New,
    Same,
}

/// From valid artifacts to a plan that can run, or to what a person has to do first.
pub(super) fn finish(
    subject: &PlanningSubject,
    artifacts: ArtifactsSince,
    output: &Output,
) -> Result<PlannedSpec, AppError> {
    let home = &subject.home;
    let progress = subject.progress()?;
    let report = write_report(home, progress.verdict.as_ref())?;
    if progress.is_blocked() {
        let exit = report_blocked(home, &progress, report.as_deref(), output);
        return Ok(PlannedSpec::Ended(exit));
    }
    // A plan that a person may have edited is made again only from new artifacts.
    let is_wanted = artifacts == ArtifactsSince::New || !home.plan().is_file();
    // An update leaves tasks as they are that it has no reason to change.
    let guards = match subject.route {
        PlanningRoute::Update => Vec::new(),
        PlanningRoute::Quick | PlanningRoute::Staged => subject.stored_guards(),
    };
    if is_wanted && (home.holds_artifacts() || !guards.is_empty()) {
        sequence(subject, &guards)?;
        announce_guards(&guards, output);
    }
    judge(subject, report, output)
}

/// Writes the plan that the artifacts make, with phases and order by rule (PL-08).
fn sequence(subject: &PlanningSubject, guards: &[ProjectGuard]) -> Result<(), AppError> {
    let home = &subject.home;
    // What is wrong is shown with everything else.
    let Ok((plan, ledger)) = subject.validator().finished_plan(&subject.files)? else {
        return Ok(());
    };
    let plan = guard_plan(&plan, guards, |_| true)?;
    let text = serde_json::to_vec_pretty(&ledger)
        .map_err(|error| AppError::bug("ledger", error.to_string()))?;
    home.write(LEDGER, &text)?;
    record_exclusions(home, &ledger)?;
    home.write_plan(&plan)
}

/// Says which commands were added to the tasks, because no author did (PL-06).
fn announce_guards(guards: &[ProjectGuard], output: &Output) {
    let named: Vec<String> = guards.iter().map(|guard| format!("`{}`", guard.command)).collect();
    if !named.is_empty() {
        output.note(&format!("the project's own checks guard its tasks: {}", named.join(", ")));
    }
}

/// Notes in the capability map what was left out, by section (PL-04).
fn record_exclusions(
    home: &PlanDirectory,
    ledger: &afresh_app::planner::ledger::Ledger,
) -> Result<(), AppError> {
    let name = ArtifactKind::CapabilityMap.path();
    let Some(bytes) = home.read(name) else { return Ok(()) };
    let Ok(mut map) = serde_json::from_slice::<serde_json::Value>(&bytes) else { return Ok(()) };
    map["phase_filtering"] = CapabilityMap::describe_exclusions(ledger);
    let text = serde_json::to_vec_pretty(&map)
        .map_err(|error| AppError::bug("capability map", error.to_string()))?;
    home.write(name, &text)
}

/// The report of the verdict, for people; returns its path.
fn write_report(
    home: &PlanDirectory,
    verdict: Option<&PlanVerdict>,
) -> Result<Option<String>, AppError> {
    let Some(verdict) = verdict else { return Ok(None) };
    home.write(REPORT, verdict.render_report(&home.name).as_bytes())?;
    Ok(Some(format!("{}/{REPORT}", home.inside())))
}

/// BLOCKED stops: the person reads, edits, and asks again (PL-07). What comes back unchanged is a question (PL-21).
fn report_blocked(
    home: &PlanDirectory,
    progress: &PlanningProgress,
    report: Option<&str>,
    output: &Output,
) -> Exit {
    let Some(verdict) = &progress.verdict else { return Exit::Waiting };
    if output.json {
        output.document(&progress_json(home, progress, &progress.findings, report));
        return Exit::Waiting;
    }
    output.prose(&format!("{}: {}", verdict.verdict.word(), verdict.summary.trim()));
    for issue in verdict.blockers() {
        output.prose(&format!("  {} at {}: {}", issue.rule, issue.place, issue.text.trim()));
        output.prose(&format!("    fix: {}", issue.fix.trim()));
    }
    if let Some(report) = report {
        output.note(&format!("the report is in {report}"));
    }
    let name = &home.name;
    let earlier: Option<PlanVerdict> =
        home.read(EARLIER_VERDICT).and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let repeated = earlier.map_or(0, |earlier| verdict.repeated_blockers(&earlier).len());
    if repeated > 0 {
        output.note(&format!(
            "{} came back after the last verification: is it right? `afresh plan verdict READY_WITH_NOTES \
             \"REASON\" --name {name}` overrules it",
            count(repeated, "blocker")
        ));
    }
    output.note(&format!(
        "hint: edit the files in {}/tasks, then `afresh plan --verify --name {name}` verifies them again",
        home.inside()
    ));
    Exit::Waiting
}

/// What came out, judged once more where the user is.
fn judge(
    subject: &PlanningSubject,
    report: Option<String>,
    output: &Output,
) -> Result<PlannedSpec, AppError> {
    let home = &subject.home;
    let mut findings = if home.plan().is_file() {
        subject.validator().findings(PlanningArtifact::Plan, &subject.files)?
    } else {
        subject.progress()?.findings
    };
    findings.retain(|finding| finding.severity > afresh_app::formats::Severity::Note);
    let progress = subject.progress()?;
    let ready = ReadyPlan {
        path: home.plan(),
        shown: home.shown_plan(),
        findings,
        progress,
        report,
        home: home.clone(),
    };
    if !ready.is_ready() {
        ready.print(output);
        return Ok(PlannedSpec::Ended(Exit::Waiting));
    }
    Ok(PlannedSpec::Ready(Box::new(ready)))
}

impl ReadyPlan {
    fn is_ready(&self) -> bool {
        self.path.is_file() && !self.findings.iter().any(Finding::is_error)
    }

    pub(crate) fn print(&self, output: &Output) -> Exit {
        let home = &self.home;
        let exit = if self.is_ready() { Exit::Done } else { Exit::Waiting };
        if output.json {
            let report = self.report.as_deref();
            output.document(&progress_json(home, &self.progress, &self.findings, report));
            return exit;
        }
        for finding in &self.findings {
            output.note(finding.render().trim_end());
        }
        if !self.is_ready() {
            output.note(
                "the plan is not valid; edit it, then `afresh plan validate` judges it again",
            );
            return exit;
        }
        let shown = &self.shown;
        output.prose(&format!("{shown} is ready."));
        if let Some(verdict) = &self.progress.verdict {
            output.note(&format!("{}: {}", verdict.verdict.word(), verdict.summary.trim()));
        }
        output.note(&format!("hint: `afresh show {shown}` shows it; `afresh run {shown}` runs it"));
        exit
    }
}

/// `afresh plan --json` and `afresh plan status --json`.
pub(super) fn progress_json(
    home: &PlanDirectory,
    progress: &PlanningProgress,
    findings: &[Finding],
    report: Option<&str>,
) -> serde_json::Value {
    let artifact =
        |it: &ArtifactState| json!({"name": it.name, "path": it.path, "state": it.standing.word()});
    let is_wrong = findings.iter().any(Finding::is_error);
    let is_ready = progress.phase == PlanningPhase::Ready;
    // One planner has no verifier: then the program's own judgement is the verdict.
    let own = is_ready.then_some(if is_wrong { VerdictWord::Blocked } else { VerdictWord::Ready });
    let verdict = progress.verdict.as_ref().map(|verdict| verdict.verdict).or(own);
    let route = match progress.route {
        PlanningRoute::Quick => "quick",
        PlanningRoute::Staged => "staged",
        PlanningRoute::Update => "update",
    };
    json!({
        "plan": home.shown_plan(),
        "route": route,
        "phase": if is_ready && is_wrong { "validation" } else { progress.phase.word() },
        "verdict": verdict.map(VerdictWord::word),
        "report": report,
        "artifacts": progress.artifacts.iter().map(artifact).collect::<Vec<_>>(),
        "issues": findings,
    })
}
