//! Commands about plans, before a run.

pub(crate) mod audit;
pub(crate) mod bundle;
pub(crate) mod discover;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod lint;
pub(crate) mod new;
pub(crate) mod plan;
pub(crate) mod probe;
pub(crate) mod show;

use afresh_app::import::detect::WorkUnit;

use afresh_app::plan_source::{PlanReadOptions, format_names};

/// Options of all commands that read a plan.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PlanArgs {
    /// The plan's format; by default it is recognised by its files
    #[arg(long, value_name = "NAME", value_parser = formats())]
    format: Option<String>,
    /// What one worker gets, where a format has both: a whole plan file, or each of its tasks
    #[arg(long, value_parser = parse_unit, default_value = "plan", value_name = "plan|task")]
    unit: WorkUnit,
}

impl PlanArgs {
    pub(crate) fn options(&self) -> PlanReadOptions {
        PlanReadOptions { format: self.format.clone(), unit: self.unit }
    }
}

fn formats() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(format_names())
}

fn parse_unit(word: &str) -> Result<WorkUnit, String> {
    match word {
        "plan" => Ok(WorkUnit::Plan),
        "task" => Ok(WorkUnit::Task),
        _ => Err("plan or task".to_owned()),
    }
}
