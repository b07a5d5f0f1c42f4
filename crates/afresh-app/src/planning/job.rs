//! Preparing a planning run: an ordinary run of a built-in plan, on a commit that has the specification in it (PL-10).

use std::collections::BTreeMap;
use std::path::Path;

use afresh_core::Plan;
use afresh_core::plan::PlanDraft;
use afresh_core::run::settings::{History, OnRedBase, ProbeScope, ScopeMode};
use afresh_engine::RepoContext;
use afresh_formats::native::{self, PlanSyntax};
use afresh_planner::ledger::Ledger;
use afresh_planner::prompts::PlanningRole;
use afresh_planner::spec::files::SpecFile;
use afresh_planner::stages::{PlanningJob, PlanningStage, single_plan};

use super::directory::{PREFERENCES, PlanDirectory};
use crate::config::Config;
use crate::error::AppError;
use crate::notice::Notice;
use crate::plan_source::file_states::FileStates;
use crate::plan_source::{self, PlanFile, PlanReadOptions};
use crate::session::start::preflight;
use crate::session::{PreparedRun, Session};
use crate::text::files::read_bounded;

/// The most of a template that is read.
const MAX_TEMPLATE_BYTES: usize = 256 * 1024;

/// What a planning run is made from.
#[derive(Debug)]
pub struct PlanningInputs<'a> {
    pub directory: &'a PlanDirectory,
    pub ledger: &'a Ledger,
    /// What is known about the repository, as Markdown.
    pub project: &'a str,
    pub stack: Option<&'a str>,
    /// What changed in the specification, as Markdown; empty if the plan is new.
    pub changes: &'a str,
    pub stages: &'a [PlanningStage],
    /// Files that the run starts from besides those of the directory, by path from the root.
    pub base_files: BTreeMap<String, Vec<u8>>,
}

impl PlanningInputs<'_> {
    fn job<'a>(&'a self, templates: &'a BTreeMap<String, String>) -> PlanningJob<'a> {
        let is_quick =
            |stage: &PlanningStage| matches!(stage, PlanningStage::Plan | PlanningStage::Update);
        let has_plan = self.stages.iter().any(is_quick);
        let has_tasks =
            self.stages.contains(&PlanningStage::Definition) || self.directory.holds_tasks();
        PlanningJob {
            name: &self.directory.name,
            directory: self.directory.inside(),
            ledger: self.ledger,
            project: self.project,
            stack: self.stack,
            changes: self.changes,
            has_task_files: has_tasks && !has_plan,
            has_preferences: self.directory.file(PREFERENCES).is_file(),
            templates,
        }
    }

    /// Writes a plan of one task, without any agent.
    pub fn write_single(
        &self,
        title: &str,
        files: &[SpecFile],
        checks: &[String],
    ) -> Result<(), AppError> {
        let templates = BTreeMap::new();
        let plan = checked(single_plan(&self.job(&templates), title, files, checks))?;
        self.directory.write_plan(&plan)
    }
}

/// A plan that afresh itself made has no problems.
fn checked(draft: PlanDraft) -> Result<Plan, AppError> {
    Plan::new(draft).map_err(|problems| {
        let messages: Vec<String> =
            problems.iter().map(|problem| problem.message.clone()).collect();
        AppError::bug("plan", messages.join("; "))
    })
}

/// Writes the built-in plan, and prepares its run.
pub fn prepare(
    session: &Session<'_>,
    inputs: &PlanningInputs<'_>,
    repository: RepoContext,
    root: &Path,
    config: Config,
    notices: &mut Vec<Notice>,
) -> Result<PreparedRun, AppError> {
    let directory = inputs.directory;
    let templates = read_templates(root);
    let plan = checked(inputs.job(&templates).plan_stages(inputs.stages))?;
    let text = native::render(&plan, None, PlanSyntax::Toml);
    let path = directory.stages();
    let is_current =
        read_bounded(&path, text.len() + 1).is_ok_and(|bytes| bytes == text.as_bytes());
    if !is_current {
        directory.write("stages.plan.toml", text.as_bytes())?;
    }
    let file = plan_source::load(root, &path, &PlanReadOptions::default())?;
    let mut prepared = session.prepare(repository, file, for_planning(config), notices)?;
    prepared.base_files = directory.base_files(inputs.stages);
    prepared.base_files.extend(inputs.base_files.clone());
    Ok(prepared)
}

/// Whether agents for these stages can be started, before anything is asked or written.
pub fn check_agents(
    session: &Session<'_>,
    inputs: &PlanningInputs<'_>,
    config: &Config,
) -> Result<(), AppError> {
    let directory = inputs.directory;
    let plan = checked(inputs.job(&BTreeMap::new()).plan_stages(inputs.stages))?;
    let file = PlanFile {
        path: directory.stages(),
        shown: format!("the plan of {}", directory.inside()),
        format: plan_source::NATIVE,
        how: PlanReadOptions::default(),
        plan,
        target: Some(directory.root().to_owned()),
        spec: None,
        warnings: Vec::new(),
        blocked: BTreeMap::new(),
        unknown: BTreeMap::new(),
        home: plan_source::PlanHome::Single,
        files: Vec::new(),
        task_files: BTreeMap::new(),
        states: FileStates::default(),
    };
    // They are given again when the run is prepared.
    let notices = &mut Vec::new();
    preflight::check_plan(&file, config, session.options, &session.context.environment, notices)
}

/// A planning run writes documents: the checks of every merge have nothing to say about them.
fn for_planning(mut config: Config) -> Config {
    let settings = &mut config.settings;
    settings.always.clear();
    settings.probe = ProbeScope::Nothing;
    settings.on_red_base = OnRedBase::Continue;
    settings.mutation = None;
    settings.quarantine.clear();
    settings.scope = ScopeMode::Strict;
    settings.history = History::Linear;
    config
}

/// Texts of roles that the project overrides.
fn read_templates(root: &Path) -> BTreeMap<String, String> {
    let read = |role: &PlanningRole| {
        let path = root.join(".afresh/templates").join(role.file_name());
        let text = String::from_utf8(read_bounded(&path, MAX_TEMPLATE_BYTES).ok()?).ok()?;
        Some((role.file_name().to_owned(), text))
    };
    PlanningRole::ALL.iter().filter_map(read).collect()
}
