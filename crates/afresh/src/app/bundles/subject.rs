//! The run or plan whose bundles are meant, and what they would be made with.

use std::path::{Path, PathBuf};

use afresh_core::Run;
use afresh_engine::{ExecutionConfig, RepoContext};
use afresh_git::Repository;

use crate::app::config;
use crate::app::error::Failure;
use crate::app::plan_source::prospect;
use crate::app::plan_source::{self, How};
use crate::app::session::select_run;
use crate::app::session::workplace;
use crate::app::session::{Driving, terms};
use crate::cli::Common;
use crate::terminal::completion;
use crate::terminal::output::Output;

/// Options of the commands that make bundles.
#[derive(Debug, clap::Args)]
pub(crate) struct Of {
    /// Another run than the last one
    #[arg(long, value_name = "RUN", add = completion::runs(), conflicts_with = "plan")]
    run: Option<String>,
    /// A plan that nobody has started
    #[arg(long, value_name = "PLAN")]
    plan: Option<PathBuf>,
    #[command(flatten)]
    how: How,
}

/// A run, started or not, and how its workers are told.
pub(crate) struct Subject {
    pub(crate) place: RepoContext,
    pub(crate) run: Run,
    pub(crate) rules: ExecutionConfig,
}

impl Of {
    pub(crate) fn find(&self, common: &Common, output: &Output) -> Result<Subject, Failure> {
        match &self.plan {
            Some(plan) => self.plan(plan, common, output),
            None => self.run(common, output),
        }
    }

    fn run(&self, common: &Common, output: &Output) -> Result<Subject, Failure> {
        let place = workplace::find(common)?;
        let found = select_run::find(&place, self.run.as_deref())
            .map_err(|failure| failure.or_help("`--plan PLAN` takes a plan that has no run"))?;
        let mut file = select_run::plan_file(&found.run)?;
        if file.plan != *found.run.plan() {
            output.note("note: the plan's file is another than when the run began; `afresh run` takes it up");
        }
        let directory = workplace::directory(common)?;
        let config = config::load(&directory, common.config.as_deref())?;
        let (_, rules) = terms(&place, &mut file, config, &Driving::default(), output)?;
        Ok(Subject { place, run: found.run, rules })
    }

    fn plan(&self, plan: &Path, common: &Common, output: &Output) -> Result<Subject, Failure> {
        let here = workplace::directory(common)?;
        let mut file = plan_source::load(&here, plan, &self.how)?;
        // A plan's target selects the repository, and with it the configuration (EX-12).
        let directory = file.target.clone().unwrap_or_else(|| here.clone());
        let config_file = common.config.as_deref().map(|path| here.join(path));
        let config = config::load(&directory, config_file.as_deref())?;
        let place = workplace::around(&directory)?;
        let (settings, rules) = terms(&place, &mut file, config, &Driving::default(), output)?;
        let run = match head(&place.repository) {
            Some(head) => prospect::from(&file.plan, &settings, head),
            None => prospect::of(&file.plan, &settings),
        };
        Ok(Subject { place, run, rules })
    }
}

fn head(repository: &Repository) -> Option<afresh_core::ids::CommitId> {
    repository.head().ok().flatten()
}
