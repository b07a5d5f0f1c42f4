//! A plan as people read it: `afresh show`.

use std::fmt::Write as _;

use afresh_agents::prompt::size;
use afresh_app::agents::assignment::{AssignedAgent, TaskAssignments};
use afresh_app::plan_source::PlanFile;
use afresh_app::plan_source::estimates::outlook::PlanOutlook;
use afresh_app::plan_source::estimates::prompt_sizes::PromptSizes;
use afresh_app::text::count;
use afresh_core::Plan;
use afresh_core::estimate::forecast::{RunForecast, TaskForecast};
use afresh_core::ids::TaskId;
use afresh_core::plan::{Task, TaskIndex};
use afresh_core::printable::line as safe;
use afresh_core::status::forecast::ForecastStatus;

use crate::plan::forecast_text::{
    describe_figures, describe_forecast, describe_score, describe_shape,
};

/// The tasks that first make the program work from end to end, in order (PL-08).
fn steel_thread(plan: &Plan) -> Vec<TaskIndex> {
    let mut thread: Vec<TaskIndex> =
        plan.indices().filter(|at| plan.task(*at).steel_thread).collect();
    thread.sort_by_key(|at| plan.wave(*at));
    thread
}

/// Tasks in a row; of many, the first and the last ones.
fn chain(ids: &[&str]) -> String {
    if ids.len() > 20 {
        return format!("{} … {}", ids[..10].join(" → "), ids[ids.len() - 10..].join(" → "));
    }
    ids.join(" → ")
}

/// The whole plan: waves, tasks, critical path, conflicts.
pub fn plan_text(file: &PlanFile, outlook: &PlanOutlook, assignments: &TaskAssignments) -> String {
    let mut text = String::new();
    let plan = &file.plan;
    let forecasts = outlook.forecast.as_ref().map(RunForecast::by_task).unwrap_or_default();
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
                outlook.percents[at.position()],
                &describe(&assignments.assigned_to(task)),
            );
            if let Some(sizes) = outlook.sizes.as_ref().filter(|_| task.has_worker()) {
                prompt_text(&mut text, sizes, *at);
            }
            task_forecast_text(&mut text, forecasts.get(&task.id).copied());
        }
    }
    let path: Vec<&str> =
        plan.critical_path().iter().map(|at| plan.task(*at).id.as_str()).collect();
    let _ = writeln!(text, "\ncritical path ({}): {}", count(path.len(), "task"), chain(&path));
    let thread: Vec<&str> =
        steel_thread(plan).iter().map(|at| plan.task(*at).id.as_str()).collect();
    if !thread.is_empty() {
        let _ =
            writeln!(text, "steel thread ({}): {}", count(thread.len(), "task"), chain(&thread));
    }
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
    let _ = writeln!(text, "\nforecast: {}", describe_forecast(outlook.forecast.as_ref()));
    let _ = writeln!(text, "score: {}", describe_score(&outlook.score));
    let _ = writeln!(text, "shape: {}", describe_shape(&outlook.score));
    text
}

/// One task of a plan.
pub fn single_task_text(
    file: &PlanFile,
    at: TaskIndex,
    outlook: &PlanOutlook,
    assignments: &TaskAssignments,
) -> String {
    let task = file.plan.task(at);
    let forecasts = outlook.forecast.as_ref().map(RunForecast::by_task).unwrap_or_default();
    let mut text =
        format!("{}: 1 of {}\n\n", safe(&file.plan.name), count(file.plan.len(), "task"));
    if let Some(why) = file.blocked.get(task.id.as_str()) {
        blocked_text(&mut text, task, why);
    } else {
        let who = describe(&assignments.assigned_to(task));
        task_text(&mut text, task, outlook.percents[at.position()], &who);
        task_forecast_text(&mut text, forecasts.get(&task.id).copied());
    }
    text
}

/// The agent and the model, for the line of a task.
fn describe(assigned: &AssignedAgent) -> String {
    match (&assigned.agent, &assigned.model) {
        (Some(agent), Some(model)) => format!("  {} ({})", safe(agent), safe(model)),
        (Some(agent), None) => format!("  {}", safe(agent)),
        (None, _) => String::new(),
    }
}

/// From this share of the window on, the size of a prompt is shown, in per cent.
pub const NOTABLE_PROMPT: u64 = 5;

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

fn task_forecast_text(text: &mut String, forecast: Option<&TaskForecast>) {
    if let Some(status) = forecast.and_then(ForecastStatus::from_task) {
        let _ = writeln!(text, "      forecast: {}", describe_figures(&status));
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
