//! A plan reports all its problems at once (B01 to B12), and its order.

use afresh_core::Plan;
use afresh_core::plan::TaskIndex;
use afresh_core::plan::{PlanDraft, PlanProblem, StepDraft, TaskDraft};
use proptest::prelude::*;

use crate::support::{check, draft_of, file, plan_of};

fn problems(draft: PlanDraft) -> Vec<PlanProblem> {
    Plan::new(draft).expect_err("the plan has problems")
}

/// `code: message (other place) [help]`, a line each.
fn text(draft: PlanDraft) -> String {
    let line = |problem: &PlanProblem| {
        let location = problem.place;
        let at = location.task.map_or("plan".to_owned(), |task| format!("task {}", task + 1));
        let related = problem
            .related
            .and_then(|p| p.task)
            .map_or(String::new(), |t| format!(" (see task {})", t + 1));
        format!("{at} {}: {problem}{related}", problem.kind.code())
    };
    let all = problems(draft);
    assert!(all.iter().all(|problem| problem.hint.is_some()), "each has a remedy: {all:?}");
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// B01, B02, B04, B05, B07, B08, B09, B10: bad paths and ids, duplicate and unknown ids, a cycle, an empty check:
/// one reading reports them all.
#[test]
fn all_problems_of_a_plan_are_reported_at_once() {
    let mut draft = draft_of(
        "A: ../../etc/x /abs .git/hooks/post-commit
         B < A Z: b.txt
         B: c.txt
         ../x: d.txt
         E < F: -rf
         F < E: f.txt",
    );
    draft.tasks[0].files.push(file("new\nline"));
    draft.tasks[1].title = " ".to_owned();
    draft.tasks[2].checks = vec![check("  ")];
    draft.tasks[5].no_check = Some(String::new());
    draft.tasks[5].steps = vec![StepDraft { files: vec![file("a//b")], ..StepDraft::default() }];
    insta::assert_snapshot!(text(draft), @r#"
    task 3 duplicate-id: two tasks have the id "B": number 2 and number 3 of the plan (see task 2)
    task 4 bad-id: the id "../x" holds '/'; only letters, digits, '-', '_' and '.' are allowed
    task 1 bad-path: task "A": the path "../../etc/x" leaves the repository through '..'
    task 1 bad-path: task "A": the path "/abs" is absolute; paths are relative to the repository's root
    task 1 bad-path: task "A": the path ".git/hooks/post-commit" names git's own directory
    task 1 bad-path: task "A": the path "new\nline" holds a control character
    task 2 missing-title: task "B" has no title
    task 2 unknown-dependency: task "B" needs "Z", which is not in the plan
    task 3 bad-check: task "B": check 1 is empty, too long, or holds a NUL
    task 5 bad-path: task "E": the path "-rf" has a component that starts with '-'
    task 6 bad-check: task "F": no_check gives no reason
    task 6 bad-path: task "F": the path "a//b" has an empty or '.' component
    task 5 cycle: 2 tasks need each other in a circle: E → F → E
    "#);
}

/// B07: ids that differ in case only would share a ref on some file systems.
#[test]
fn both_places_of_a_doubled_id_are_named() {
    insta::assert_snapshot!(text(draft_of("T1: a\nX: b\nt1: c\nT1: d")), @r#"
    task 3 duplicate-id: two tasks have the id "t1": number 1 and number 3 of the plan (see task 1)
    task 4 duplicate-id: two tasks have the id "T1": number 3 and number 4 of the plan (see task 3)
    "#);
}

/// B09: the nearest id is offered.
#[test]
fn an_unknown_dependency_is_named_with_the_nearest_id() {
    let all = problems(draft_of("greeter: a\ncli < greter nothing-like-it: b"));
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].hint.as_deref(), Some("did you mean \"greeter\"?"));
    assert_eq!((all[0].place.item, all[1].place.item), (0, 1));
}

/// B10: a cycle is shown as its path: of one task, of two, and all cycles that share no task.
#[test]
fn cycles_are_shown_as_their_paths() {
    insta::assert_snapshot!(text(draft_of("A < A: a")), @r#"task 1 cycle: task "A" needs itself"#);
    insta::assert_snapshot!(text(draft_of("A < B: a\nB < A: b")), @"task 1 cycle: 2 tasks need each other in a circle: A → B → A");
    // S leads to B and C, which form a cycle; S and D form another one.
    insta::assert_snapshot!(text(draft_of("S < B D: s\nB < C: b\nC < B: c\nD < S: d\nE < E: e")), @r#"
    task 2 cycle: 2 tasks need each other in a circle: B → C → B
    task 1 cycle: 2 tasks need each other in a circle: S → D → S
    task 5 cycle: task "E" needs itself
    "#);
}

/// B10.
#[test]
fn a_cycle_of_five_hundred_is_one_problem() {
    let tasks = (0..500).map(|at| TaskDraft {
        id: format!("T{at}"),
        title: "t".to_owned(),
        needs: vec![format!("T{}", (at + 1) % 500)],
        checks: vec![check("true")],
        ..TaskDraft::default()
    });
    let draft = PlanDraft { tasks: tasks.collect(), ..PlanDraft::default() };
    let all = problems(draft);
    assert_eq!(all.len(), 1);
    let message = all[0].to_string();
    assert!(message.starts_with("500 tasks need each other in a circle: T0 → T1 → "), "{message}");
    assert!(message.ends_with(" → T499 → T0"), "{message}");
}

/// B12: an empty plan reports that there is nothing to do.
#[test]
fn an_empty_plan_is_a_problem_of_its_own() {
    insta::assert_snapshot!(text(PlanDraft::default()), @"plan empty-plan: the plan has no tasks: nothing to do");
}

/// PL-12: waves come from dependencies alone; the critical path is the longest chain.
#[test]
fn waves_heights_and_the_critical_path_follow_the_dependencies() {
    let plan = plan_of("A: a\nB < A: b\nC < A: c\nD < C B: d\nE: e\nF < E: f");
    let name = |at: &TaskIndex| plan.task(*at).id.to_string();
    let waves: Vec<Vec<String>> =
        plan.waves().iter().map(|wave| wave.iter().map(name).collect()).collect();
    assert_eq!(waves, [vec!["A", "E"], vec!["B", "C", "F"], vec!["D"]]);
    let heights: Vec<u32> = plan.indices().map(|at| plan.height(at)).collect();
    assert_eq!(heights, [3, 2, 2, 1, 2, 1]);
    let path: Vec<String> = plan.critical_path().iter().map(name).collect();
    assert_eq!(path, ["A", "B", "D"]);
}

fn conflicts(plan: &str) -> Vec<String> {
    let all = plan_of(plan).conflicts();
    all.iter().map(|c| format!("{} {} {}", c.tasks.0, c.tasks.1, c.path)).collect()
}

/// PL-12, EX-01: which tasks may write the same file, by name, glob or directory.
#[test]
fn tasks_that_may_write_one_file_are_conflicts() {
    assert_eq!(conflicts("A: x.txt\nB: x.txt\nC: y.txt"), ["A B x.txt"]);
    assert_eq!(conflicts("A: src/*.py\nB: src/a.py"), ["A B src/a.py"]);
    assert_eq!(conflicts("A: src/\nB: src/deep/a.py"), ["A B src/deep/a.py"]);
    assert_eq!(conflicts("A: src/deep/a.py\nB: src"), ["A B src/deep/a.py"]);
    assert_eq!(conflicts("A: src/**\nB: src/*.py"), ["A B src/**"]);
    assert_eq!(conflicts("A: src/*.py\nB: lib/*.py"), Vec::<String>::new());
    assert_eq!(conflicts("A: src/a\nB: src/ab"), Vec::<String>::new());
}

/// PL-12: tasks that dependencies order, directly or indirectly, cannot conflict.
#[test]
fn ordered_tasks_are_no_conflict() {
    assert_eq!(conflicts("A: x\nB < A: y\nC < B: x"), Vec::<String>::new());
    assert_eq!(conflicts("A: x\nB < A: x\nC < A: x"), ["B C x"]);
}

proptest! {
    /// PL-12: however files are named, exactly the overlapping patterns are found, without comparing all.
    #[test]
    fn conflicts_equal_those_of_comparing_all_pairs(
        files in prop::collection::vec("(a|ab|b|a/b|a/|a/b/|\\*|a\\*|a/\\*|\\*\\*/b|a/\\*\\*/b|\\{a,b\\}|a/\\{b,c\\}/d|a/b/d|a/b\\*/d|é/\\*|é)", 2..8)
    ) {
        let lines: Vec<String> =
            files.iter().enumerate().map(|(at, file)| format!("T{at}: {file}")).collect();
        let plan = plan_of(&lines.join("\n"));
        let found: Vec<_> = plan.conflicts().into_iter().map(|found| found.tasks).collect();
        for (a, b) in (0..files.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let (one, other) = (plan.task(TaskIndex::new(a)), plan.task(TaskIndex::new(b)));
            let meet = one.patterns().any(|p| other.patterns().any(|q| p.overlaps(q)));
            let pair = (one.id.clone(), other.id.clone());
            prop_assert_eq!(found.contains(&pair), meet, "{} {}", files[a], files[b]);
        }
    }
}

/// B21: tasks that nothing would check are known before the run.
#[test]
fn tasks_without_any_check_are_known() {
    let mut draft = draft_of("A: a\nB: b\nC: c");
    draft.tasks[0].checks.clear();
    draft.tasks[1].checks.clear();
    draft.tasks[1].no_check = Some("prose".to_owned());
    let plan = Plan::new(draft).expect("a plan without problems");
    let unchecked: Vec<&str> = plan.unchecked().map(|task| task.id.as_str()).collect();
    assert_eq!(unchecked, ["A"]);
}
