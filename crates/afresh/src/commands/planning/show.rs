//! `afresh show [PLAN]`: what would run.

use std::path::PathBuf;

use afresh_core::ids::TaskId;
use serde_json::{Value, json};

use crate::commands::planning::PlanArgs;
use crate::exit::Exit;
use crate::terminal::output::Output;
use afresh_app::agents::assignment::TaskAssignments;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::plan_source::estimates::grounding::count_ungrounded;
use afresh_app::plan_source::estimates::outlook::PlanOutlook;
use afresh_app::plan_source::{self, PlanFile};
use afresh_views::plan::conflicts::TaskConflict;
use afresh_views::plan::graph::{self, GraphFormat};
use afresh_views::plan::json::PlanJson;
use afresh_views::plan::text::{plan_text, single_task_text};

/// Show what would run: waves, files, critical path, conflicts
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A plan file, or a directory that contains one
    #[arg(default_value = ".")]
    plan: PathBuf,
    #[command(flatten)]
    how: PlanArgs,
    /// Draw it
    #[arg(long = "as", value_enum, value_name = "PICTURE", conflicts_with = "json")]
    picture: Option<PictureArg>,
    /// Say why two tasks cannot run side by side
    #[arg(long, num_args = 2, value_names = ["TASK", "OTHER"], conflicts_with = "picture")]
    why: Option<Vec<String>>,
}

/// How a plan is drawn.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum PictureArg {
    /// Dependencies, indented
    Tree,
    /// For Markdown pages
    Mermaid,
    /// For Graphviz
    Dot,
    /// To look at, such as in a browser
    Svg,
}

impl From<PictureArg> for GraphFormat {
    fn from(picture: PictureArg) -> Self {
        match picture {
            PictureArg::Tree => Self::Tree,
            PictureArg::Mermaid => Self::Mermaid,
            PictureArg::Dot => Self::Dot,
            PictureArg::Svg => Self::Svg,
        }
    }
}

pub(crate) fn show(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let directory = context.directory()?;
    let how = args.how.options();
    let found = plan_source::read(&directory, &args.plan, &how)?;
    let is_scored = args.why.is_none() && args.picture.is_none();
    let ungrounded = is_scored.then(|| count_ungrounded(&found, context)).flatten();
    let (file, no_target) = found.into_plan_file(&how)?;
    if let Some(failure) = no_target {
        let text = crate::error::to_text(&failure, usize::MAX);
        output.note(text.trim_end().replacen("error", "warning", 1).as_str());
    }
    if let Some([one, other]) = args.why.as_deref() {
        let apart = TaskConflict::new(&file.plan, [one, other])?;
        if output.json {
            output.document(&apart.to_json());
        } else {
            output.prose(&apart.to_text());
        }
        return Ok(Exit::Done);
    }
    if let Some(picture) = args.picture {
        output.data(graph::draw(&file.plan, picture.into()).trim_end());
        return Ok(Exit::Done);
    }
    let assignments =
        output.with_notices(|notices| TaskAssignments::load(&file, &directory, context, notices));
    let outlook = PlanOutlook::new(&file, &assignments, ungrounded, context);
    print(&file, None, &assignments, &outlook, output);
    Ok(Exit::Done)
}

/// Prints a plan, or only one task of it, as people or scripts want it.
pub(crate) fn print(
    file: &PlanFile,
    only: Option<&TaskId>,
    assignments: &TaskAssignments,
    outlook: &PlanOutlook,
    output: &Output,
) {
    for warning in &file.warnings {
        output.note_finding(warning);
    }
    if output.json {
        let whole = PlanJson::new(file, outlook, |task| assignments.assigned_to(task));
        let mut document = serde_json::to_value(&whole).unwrap_or_default();
        if let Some(only) = only {
            keep_task(&mut document, only);
        }
        output.document(&document);
    } else if let Some(at) = only.and_then(|only| file.plan.index_of(only)) {
        output.prose(single_task_text(file, at, outlook, assignments).trim_end());
    } else {
        output.prose(plan_text(file, outlook, assignments).trim_end());
    }
}

/// Leaves only one task in the document of a plan.
fn keep_task(document: &mut Value, only: &TaskId) {
    if let Some(tasks) = document["tasks"].as_array_mut() {
        tasks.retain(|task| task["id"] == only.as_str());
    }
    document["waves"] = json!([[only]]);
    document["critical_path"] = json!([only]);
    document["conflicts"] = json!([]);
}
