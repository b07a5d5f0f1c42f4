//! `afresh plan --update SPEC`: the plan follows its changed specification by a patch (PL-19).

use std::collections::BTreeMap;

use super::announce::confirm;
use super::outcome::{ArtifactsSince, PlannedSpec, finish};
use super::request::{SpecRequest, measure_project};
use crate::exit::Exit;
use crate::terminal::output::{Output, count};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::formats::native::{self, PlanSyntax};
use afresh_app::planner::discovery::{ProjectFacts, render_markdown};
use afresh_app::planner::ledger::changes::LedgerChanges;
use afresh_app::planner::stages::{AcceptanceTests, PlanningRoute, PlanningStage};
use afresh_app::planner::update::{PlanDifference, describe_changes};
use afresh_app::planning::directory::{
    BEFORE_UPDATE, LEDGER, LEDGER_BEFORE_UPDATE, PlanDirectory, SPEC,
};
use afresh_app::planning::earlier_run::{PlanningStart, is_finished, stages_of};
use afresh_app::planning::job::PlanningInputs;
use afresh_app::planning::subject::{PlanningSubject, guard_plan};
use afresh_core::Plan;
use afresh_core::plan::TaskDraft;

pub(super) fn update_plan(
    request: &SpecRequest<'_>,
    context: &AppContext,
    output: &Output,
) -> Result<PlannedSpec, AppError> {
    let subject = PlanningSubject { route: PlanningRoute::Update, ..request.read(context)? };
    let home = &subject.home;
    let (Some(ledger), Some(before)) = (home.stored_ledger(), read_plan(home)) else {
        // Without a plan there is nothing to change: the specification is stored, and planned as if it were new.
        home.set_aside(SPEC)?;
        let again = SpecRequest { start: PlanningStart::Again, ..*request };
        return again.make_plan(context, output);
    };
    let changes = LedgerChanges::between(&ledger, &subject.ledger);
    announce(home, &changes, output);
    let facts = request.discover(&subject, context, output)?;
    let facts = measure_project(&subject, facts, context, output)?;
    if changes.is_empty() {
        subject.store(Some(&facts), context)?;
        return finish(&subject, ArtifactsSince::Same, output);
    }
    if !request.yes && !confirm("Start planning?", output) {
        output.note("nothing was started");
        return Ok(PlannedSpec::Ended(Exit::Waiting));
    }
    let has_new = !changes.added.is_empty() || !changes.changed.is_empty();
    let tests = if has_new { subject.config.acceptance } else { AcceptanceTests::Planned };
    let stages = subject.route.stages(tests);
    let described = describe_changes(&ledger, &subject.ledger, &changes);
    let project = render_markdown(&facts);
    let inputs = PlanningInputs {
        stack: request.stack,
        changes: &described,
        base_files: base_files(&subject)?,
        ..subject.inputs(&project, &stages)
    };
    // A proposal that was not applied is not paid for twice.
    if find_proposal(&subject, context)?.is_none() {
        let exit = request.run_planning(&inputs, &subject, context, output)?;
        if exit != Exit::Done {
            return Ok(PlannedSpec::Ended(exit));
        }
    }
    let proposal = find_proposal(&subject, context)?;
    let now = proposal.as_ref().and_then(|bytes| native::read(&home.shown_plan(), bytes).plan);
    let (Some(proposal), Some(now)) = (proposal, now) else {
        return Err(AppError::bug("plan", "the update ended without a plan"));
    };
    let (proposal, now) = guard_new_tasks(&subject, &facts, &before, proposal, now)?;
    let difference = PlanDifference::between(&before, &now);
    output.note(&format!("{}:", home.shown_plan()));
    output.note(difference.render(&before, &now).trim_end());
    if !request.yes && !confirm("Apply this?", output) {
        output.note("nothing was changed; the same command shows it again");
        return Ok(PlannedSpec::Ended(Exit::Waiting));
    }
    home.set_artifacts_aside()?;
    home.set_aside(&plan_name(home))?;
    home.write(&plan_name(home), &proposal)?;
    subject.store(Some(&facts), context)?;
    if stages.contains(&PlanningStage::Acceptance)
        && let Some(last) = subject.last_run(context)?
    {
        let git = context.repository_around(subject.files.root())?.git;
        home.take_stage(PlanningStage::Acceptance, &git, last.run.tip())?;
        return finish(&subject, ArtifactsSince::New, output);
    }
    finish(&subject, ArtifactsSince::Same, output)
}

/// Puts the project's own checks on tasks that the update adds (PL-06).
fn guard_new_tasks(
    subject: &PlanningSubject,
    facts: &ProjectFacts,
    before: &Plan,
    proposal: Vec<u8>,
    now: Plan,
) -> Result<(Vec<u8>, Plan), AppError> {
    let is_new = |task: &TaskDraft| before.tasks().iter().all(|old| old.id.as_str() != task.id);
    let guarded = guard_plan(&now, &subject.select_guards(facts), is_new)?;
    if guarded == now {
        return Ok((proposal, now));
    }
    let text = native::render(&guarded, None, PlanSyntax::Toml);
    Ok((text.into_bytes(), guarded))
}

/// The plan that a finished run proposes for exactly this specification.
fn find_proposal(
    subject: &PlanningSubject,
    context: &AppContext,
) -> Result<Option<Vec<u8>>, AppError> {
    let PlanningSubject { home, found, files, .. } = subject;
    let Some(last) = subject.last_run(context)? else { return Ok(None) };
    if stages_of(&last).first() != Some(&PlanningStage::Update) || !is_finished(&last) {
        return Ok(None);
    }
    let git = context.repository_around(files.root())?.git;
    let stored = git.show_file(last.run.base(), &format!("{}/{SPEC}", home.inside()));
    if stored.map_err(AppError::git)?.as_deref() != Some(found.first_text()) {
        return Ok(None);
    }
    git.show_file(last.run.tip(), &home.shown_plan()).map_err(AppError::git)
}

/// The new specification and the old plan, which is not touched before the change is shown.
fn base_files(subject: &PlanningSubject) -> Result<BTreeMap<String, Vec<u8>>, AppError> {
    let PlanningSubject { home, found, ledger, .. } = subject;
    let text = serde_json::to_vec_pretty(ledger)
        .map_err(|error| AppError::bug("ledger", error.to_string()))?;
    let before = home.read(&plan_name(home)).unwrap_or_default();
    let old_ledger = home.read(LEDGER).unwrap_or_default();
    let files = [
        (SPEC, found.first_text().to_vec()),
        (LEDGER, text),
        (BEFORE_UPDATE, before),
        (LEDGER_BEFORE_UPDATE, old_ledger),
    ];
    let inside = home.inside();
    let tests = home.stored_tests();
    let files = files.into_iter().map(|(name, bytes)| (format!("{inside}/{name}"), bytes));
    Ok(files.chain(tests).collect())
}

fn announce(home: &PlanDirectory, changes: &LedgerChanges, output: &Output) {
    let parts = [
        (changes.added.len(), "added"),
        (changes.changed.len(), "changed"),
        (changes.dropped.len(), "dropped"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{} {word}", count(*number, "statement")))
        .collect();
    let parts = if parts.is_empty() { "no statement changed".to_owned() } else { parts.join(", ") };
    output.note(&format!("plan {}: {parts}, {} kept", home.name, changes.kept.len()));
}

fn plan_name(home: &PlanDirectory) -> String {
    format!("{}.plan.toml", home.name)
}

fn read_plan(home: &PlanDirectory) -> Option<Plan> {
    native::read(&home.shown_plan(), &home.read(&plan_name(home))?).plan
}
