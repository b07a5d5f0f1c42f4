//! What people do to a run: halt it, skip, retry and comment on tasks, edit the plan and the settings between two starts.

use afresh_core::Run;
use afresh_core::ids::TaskId;
use afresh_core::input::{ResumeMode, RunOpening};
use afresh_core::plan::{CheckDraft, Plan, PlanDraft, TaskDraft};
use afresh_core::run::RewindTarget;
use afresh_core::run::settings::{Schedule, Settings};
use afresh_engine::driver::control::ControlCommand;

use super::by_hand::PeopleByHand;
use super::random::SeededRandom;
use super::scenario::{Scenario, draw_draft, draw_on_decision, draw_on_failure};

/// A command that a person enters while the run is driven, if any.
pub(super) fn command(
    random: &mut SeededRandom,
    scenario: &Scenario,
    run: &Run,
) -> Option<ControlCommand> {
    if random.chance(scenario.halt) {
        return Some(halt(random, run));
    }
    // The halt is cleared while attempts are still ending.
    if run.halt().is_some() && random.chance(scenario.halt * 4) {
        return Some(ControlCommand::ClearHalt { run: run.id().clone() });
    }
    if !random.chance(scenario.command) {
        return None;
    }
    let task = random.pick(run.plan().tasks()).id.clone();
    if random.chance(150) {
        return Some(rewind(random, run, task));
    }
    let run = run.id().clone();
    if random.chance(300) {
        let (text, by) = ("mind the old format".to_owned(), "person".to_owned());
        return Some(ControlCommand::Comment { run, task, text, by, on: None });
    }
    Some(if random.chance(400) {
        ControlCommand::Skip { run, task, reason: "not today".to_owned() }
    } else {
        ControlCommand::Retry { run, task }
    })
}

/// `afresh rewind`, often to where nothing can go back.
fn rewind(random: &mut SeededRandom, run: &Run, task: TaskId) -> ControlCommand {
    let target = match random.below(3) {
        0 => RewindTarget::Task(task),
        1 => RewindTarget::Wave(u32::try_from(1 + random.below(3)).expect("small")),
        _ => RewindTarget::Commit(run.landed_commits().next().unwrap_or(run.base()).clone()),
    };
    ControlCommand::Rewind { run: run.id().clone(), target, by: "person".to_owned() }
}

/// `afresh halt`, once or twice.
pub(super) fn halt(random: &mut SeededRandom, run: &Run) -> ControlCommand {
    let now = random.chance(300);
    let (reason, by) = ("tea".to_owned(), "person".to_owned());
    ControlCommand::Halt { run: run.id().clone(), now, reason, by }
}

/// How the next driver opens the run.
pub(super) fn opening(
    random: &mut SeededRandom,
    hands: &mut PeopleByHand,
    scenario: &Scenario,
    run: &Run,
) -> RunOpening {
    let plan = random.chance(scenario.edit).then(|| edited_plan(random, run.plan()));
    let settings = random.chance(scenario.edit).then(|| edited_settings(random, run.settings()));
    let resume = random.chance(scenario.command * 5).then(|| {
        *random.pick(&[ResumeMode::Failed, ResumeMode::Wave, ResumeMode::Wave, ResumeMode::Abort])
    });
    let clear_halt = random.chance(500);
    let dispatch = hands.draw_dispatch();
    RunOpening { plan, settings, forecast: None, clear_halt, resume, dispatch }
}

/// Rewords some tasks, removes one, and adds one or restores a removed one.
fn edited_plan(random: &mut SeededRandom, plan: &Plan) -> Plan {
    let mut tasks: Vec<TaskDraft> = plan.tasks().iter().map(TaskDraft::from).collect();
    for task in &mut tasks {
        if random.chance(100) {
            task.instructions.push('!');
        }
        if random.chance(50) {
            let command = format!("check {} once more", task.id);
            task.checks.push(CheckDraft { command, ..CheckDraft::default() });
        }
    }
    if tasks.len() > 1 && random.chance(400) {
        let removed = tasks.remove(random.index(tasks.len())).id;
        for task in &mut tasks {
            task.needs.retain(|need| *need != removed);
        }
    }
    if random.chance(400) {
        let count = 1 + random.below(14);
        let known = |id: &String| tasks.iter().any(|task| task.id == *id);
        let new = draw_draft(random, count).tasks.into_iter().find(|task| !known(&task.id));
        // It has no dependencies: its former ones may depend on it by now.
        tasks.extend(new.map(|task| TaskDraft { needs: vec![], ..task }));
    }
    let draft = PlanDraft { name: plan.name.clone(), spec: None, tasks };
    Plan::new(draft).expect("an edited plan has no problems")
}

fn edited_settings(random: &mut SeededRandom, settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.parallel = u16::try_from(1 + random.below(5)).expect("small");
    settings.schedule = *random.pick(&[Schedule::Eager, Schedule::Waves]);
    settings.on_decision = draw_on_decision(random);
    settings.on_failure = draw_on_failure(random);
    let more = random.below(10_000);
    settings.budget.cost_micros = settings.budget.cost_micros.map(|limit| limit + more);
    settings.budget.tokens = settings.budget.tokens.map(|limit| limit + more);
    if random.chance(300) {
        settings.always = vec![format!("always {}", random.below(3))];
    }
    settings
}
