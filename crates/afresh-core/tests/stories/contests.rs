//! Several agents compete for one task (BE-08).

use afresh_core::check::CheckPhase;
use afresh_core::input::RunOpening;
use afresh_core::outcome::Outcome;
use afresh_core::plan::Plan;
use afresh_core::process::ProcessEnd;
use afresh_core::run::settings::{Settings, TimeoutAction};
use afresh_core::usage::{Budget, Usage};
use afresh_core::{Input, input::BranchMove};

use crate::support::{Story, attempt_id, commit, draft_of, task_id, tokens_used};

/// A story whose agents need nothing but tokens.
fn cheapest() -> Story {
    Story::of_plan("A ? cheapest one two: a")
}

impl Story {
    fn costs(&mut self, attempt: &str, cost_micros: u64) {
        let usage = Usage { cost_micros: Some(cost_micros), ..tokens_used(10) };
        self.feed(&Input::UsageSeen(attempt_id(attempt), usage));
    }

    /// Its check fails.
    fn fails_check(&mut self, attempt: &str) -> crate::support::StoryStep {
        self.spawned(attempt);
        self.ends(attempt);
        self.harvested(attempt, &["a"]);
        self.checked(attempt, CheckPhase::Alone, 1)
    }
}

/// BE-08: each agent tries from the branch, and the cheaper work lands; what the other did is not lost.
#[test]
fn the_cheaper_work_lands() {
    let mut story = cheapest();
    story.spawned("A.1");
    story.costs("A.1", 500);
    let mut steps = vec![story.passes_alone("A.1").text()];
    story.spawned("A.2");
    story.costs("A.2", 300);
    steps.push(story.passes_alone("A.2").text());
    insta::assert_snapshot!(steps.join("\n"), @r"
    entry A.1
    starting A.2 in 1, 10 reserved
    → start A.2 in 1 from base
    entry A.2
    chosen A.2
    merging A.2 onto base
    → build A.2 onto base
    ");
    story.built("A.2");
    story.moved("A.2", BranchMove::Done);
    assert_eq!(story.states(), "A done");
    let at = story.run.plan().index_of(&task_id("A")).expect("a task");
    assert_eq!(story.run.agent_at_work(at), Some("two"));
    assert_eq!(story.run.usage().cost_micros, Some(800), "both are paid for");
}

/// BE-08: a cost that is not known loses against one that is; without any, tokens decide, and then the order.
#[test]
fn an_unknown_cost_loses() {
    let mut story = cheapest();
    story.spawned("A.1");
    story.uses("A.1", 1);
    story.passes_alone("A.1");
    story.spawned("A.2");
    story.costs("A.2", 9_000_000);
    assert!(story.passes_alone("A.2").text().contains("chosen A.2"));

    let mut story = cheapest();
    story.spawned("A.1");
    story.uses("A.1", 20);
    story.passes_alone("A.1");
    story.spawned("A.2");
    story.uses("A.2", 20);
    assert!(story.passes_alone("A.2").text().contains("chosen A.1"));
}

/// BE-08: work that fails its checks is out, and the other lands although it costs more.
#[test]
fn only_work_that_passes_can_win() {
    let mut story = cheapest();
    let first = story.fails_check("A.1").text();
    assert!(first.contains("starting A.2 in 1 by two"), "{first}");
    let feedback = story.run.state_of(&task_id("A")).and_then(|state| state.last.feedback.clone());
    assert_eq!(feedback, None, "all start alike");
    story.spawned("A.2");
    assert!(story.passes_alone("A.2").text().contains("chosen A.2"));
}

/// BE-08: once each agent has failed, they go on in turns with the failure before them, until the attempts are used up.
#[test]
fn after_a_round_without_work_the_agents_continue_in_turns() {
    let mut story = cheapest();
    story.fails_check("A.1");
    let second = story.fails_check("A.2").text();
    assert!(second.contains("starting A.3 in 1 by one"), "{second}");
    let feedback = story.run.state_of(&task_id("A")).and_then(|state| state.last.feedback.clone());
    assert!(feedback.is_some());
    story.spawned("A.3");
    assert!(story.passes_alone("A.3").text().contains("chosen A.3"));
}

/// BE-08: under `first` no other agent starts once one has passed.
#[test]
fn the_first_work_that_passes_lands() {
    let mut story = Story::of_plan("A ? first one two: a");
    let first = story.fails_check("A.1").text();
    assert!(first.contains("starting A.2 in 1 by two"), "{first}");
    story.lands("A.2");
    assert_eq!(story.states(), "A done");
    let at = story.run.plan().index_of(&task_id("A")).expect("a task");
    assert_eq!(story.run.agent_at_work(at), Some("two"));
}

/// BE-08: every agent is tried, even if fewer attempts are allowed, and a time limit asks nobody before that.
#[test]
fn every_agent_is_tried_before_the_task_fails() {
    let settings =
        Settings { attempts: 1, timeout_action: TimeoutAction::Ask, ..Settings::default() };
    let mut story = Story::with("A ? first one two three: a", settings);
    story.spawned("A.1");
    story.ends_with("A.1", ProcessEnd::TimedOut, Outcome::Silent);
    story.harvested("A.1", &[]);
    assert!(story.fails_check("A.2").text().contains("starting A.3 in 1 by three"));
    story.fails_check("A.3");
    assert_eq!(story.states(), "A failed");
    story.answer(1, "retry");
    let at = story.run.plan().index_of(&task_id("A")).expect("a task");
    assert_eq!(story.run.agent_at_work(at), Some("one"), "a person's retry starts it again");
}

/// BE-08, AG-05: an agent that cannot start gives its turn to the next one.
#[test]
fn an_agent_that_cannot_start_forfeits_its_turn() {
    let mut story = cheapest();
    let text = story.cannot_start("A.1").text();
    assert!(text.contains("turn of A forfeited: too large; split it"), "{text}");
    assert!(text.contains("starting A.2 in 1 by two"), "{text}");
    story.spawned("A.2");
    assert!(story.passes_alone("A.2").text().contains("chosen A.2"));
}

/// BE-08, R14: without budget for another try, the work that there is lands.
#[test]
fn a_task_without_budget_lands_what_it_has() {
    let task_budget = Budget { tokens: Some(100), ..Budget::default() };
    let mut story =
        Story::with("A ? cheapest one two: a", Settings { task_budget, ..Settings::default() });
    story.spawned("A.1");
    story.uses("A.1", 99);
    story.passes_alone("A.1");
    story.uses("A.2", 5);
    story.ends_with("A.2", ProcessEnd::Exited(143), Outcome::Silent);
    let text = story.harvested("A.2", &[]).text();
    assert!(text.contains("chosen A.1"), "{text}");
}

/// BE-08, R14: when the run's budget is used up, the work that there is lands, and nothing else starts.
#[test]
fn a_run_without_budget_lands_what_it_has() {
    let budget = Budget { tokens: Some(100), ..Budget::default() };
    let mut story =
        Story::with("A ? cheapest one two: a", Settings { budget, ..Settings::default() });
    story.spawned("A.1");
    story.uses("A.1", 100);
    let text = story.passes_alone("A.1").text();
    assert!(text.contains("chosen A.1\nmerging A.1 onto base"), "{text}");
    assert!(!text.contains("starting"), "{text}");
}

/// BE-08: work that collides with what landed meanwhile is done again by the agent that had won.
#[test]
fn the_winner_continues_after_a_conflict() {
    let mut story = Story::of_plan("A ? cheapest one two: a\nB: b");
    story.passes_alone("A.1");
    story.lands("B.1");
    story.spawned("A.2");
    story.passes_alone("A.2");
    let text = story.collides("A.1", "a").text();
    assert!(text.contains("starting A.3 in 1 by one"), "{text}");
    story.lands("A.3");
    assert_eq!(story.states(), "A done, B done");
}

/// BE-08, ST-02: a kill in the middle of a turn does not end it.
#[test]
fn an_orphan_keeps_its_turn() {
    let mut story = cheapest();
    story.spawned("A.1");
    story.passes_alone("A.1");
    story.spawned("A.2");
    let text = story.open_with(RunOpening::default()).text();
    story.ends_with("A.2", ProcessEnd::SupervisorLost, Outcome::Silent);
    let text = format!("{text}\n{}", story.harvested("A.2", &[]).text());
    assert!(text.contains("by two"), "{text}");
    assert!(!text.contains("chosen"), "{text}");
}

/// BE-08: a rewind to before the start of an entry takes the entry back as well.
#[test]
fn a_rewind_forgets_entries_that_build_on_what_is_gone() {
    let mut story = Story::of_plan("A: a\nB ? cheapest one two < A: b");
    story.lands("A.1");
    story.spawned("B.1");
    story.passes_alone("B.1");
    let mut journal = story.journal.clone();
    journal.push(afresh_core::Event::Rewound { to: commit("base") });
    let replayed = afresh_core::Run::replay(&journal).expect("legal").expect("a run");
    let contest = replayed.state_of(&task_id("B")).map(|state| state.contest.clone());
    assert_eq!(contest, Some(afresh_core::run::ContestState::default()));
}

/// BE-08: a plan names either one agent or several.
#[test]
fn a_plan_that_names_agents_twice_is_refused() {
    let mut draft = draft_of("A ? cheapest one two: a");
    draft.tasks[0].agent = Some("one".to_owned());
    let problems = Plan::new(draft.clone()).expect_err("a problem");
    assert_eq!(problems[0].kind.code(), "bad-agents");
    draft.tasks[0].agent = None;
    draft.tasks[0].attempts_by.clear();
    let problems = Plan::new(draft).expect_err("`land` without agents");
    assert_eq!(problems[0].kind.code(), "bad-agents");
}
