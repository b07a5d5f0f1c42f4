//! What a seed plays: a plan, settings, and how likely failures are. All chances are in 1,000.

use std::time::Duration;

use afresh_core::event::Event;
use afresh_core::ids::{CommitId, RunId};
use afresh_core::plan::{
    CheckDraft, ContestRule, FileDraft, Plan, PlanDraft, StepDraft, TaskDraft, TierChoice,
};
use afresh_core::run::settings::{
    BatchLimit, ContextLimits, FilterRule, MergePolicy, OnDecision, OnFailure, OnOrphan, OnRedBase,
    ProbeScope, ReviewPolicy, ReviewWhen, Schedule, Settings, TimeoutAction, VacuousPolicy,
};
use afresh_core::usage::Budget;

use super::random::SeededRandom;

/// How likely an unavailable model fails.
pub(super) const OUTAGE: u64 = 998;

#[derive(Debug, Clone)]
pub struct Scenario {
    pub plan: Plan,
    pub settings: Settings,
    pub crash: u64,
    pub max_crashes: usize,
    pub doubled: u64,
    pub late: u64,
    pub halt: u64,
    /// A person skips or retries a task.
    pub command: u64,
    /// The plan or the settings change before the next start.
    pub edit: u64,
    /// A run that rests is left, and resumed later.
    pub restart: u64,
    pub foreign: u64,
    pub spawn_fails: u64,
    pub dies: u64,
    pub times_out: u64,
    pub asks: u64,
    /// A model fails its worker.
    pub model_fails: u64,
    /// A worker's context grows beyond its limit.
    pub context_fills: u64,
    pub no_change: u64,
    pub strays: u64,
    pub check_fails: u64,
    /// A check of every merge fails before any work.
    pub red_base: u64,
    pub broken_merge: u64,
    /// Checks give the same answer on the same tree.
    pub checks_are_reliable: bool,
    pub conflict: u64,
    pub trouble: u64,
    /// A reviewer wants changes, or fails.
    pub review_rejects: u64,
    pub review_fails: u64,
}

impl Scenario {
    pub fn draw(random: &mut SeededRandom) -> Self {
        let plan = draw_plan(random);
        let settings = draw_settings(random);
        // One scenario in four is without trouble, so that whole runs succeed too.
        let kind = random.chance(250);
        let mut trouble = |most: u64| if kind { 0 } else { random.below(most + 1) };
        Self {
            plan,
            settings,
            doubled: trouble(150),
            late: trouble(500),
            halt: trouble(25),
            command: trouble(30),
            foreign: trouble(4),
            spawn_fails: trouble(80),
            dies: trouble(120),
            times_out: trouble(60),
            asks: trouble(50),
            no_change: trouble(50),
            strays: trouble(80),
            check_fails: trouble(150),
            red_base: trouble(400),
            broken_merge: trouble(150),
            checks_are_reliable: false,
            conflict: trouble(200),
            trouble: trouble(15),
            context_fills: trouble(300),
            review_rejects: trouble(300),
            review_fails: trouble(150),
            model_fails: if kind { 0 } else { draw_model_fails(random) },
            edit: random.below(600),
            restart: random.below(300),
            crash: [0, 5, 20, 80][usize::try_from(random.below(4)).expect("small")],
            max_crashes: 40,
        }
    }

    /// How work is merged. Drawn apart, so that everything else of a seed stays as it is.
    pub(super) fn with_merges(mut self, seed: u64) -> Self {
        let mut random = SeededRandom::new(seed ^ 0x6d65_7267_6573);
        self.settings.merge = draw_merge_policy(&mut random);
        self.checks_are_reliable = random.chance(500);
        self
    }

    /// Whether nothing but crashes can go wrong.
    pub fn is_kind(&self) -> bool {
        [
            self.command,
            self.foreign,
            self.spawn_fails,
            self.dies,
            self.times_out,
            self.asks,
            self.no_change,
            self.strays,
            self.model_fails,
            self.context_fills,
            self.review_rejects,
            self.review_fails,
        ]
        .iter()
        .chain(&[self.check_fails, self.broken_merge, self.conflict, self.trouble, self.red_base])
        .all(|chance| *chance == 0)
            && self.settings.budget == Budget::default()
            && self.settings.task_budget == Budget::default()
            && self.settings.on_orphan == OnOrphan::Retry
            && !self.settings.interactive
    }

    pub(super) fn first_event(&self) -> Event {
        Event::RunStarted {
            run: RunId::new("sim").expect("a plain word is an id"),
            branch: "afresh/sim".to_owned(),
            base: CommitId::new("0".repeat(40)).expect("forty digits are a commit"),
            plan: Box::new(self.plan.clone()),
            settings: Box::new(self.settings.clone()),
        }
    }
}

fn draw_plan(random: &mut SeededRandom) -> Plan {
    let count = 1 + random.below(14);
    Plan::new(draw_draft(random, count)).expect("a drawn plan has no problems")
}

pub(super) fn draw_draft(random: &mut SeededRandom, count: u64) -> PlanDraft {
    let tasks = (0..count).map(|at| {
        let needs = (0..at).filter(|_| random.chance(200)).map(|n| format!("T{n}")).collect();
        // A few shared files, so that tasks conflict.
        let path =
            if random.chance(300) { "shared.txt".to_owned() } else { format!("file-{at}.txt") };
        let files = if random.chance(60) { vec![] } else { vec![FileDraft { path, action: None }] };
        let red_first = random.chance(100);
        let tier = *random.pick(&[
            None,
            None,
            Some(TierChoice::Small),
            Some(TierChoice::Large),
            Some(TierChoice::Auto),
        ]);
        let contestants = draw_contestants(random);
        let is_contest = !contestants.is_empty();
        let agent = (!is_contest && random.chance(300)).then(|| "other".to_owned());
        let land = is_contest.then(|| *random.pick(&[ContestRule::First, ContestRule::Cheapest]));
        TaskDraft {
            id: format!("T{at}"),
            title: format!("task {at}"),
            needs,
            files,
            checks: vec![CheckDraft {
                name: None,
                command: format!("check {at}"),
                red_first,
                guard: false,
            }],
            steps: draw_steps(random, at),
            tier,
            agent,
            attempts_by: contestants,
            land,
            ..TaskDraft::default()
        }
    });
    PlanDraft { name: "simulated".to_owned(), spec: None, tasks: tasks.collect() }
}

/// One task in seven is a contest between two or three agents.
fn draw_contestants(random: &mut SeededRandom) -> Vec<String> {
    let count = if random.chance(140) { 2 + random.index(2) } else { 0 };
    ["other", "third", "other"].iter().take(count).map(|name| (*name).to_owned()).collect()
}

/// One task in three has steps, and one step in two has a check.
fn draw_steps(random: &mut SeededRandom, task: u64) -> Vec<StepDraft> {
    let count = if random.chance(330) { 1 + random.below(3) } else { 0 };
    let step = |number: u64, checked: bool| StepDraft {
        name: format!("step {number}"),
        checks: checked
            .then(|| CheckDraft {
                name: None,
                command: format!("check {task}-{number}"),
                ..CheckDraft::default()
            })
            .into_iter()
            .collect(),
        ..StepDraft::default()
    };
    (1..=count).map(|number| step(number, random.chance(500))).collect()
}

fn draw_settings(random: &mut SeededRandom) -> Settings {
    let budget = Budget {
        cost_micros: random.chance(250).then(|| 300 + random.below(6_000)),
        tokens: random.chance(150).then(|| 300 + random.below(6_000)),
    };
    Settings {
        parallel: u16::try_from(1 + random.below(5)).expect("small"),
        schedule: *random.pick(&[Schedule::Eager, Schedule::Waves]),
        attempts: u32::try_from(1 + random.below(4)).expect("small"),
        backoff: vec![Duration::from_secs(2), Duration::from_secs(5)],
        timeout_action: *random.pick(&[
            TimeoutAction::Ask,
            TimeoutAction::Retry,
            TimeoutAction::Skip,
            TimeoutAction::Fail,
        ]),
        on_orphan: draw_on_orphan(random),
        on_decision: draw_on_decision(random),
        on_failure: draw_on_failure(random),
        task_budget: Budget {
            cost_micros: None,
            tokens: random.chance(150).then(|| 100 + random.below(1_000)),
        },
        probe: *random.pick(&[ProbeScope::Nothing, ProbeScope::Baseline, ProbeScope::All]),
        vacuous: *random.pick(&[VacuousPolicy::Warn, VacuousPolicy::Ask]),
        on_red_base: draw_on_red_base(random),
        always: random.chance(200).then(|| "always".to_owned()).into_iter().collect(),
        interactive: random.chance(50),
        context: *random.pick(&[ContextLimits::default(), ContextLimits { soft: 30, hard: 95 }]),
        budget,
        review: draw_review(random),
        ..Settings::default()
    }
}

/// One run in three lands everything alone, one after the other.
fn draw_merge_policy(random: &mut SeededRandom) -> MergePolicy {
    let batch = match random.below(6) {
        0 | 1 => return MergePolicy::default(),
        2 => BatchLimit::AtMost(u16::try_from(1 + random.below(4)).expect("small")),
        _ => BatchLimit::Auto,
    };
    let filter = *random.pick(&[FilterRule::Adaptive, FilterRule::Adaptive, FilterRule::Always]);
    MergePolicy { batch, filter, slots: u16::try_from(1 + random.below(4)).expect("small") }
}

/// One run in four is reviewed.
fn draw_review(random: &mut SeededRandom) -> ReviewPolicy {
    let when = *random.pick(&[
        ReviewWhen::Never,
        ReviewWhen::Never,
        ReviewWhen::Never,
        ReviewWhen::Always,
        ReviewWhen::Never,
        ReviewWhen::Never,
        ReviewWhen::Never,
        ReviewWhen::Large,
    ]);
    let rounds = u32::try_from(1 + random.below(3)).expect("small");
    ReviewPolicy { when, rounds, large_files: 1, ..ReviewPolicy::default() }
}

/// In a few scenarios no model is available, for the whole run.
fn draw_model_fails(random: &mut SeededRandom) -> u64 {
    if random.chance(10) { OUTAGE } else { random.below(250) }
}

/// Mostly the default: an abort ends the simulation early.
fn draw_on_orphan(random: &mut SeededRandom) -> OnOrphan {
    match random.below(12) {
        0 => OnOrphan::Abort,
        1..=3 => OnOrphan::Skip,
        4 => OnOrphan::Ask,
        _ => OnOrphan::Retry,
    }
}

/// Mostly not the end of the run.
fn draw_on_red_base(random: &mut SeededRandom) -> OnRedBase {
    match random.below(12) {
        0 => OnRedBase::Stop,
        1..=5 => OnRedBase::Ask,
        _ => OnRedBase::Continue,
    }
}

pub(super) fn draw_on_decision(random: &mut SeededRandom) -> OnDecision {
    match random.below(12) {
        0 => OnDecision::Abort,
        1..=4 => OnDecision::First,
        5..=7 => OnDecision::Defer,
        _ => OnDecision::Ask,
    }
}

pub(super) fn draw_on_failure(random: &mut SeededRandom) -> OnFailure {
    match random.below(12) {
        0 => OnFailure::Abort,
        1..=4 => OnFailure::Retry,
        5..=7 => OnFailure::Skip,
        _ => OnFailure::Ask,
    }
}
