//! `afresh task add`, `afresh task edit`: a task in the plan's file.

use std::path::PathBuf;

use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::formats::native::edit::{ListChange, TaskFields};
use afresh_app::tasks::plan_edit::{PlanEditAction, PlanEditReport, PlanEditRequest, edit_plan};

use crate::exit::Exit;
use crate::terminal::output::Output;
use crate::terminal::piped_text;

/// The longest instructions from standard input, in bytes; a plan has a limit of its own.
const MAX_INPUT_BYTES: u64 = 1024 * 1024;

/// What the plan says about a task.
#[derive(Debug, clap::Args)]
pub(super) struct FieldArgs {
    /// The plan's file; without it, the plan of the last run, else the one in this directory
    #[arg(long, value_name = "PLAN")]
    plan: Option<PathBuf>,
    /// Its title
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The instructions for its worker; `-` reads them from standard input
    #[arg(long = "do", value_name = "TEXT")]
    instructions: Option<String>,
    /// The tasks that it needs
    #[arg(long, value_name = "TASK", value_delimiter = ',')]
    needs: Option<Vec<String>>,
    /// A file that it may change; several with several options
    #[arg(long = "file", value_name = "PATH")]
    files: Option<Vec<String>>,
    /// A command that has to succeed; several with several options
    #[arg(long = "check", value_name = "COMMAND")]
    checks: Option<Vec<String>>,
    /// Why it has no check
    #[arg(long, value_name = "REASON")]
    no_check: Option<String>,
    /// The requirements that it serves
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    requirements: Option<Vec<String>>,
    /// The size of its model: small, standard or large
    #[arg(long, value_name = "SIZE")]
    tier: Option<String>,
    /// How much its worker is given: minimal, standard or full
    #[arg(long, value_name = "LEVEL")]
    context: Option<String>,
    /// Its agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Show the change, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Entries that lists get besides those that they have.
#[derive(Debug, Default, clap::Args)]
pub(super) struct AddedArgs {
    /// A task that it needs besides
    #[arg(
        long = "add-needs",
        value_name = "TASK",
        value_delimiter = ',',
        conflicts_with = "needs"
    )]
    other_tasks: Vec<String>,
    /// A file that it may change besides
    #[arg(long = "add-file", value_name = "PATH", conflicts_with = "files")]
    more_files: Vec<String>,
    /// A command that has to succeed besides
    #[arg(long = "add-check", value_name = "COMMAND", conflicts_with = "checks")]
    also_checked_by: Vec<String>,
}

pub(super) fn add(
    id: &str,
    fields: &FieldArgs,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let nothing = AddedArgs::default();
    change(id, PlanEditAction::Add, fields, &nothing, context, output)
}

pub(super) fn edit(
    id: &str,
    fields: &FieldArgs,
    added: &AddedArgs,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    change(id, PlanEditAction::Edit, fields, added, context, output)
}

fn change(
    id: &str,
    action: PlanEditAction,
    fields: &FieldArgs,
    added: &AddedArgs,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let plan = fields.plan.as_deref();
    let written = to_fields(fields, added)?;
    if action == PlanEditAction::Edit && written == TaskFields::default() {
        return Err(AppError::usage("task", format!("nothing to change about {id}"))
            .hint("name a field, such as `--title TEXT` or `--add-check COMMAND`"));
    }
    let request =
        PlanEditRequest { plan, action, task: id, fields: written, dry_run: fields.dry_run };
    let report = edit_plan(context, &request)?;
    if output.json {
        output.document(&report);
        return Ok(Exit::Done);
    }
    if fields.dry_run {
        output.data(report.diff.trim_end());
    }
    output.note(&describe(&report, fields.dry_run));
    Ok(Exit::Done)
}

fn to_fields(fields: &FieldArgs, added: &AddedArgs) -> Result<TaskFields, AppError> {
    let list = |replace: &Option<Vec<String>>, add: &[String]| ListChange {
        replace: replace.clone(),
        add: add.to_vec(),
    };
    let instructions = match fields.instructions.as_deref() {
        Some("-") => Some(piped_text::read("the instructions", "as `--do TEXT`", MAX_INPUT_BYTES)?),
        given => given.map(str::to_owned),
    };
    Ok(TaskFields {
        title: fields.title.clone(),
        instructions,
        tier: fields.tier.clone(),
        context: fields.context.clone(),
        agent: fields.agent.clone(),
        no_check: fields.no_check.clone(),
        needs: list(&fields.needs, &added.other_tasks),
        files: list(&fields.files, &added.more_files),
        checks: list(&fields.checks, &added.also_checked_by),
        requirements: list(&fields.requirements, &[]),
    })
}

/// What was written, and how a run takes it up (ST-07).
fn describe(report: &PlanEditReport, dry_run: bool) -> String {
    let PlanEditReport { plan, task, .. } = report;
    if report.diff.is_empty() {
        return format!("{plan} says so already");
    }
    let what = match (dry_run, report.action) {
        (true, _) => return format!("{plan} was not written"),
        (false, PlanEditAction::Add) => format!("added {task} to {plan}"),
        (false, PlanEditAction::Edit) => format!("changed {task} in {plan}"),
    };
    let again = if report.done_again {
        format!("; {task} is done, and is done again as it is described now")
    } else {
        String::new()
    };
    match (&report.run, report.driven) {
        (None, _) => format!("{what}\n`afresh run {plan}` runs the plan"),
        (Some(run), true) => format!(
            "{what}\nrun {run} continues with the plan as it was; `afresh halt`, then `afresh resume {run}` takes up \
             the change{again}"
        ),
        (Some(_), false) => format!("{what}\n`afresh run {plan}` takes up the change{again}"),
    }
}
