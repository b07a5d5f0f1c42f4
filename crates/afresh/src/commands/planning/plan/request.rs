//! The whole way from a specification to a plan: audit, statements, planning run, verdict, sequencing, validation.

use std::collections::BTreeMap;
use std::path::Path;

use super::announce::{announce, confirm};
use super::outcome::{ArtifactsSince, PlannedSpec, finish};
use crate::commands::planning::probe::ProbeProgress;
use crate::commands::running::drive::{Interaction, drive};
use crate::exit::Exit;
use crate::reporters::summary;
use crate::terminal::output::Output;
use afresh_app::config::{self, Config};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::planner::audit::{AuditVerdict, ExecutionMode, SpecAudit};
use afresh_app::planner::discovery::{
    ProjectFacts, RepositoryFiles, facts::ProjectState, render_markdown,
};
use afresh_app::planner::ledger::{Ledger, PhaseFilter, cut};
use afresh_app::planner::stages::{PlanningRoute, PlanningStage};
use afresh_app::planner::validation::RESERVED_PATHS;
use afresh_app::planner::validation::acceptance::ACCEPTANCE_WORD;
use afresh_app::planning::audit::audit_spec;
use afresh_app::planning::checkout::CheckoutFiles;
use afresh_app::planning::directory::{LEDGER, PREFERENCES, PROJECT, PlanDirectory, SPEC};
use afresh_app::planning::discovery::{DiscoveryProbe, discover_project};
use afresh_app::planning::job::{self, PlanningInputs};
use afresh_app::planning::progress::{PlanningPhase, PlanningProgress};
use afresh_app::planning::specification::{self, FoundSpecification};
use afresh_app::planning::validate::PlanValidator;
use afresh_app::session::open::{ExistingRun, RunRequest};
use afresh_app::session::probe::ProbeOptions;
use afresh_app::session::prose::test_commands;
use afresh_app::session::{RunOptions, Session};
use afresh_core::plan::RequirementId;
use afresh_core::run::TaskStage;
use afresh_core::settings::ProbeScope;
use afresh_engine::session::RecordedRun;

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
    pub(crate) start: StartChoice,
    pub(crate) yes: bool,
    pub(crate) mode: ModeChoice,
    /// One planner or several stages; none: by the size of the specification.
    pub(crate) route: Option<PlanningRoute>,
    pub(crate) options: &'a RunOptions,
    pub(crate) interaction: Interaction,
}

/// Where planning starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartChoice {
    /// Where it stopped.
    Resume,
    /// From the beginning.
    Again,
    From(PlanningStage),
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

/// What is known before planning starts.
pub(super) struct PlanningSubject {
    pub(super) files: CheckoutFiles,
    pub(super) config: Config,
    pub(super) found: FoundSpecification,
    pub(super) audit: SpecAudit,
    pub(super) ledger: Ledger,
    pub(super) home: PlanDirectory,
    pub(super) route: PlanningRoute,
}

impl PlanningSubject {
    pub(super) fn validator(&self) -> PlanValidator<'_> {
        PlanValidator { directory: &self.home, config: &self.config, trial: None }
    }

    pub(super) fn progress(&self) -> Result<PlanningProgress, AppError> {
        let tests = self.config.acceptance;
        PlanningProgress::measure(&self.validator(), self.route, tests, &self.files)
    }
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
            start: StartChoice::Resume,
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
        refuse_overwrite(&subject.home, &subject.found)?;
        let last = last_planning_run(&subject, context)?;
        let stages = self.open_stages(&subject, last.as_ref(), context)?;
        let checks = self.single_checks(&subject);
        if stages.is_empty() && checks.is_none() {
            return finish(&subject, ArtifactsSince::Same, output);
        }
        refuse_conflicts(&subject, context)?;
        if checks.is_none() {
            let inputs = inputs_for(&subject, "", &stages);
            let session = Session { context, options: self.options };
            job::check_agents(&session, &inputs, &subject.config)?;
        }
        let facts = self.discover(&subject, context, output)?;
        announce(&subject, &facts, &stages, checks.is_some(), output);
        if !self.yes && !confirm("Start planning?", output) {
            output.note("nothing was started");
            return Ok(PlannedSpec::Ended(Exit::Waiting));
        }
        let project = match &checks {
            Some(_) => render_markdown(&facts),
            None => measure_project(&subject, facts, context, output)?,
        };
        store_inputs(&subject, &project, context)?;
        let inputs =
            PlanningInputs { stack: self.stack, ..inputs_for(&subject, &project, &stages) };
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

    /// The stages that agents have to carry out. What a run has merged is not paid for twice.
    fn open_stages(
        &self,
        subject: &PlanningSubject,
        last: Option<&RecordedRun>,
        context: &AppContext,
    ) -> Result<Vec<PlanningStage>, AppError> {
        let all = subject.route.stages(subject.config.acceptance);
        let from = |first: PlanningStage| {
            all.iter().copied().skip_while(move |stage| *stage != first).collect()
        };
        match self.start {
            StartChoice::Again => return Ok(all),
            StartChoice::From(first) if all.contains(&first) => return Ok(from(first)),
            StartChoice::From(first) => {
                let words: Vec<&str> = all.iter().map(|stage| stage.word()).collect();
                let message = format!("this plan has no stage {:?}", first.word());
                return Err(AppError::usage("stage", message)
                    .hint(format!("its stages are: {}", words.join(", "))));
            }
            StartChoice::Resume => {}
        }
        if let Some(last) = last {
            let stages = stages_of(last);
            if !is_finished(last) && !last.run.is_ended_for_good() {
                return Ok(stages);
            }
            take_merged(subject, last, context)?;
        }
        Ok(match subject.progress()?.phase {
            PlanningPhase::Ingestion => all,
            // A person has to edit something first.
            PlanningPhase::Stage(PlanningStage::Validation) if subject.progress()?.is_blocked() => {
                Vec::new()
            }
            PlanningPhase::Stage(stage) => from(stage),
            PlanningPhase::Sequencing | PlanningPhase::Ready => Vec::new(),
        })
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
        let last = last_planning_run(subject, context)?;
        let is_underway = last.as_ref().is_some_and(|last| {
            !is_finished(last) && !last.run.is_ended_for_good() && stages_of(last) == inputs.stages
        });
        let existing = if is_underway && self.start != StartChoice::Again {
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

/// What planners are told about the repository. Its commands are run once, so that nobody is told guesses.
pub(super) fn measure_project(
    subject: &PlanningSubject,
    mut facts: ProjectFacts,
    context: &AppContext,
    output: &Output,
) -> Result<String, AppError> {
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
    Ok(render_markdown(&facts))
}

/// No plan meets two statements that contradict each other: a person decides before anything is spent (PL-15). The
/// statements are stored, so that one of them can be taken out of scope.
fn refuse_conflicts(subject: &PlanningSubject, context: &AppContext) -> Result<(), AppError> {
    let conflicts = subject.ledger.conflicts();
    if conflicts.is_empty() {
        return Ok(());
    }
    store_inputs(subject, "", context)?;
    let describe = |id: &RequirementId| {
        let found = subject.ledger.find(id.as_str());
        found.map_or_else(
            || id.to_string(),
            |it| format!("{id} (line {}) says: {}", it.line, it.quote),
        )
    };
    let pairs: Vec<String> = conflicts
        .iter()
        .map(|it| format!("{}\n  {}", describe(&it.first), describe(&it.second)))
        .collect();
    let message = format!("statements of {} contradict each other", subject.found.shown);
    Err(AppError::usage("contradiction", message).cause(pairs.join("\n  ")).hint(format!(
        "correct the specification, or set the `scope` of a statement to \"out-of-scope\" in {}/{LEDGER}",
        subject.home.inside()
    )))
}

/// What a planning run of these stages is made from.
fn inputs_for<'a>(
    subject: &'a PlanningSubject,
    project: &'a str,
    stages: &'a [PlanningStage],
) -> PlanningInputs<'a> {
    PlanningInputs {
        directory: &subject.home,
        ledger: &subject.ledger,
        project,
        stack: None,
        changes: "",
        stages,
        base_files: BTreeMap::new(),
    }
}

/// The planning run of a specification that was driven last.
pub(super) fn last_planning_run(
    subject: &PlanningSubject,
    context: &AppContext,
) -> Result<Option<RecordedRun>, AppError> {
    let source = subject.home.stages().to_string_lossy().into_owned();
    match context.repository_around(subject.files.root()) {
        Ok(repository) => Ok(repository.find_run(|run| run.settings().source == source)?),
        // Without a repository there is no run; that one is missing is said when one is needed.
        Err(_) => Ok(None),
    }
}

pub(super) fn is_finished(recorded: &RecordedRun) -> bool {
    recorded.run.tasks().all(|(_, state)| matches!(state.stage, TaskStage::Done { .. }))
}

pub(super) fn stages_of(recorded: &RecordedRun) -> Vec<PlanningStage> {
    let tasks = recorded.run.plan().tasks().iter();
    let all = [PlanningStage::REPEATABLE, &[PlanningStage::Update]].concat();
    tasks.filter_map(|task| all.iter().copied().find(|it| it.word() == task.id.as_str())).collect()
}

/// Copies what a run merged before afresh was killed.
fn take_merged(
    subject: &PlanningSubject,
    last: &RecordedRun,
    context: &AppContext,
) -> Result<(), AppError> {
    let stages = stages_of(last);
    // What an update proposes is only applied after it was shown.
    if !is_finished(last) || stages.contains(&PlanningStage::Update) {
        return Ok(());
    }
    let git = context.repository_around(subject.files.root())?.git;
    for stage in stages {
        if !subject.home.holds(stage) {
            subject.home.take_stage(stage, &git, last.run.tip())?;
        }
    }
    Ok(())
}

/// Writes what planning starts from. The directories exist before anything is spent.
pub(super) fn store_inputs(
    subject: &PlanningSubject,
    project: &str,
    context: &AppContext,
) -> Result<(), AppError> {
    let PlanningSubject { home, found, ledger, files, .. } = subject;
    home.create()?;
    let mut documents = found.spec.documents.iter();
    let first = documents.next().map_or("", |document| document.text.as_str());
    home.write(SPEC, first.as_bytes())?;
    for document in documents {
        let name = document.path.replace(['/', '\\'], "-");
        let name = format!("also-{}", name.trim_start_matches(['.', '-']));
        home.write(&name, document.text.as_bytes())?;
    }
    let text = serde_json::to_vec_pretty(ledger)
        .map_err(|error| AppError::bug("ledger", error.to_string()))?;
    home.write(LEDGER, &text)?;
    home.write(PROJECT, project.as_bytes())?;
    if let Some(preferences) = context.user_preferences() {
        home.write(PREFERENCES, preferences.as_bytes())?;
    }
    let own = home.stored_tests();
    let listed = files.files().iter().map(|file| file.path.as_str());
    let reserved = listed.filter(|path| {
        path.to_lowercase().contains(ACCEPTANCE_WORD)
            && !path.starts_with(".afresh/")
            && !own.contains_key(*path)
    });
    let reserved: Vec<&str> = reserved.collect();
    home.write(RESERVED_PATHS, reserved.join("\n").as_bytes())
}

/// A stored specification is never replaced silently (PL-14).
fn refuse_overwrite(home: &PlanDirectory, found: &FoundSpecification) -> Result<(), AppError> {
    match home.stored_spec() {
        Some(stored) if stored != found.first_text() => {
            let message = format!("{} holds another version of this specification", home.inside());
            Err(AppError::usage("spec", message).hint(
                "`afresh plan --update SPEC` changes its plan accordingly; `--name NAME` plans it beside the other",
            ))
        }
        _ => Ok(()),
    }
}

/// A specification that no division fits is not planned (AU-02).
fn refuse_split(found: &FoundSpecification, audit: &SpecAudit) -> Result<(), AppError> {
    if audit.verdict != AuditVerdict::NeedsSplit {
        return Ok(());
    }
    let why = audit.too_large.first().cloned().unwrap_or_default();
    Err(AppError::usage("spec", format!("{} is too large to be planned", found.shown))
        .cause(why)
        .hint("split it into several specifications; `afresh audit` shows the parts"))
}
