//! Comments of people on tasks (BE-12).

use afresh_core::Input;
use afresh_core::check::{CheckOutcome, CheckPhase};
use afresh_core::comment::MAX_COMMENTS;
use afresh_core::input::{AgentIdentity, BranchMove, CheckReport};
use afresh_core::outcome::Outcome;
use afresh_core::process::ProcessEnd;
use afresh_core::run::RewindTarget;
use insta::assert_snapshot;

use crate::support::{Story, attempt_id, check_result, commit, task_id, tree};

impl Story {
    /// The comments of A, each with the attempts whose workers have it.
    fn readers(&self) -> Vec<(u32, Vec<u32>)> {
        let state = self.run.state_of(&task_id("A")).expect("a task");
        let kept = state.people.comments.iter();
        kept.map(|it| (it.comment.number, it.read_by.iter().copied().collect())).collect()
    }
}

/// BE-12: the worker that is at work is sent the comment, once.
#[test]
fn a_comment_is_sent_to_the_worker_that_is_at_work() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    assert_snapshot!(story.comment("A", " use the old format\n").text(), @"
    comment 1 on A by ann, sent to A.1: use the old format
    → send comment 1 to A.1
    ");
    assert_eq!(story.readers(), [(1, vec![])]);
    assert_snapshot!(story.reads_comment("A.1", 1).text(), @"A.1 read comment 1");
    story.reads_comment("A.1", 1).changes_nothing();
    story.reads_comment("A.1", 2).changes_nothing();
    story.reads_comment("A.7", 1).changes_nothing();
    assert_eq!(story.readers(), [(1, vec![1])]);
}

/// BE-12, PR-07: every fresh worker gets all comments with its prompt, and none a second time.
#[test]
fn every_fresh_worker_gets_all_comments_with_its_prompt() {
    let mut story = Story::of_plan("B: b\nA < B: a");
    assert_snapshot!(story.comment("A", "use the old format").text(), @"comment 1 on A by ann: use the old format");
    story.lands("B.1");
    assert_eq!(story.readers(), [(1, vec![1])], "it is in the prompt of A.1");
    story.spawned("A.1");
    story.comment("A", "and keep the names");
    let step = story.dies("A.1");
    story.wait(60);
    assert_eq!(story.readers(), [(1, vec![1, 2]), (2, vec![2])], "{}", step.text());
    story.reads_comment("A.1", 2).changes_nothing();
}

/// BE-12, R12: a comment that was not read when afresh was killed is in the next prompt; a conversation that continues
/// gets what it does not know, and nothing twice.
#[test]
fn a_conversation_that_continues_gets_only_what_it_does_not_know() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    let identity = AgentIdentity {
        session: Some("s1".to_owned()),
        agent: Some("claude".to_owned()),
        ..AgentIdentity::default()
    };
    story.feed(&Input::Identified(attempt_id("A.1"), identity));
    story.comment("A", "known");
    story.reads_comment("A.1", 1);
    story.comment("A", "not read");
    story.open();
    let step = story.harvested("A.1", &["a"]);
    assert!(step.text().contains("go on with s1 as A.2"), "{}", step.text());
    assert_eq!(story.readers(), [(1, vec![1]), (2, vec![2])]);
}

/// BE-12: a worker that never started has read nothing.
#[test]
fn a_worker_that_never_started_has_no_comment() {
    let mut story = Story::of_plan("A: a");
    story.comment("A", "sent while it starts");
    story.spawn_fails("A.1");
    assert_eq!(story.readers(), [(1, vec![])]);
    story.wait(60);
    assert_eq!(story.readers(), [(1, vec![2])]);
}

/// BE-11, BE-12: nor has one that a hook held back.
#[test]
fn a_worker_that_was_held_back_has_no_comment() {
    let mut story = Story::of_plan("A: a");
    story.comment("A", "sent while its hook runs");
    story.held_back("A.1");
    assert_eq!(story.readers(), [(1, vec![])]);
    story.answer(1, "retry");
    assert_eq!(story.readers(), [(1, vec![2])]);
    story.held_back("A.2");
    assert_eq!(story.readers(), [(1, vec![])]);
    story.answer(2, "skip-hook");
    assert_eq!(story.readers(), [(1, vec![3])]);
}

/// BE-12: after its worker has ended, a comment waits for the next one; a merge that fails makes one.
#[test]
fn a_comment_on_finished_work_waits_for_the_next_worker() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    story.ends("A.1");
    assert_snapshot!(story.comment("A", "too late").text(), @"comment 1 on A by ann: too late");
    story.harvested("A.1", &["a"]);
    story.checked("A.1", CheckPhase::Alone, 1);
    assert_eq!(story.readers(), [(1, vec![2])]);
}

/// BE-12, BE-10: what was said about a task is still there when it is done again.
#[test]
fn comments_stay_when_a_task_is_done_again() {
    let mut story = Story::of_plan("A: a");
    story.lands("A.1");
    story.comment("A", "not like that");
    story.comment("A", "like this");
    let target = RewindTarget::Task(task_id("A"));
    story.feed(&Input::RewindAsked { target, by: "ann".to_owned() });
    let attempt = None;
    let checked = CheckOutcome::Ran(vec![check_result("test A", 0)]);
    let report =
        CheckReport { attempt, batch: None, phase: CheckPhase::Final, tree: tree("A.1"), checked };
    story.feed(&Input::Checked(report));
    story.feed(&Input::MovedBack(commit("base"), BranchMove::Done));
    assert_eq!(story.states(), "A ready");
    assert_eq!(story.readers(), [(1, vec![2]), (2, vec![2])]);
}

/// BE-12, R15: comments are bounded, and a refused one changes nothing.
#[test]
fn comments_are_bounded() {
    let mut story = Story::of_plan("A: a");
    assert_eq!(story.comment("X", "hello").refusal(), "there is no task X");
    assert_eq!(story.comment("A", " \n").refusal(), "a comment needs words");
    let long = story.comment("A", &"x".repeat(4_001));
    assert!(long.refusal().contains("at most 4000 characters, this one has 4001"));
    long.changes_nothing();
    for _ in 0..MAX_COMMENTS {
        assert_eq!(story.comment("A", "again").refusal(), "carried out");
    }
    let one_more = story.comment("A", "again");
    assert!(one_more.refusal().starts_with("A has 50 comments already"));
    one_more.changes_nothing();
}

/// BE-12: a run that was ended has no workers any more.
#[test]
fn a_run_that_was_ended_takes_no_comments() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    story.feed(&Input::AbortAsked { reason: "enough".to_owned(), by: "ann".to_owned() });
    story.ends_with("A.1", ProcessEnd::Stopped, Outcome::Silent);
    story.harvested("A.1", &[]);
    let refused = story.comment("A", "hello");
    assert_eq!(refused.refusal(), "the run has been ended, so no worker would read it");
}
