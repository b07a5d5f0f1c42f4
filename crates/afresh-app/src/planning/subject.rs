//! What is known before planning starts, and what a person has to decide first.

use std::collections::BTreeMap;

use afresh_core::Plan;
use afresh_core::plan::{PlanProblem, RequirementId, TaskDraft};
use afresh_planner::audit::{AuditVerdict, SpecAudit};
use afresh_planner::discovery::{ProjectFacts, RepositoryFiles, render_markdown};
use afresh_planner::ledger::Ledger;
use afresh_planner::sequencing::{ProjectGuard, attach_guards};
use afresh_planner::stages::{PlanningRoute, PlanningStage};
use afresh_planner::validation::RESERVED_PATHS;
use afresh_planner::validation::acceptance::ACCEPTANCE_WORD;

use super::checkout::CheckoutFiles;
use super::directory::{LEDGER, PREFERENCES, PROJECT, PROJECT_FACTS, PlanDirectory, SPEC};
use super::job::PlanningInputs;
use super::progress::PlanningProgress;
use super::specification::FoundSpecification;
use super::validate::PlanValidator;
use crate::config::Config;
use crate::context::AppContext;
use crate::error::AppError;

/// A specification, its plan so far, and the repository that it is for.
#[derive(Debug)]
pub struct PlanningSubject {
    pub files: CheckoutFiles,
    pub config: Config,
    pub found: FoundSpecification,
    pub audit: SpecAudit,
    pub ledger: Ledger,
    pub home: PlanDirectory,
    pub route: PlanningRoute,
}

impl PlanningSubject {
    pub fn validator(&self) -> PlanValidator<'_> {
        PlanValidator { directory: &self.home, config: &self.config, trial: None }
    }

    pub fn progress(&self) -> Result<PlanningProgress, AppError> {
        let tests = self.config.acceptance;
        PlanningProgress::measure(&self.validator(), self.route, tests, &self.files)
    }

    /// What a planning run of these stages is made from.
    pub fn inputs<'a>(
        &'a self,
        project: &'a str,
        stages: &'a [PlanningStage],
    ) -> PlanningInputs<'a> {
        PlanningInputs {
            directory: &self.home,
            ledger: &self.ledger,
            project,
            stack: None,
            changes: "",
            stages,
            base_files: BTreeMap::new(),
        }
    }

    /// The project's own commands that every task has to keep passing (PL-06), as they were measured before planning.
    pub fn stored_guards(&self) -> Vec<ProjectGuard> {
        let facts = self.home.read(PROJECT_FACTS);
        let facts = facts.and_then(|bytes| serde_json::from_slice::<ProjectFacts>(&bytes).ok());
        facts.map_or_else(Vec::new, |facts| self.select_guards(&facts))
    }

    pub fn select_guards(&self, facts: &ProjectFacts) -> Vec<ProjectGuard> {
        ProjectGuard::select(facts, &self.config.settings.always)
    }

    /// Writes what planning starts from. The directories exist before anything is spent.
    pub fn store(
        &self,
        project: Option<&ProjectFacts>,
        context: &AppContext,
    ) -> Result<(), AppError> {
        let home = &self.home;
        home.create()?;
        let mut documents = self.found.spec.documents.iter();
        let first = documents.next().map_or("", |document| document.text.as_str());
        home.write(SPEC, first.as_bytes())?;
        for document in documents {
            let name = document.path.replace(['/', '\\'], "-");
            let name = format!("also-{}", name.trim_start_matches(['.', '-']));
            home.write(&name, document.text.as_bytes())?;
        }
        let text = serde_json::to_vec_pretty(&self.ledger)
            .map_err(|error| AppError::bug("ledger", error.to_string()))?;
        home.write(LEDGER, &text)?;
        if let Some(facts) = project {
            home.write(PROJECT, render_markdown(facts).as_bytes())?;
            let json = serde_json::to_vec_pretty(facts)
                .map_err(|error| AppError::bug("discovery", error.to_string()))?;
            home.write(PROJECT_FACTS, &json)?;
        }
        if let Some(preferences) = context.user_preferences() {
            home.write(PREFERENCES, preferences.as_bytes())?;
        }
        home.write(RESERVED_PATHS, self.reserved_paths().join("\n").as_bytes())
    }

    /// Files of the repository that look like acceptance tests and are not those of this plan.
    fn reserved_paths(&self) -> Vec<&str> {
        let own = self.home.stored_tests();
        let listed = self.files.files().iter().map(|file| file.path.as_str());
        let is_reserved = |path: &&str| {
            path.to_lowercase().contains(ACCEPTANCE_WORD)
                && !path.starts_with(".afresh/")
                && !own.contains_key(*path)
        };
        listed.filter(is_reserved).collect()
    }

    /// No plan meets two statements that contradict each other: a person decides before anything is spent (PL-15). The
    /// statements are stored, so that one of them can be taken out of scope.
    pub fn refuse_conflicts(&self, context: &AppContext) -> Result<(), AppError> {
        let conflicts = self.ledger.conflicts();
        if conflicts.is_empty() {
            return Ok(());
        }
        self.store(None, context)?;
        let describe = |id: &RequirementId| {
            let found = self.ledger.find(id.as_str());
            found.map_or_else(
                || id.to_string(),
                |it| format!("{id} (line {}) says: {}", it.line, it.quote),
            )
        };
        let pairs: Vec<String> = conflicts
            .iter()
            .map(|it| format!("{}\n  {}", describe(&it.first), describe(&it.second)))
            .collect();
        let message = format!("statements of {} contradict each other", self.found.shown);
        Err(AppError::usage("contradiction", message).cause(pairs.join("\n  ")).hint(format!(
            "correct the specification, or set the `scope` of a statement to \"out-of-scope\" in {}/{LEDGER}",
            self.home.inside()
        )))
    }

    /// A stored specification is never replaced silently (PL-14).
    pub fn refuse_overwrite(&self) -> Result<(), AppError> {
        match self.home.stored_spec() {
            Some(stored) if stored != self.found.first_text() => {
                let message =
                    format!("{} holds another version of this specification", self.home.inside());
                Err(AppError::usage("spec", message).hint(
                    "`afresh plan --update SPEC` changes its plan accordingly; `--name NAME` plans it beside the other",
                ))
            }
            _ => Ok(()),
        }
    }
}

/// The plan with guards on the chosen tasks.
pub fn guard_plan(
    plan: &Plan,
    guards: &[ProjectGuard],
    is_chosen: impl Fn(&TaskDraft) -> bool,
) -> Result<Plan, AppError> {
    attach_guards(plan, guards, is_chosen).map_err(|problems: Vec<PlanProblem>| {
        let messages: Vec<String> = problems.into_iter().map(|it| it.message).collect();
        AppError::bug("plan", messages.join("; "))
    })
}

/// A specification that no division fits is not planned (AU-02).
pub fn refuse_split(found: &FoundSpecification, audit: &SpecAudit) -> Result<(), AppError> {
    if audit.verdict != AuditVerdict::NeedsSplit {
        return Ok(());
    }
    let why = audit.too_large.first().cloned().unwrap_or_default();
    Err(AppError::usage("spec", format!("{} is too large to be planned", found.shown))
        .cause(why)
        .hint("split it into several specifications; `afresh audit` shows the parts"))
}
