//! The whole way from a specification to a plan: audit, statements, planning run, validation.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::commands::planning::probe::ProbeProgress;
use crate::commands::running::drive::{Interaction, drive};
use crate::commands::running::run_args::RunArgs;
use crate::exit::Exit;
use crate::reporters::summary;
use crate::terminal::output::{Output, count};
use crate::terminal::prompt::UserPrompt;
use afresh_app::config::{self, Config};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::formats::Finding;
use afresh_app::planner::audit::{AuditVerdict, ExecutionMode, SpecAudit};
use afresh_app::planner::discovery::{ProjectFacts, render_markdown};
use afresh_app::planner::ledger::{Ledger, PhaseFilter, cut};
use afresh_app::planning::audit::audit_spec;
use afresh_app::planning::checkout::CheckoutFiles;
use afresh_app::planning::directory::PlanDirectory;
use afresh_app::planning::discovery::{DiscoveryProbe, discover_project};
use afresh_app::planning::job::{self, PlanningInputs};
use afresh_app::planning::specification::{self, FoundSpecification};
use afresh_app::planning::validate::PlanToValidate;
use afresh_app::session::Session;
use afresh_app::session::open::{ExistingRun, RunRequest};
use afresh_app::session::probe::ProbeOptions;
use afresh_app::session::prose::test_commands;
use afresh_core::settings::ProbeScope;

/// What the user wants of a specification.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct SpecRequest<'a> {
    pub(crate) spec: &'a Path,
    pub(crate) name: Option<&'a str>,
    pub(crate) stack: Option<&'a str>,
    pub(crate) all_phases: bool,
    pub(crate) update: bool,
    pub(crate) new: bool,
    pub(crate) yes: bool,
    pub(crate) mode: ModeChoice,
    pub(crate) options: &'a RunArgs,
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

/// How far it came.
#[derive(Debug)]
pub(crate) enum PlannedSpec {
    Ready(ReadyPlan),
    Ended(Exit),
}

/// A plan that was validated.
#[derive(Debug)]
pub(crate) struct ReadyPlan {
    pub(crate) path: PathBuf,
    shown: String,
    findings: Vec<Finding>,
}

/// What is known before planning starts.
struct PlanningSubject {
    files: CheckoutFiles,
    config: Config,
    found: FoundSpecification,
    audit: SpecAudit,
    ledger: Ledger,
    home: PlanDirectory,
}

impl SpecRequest<'_> {
    pub(crate) fn make_plan(
        &self,
        context: &AppContext,
        output: &Output,
    ) -> Result<PlannedSpec, AppError> {
        let subject = self.read(context)?;
        let checks = self.single_checks(&subject);
        announce(&subject, checks.is_some(), output);
        if !self.yes && !confirm("Start planning?", output) {
            output.note("nothing was started");
            return Ok(PlannedSpec::Ended(Exit::Waiting));
        }
        let facts = describe_project(&subject, checks.is_none(), context, output)?;
        let project = render_markdown(&facts);
        subject.home.store_inputs(&subject.found.spec, &subject.ledger, &project)?;
        let inputs = PlanningInputs {
            directory: &subject.home,
            ledger: &subject.ledger,
            project: &project,
            stack: self.stack,
        };
        if let Some(checks) = checks {
            let title = subject.found.spec.title();
            inputs.write_single(&title, &subject.audit.files, &checks)?;
        } else {
            let exit = self.run_planning(&inputs, &subject, context, output)?;
            if exit != Exit::Done {
                return Ok(PlannedSpec::Ended(exit));
            }
        }
        judge(&subject, output)
    }

    fn read(&self, context: &AppContext) -> Result<PlanningSubject, AppError> {
        let directory = context.directory()?;
        let files = CheckoutFiles::list(context.git().ok().as_ref(), &directory);
        let config = config::load(&directory, context.config_file.as_deref())?;
        let found = specification::find(&directory, files.root(), Some(self.spec))?;
        let audit = audit_spec(&found.spec, &files, &config);
        refuse_split(&found, &audit)?;
        let name = self.name.unwrap_or(&found.spec.name);
        let home = PlanDirectory::new(files.root(), name);
        let phases = if self.all_phases { PhaseFilter::All } else { PhaseFilter::First };
        let ledger = cut(&found.spec, phases);
        if ledger.active().next().is_none() {
            let message = format!("{} states nothing to plan", found.shown);
            return Err(AppError::usage("spec", message)
                .hint("write what is wanted as list items or as sentences with \"must\""));
        }
        self.refuse_overwrite(&home, &found)?;
        Ok(PlanningSubject { files, config, found, audit, ledger, home })
    }

    /// The checks of a plan with one task; none if a planner is needed.
    fn single_checks(&self, subject: &PlanningSubject) -> Option<Vec<String>> {
        let is_single = match self.mode {
            ModeChoice::Audited => subject.audit.mode == ExecutionMode::Single,
            ModeChoice::Single => true,
            ModeChoice::Planned => false,
        };
        if !is_single {
            return None;
        }
        if !subject.config.settings.always.is_empty() {
            return Some(Vec::new());
        }
        // Without anything that judges the work, a planner has to find checks for it.
        let commands = test_commands(subject.files.root());
        (!commands.is_empty()).then_some(commands)
    }

    /// A stored specification is never replaced silently (PL-14).
    fn refuse_overwrite(
        &self,
        home: &PlanDirectory,
        found: &FoundSpecification,
    ) -> Result<(), AppError> {
        let first = found.spec.documents.first().map_or("", |document| document.text.as_str());
        match home.stored_spec() {
            Some(stored) if stored != first.as_bytes() && !self.update => {
                let message =
                    format!("{} holds another version of this specification", home.inside());
                Err(AppError::usage("spec", message).hint(
                    "`afresh plan --update SPEC` replaces it; `--name NAME` plans it beside the other",
                ))
            }
            _ => Ok(()),
        }
    }

    fn run_planning(
        &self,
        inputs: &PlanningInputs<'_>,
        subject: &PlanningSubject,
        context: &AppContext,
        output: &Output,
    ) -> Result<Exit, AppError> {
        let options = self.options.options();
        let session = Session { context, options: &options };
        let root = subject.files.root();
        let repository = context.repository_around(root)?;
        let git = repository.git.clone();
        let source = inputs.directory.stages().to_string_lossy().into_owned();
        let last = repository.find_run(|run| run.settings().source == source)?;
        let is_over = last.as_ref().is_some_and(|last| last.run.is_ended_for_good());
        let existing =
            if self.new || is_over { ExistingRun::StartNew } else { ExistingRun::Continue };
        let config = subject.config.clone();
        let prepared = output.with_notices(|notices| {
            job::prepare(&session, inputs, repository, root, config, notices)
        })?;
        let interaction = Interaction::from_no_input(self.options.no_input);
        let request = RunRequest { existing, ..RunRequest::default() };
        let ended = drive(prepared, &request, interaction, context, &output.for_people())?;
        let exit = Exit::from(ended.standing);
        if exit == Exit::Done {
            inputs.directory.take_plan(&git, ended.run.tip())?;
        } else {
            summary::print(&ended, &output.for_people());
            output.note("planning is not finished; the same command continues it");
        }
        Ok(exit)
    }
}

/// What the repository is; its commands are run once, so that the planner is not told guesses (PL-03).
fn describe_project(
    subject: &PlanningSubject,
    is_planned: bool,
    context: &AppContext,
    output: &Output,
) -> Result<ProjectFacts, AppError> {
    let root = subject.files.root();
    let mut facts = output.with_notices(|notices| discover_project(context, root, notices))?;
    if is_planned && subject.config.settings.probe == ProbeScope::All {
        let options = ProbeOptions::default();
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

fn announce(subject: &PlanningSubject, is_single: bool, output: &Output) {
    let PlanningSubject { found, audit, ledger, home, .. } = subject;
    let active = ledger.active().count();
    let left = ledger.statements.len() - active;
    output.note(&format!(
        "plan {}: {} in {}, ~{} % of a context ({}), {}",
        home.name,
        count(active, "statement"),
        found.shown,
        audit.estimate.percent(),
        audit.size_word(),
        audit.verdict.word(),
    ));
    if left > 0 {
        output.note(&format!("  {} deferred or out of scope", count(left, "statement")));
    }
    let how = if is_single {
        "mode single: one worker does all of it; no planner"
    } else {
        "one planner writes the whole plan, and afresh validates it"
    };
    output.note(&format!("  {how}; files: {}", home.inside()));
}

/// Whether the user agrees; without a terminal, nobody is asked.
pub(crate) fn confirm(question: &str, output: &Output) -> bool {
    UserPrompt::there(output).is_none_or(|person| person.agrees(question))
}

/// What came out, judged once more where the user is.
fn judge(subject: &PlanningSubject, output: &Output) -> Result<PlannedSpec, AppError> {
    let home = &subject.home;
    let (path, shown) = (home.plan(), format!("{}/{}.plan.toml", home.inside(), home.name));
    let plan = PlanToValidate { path: &path, shown: &shown, config: &subject.config, trial: None };
    let findings = plan.findings(&subject.files)?;
    let ready = ReadyPlan { path, shown, findings };
    if ready.findings.iter().any(Finding::is_error) {
        ready.print(output);
        return Ok(PlannedSpec::Ended(Exit::Waiting));
    }
    Ok(PlannedSpec::Ready(ready))
}

impl ReadyPlan {
    pub(crate) fn print(&self, output: &Output) -> Exit {
        let is_ready = !self.findings.iter().any(Finding::is_error);
        if output.json {
            output.document(&json!({
                "plan": self.shown,
                "phase": if is_ready { "ready" } else { "validation" },
                "verdict": if is_ready { "READY" } else { "BLOCKED" },
                "report": null,
                "artifacts": [{"name": "plan", "path": self.shown, "state": if is_ready { "valid" } else { "invalid" }}],
                "issues": self.findings,
            }));
            return if is_ready { Exit::Done } else { Exit::Waiting };
        }
        for finding in &self.findings {
            output.note(finding.render().trim_end());
        }
        if !is_ready {
            output.note(
                "the plan is not valid; edit it, then `afresh plan validate` judges it again",
            );
            return Exit::Waiting;
        }
        output.prose(&format!("{} is ready.", self.shown));
        let shown = &self.shown;
        output.note(&format!("hint: `afresh show {shown}` shows it; `afresh run {shown}` runs it"));
        Exit::Done
    }
}
