//! Several merges are built, checked and landed together (IN-01 to IN-04, R4).

use afresh_core::check::{CheckOutcome, CheckPhase};
use afresh_core::input::BranchMove;
use afresh_core::run::RewindTarget;
use afresh_core::run::settings::{BatchLimit, FilterRule, MergePolicy, Settings};
use insta::assert_snapshot;

use crate::support::{Story, StoryStep, check_result, commit, task_id, tree};

fn settings(slots: u16, always: &[&str]) -> Settings {
    let merge = MergePolicy { batch: BatchLimit::Auto, filter: FilterRule::Adaptive, slots };
    let always = always.iter().map(|command| (*command).to_owned()).collect();
    Settings { merge, parallel: 8, always, ..Settings::default() }
}

/// A run whose first task is being checked on the tree that would land, while the others wait.
fn queue_behind_first(settings: Settings, plan: &str, others: &[&str]) -> Story {
    let mut story = Story::with(plan, settings);
    story.is_handed_in("A.1");
    story.wait(1);
    story.built("A.1");
    for attempt in others {
        story.is_handed_in(attempt);
    }
    story
}

fn lands_first(story: &mut Story) -> StoryStep {
    story.first_merge_ends(0);
    story.moved("A.1", BranchMove::Done)
}

/// IN-01: nothing is checked twice: the checks run once, on the tree that lands.
#[test]
fn work_is_checked_once_on_the_tree_that_lands() {
    let mut story = Story::with("A: a", settings(1, &["lint"]));
    let mut steps = vec![story.is_handed_in("A.1").text()];
    steps.push(story.built("A.1").text());
    steps.push(story.first_merge_ends(0).text());
    assert_snapshot!(steps.join("\n"), @"
    harvested A.1: 1 changes
    accepted A.1
    checks deferred A.1
    merging A.1 onto base
    → build A.1 onto base
    merge built A.1
    → check Merged tree A.1: test A | lint
    batch 1 passed test A, lint
    intends to land A.1 after test A, lint
    → move A.1 from base to mA.1
    ");
}

/// IN-02, R4: what finished meanwhile is one batch: one round of checks, one move of the branch over all of it. The
/// receipt of a commit inside names the commit whose tree was checked for it.
#[test]
fn what_finished_meanwhile_lands_together() {
    let mut story = queue_behind_first(settings(1, &["lint"]), "A: a\nB: b\nC: c", &["B.1", "C.1"]);
    let mut steps = vec![lands_first(&mut story).text()];
    steps.push(story.batch_built(&["B.1", "C.1"]).text());
    steps.push(story.batch_checked("C.1", &[]).text());
    steps.push(story.moved("C.1", BranchMove::Done).text());
    assert_snapshot!(steps.join("\n"), @"
    merged A.1
    merging B.1 C.1 onto mA.1
    → build B.1 C.1 onto mA.1
    merge built B.1
    merge built C.1
    → check Merged tree mC.1: test B | test C | lint
    batch 2 passed test B, test C, lint
    intends to land B.1 after test B, lint
    intends to land C.1 after test C, lint
    → move B.1 C.1 from mA.1 to mC.1
    merged B.1
    merged C.1
    final checks
    → check Final tree mC.1: test A | test B | test C | lint
    ");
    let receipt = |task: usize| story.status().tasks[task].receipt.clone().expect("a receipt");
    assert_eq!(receipt(0).covered_by, None);
    assert_eq!(receipt(1).covered_by, Some(commit("mC.1")));
    assert_eq!(receipt(1).tree, receipt(2).tree);
    assert_eq!(receipt(2).covered_by, None);
}

/// IN-02: with `batch = 1` every commit is checked by itself.
#[test]
fn a_batch_of_one_covers_itself() {
    let merge = MergePolicy { batch: BatchLimit::AtMost(1), ..settings(1, &[]).merge };
    let alone = Settings { merge, ..settings(1, &["lint"]) };
    let mut story = queue_behind_first(alone, "A: a\nB: b\nC: c", &["B.1", "C.1"]);
    assert_eq!(
        lands_first(&mut story).lines(),
        ["merged A.1", "merging B.1 onto mA.1", "→ build B.1 onto mA.1"]
    );
}

/// IN-03: a failed check that belongs to one member points to it; the others land first, and the suspect is judged
/// beside them. What failed runs on its own tree, to see whose fault it is.
#[test]
fn a_member_whose_own_check_fails_is_tried_alone() {
    let plan = "A: a\nB: b\nC: c\nD: d";
    let mut story = queue_behind_first(settings(1, &["lint"]), plan, &["B.1", "C.1", "D.1"]);
    lands_first(&mut story);
    story.batch_built(&["B.1", "C.1", "D.1"]);
    let mut steps = vec![story.batch_checked("D.1", &["test C"]).text()];
    story.batch_built(&["B.1", "D.1"]);
    story.batch_checked("D.1", &[]);
    steps.push(story.moved("D.1", BranchMove::Done).text());
    story.batch_built(&["C.1"]);
    steps.push(story.batch_checked("C.1", &["test C"]).text());
    let mut own_fault = story.clone();
    steps.push(story.checked("C.1", CheckPhase::Alone, 0).text());
    assert_snapshot!(steps.join("\n"), @"
    batch 2 failed test C
    postponed B.1 D.1: other work of its batch may be what fails
    postponed C.1, alone: it may be what fails; it is tried alone
    merging B.1 D.1 onto mA.1
    → drop batch 2
    → build B.1 D.1 onto mA.1
    merged B.1
    merged D.1
    merging C.1 onto mD.1
    → build C.1 onto mD.1
    batch 4 failed test C
    failed merged C.1: test C, lint
    → check Alone tree C.1: test C
    rejected C.1 (does not count): passes alone but not with work that landed meanwhile (A, B, D): `test C` ended with exit code 1
    starting C.2 in 1
    → start C.2 in 1 from mD.1
    ");
    let rejected = own_fault.checked("C.1", CheckPhase::Alone, 1).text();
    assert!(rejected.starts_with("rejected C.1 (counts)"), "{rejected}");
}

/// IN-03: a check of every merge points to nobody: it runs on prefixes until one member is left.
#[test]
fn the_culprit_is_found_by_prefixes() {
    let plan = "A: a\nB: b\nC: c\nD: d\nE: e";
    let mut story = queue_behind_first(settings(1, &["lint"]), plan, &["B.1", "C.1", "D.1", "E.1"]);
    lands_first(&mut story);
    story.batch_built(&["B.1", "C.1", "D.1", "E.1"]);
    let mut steps = vec![story.batch_checked("E.1", &["lint"]).text()];
    steps.push(story.batch_checked("C.1", &[]).text());
    steps.push(story.batch_checked("D.1", &["lint"]).text());
    assert_snapshot!(steps.join("\n"), @"
    batch 2 failed lint
    batch 2: checking prefixes [2]
    → check Merged tree mC.1: lint
    batch 2: prefix 2 passes
    batch 2: checking prefixes [3]
    → check Merged tree mD.1: lint
    batch 2: prefix 3 fails
    postponed B.1 C.1 E.1: other work of its batch may be what fails
    postponed D.1, alone: it may be what fails; it is tried alone
    merging B.1 C.1 E.1 onto mA.1
    → drop batch 2
    → build B.1 C.1 E.1 onto mA.1
    ");
}

/// IN-04: work that cannot be merged with what has not landed is tried again once that has landed, or not.
#[test]
fn a_conflict_with_work_ahead_counts_only_once_it_has_landed() {
    let plan = "A: a\nB: b\nC: c";
    let mut story = queue_behind_first(settings(1, &["lint"]), plan, &["B.1", "C.1"]);
    lands_first(&mut story);
    let steps = [story.batch_built_but(&["B.1"], "C.1").text()];
    assert_snapshot!(steps[0], @"
    merge built B.1
    postponed C.1, alone: it cannot be merged with work ahead of it, which may not land
    → check Merged tree mB.1: test B | lint
    ");
    story.batch_checked("B.1", &[]);
    let landed = story.moved("B.1", BranchMove::Done).lines();
    assert_eq!(landed, ["merged B.1", "merging C.1 onto mB.1", "→ build C.1 onto mB.1"]);
    let rejected = story.collides("C.1", "shared").text();
    assert!(rejected.starts_with("rejected C.1 (does not count): conflicts"), "{rejected}");
}

/// R4, BE-10: the branch goes back to commits whose own trees were checked; one inside of a batch is refused, with its
/// neighbours, and a task inside takes the batch before it along.
#[test]
fn the_branch_never_goes_back_into_a_batch() {
    let mut story = queue_behind_first(settings(1, &[]), "A: a\nB: b\nC: c", &["B.1", "C.1"]);
    lands_first(&mut story);
    story.batch_built(&["B.1", "C.1"]);
    story.batch_checked("C.1", &[]);
    story.moved("C.1", BranchMove::Done);
    let to = |target| story.run.plan_rewind(&target);
    let refused = to(RewindTarget::Commit(commit("mB.1"))).expect_err("inside");
    assert!(refused.contains("inside of a batch"), "{refused}");
    let path = to(RewindTarget::Task(task_id("C"))).expect("possible");
    assert_eq!((path.to, path.undone), (commit("mA.1"), vec![task_id("B"), task_id("C")]));
}

/// IN-04: with a free slot, the next batch is built on the one that is being checked. It lands after it, and falls with
/// it: what it showed on top of failed work is not used.
#[test]
fn the_next_batch_is_built_on_the_one_before() {
    let mut story = queue_behind_first(settings(2, &[]), "A: a\nB: b", &["B.1"]);
    let mut steps = vec![story.batch_built(&["B.1"]).text()];
    steps.push(story.batch_checked("B.1", &[]).text());
    let mut failing = story.clone();
    steps.push(story.first_merge_ends(0).text());
    steps.push(story.moved("A.1", BranchMove::Done).text());
    assert_snapshot!(steps.join("\n"), @"
    merge built B.1
    → check Merged tree mB.1: test B
    batch 2 passed test B
    batch 1 passed test A, lint
    intends to land A.1 after test A
    → move A.1 from base to mA.1
    merged A.1
    intends to land B.1 after test B
    → move B.1 from mA.1 to mB.1
    ");
    let lines = failing.first_merge_ends(1).lines();
    assert_eq!(
        lines[..2],
        ["batch 1 failed test A, lint", "postponed B.1: what it was built on did not pass"]
    );
    assert!(lines.contains(&"→ build B.1 onto base".to_owned()), "{lines:?}");
}

/// R12: the next driver makes batches again; nobody has lost an attempt by that.
#[test]
fn a_restart_makes_batches_again() {
    let mut story = queue_behind_first(settings(1, &[]), "A: a\nB: b\nC: c", &["B.1", "C.1"]);
    lands_first(&mut story);
    story.batch_built(&["B.1", "C.1"]);
    assert_snapshot!(story.open().text(), @"
    opened 2
    postponed B.1 C.1: afresh was started again
    merging B.1 C.1 onto mA.1
    → drop batch 2
    → build B.1 C.1 onto mA.1
    ");
    let attempts = |task: &str| story.run.state_of(&task_id(task)).expect("a task").retries.counted;
    assert_eq!((attempts("B"), attempts("C")), (0, 0));
}

/// IN-01: while many candidates fail, each is checked on its own tree before it is merged.
#[test]
fn bad_work_is_filtered_before_it_is_merged() {
    let tasks = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"];
    let plan = tasks.map(|task| format!("{task}: {task}")).join("\n");
    let mut story = Story::with(&plan, Settings { parallel: 12, ..settings(1, &[]) });
    let mut unfiltered = 0;
    for task in tasks {
        let attempt = format!("{task}.1");
        if story.is_handed_in(&attempt).text().contains("→ check Alone") {
            assert!(unfiltered > 2, "one failure is no rate");
            return;
        }
        unfiltered += 1;
        story.wait(1);
        story.built(&attempt);
        let failed = vec![check_result(&format!("test {task}"), 1)];
        let failed = CheckOutcome::Ran(failed);
        story.report(&attempt, CheckPhase::Merged, tree(&attempt), failed);
    }
    panic!("{unfiltered} failures, and nothing is filtered");
}
