//! Budgets: reserved before a spawn, stopped within one event, counted once (R14).

use afresh_core::estimate::forecast::{RunForecast, TaskForecast};
use afresh_core::input::{AttemptEnd, RunOpening};
use afresh_core::outcome::Outcome;
use afresh_core::process::ProcessEnd;
use afresh_core::run::DriveState;
use afresh_core::run::settings::{OnFailure, Settings};
use afresh_core::usage::{Budget, Usage};
use afresh_core::{Effect, Input, Plan};

use crate::support::{Story, StoryStep, attempt_id, plan_of, task_id, tokens_used};

fn tokens(limit: u64) -> Settings {
    let budget = Budget { tokens: Some(limit), cost_micros: None };
    Settings { parallel: 3, budget, ..Settings::default() }
}

/// The attempts that are stopped.
fn stops(step: &StoryStep) -> Vec<String> {
    let stopped = step.0.effects.iter().filter_map(|effect| match effect {
        Effect::Stop { attempt, .. } => Some(attempt.to_string()),
        _ => None,
    });
    stopped.collect()
}

const FOUR: &str = "A: a\nB: b\nC: c\nD: d";

/// A run in which one worker has reported a small usage, and the others have started.
fn with_known_usage(plan: &str, settings: Settings) -> Story {
    let mut story = Story::with(plan, settings);
    story.uses("A.1", 1);
    story
}

/// R14: until the usage of a worker is known, only one starts; so not all of them can use too much at once.
#[test]
fn the_first_worker_shows_what_one_uses() {
    let mut story = Story::unopened(plan_of(FOUR), tokens(900));
    insta::assert_snapshot!(story.open().text(), @"
    opened 1
    starting A.1 in 1, 300 reserved
    → start A.1 in 1 from base
    ");
    insta::assert_snapshot!(story.uses("A.1", 100).text(), @"
    used A.1 100
    starting B.1 in 2, 100 reserved
    starting C.1 in 3, 100 reserved
    → start B.1 in 2 from base
    → start C.1 in 3 from base
    ");
    let mut dear = Story::with(FOUR, tokens(900));
    assert_eq!(dear.uses("A.1", 500).started(), [""; 0]);
}

/// R14: a worker that ended without a usage report has nothing to report; one that was cut off may have used more.
#[test]
fn workers_without_usage_reports_do_not_block_others_for_long() {
    let mut story = Story::with(FOUR, tokens(900));
    let step = story.ends_with("A.1", ProcessEnd::Stopped, Outcome::Silent);
    assert_eq!(step.started(), ["B.1"]);
    assert_eq!(story.harvested("A.1", &[]).started(), [""; 0]);
    assert_eq!(story.ends("B.1").started(), ["A.2", "C.1"]);
}

/// R14: once usage is measured, the next start must fit beside what the others may still use.
#[test]
fn a_start_that_would_overshoot_waits() {
    let mut story = with_known_usage(FOUR, tokens(900));
    story.uses("A.1", 500);
    story.ends("A.1");
    // 500 are spent and the others may spend 600: a fourth worker would exceed the budget.
    assert_eq!(story.harvested("A.1", &["a"]).started(), Vec::<String>::new());
    assert_eq!(story.ends("B.1").started(), Vec::<String>::new());
    // Alone, it gets what is left.
    assert_eq!(story.ends("C.1").started(), ["D.1"]);
}

/// R14: as soon as the budget is reached, all workers are stopped, and none starts.
#[test]
fn reaching_the_budget_stops_all_spending_in_one_turn() {
    let mut story = with_known_usage(FOUR, tokens(900));
    story.uses("A.1", 400);
    insta::assert_snapshot!(story.uses("B.1", 500).text(), @"
    used B.1 500
    budget reached at 900
    → stop A.1 within 5s
    → stop B.1 within 5s
    → stop C.1 within 5s
    ");
    for attempt in ["A.1", "B.1", "C.1"] {
        story.ends_with(attempt, ProcessEnd::Stopped, Outcome::Silent);
        assert_eq!(story.harvested(attempt, &[]).started(), Vec::<String>::new());
    }
    assert_eq!(story.run.drive_state(story.now), DriveState::BudgetReached);
}

/// R14: a worker that goes on spending after it was asked to stop is killed, whichever budget it has used up.
#[test]
fn one_that_goes_on_spending_is_killed() {
    let mut story = with_known_usage("A: a", tokens(900));
    story.uses("A.1", 900);
    assert_eq!(story.uses("A.1", 950).lines(), ["used A.1 950", "→ stop A.1 within 0ns"]);
    let task_budget = Budget { tokens: Some(100), cost_micros: None };
    let mut story = Story::with("A: a", Settings { task_budget, ..Settings::default() });
    assert_eq!(story.uses("A.1", 100).lines(), ["used A.1 100", "→ stop A.1 within 5s"]);
    assert_eq!(story.uses("A.1", 101).lines(), ["used A.1 101", "→ stop A.1 within 0ns"]);
}

/// R14: work that ends meanwhile is still checked and lands: that costs nothing.
#[test]
fn work_that_was_done_lands_beyond_the_budget() {
    let mut story = with_known_usage("A: a\nB: b", tokens(100));
    story.spawned("A.1");
    let end = AttemptEnd::new(ProcessEnd::Exited(0), Outcome::Silent, tokens_used(100), 1);
    let step = story.feed(&Input::AttemptEnded(attempt_id("A.1"), Box::new(end)));
    assert_eq!(
        step.lines()[1..],
        ["budget reached at 100", "→ stop B.1 within 5s", "→ harvest A.1 in 1"]
    );
    story.harvested("A.1", &["a"]);
    story.checked("A.1", afresh_core::check::CheckPhase::Alone, 0);
    story.built("A.1");
    story.moved("A.1", afresh_core::input::BranchMove::Done);
    assert_eq!(story.states(), "A done, B ready");
}

/// R14: totals that come twice, out of order or late are counted once.
#[test]
fn use_is_counted_once() {
    let mut story = Story::of_plan("A: a");
    for tokens in [10, 30, 20, 30] {
        story.uses("A.1", tokens);
    }
    assert_eq!(story.run.usage().tokens(), 30);
    let priced = Usage { cost_micros: Some(7), ..tokens_used(5) };
    story.feed(&Input::UsageSeen(attempt_id("A.1"), priced));
    assert_eq!((story.run.usage().tokens(), story.run.usage().cost_micros), (30, Some(7)));
    story.lands("A.1");
    story.uses("A.1", 1_000).changes_nothing();
}

/// R14: with a new budget, the next start continues with the rest.
#[test]
fn a_higher_budget_lets_the_run_continue() {
    let mut story = Story::with("A: a", tokens(100));
    story.uses("A.1", 100);
    story.ends_with("A.1", ProcessEnd::Stopped, Outcome::Silent);
    story.harvested("A.1", &[]);
    assert_eq!(story.open().lines(), ["opened 2", "budget reached at 100"]);
    let opening = RunOpening { settings: Some(tokens(500)), ..RunOpening::default() };
    assert_eq!(story.open_with(opening).started(), ["A.2"]);
}

/// R14: what a task used stays counted when the task leaves the plan.
#[test]
fn what_a_task_used_stays_used_when_it_leaves_the_plan() {
    let mut story = Story::with("A: a\nB: b", tokens(1_000));
    story.uses("A.1", 70);
    let without: Plan = plan_of("B: b");
    story.open_with(RunOpening { plan: Some(without), ..RunOpening::default() });
    assert_eq!(story.run.usage().tokens(), 70);
}

/// R14: near the limit only one worker continues, so that only one can exceed it. That is the one with the
/// highest usage, because stopping it would lose the most.
#[test]
fn near_the_limit_one_worker_continues_alone() {
    let mut story = with_known_usage(FOUR, tokens(900));
    story.uses("A.1", 100);
    story.uses("B.1", 120);
    assert_eq!(stops(&story.uses("C.1", 110)), [""; 0], "570 are left for four times 120");
    assert_eq!(stops(&story.uses("A.1", 220)), ["B.1", "C.1"], "450 are left");
    // Until they have ended they may have used more, so no worker starts.
    story.ends_with("C.1", ProcessEnd::Stopped, Outcome::Silent);
    assert_eq!(story.harvested("C.1", &[]).started(), Vec::<String>::new());
    story.uses("B.1", 260);
    story.ends_with("B.1", ProcessEnd::Stopped, Outcome::Silent);
    story.harvested("B.1", &[]);
    // The last worker uses what is left; only its own report exceeds the limit.
    assert_eq!(stops(&story.uses("A.1", 500)), [""; 0]);
    let step = story.uses("A.1", 600);
    assert_eq!(step.lines(), ["used A.1 600", "budget reached at 970", "→ stop A.1 within 5s"]);
}

fn per_task(limit: u64, on_failure: OnFailure) -> Settings {
    let task_budget = Budget { tokens: Some(limit), cost_micros: Some(1_500_000) };
    Settings { task_budget, on_failure, ..Settings::default() }
}

/// R14, LO-03: a task that has used up its own budget ends, with the reason; the others continue.
#[test]
fn a_task_that_used_up_its_budget_fails_alone() {
    let mut story = Story::with("A: a\nB: b", per_task(100, OnFailure::Skip));
    assert_eq!(stops(&story.uses("A.1", 99)), [""; 0]);
    assert_eq!(stops(&story.uses("A.1", 120)), ["A.1"]);
    story.ends_with("A.1", ProcessEnd::Stopped, Outcome::Silent);
    assert_eq!(story.harvested("A.1", &[]).started(), Vec::<String>::new());
    story.lands("B.1");
    assert_eq!(story.states(), "A skipped, B done");
    let failed = "failed:budget: the task used 120 of 100 tokens";
    assert!(story.error_of("A").contains(failed), "{}", story.error_of("A"));
}

/// R14: all attempts of a task share its budget; work that was done in time lands.
#[test]
fn all_attempts_of_a_task_share_its_budget() {
    let mut story = Story::with("A: a", per_task(100, OnFailure::Ask));
    story.uses("A.1", 60);
    story.ends_with("A.1", ProcessEnd::Exited(3), Outcome::Silent);
    story.harvested("A.1", &[]);
    story.wait(2);
    story.uses("A.2", 40);
    // It ended by itself before the stop reached it.
    story.lands("A.2");
    assert_eq!(story.states(), "A done");
}

/// R14: a retried task may use its budget once more; a policy retries once.
#[test]
fn a_retried_task_may_use_as_much_again() {
    let mut story = Story::with("A: a", per_task(100, OnFailure::Retry));
    let mut spends = |attempt: &str| {
        assert_eq!(stops(&story.uses(attempt, 100)), [attempt]);
        story.ends_with(attempt, ProcessEnd::Stopped, Outcome::Silent);
        story.harvested(attempt, &[]);
        story.wait(1).started()
    };
    spends("A.1");
    assert_eq!(spends("A.2"), Vec::<String>::new());
    assert_eq!(story.run.drive_state(story.now), DriveState::Waiting);
    assert_eq!(story.retry("A").started(), ["A.3"]);
    assert_eq!(story.run.usage().tokens(), 200);
}

/// R14: cost counts like tokens.
#[test]
fn a_task_can_be_limited_in_money() {
    let mut story = Story::with("A: a", per_task(1_000, OnFailure::Ask));
    let dear = Usage { cost_micros: Some(1_750_000), ..tokens_used(5) };
    let step = story.feed(&Input::UsageSeen(attempt_id("A.1"), dear));
    assert_eq!(stops(&step), ["A.1"]);
    story.ends_with("A.1", ProcessEnd::Stopped, Outcome::Silent);
    story.harvested("A.1", &[]);
    let error = story.error_of("A");
    assert!(error.contains("the task used $1.75 of $1.50"), "{error}");
}

/// PL-20: the forecast is recorded when a run opens; a later one counts only for tasks that were not tried yet.
#[test]
fn a_forecast_is_kept_for_tasks_that_were_tried() {
    let forecast = |raw: u64, tasks: &[&str]| {
        let task = |id: &&str| TaskForecast {
            task: task_id(id),
            agent: "a".to_owned(),
            raw_tokens: raw,
            window: 1_000,
            expected: None,
        };
        RunForecast { tasks: tasks.iter().map(task).collect(), ..RunForecast::default() }
    };
    let opening = |forecast| RunOpening { forecast: Some(forecast), ..RunOpening::default() };
    let mut story = Story::of_plan("A: a\nB < A: b");
    let opened = story.open_with(opening(forecast(10, &["A", "B"]))).lines();
    assert!(opened.contains(&"2 tasks forecast".to_owned()), "{opened:?}");
    story.open_with(opening(forecast(20, &["A", "B"])));
    let kept = story.run.forecast().expect("a forecast").by_task();
    let raw = |id: &str| kept.get(&task_id(id)).map(|task| task.raw_tokens);
    assert_eq!((raw("A"), raw("B")), (Some(10), Some(20)));
}
