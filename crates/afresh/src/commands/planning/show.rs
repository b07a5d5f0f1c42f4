//! `afresh show [PLAN]`: what would run.

use std::fmt::Write as _;
use std::path::PathBuf;

use afresh_agents::prompt::size;
use afresh_core::ids::TaskId;
use afresh_core::plan::{Task, TaskIndex};
use serde_json::{Value, json};

use crate::commands::planning::PlanArgs;
use crate::exit::Exit;
use crate::reporters::conflicts::TaskConflict;
use crate::reporters::plan_graph::{GraphFormat, draw};
use crate::reporters::plan_json::PlanJson;
use crate::terminal::output::{Output, count, safe};
use afresh_app::agents::assignment::{AssignedAgent, TaskAssignments};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::plan_source::estimates::ContextEstimates;
use afresh_app::plan_source::prompt_sizes::PromptSizes;
use afresh_app::plan_source::{self, PlanFile};

/// Show what would run: waves, files, critical path, conflicts
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A plan file, or a directory that contains one
    #[arg(default_value = ".")]
    plan: PathBuf,
    #[command(flatten)]
    how: PlanArgs,
    /// Draw it: as a tree, or for Mermaid or Graphviz
    #[arg(long = "as", value_enum, value_name = "PICTURE", conflicts_with = "json")]
    picture: Option<GraphFormat>,
    /// Say why two tasks cannot run side by side
    #[arg(long, num_args = 2, value_names = ["TASK", "OTHER"], conflicts_with = "picture")]
    why: Option<Vec<String>>,
}

pub(crate) fn show(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let directory = context.directory()?;
    let (file, no_target) = plan_source::read_plan(&directory, &args.plan, &args.how.options())?;
    if let Some(failure) = no_target {
        let text = crate::error::to_text(&failure);
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
        output.data(draw(&file.plan, picture).trim_end());
        return Ok(Exit::Done);
    }
    let assignments =
        output.with_notices(|notices| TaskAssignments::load(&file, &directory, context, notices));
    print(&file, None, &assignments, output);
    Ok(Exit::Done)
}

/// Prints a plan, or only one task of it, as people or scripts want it.
pub(crate) fn print(
    file: &PlanFile,
    only: Option<&TaskId>,
    assignments: &TaskAssignments,
    output: &Output,
) {
    for warning in &file.warnings {
        output.note(warning.render().trim_end());
    }
    let estimates = ContextEstimates::new(&file.plan, &file.root());
    let sizes = assignments.prompt_sizes(file);
    if output.json {
        let whole = PlanJson::new(
            file,
            |task| estimates.percent(task),
            |task| assignments.assigned_to(task),
            sizes.as_ref(),
        );
        let mut document = serde_json::to_value(&whole).unwrap_or_default();
        if let Some(only) = only {
            keep_task(&mut document, only);
        }
        output.document(&document);
    } else if let Some(at) = only.and_then(|only| file.plan.index_of(only)) {
        let task = file.plan.task(at);
        let mut text =
            format!("{}: 1 of {}\n\n", safe(&file.plan.name), count(file.plan.len(), "task"));
        let who = describe(&assignments.assigned_to(task));
        match file.blocked.get(task.id.as_str()) {
            Some(why) => blocked_text(&mut text, task, why),
            None => task_text(&mut text, task, estimates.percent(task), &who),
        }
        output.data(text.trim_end());
    } else {
        output.prose(to_text(file, &estimates, assignments, sizes.as_ref()).trim_end());
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

/// The agent and the model, for the line of a task.
fn describe(assigned: &AssignedAgent) -> String {
    match (&assigned.agent, &assigned.model) {
        (Some(agent), Some(model)) => format!("  {} ({})", safe(agent), safe(model)),
        (Some(agent), None) => format!("  {}", safe(agent)),
        (None, _) => String::new(),
    }
}

fn to_text(
    file: &PlanFile,
    estimates: &ContextEstimates,
    assignments: &TaskAssignments,
    sizes: Option<&PromptSizes>,
) -> String {
    let mut text = String::new();
    let plan = &file.plan;
    let waves = plan.waves();
    let (tasks, in_waves) = (count(plan.len(), "task"), count(waves.len(), "wave"));
    let _ = writeln!(text, "{}: {tasks} in {in_waves}", safe(&plan.name));
    for (number, wave) in waves.iter().enumerate() {
        let _ = writeln!(text, "\nwave {}", number + 1);
        for at in wave {
            let task = plan.task(*at);
            if let Some(why) = file.blocked.get(task.id.as_str()) {
                blocked_text(&mut text, task, why);
                continue;
            }
            task_text(
                &mut text,
                task,
                estimates.percent(task),
                &describe(&assignments.assigned_to(task)),
            );
            if let Some(sizes) = sizes.filter(|_| has_worker(task)) {
                prompt_text(&mut text, sizes, *at);
            }
        }
    }
    let path: Vec<&str> =
        plan.critical_path().iter().map(|at| plan.task(*at).id.as_str()).collect();
    let shown = if path.len() > 20 {
        format!("{} … {}", path[..10].join(" → "), path[path.len() - 10..].join(" → "))
    } else {
        path.join(" → ")
    };
    let _ = writeln!(text, "\ncritical path ({}): {shown}", count(path.len(), "task"));
    let conflicts = plan.conflicts();
    if !conflicts.is_empty() {
        let _ = writeln!(text, "\nnever at the same time, because both may write the same file:");
        for conflict in conflicts.iter().take(20) {
            let _ = writeln!(
                text,
                "  {} and {}: {}",
                conflict.tasks.0,
                conflict.tasks.1,
                safe(&conflict.path)
            );
        }
        if conflicts.len() > 20 {
            let _ = writeln!(text, "  and {} more pairs", conflicts.len() - 20);
        }
    }
    text
}

/// Tasks that ask a person, or are done, need no worker.
fn has_worker(task: &Task) -> bool {
    task.checkpoint.is_none() && task.done_before.is_none()
}

/// From this share of the window on, the size of a prompt is shown, in per cent.
const NOTABLE_PROMPT: u64 = 5;

fn prompt_text(text: &mut String, sizes: &PromptSizes, at: TaskIndex) {
    let fill = sizes.fill(at);
    let (used, window) = (fill.used, fill.window);
    // A small prompt is no news.
    if fill.percent() >= NOTABLE_PROMPT {
        let _ = writeln!(text, "      prompt: {used} tokens, {} % of {window}", fill.percent());
    }
    if let Some(why) = sizes.refused(at) {
        let _ = writeln!(text, "      TOO LARGE: {why}; {}", size::SIZE_HINT);
    }
}

fn needs_text(task: &Task) -> String {
    if task.needs.is_empty() {
        return String::new();
    }
    let ids: Vec<&str> = task.needs.iter().map(TaskId::as_str).collect();
    format!("  (needs {})", ids.join(", "))
}

fn blocked_text(text: &mut String, task: &Task, why: &str) {
    let (title, needs, why) = (safe(&task.title), needs_text(task), safe(why));
    let _ = writeln!(text, "  {}  {title}{needs}\n      BLOCKED: {why}", task.id);
}

fn task_text(text: &mut String, task: &Task, percent: u64, who: &str) {
    let needs = needs_text(task);
    let title = safe(&task.title);
    // Tasks that ask a person, or are done, need no context.
    if let Some(checkpoint) = &task.checkpoint {
        let first = safe(checkpoint.text.lines().next().unwrap_or_default());
        let _ = writeln!(text, "  {}  {title}{needs}\n      asks a person: {first}", task.id);
        return;
    }
    if let Some(how) = &task.done_before {
        let _ = writeln!(text, "  {}  {title}{needs}\n      already done: {}", task.id, safe(how));
        return;
    }
    let _ = writeln!(text, "  {}  {title}{needs}  ~{percent} % context{who}", task.id);
    let files: Vec<String> = task.patterns().map(|pattern| safe(pattern.as_str())).collect();
    if files.is_empty() {
        let _ = writeln!(text, "      files: any, and so it runs alone");
    } else {
        let _ = writeln!(text, "      files: {}", files.join(", "));
    }
    let checks: Vec<String> = task.all_checks().map(|check| safe(&check.command)).collect();
    match (&task.no_check, checks.is_empty()) {
        (_, false) => drop(writeln!(text, "      checks: {}", checks.join(" · "))),
        (Some(reason), true) => drop(writeln!(text, "      no check: {}", safe(reason))),
        (None, true) => drop(writeln!(text, "      UNCHECKED: no check proves that it is done")),
    }
}
