//! The run or plan that bundles are made for.

use std::path::{Path, PathBuf};

use afresh_core::Run;
use afresh_engine::RepoContext;
use afresh_engine::bundle::related_tests::TestFinder;
use afresh_engine::execution_config::WorkerConfig;

use crate::config;
use crate::context::AppContext;
use crate::error::AppError;
use crate::notice::Notice;
use crate::plan_source::{self, PlanReadOptions, unstarted_run};
use crate::session::runs::select;
use crate::session::{PlanTerms, RunOptions, plan_terms};

/// What the user names: a run, or a plan without one; neither: the last run.
#[derive(Debug, Clone, Default)]
pub struct BundleScope {
    pub run: Option<String>,
    pub plan: Option<PathBuf>,
    pub how: PlanReadOptions,
}

/// A run, started or not, and what its workers are given.
#[derive(Debug)]
pub struct BundleSubject {
    pub repository: RepoContext,
    pub run: Run,
    pub workers: WorkerConfig,
    pub test_finder: TestFinder,
}

impl BundleScope {
    pub fn find(
        &self,
        context: &AppContext,
        notices: &mut Vec<Notice>,
    ) -> Result<BundleSubject, AppError> {
        match &self.plan {
            Some(plan) => self.find_plan(plan, context, notices),
            None => self.find_run(context, notices),
        }
    }

    fn find_run(
        &self,
        context: &AppContext,
        notices: &mut Vec<Notice>,
    ) -> Result<BundleSubject, AppError> {
        let repository = context.repository()?;
        let found = select::find_run(&repository, self.run.as_deref())
            .map_err(|failure| failure.or_hint("`--plan PLAN` takes a plan without a run"))?;
        let mut file = select::load_plan(&found.run, &context.directory()?)?;
        if file.plan != *found.run.plan() {
            notices.push(Notice::note(
                "the plan file changed since the run started; `afresh run` continues with the new version",
            ));
        }
        let config = config::load(&context.directory()?, context.config_file.as_deref())?;
        let PlanTerms { workers, .. } = plan_terms(
            &repository,
            &mut file,
            &config,
            &RunOptions::default(),
            &context.environment,
            notices,
        )?;
        Ok(BundleSubject {
            repository,
            run: found.run,
            workers,
            test_finder: TestFinder::default(),
        })
    }

    fn find_plan(
        &self,
        plan: &Path,
        context: &AppContext,
        notices: &mut Vec<Notice>,
    ) -> Result<BundleSubject, AppError> {
        let here = context.directory()?;
        let mut file = plan_source::load(&here, plan, &self.how)?;
        // A plan's target selects the repository, and with it the configuration (EX-12).
        let directory = file.target.clone().unwrap_or_else(|| here.clone());
        let config_file = context.config_file.as_deref().map(|path| here.join(path));
        let config = config::load(&directory, config_file.as_deref())?;
        let repository = context.repository_around(&directory)?;
        let PlanTerms { settings, workers } = plan_terms(
            &repository,
            &mut file,
            &config,
            &RunOptions::default(),
            &context.environment,
            notices,
        )?;
        let run = match repository.git.head().ok().flatten() {
            Some(head) => unstarted_run::at_commit(&file.plan, &settings, head),
            None => unstarted_run::without_commit(&file.plan, &settings),
        };
        Ok(BundleSubject { repository, run, workers, test_finder: TestFinder::default() })
    }
}
