//! The whole way from a specification to a plan: audit, statements, planning run, verdict, sequencing, validation.

use std::path::Path;

use super::announce::{announce, confirm};
use super::outcome::{ArtifactsSince, PlannedSpec, finish};
use crate::commands::planning::probe::ProbeProgress;
use crate::commands::running::drive::{Interaction, drive};
use crate::exit::Exit;
use crate::reporters::summary;
use crate::terminal::output::Output;
use afresh_app::config;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::planner::audit::ExecutionMode;
use afresh_app::planner::discovery::{ProjectFacts, facts::ProjectState, render_markdown};
use afresh_app::planner::ledger::{Ledger, PhaseFilter, cut};
use afresh_app::planner::stages::{PlanningRoute, PlanningStage};
use afresh_app::planning::audit::audit_spec;
use afresh_app::planning::checkout::CheckoutFiles;
use afresh_app::planning::directory::PlanDirectory;
use afresh_app::planning::discovery::{DiscoveryProbe, discover_project};
use afresh_app::planning::earlier_run::{PlanningStart, is_underway, stages_of};
use afresh_app::planning::job::{self, PlanningInputs};
use afresh_app::planning::specification::{self, FoundSpecification};
use afresh_app::planning::subject::{PlanningSubject, refuse_split};
use afresh_app::session::open::{ExistingRun, RunRequest};
use afresh_app::session::probe::ProbeOptions;
use afresh_app::session::prose::test_commands;
use afresh_app::session::{RunOptions, Session};
use afresh_core::run::TaskStage;
use afresh_core::run::settings::ProbeScope;

/// What the user wants of a specification.
#[derive(Debug)]
pub(crate) struct SpecRequest<'a> {
    pub(crate) spec: &'a Path,
    pub(crate) name: Option<&'a str>,
    pub(crate) stack: Option<&'a str>,
    /// The directory whose repository the plan is for.
    pub(crate) target: Option<&'a Path>,
    /// Whether it is a new project or an existing one; none: as it looks.
    pub(crate) project: Option<ProjectState>,
    pub(crate) phases: PhaseFilter,
    pub(crate) start: PlanningStart,
    pub(crate) yes: bool,
    pub(crate) mode: ModeChoice,
    /// One planner or several stages; none: by the size of the specification.
    pub(crate) route: Option<PlanningRoute>,
    pub(crate) options: &'a RunOptions,
    pub(crate) interaction: Interaction,
}

/// Whether a planner divides the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModeChoice {
    /// By the audit.
    Audited,
    /// One worker, no planner.
    Single,
    /// A planner, whatever the size.
    Planned,
}

impl<'a> SpecRequest<'a> {
    /// Plans a specification as it comes, and asks nothing that has a default.
    pub(crate) fn new(spec: &'a Path, options: &'a RunOptions, interaction: Interaction) -> Self {
        Self {
            spec,
            name: None,
            stack: None,
            target: None,
            project: None,
            phases: PhaseFilter::First,
            start: PlanningStart::Resume,
            yes: false,
            mode: ModeChoice::Planned,
            route: None,
            options,
            interaction,
        }
    }
}

impl SpecRequest<'_> {
    pub(crate) fn make_plan(
        &self,
        context: &AppContext,
        output: &Output,
    ) -> Result<PlannedSpec, AppError> {
        let subject = self.read(context)?;
        subject.refuse_overwrite()?;
        let last = subject.last_run(context)?;
        let stages = subject.open_stages(self.start, last.as_ref(), context)?;
        let checks = self.single_checks(&subject);
        if stages.is_empty() && checks.is_none() {
            return finish(&subject, ArtifactsSince::Same, output);
        }
        subject.refuse_conflicts(context)?;
        if checks.is_none() {
            let inputs = subject.inputs("", &stages);
            let session = Session { context, options: self.options };
            job::check_agents(&session, &inputs, &subject.config)?;
        }
        let facts = self.discover(&subject, context, output)?;
        announce(&subject, &facts, &stages, checks.is_some(), output);
        if !self.yes && !confirm("Start planning?", output) {
            output.note("nothing was started");
            return Ok(PlannedSpec::Ended(Exit::Waiting));
        }
        let facts = match &checks {
            Some(_) => facts,
            None => measure_project(&subject, facts, context, output)?,
        };
        subject.store(Some(&facts), context)?;
        let project = render_markdown(&facts);
        let inputs = PlanningInputs { stack: self.stack, ..subject.inputs(&project, &stages) };
        if let Some(checks) = checks {
            let title = subject.found.spec.title();
            inputs.write_single(&title, &subject.audit.files, &checks)?;
        } else {
            let exit = self.run_planning(&inputs, &subject, context, output)?;
            if exit != Exit::Done {
                return Ok(PlannedSpec::Ended(exit));
            }
        }
        finish(&subject, ArtifactsSince::New, output)
    }

    pub(super) fn read(&self, context: &AppContext) -> Result<PlanningSubject, AppError> {
        let here = context.directory()?;
        let directory = self.target.map_or_else(|| here.clone(), |target| here.join(target));
        let files = CheckoutFiles::list(context.git().ok().as_ref(), &directory);
        let config = config::load(&directory, context.config_file.as_deref())?;
        let found = specification::find(&here, files.root(), Some(self.spec))?;
        let audit = audit_spec(&found.spec, &files, &config);
        refuse_split(&found, &audit)?;
        let home = PlanDirectory::new(files.root(), self.name.unwrap_or(&found.spec.name));
        let ledger = self.ledger(&home, &found);
        if ledger.active().next().is_none() {
            let message = format!("{} states nothing to plan", found.shown);
            return Err(AppError::usage("spec", message)
                .hint("write what is wanted as list items or as sentences with \"must\""));
        }
        let by_size = match audit.size_word() {
            "large" => PlanningRoute::Staged,
            _ => PlanningRoute::Quick,
        };
        let begun = home.holds_stages().then_some(PlanningRoute::Staged);
        let route = self.route.or(begun).unwrap_or(by_size);
        Ok(PlanningSubject { files, config, found, audit, ledger, home, route })
    }

    /// The stored statements of a specification that did not change: a person may have decided about some.
    fn ledger(&self, home: &PlanDirectory, found: &FoundSpecification) -> Ledger {
        let is_same = home.stored_spec().is_some_and(|stored| stored == found.first_text());
        let stored = home.stored_ledger().filter(|_| is_same && self.phases == PhaseFilter::First);
        stored.unwrap_or_else(|| {
            let mut ledger = cut(&found.spec, self.phases);
            if let Some(before) = home.stored_ledger() {
                ledger.keep_ids_of(&before);
            }
            ledger
        })
    }

    /// The checks of a plan with one task; none if a planner is needed.
    fn single_checks(&self, subject: &PlanningSubject) -> Option<Vec<String>> {
        let is_single = match self.mode {
            ModeChoice::Audited => subject.audit.mode == ExecutionMode::Single,
            ModeChoice::Single => true,
            ModeChoice::Planned => false,
        };
        // What was planned before is not replaced by a plan of one task.
        if !is_single || subject.home.plan().is_file() {
            return None;
        }
        if !subject.config.settings.always.is_empty() {
            return Some(Vec::new());
        }
        // Without anything that judges the work, a planner has to find checks for it.
        let commands = test_commands(subject.files.root());
        (!commands.is_empty()).then_some(commands)
    }

    /// Drives the stages, and copies what they merged into the plan's directory.
    pub(super) fn run_planning(
        &self,
        inputs: &PlanningInputs<'_>,
        subject: &PlanningSubject,
        context: &AppContext,
        output: &Output,
    ) -> Result<Exit, AppError> {
        let session = Session { context, options: self.options };
        let root = subject.files.root();
        let repository = context.repository_around(root)?;
        let git = repository.git.clone();
        let last = subject.last_run(context)?;
        let is_same =
            last.is_some_and(|last| is_underway(&last) && stages_of(&last) == inputs.stages);
        let existing = if is_same && self.start != PlanningStart::Again {
            ExistingRun::Continue
        } else {
            ExistingRun::StartNew
        };
        if inputs.stages.contains(&PlanningStage::Validation) {
            subject.home.keep_verdict()?;
        }
        let config = subject.config.clone();
        let prepared = output.with_notices(|notices| {
            job::prepare(&session, inputs, repository, root, config, notices)
        })?;
        let request = RunRequest { existing, ..RunRequest::default() };
        let ended = drive(prepared, &request, self.interaction, context, &output.for_people())?;
        let exit = Exit::from(ended.standing);
        for (task, state) in ended.run.tasks() {
            let stage = inputs.stages.iter().find(|stage| stage.word() == task.id.as_str());
            let is_merged = matches!(state.stage, TaskStage::Done { .. });
            // An update is shown before it is applied.
            let is_taken = is_merged && !inputs.stages.contains(&PlanningStage::Update);
            let stage = stage.filter(|_| is_taken);
            if let Some(stage) = stage {
                inputs.directory.take_stage(*stage, &git, ended.run.tip())?;
            }
        }
        if exit != Exit::Done {
            summary::print(&ended, &output.for_people());
            output.note("planning is not finished; the same command continues it");
        }
        Ok(exit)
    }

    /// What the repository is, before any agent is asked (PL-03).
    pub(super) fn discover(
        &self,
        subject: &PlanningSubject,
        context: &AppContext,
        output: &Output,
    ) -> Result<ProjectFacts, AppError> {
        let root = subject.files.root();
        let facts = output.with_notices(|notices| discover_project(context, root, notices))?;
        Ok(ProjectFacts { state: self.project.unwrap_or(facts.state), ..facts })
    }
}

/// Runs the repository's commands once, so that planners are told no guesses.
pub(super) fn measure_project(
    subject: &PlanningSubject,
    mut facts: ProjectFacts,
    context: &AppContext,
    output: &Output,
) -> Result<ProjectFacts, AppError> {
    if subject.config.settings.probe == ProbeScope::All {
        let (root, options) = (subject.files.root(), ProbeOptions::default());
        let probe = output.with_notices(|notices| {
            DiscoveryProbe::prepare(context, root, &facts, &options, notices)
        })?;
        if probe.count() > 0 {
            let progress = ProbeProgress::new(probe.count(), &[], output);
            probe.run(&mut facts, &|probed| progress.add(probed));
        }
    }
    Ok(facts)
}
