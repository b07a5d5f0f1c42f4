//! A new run that starts from an earlier merge of another one (BE-10).

use afresh_core::ids::RunId;
use afresh_core::run::settings::Settings;
use afresh_core::run::{ForkPoint, RewindTarget};
use afresh_core::{Event, Input, Run};

use crate::support::{Story, commit, plan_of, task_id};

/// Where A and B have landed, and C is at work.
fn half_done() -> Story {
    let settings = Settings { parallel: 1, ..Settings::default() };
    let mut story = Story::with("A: a\nB < A: b\nC < B: c", settings);
    story.lands("A.1");
    story.lands("B.1");
    story.spawned("C.1");
    story.comment("C", "mind the gap");
    story
}

impl Story {
    /// The run that forks from this one there, opened by its first driver.
    fn fork(&self, point: &ForkPoint) -> Self {
        let fork = self.run.plan_fork(point).expect("a point of the run");
        let first = Event::RunStarted {
            run: RunId::new("r2").expect("an id"),
            branch: "afresh/r2".to_owned(),
            base: self.run.base().clone(),
            plan: Box::new(self.run.plan().clone()),
            settings: Box::new(self.run.settings().clone()),
        };
        let journal: Vec<Event> = [first].into_iter().chain(fork.events).collect();
        let run = Run::replay(&journal).expect("legal").expect("a run");
        assert_eq!(*run.tip(), fork.at);
        let mut forked = Self { run, journal, now: self.now, replays: true };
        forked.open();
        forked
    }
}

/// BE-10: what landed up to the point is done in the new run, with its proof; the rest is done on top of it, and the
/// old run stays as it is.
#[test]
fn a_fork_takes_over_what_landed_up_to_its_point() {
    let story = half_done();
    let before = story.run.clone();
    let mut forked = story.fork(&ForkPoint::Task(task_id("A")));
    assert!(story.run == before);
    assert_eq!(forked.states(), "A done, B ready, C pending");
    assert_eq!((forked.run.tip(), forked.run.base()), (&commit("mA.1"), &commit("base")));
    let receipt = |story: &Story| story.status().tasks[0].receipt.clone();
    assert!(receipt(&forked).is_some() && receipt(&forked) == receipt(&story));
    assert_eq!(forked.run.forked_from().map(RunId::as_str), Some("r1"));
    forked.lands("B.1");
    forked.lands("C.1");
    assert_eq!(forked.states(), "A done, B done, C done");
    let comments = &forked.run.state_of(&task_id("C")).expect("a task").people.comments;
    assert_eq!((comments.len(), comments[0].read_by.contains(&1)), (1, true));
}

/// BE-10: a fork goes back behind its own start; numbers of attempts continue.
#[test]
fn a_fork_can_be_rewound_behind_its_start() {
    let mut forked = half_done().fork(&ForkPoint::Tip);
    assert_eq!(forked.states(), "A done, B done, C ready");
    let target = RewindTarget::Task(task_id("A"));
    forked.feed(&Input::RewindAsked { target, by: "ann".to_owned() });
    forked.ends("C.1");
    forked.harvested("C.1", &[]);
    let back = forked.feed(&Input::MovedBack(commit("base"), afresh_core::input::BranchMove::Done));
    assert_eq!(back.started(), ["A.2"]);
}

/// BE-10: a point that is not on the branch is refused; a task that the plan changed since is done again.
#[test]
fn a_fork_starts_only_on_the_branch() {
    let mut story = half_done();
    let refused = |story: &Story, point| story.run.plan_fork(&point).expect_err("refused");
    assert_eq!(refused(&story, ForkPoint::Task(task_id("C"))), "C has not been merged");
    assert!(
        refused(&story, ForkPoint::Commit(commit("other"))).ends_with("not on the run's branch")
    );
    let base = story.fork(&ForkPoint::Commit(commit("base")));
    assert_eq!(base.states(), "A ready, B pending, C pending");
    let opening = afresh_core::input::RunOpening {
        plan: Some(plan_of("A: a\nB < A: b other\nC < B: c")),
        ..Default::default()
    };
    story.open_with(opening);
    story.harvested("C.1", &[]);
    let fork = story.run.plan_fork(&ForkPoint::Tip).expect("the tip");
    assert_eq!((fork.done, fork.at), (vec![task_id("A")], commit("mB.1")));
}
