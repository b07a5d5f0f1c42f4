//! Which requirement is proved by what (TR-05).

use afresh_core::Plan;
use afresh_core::check::{CheckOutcome, CheckPhase, CheckResult, FailedTry};
use afresh_core::ids::TaskId;
use afresh_core::input::{BranchMove, CheckReport, RunOpening};
use afresh_core::plan::{
    Requirement, RequirementId, RequirementKind, RequirementLink, RequirementScope,
};
use afresh_core::probe::{CheckClass, ProbedCheck};
use afresh_core::run::settings::{ProbeScope, QuarantinedCheck, Settings};
use afresh_core::status::trace::history::TextHistory;
use afresh_core::status::trace::{RequirementTrace, TraceSources};
use afresh_core::{Input, Run};

use crate::support::{Story, check_result, draft_of, task_id, tree};

/// The plan with requirements, a line each: `R1 < R: A B` is a part of R, and A and B cite it. `R1 deferred:`,
/// `R1 out:` and `R1 whole:` say more, `R1 'text':` gives it another text.
fn traced(plan: &str, requirements: &str) -> Plan {
    let plan = Plan::new(draft_of(plan)).expect("a plan without problems");
    let mut served: Vec<(TaskId, Vec<RequirementId>)> =
        plan.tasks().iter().map(|task| (task.id.clone(), Vec::new())).collect();
    let id = |text: &str| RequirementId::new(text).expect("an id");
    let mut ledger = Vec::new();
    for (line, text) in (1..).zip(requirements.lines()) {
        let (head, tasks) = text.split_once(':').expect("a colon");
        let words: Vec<&str> = head.split_whitespace().collect();
        let one = id(words[0]);
        for task in tasks.split_whitespace() {
            let found = served.iter_mut().find(|(id, _)| id.as_str() == task).expect("a task");
            found.1.push(one.clone());
        }
        let quoted = words.iter().find(|word| word.starts_with('\''));
        let scope = match words.get(1) {
            Some(&"deferred") => RequirementScope::Deferred,
            Some(&"out") => RequirementScope::OutOfScope,
            _ => RequirementScope::Active,
        };
        let is_whole = words.contains(&"whole");
        ledger.push(Requirement {
            id: one,
            kind: RequirementKind::Requirement,
            text: format!("what {} says", words[0]),
            file: "spec.md".to_owned(),
            line,
            digest: quoted.unwrap_or(&"'as it was'").to_string(),
            parent: words.iter().position(|word| *word == "<").map(|at| id(words[at + 1])),
            scope,
            link: if is_whole { RequirementLink::WholePlan } else { RequirementLink::Stated },
            note: None,
        });
    }
    plan.with_requirements(ledger, served)
}

fn started(plan: &Plan) -> Story {
    let settings = Settings { attempts: 1, probe: ProbeScope::All, ..Settings::default() };
    let mut story = Story::unopened(plan.clone(), settings);
    story.open();
    let checks = plan.tasks().iter().flat_map(afresh_core::plan::Task::all_checks);
    let red: Vec<ProbedCheck> =
        checks.map(|check| probed(&check.command, CheckClass::Red)).collect();
    story.probed(&red);
    story
}

fn trace_of(story: &Story, plan: &Plan) -> RequirementTrace {
    let history = TextHistory::from_events(&story.journal);
    RequirementTrace::new(TraceSources { plan, run: Some((&story.run, &history)) })
}

/// `R1 proved: why`, a line each.
fn lines(trace: &RequirementTrace) -> String {
    let line = |one: &afresh_core::status::trace::TracedRequirement| {
        let tasks: Vec<&str> = one.tasks.iter().map(TaskId::as_str).collect();
        format!("{} {} [{}] {}", one.state, one.id, tasks.join(" "), one.reason)
    };
    let mut lines: Vec<String> = trace.requirements.iter().map(line).collect();
    let orphans: Vec<&str> = trace.orphans.iter().map(TaskId::as_str).collect();
    lines.push(format!("orphans [{}]", orphans.join(" ")));
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// TR-05: without a run, a plan says what is covered, and gaps come first.
#[test]
fn a_plan_alone_covers_or_does_not() {
    let plan = traced(
        "A: a\nB: b\nC: c",
        "R1: A\nR2:\nR3 deferred:\nR4 out: A\nR5 < R1:\nR6:\nR7 < R6: B\nR8 < R6:\nR9 whole:",
    );
    let trace = RequirementTrace::new(TraceSources { plan: &plan, run: None });
    insta::assert_snapshot!(lines(&trace), @"
    uncovered R2 [] no task serves it
    uncovered R8 [] no task serves it
    partial R6 [B] its parts: 1 uncovered, 1 covered
    covered R1 [A] A is planned
    covered R5 [A] A is planned
    covered R7 [B] B is planned
    covered R9 [A B C] A is planned; B is planned; C is planned
    deferred R3 []
    out-of-scope R4 [A]
    orphans [C]
    ");
}

/// TR-05: a requirement is proved once all that serves it has landed with a check that proves it.
#[test]
fn work_that_lands_proves_requirements() {
    let plan = traced("A: a\nB: b\nC: c", "R1: A\nR2: A B\nR3: B C\nR4 whole:");
    let mut story = started(&plan);
    story.lands("A.1");
    insta::assert_snapshot!(lines(&trace_of(&story, &plan)), @"
    covered R2 [A B] B is ready
    covered R3 [B C] B is ready; C is ready
    covered R4 [A B C] B is ready; C is ready
    proved R1 [A] its task landed with a check that proves it
    orphans []
    ");
    story.lands("B.1");
    story.dies("C.1");
    insta::assert_snapshot!(lines(&trace_of(&story, &plan)), @"
    partial R3 [B C] C failed:exit: the worker ended with exit code 1
    partial R4 [A B C] C failed:exit: the worker ended with exit code 1
    proved R1 [A] its task landed with a check that proves it
    proved R2 [A B] all 2 tasks landed, each with a check that proves it
    orphans []
    ");
    let trace = trace_of(&story, &plan);
    let proved = trace.requirements.iter().find(|one| one.id.as_str() == "R1").expect("R1");
    let check = &proved.checks[0];
    assert_eq!((check.command.as_str(), check.exit, check.proves), ("test A", Some(0), true));
    let landed = trace.work.iter().find(|task| task.id == task_id("A")).expect("A");
    assert_eq!(check.commit, landed.commit);
    assert_eq!(check.tree.as_ref(), Some(&tree("A.1")));
    assert_eq!(landed.attempt.as_deref(), Some("A.1"));
}

fn probed(command: &str, class: CheckClass) -> ProbedCheck {
    let result = check_result(command, 0);
    ProbedCheck { class, detail: String::new(), cause: None, tree: tree("base"), result }
}

/// One task whose only check was of this class before the work, and ended so after it.
fn after(class: Option<CheckClass>, result: CheckResult) -> String {
    let plan = traced("A: a", "R1: A");
    let probe = if class.is_some() { ProbeScope::All } else { ProbeScope::Nothing };
    let mut settings = Settings { probe, ..Settings::default() };
    if !result.passed() {
        settings.quarantine.push(QuarantinedCheck {
            command: "test A".to_owned(),
            reason: "timing".to_owned(),
            until: "2027-01-31".to_owned(),
        });
    }
    let mut story = Story::unopened(plan.clone(), settings);
    story.open();
    if let Some(class) = class {
        story.probed(&[probed("test A", class)]);
        // Whether it may continue so is asked elsewhere.
        if story.run.questions().next().is_some() {
            story.answer(1, "continue");
        }
    }
    story.spawned("A.1");
    story.ends("A.1");
    story.harvested("A.1", &["a"]);
    story.report("A.1", CheckPhase::Alone, tree("A.1"), CheckOutcome::Ran(vec![result]));
    story.built("A.1");
    story.moved("A.1", BranchMove::Done);
    let trace = trace_of(&story, &plan);
    format!("{}: {}", trace.requirements[0].state, trace.requirements[0].reason)
}

/// TR-05: what passed before the work, executed nothing, was not measured, is flaky or was excused proves nothing.
#[test]
fn checks_that_say_nothing_prove_nothing() {
    let passed = || check_result("test A", 0);
    let flaky = CheckResult {
        failed_tries: vec![FailedTry {
            end: check_result("test A", 1).end,
            duration_ms: 1,
            output_digest: String::new(),
            output_tail: String::new(),
        }],
        ..passed()
    };
    let excused = check_result("test A", 1);
    let rows = [
        ("unknown", after(None, passed())),
        ("red", after(Some(CheckClass::Red), passed())),
        ("pending", after(Some(CheckClass::Pending), passed())),
        ("unprobed", after(Some(CheckClass::Unprobed), passed())),
        ("vacuous", after(Some(CheckClass::Vacuous), passed())),
        ("empty", after(Some(CheckClass::Empty), passed())),
        ("guard", after(Some(CheckClass::Guard), passed())),
        ("red, flaky", after(Some(CheckClass::Red), flaky)),
        ("red, excused", after(Some(CheckClass::Red), excused)),
    ];
    let rows = rows.map(|(name, verdict)| format!("{name:13}{verdict}"));
    insta::assert_snapshot!(rows.join("\n"), @"
    unknown      partial: nothing proves A: `test A` was not measured before the work
    red          proved: its task landed with a check that proves it
    pending      proved: its task landed with a check that proves it
    unprobed     partial: nothing proves A: `test A` was not measured before the work
    vacuous      partial: nothing proves A: `test A` passed before the work
    empty        partial: nothing proves A: `test A` executed no test before the work
    guard        partial: nothing proves A: `test A` passes before and after the work
    red, flaky   partial: nothing proves A: `test A` is flaky
    red, excused partial: nothing proves A: `test A` failed, which was excused
    ");
}

/// TR-05: a changed text makes what was done for the old one stale, also after the run took the new one up.
#[test]
fn a_changed_text_is_stale() {
    let old = traced("A: a\nB: b", "R1: A\nR2: B\nR3: A");
    let mut story = started(&old);
    story.lands("A.1");
    let new = traced("A: a\nB: b", "R1 'another':A\nR2 'another': B\nR4: A\nR5: B");
    insta::assert_snapshot!(lines(&trace_of(&story, &new)), @"
    stale R1 [A] its text changed since A was done
    stale R2 [B] its text changed since the run took it up
    stale R4 [A] it was stated after A was done
    stale R3 [A] spec.md no longer states it
    covered R5 [B] B is ready
    orphans []
    ");
    // A new task makes the run take the new plan up.
    let more = traced("A: a\nB: b\nC: c", "R1 'another':A\nR2 'another': C\nR4: A");
    story.open_with(RunOpening { plan: Some(more.clone()), ..RunOpening::default() });
    story.probed(&[probed("test C", CheckClass::Red)]);
    insta::assert_snapshot!(lines(&trace_of(&story, &more)), @"
    stale R1 [A] its text changed since A was done
    stale R4 [A] it was stated after A was done
    covered R2 [C] C is ready
    orphans [B]
    ");
    story.lands("C.1");
    insta::assert_snapshot!(lines(&trace_of(&story, &more)), @"
    stale R1 [A] its text changed since A was done
    stale R4 [A] it was stated after A was done
    proved R2 [C] its task landed with a check that proves it
    orphans [B]
    ");
}

/// TR-05: a task that says something else now is not the one that was done.
#[test]
fn a_changed_task_is_stale() {
    let plan = traced("A: a\nB: b", "R1: A\nR2: B");
    let mut story = started(&plan);
    story.lands("A.1");
    let other = traced("A: a x\nB: b x", "R1: A\nR2: B");
    insta::assert_snapshot!(lines(&trace_of(&story, &other)), @"
    stale R1 [A] A changed in the plan since it was finished
    covered R2 [B] B is ready
    orphans []
    ");
}

/// TR-05: a rewind takes the proof back.
#[test]
fn a_rewound_task_proves_nothing() {
    let plan = traced("A: a\nB: b", "R1: A\nR2: B");
    let mut story = started(&plan);
    story.lands("A.1");
    story.lands("B.1");
    assert!(lines(&trace_of(&story, &plan)).starts_with("proved R1"));
    let mut events = story.journal.clone();
    events.push(afresh_core::Event::RewindWanted { wave: 1 });
    let (from, to) = (story.run.tip().clone(), story.run.base().clone());
    events.push(afresh_core::Event::RewindIntended { from, to: to.clone() });
    events.push(afresh_core::Event::Rewound { to });
    let run = Run::replay(&events).expect("legal").expect("a run");
    let story = Story { run, journal: events, ..story };
    insta::assert_snapshot!(lines(&trace_of(&story, &plan)), @"
    covered R1 [A] A is ready
    covered R2 [B] B is ready
    orphans []
    ");
}

/// TR-05, FO-10: the plan's word is no proof, and a failing final check refutes it.
#[test]
fn a_mark_in_the_plan_is_no_proof() {
    let mut draft = draft_of("A: a\nB: b");
    draft.tasks[0].done_before = Some("marked by hand".to_owned());
    let with = traced("A: a\nB: b", "R1: A\nR2: A B");
    let served: Vec<_> =
        with.tasks().iter().map(|task| (task.id.clone(), task.requirements.clone())).collect();
    let plan =
        Plan::new(draft).expect("a plan").with_requirements(with.requirements().to_vec(), served);
    let mut story = started(&plan);
    story.lands("B.1");
    insta::assert_snapshot!(lines(&trace_of(&story, &plan)), @"
    partial R1 [A] A is done by word alone: marked by hand
    partial R2 [A B] A is done by word alone: marked by hand
    orphans []
    ");
    story.feed(&Input::Checked(CheckReport {
        batch: None,
        attempt: None,
        phase: CheckPhase::Final,
        tree: tree("B.1"),
        checked: CheckOutcome::Ran(vec![check_result("test A", 1)]),
    }));
    insta::assert_snapshot!(lines(&trace_of(&story, &plan)), @"
    partial R1 [A] A is marked done in the plan, but its check fails: `test A` ended with exit code 1
    partial R2 [A B] A is marked done in the plan, but its check fails: `test A` ended with exit code 1
    orphans []
    ");
}

/// TR-05: both directions.
#[test]
fn a_trace_is_cut_to_a_requirement_or_a_task() {
    let plan = traced("A: a\nB: b\nC: c", "R1: A\nR1.1 < R1: B\nR2: A\nR3 whole:");
    let whole = RequirementTrace::new(TraceSources { plan: &plan, run: None });
    let ids = |trace: &RequirementTrace| {
        let ids: Vec<String> = trace.requirements.iter().map(|one| one.id.to_string()).collect();
        ids.join(" ")
    };
    let mut one = whole.clone();
    assert!(one.keep_requirement("r1"));
    assert_eq!(ids(&one), "R1 R1.1");
    assert_eq!(one.work.len(), 2);
    assert!(!whole.clone().keep_requirement("R9"));
    let mut task = whole.clone();
    task.keep_task(&task_id("B"));
    assert_eq!(ids(&task), "R1 R1.1 R3");
    assert_eq!(whole.orphans, [task_id("C")]);
}

/// TR-05: requirements that are parts of each other end.
#[test]
fn a_circle_of_parts_ends() {
    let plan = traced("A: a", "R1 < R2:\nR2 < R1:\nR3 < R3: A\nR4 < R9: A");
    let trace = RequirementTrace::new(TraceSources { plan: &plan, run: None });
    insta::assert_snapshot!(lines(&trace), @"
    uncovered R1 [] no task serves it
    uncovered R2 [] no task serves it
    covered R3 [A] A is planned
    covered R4 [A] A is planned
    orphans []
    ");
}
