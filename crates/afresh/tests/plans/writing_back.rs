//! Progress in a plan's own files: it is part of what is checked and lands, it belongs to no checkout before that, and
//! it is no change of the plan (FO-07, ST-07, R4, R5).

use crate::support::fixture::{holding, with_files};
use crate::support::repo;
use afresh_testkit::TestRepo;

const TASKS: &str = "specs/001-x/tasks.md";

/// A list of tasks of Spec Kit with odd spacing and line breaks.
fn listed(more: &str) -> TestRepo {
    let text = "# Tasks\r\n\r\n- [ ]  T001 Create T001.txt \r\n- [ ] T002 [P] Create T002.txt\r\n- [ ] T003 [P] Create T003.txt\r\n";
    let repo = repo();
    repo.write(TASKS, text);
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.config(&format!("[checks]\nalways = [\"true\"]\n{more}"));
    repo.commit("base");
    repo
}

fn branch(repo: &TestRepo) -> String {
    repo.status()["branch"].as_str().expect("a branch").to_owned()
}

fn text_on(repo: &TestRepo, commit: &str, path: &str) -> String {
    repo.git(&["show", &format!("{commit}:{path}")])
}

/// FO-07, EX-05, R4, R5: every merge ticks its own box, parallel ones too, and the checkout stays as it is until it
/// lands; every merge is one first-parent commit whose exact tree has a receipt.
#[test]
fn every_merge_ticks_its_box() {
    let repo = listed("");
    let before = repo.untouched();
    repo.afresh(&["run", "."]).expect(0);
    repo.untouched().expect_same_as(&before);
    let branch = branch(&repo);
    let range = format!("HEAD..{branch}");
    let commits = repo.git(&["log", "--first-parent", "--reverse", "--format=%H", &range]);
    let commits: Vec<&str> = commits.lines().collect();
    assert_eq!(commits.len(), 3, "{commits:?}");
    for (at, commit) in commits.iter().enumerate() {
        let ticked = text_on(&repo, commit, TASKS).matches("- [x]").count();
        assert_eq!(ticked, at + 1);
    }
    let text = text_on(&repo, &branch, TASKS);
    assert!(text.starts_with("# Tasks\r\n\r\n- [x]  T001 Create T001.txt \r\n"), "{text:?}");
    repo.afresh(&["verify-run", &branch]).expect(0);
    repo.afresh(&["land"]).expect(0);
    assert_eq!(repo.git(&["status", "--porcelain", "--untracked-files=no"]), "");
}

/// FO-07, ST-07: the run's own ticks are no change of the plan, neither halfway nor at the end.
#[test]
fn what_the_run_ticked_is_no_changed_plan() {
    let repo = listed("");
    repo.afresh(&["run", ".", "--task", "T001"]);
    repo.afresh(&["land", "--partial"]).expect(0);
    let landed = std::fs::read_to_string(repo.root().join(TASKS)).expect("a file");
    assert_eq!(landed.matches("- [x]").count(), 1, "{landed}");
    let ran = repo.afresh(&["run", ".", "--on-change", "refuse"]).expect(0);
    assert!(!ran.stderr.contains("changed"), "{}", ran.stderr);
    assert!(ran.stderr.contains("3/3 tasks"), "{}", ran.stderr);
    repo.afresh(&["land"]).expect(0);
    let again = repo.afresh(&["run", ".", "--on-change", "refuse"]).expect(0);
    assert!(again.stderr.contains("done already"), "{}", again.stderr);
    assert!(!again.stderr.contains("changed"), "{}", again.stderr);
    let journal = repo.afresh(&["logs"]).expect(0).stdout;
    assert!(!journal.contains("plan-changed"), "{journal}");
}

/// FO-07: a rejected attempt leaves no tick.
#[test]
fn rejected_work_is_not_ticked() {
    let repo = listed("");
    repo.agent("echo x > $AFRESH_TASK.txt; test $AFRESH_TASK = T001");
    repo.afresh(&["run", ".", "--on-failure", "skip"]).expect(1);
    let text = text_on(&repo, &branch(&repo), TASKS);
    assert_eq!(text.matches("- [x]").count(), 1, "{text}");
}

/// FO-07: the checks of the merge see the progress, on the tree that lands.
#[test]
fn the_checks_see_what_lands() {
    let repo = listed("");
    repo.config(
        "[checks]\nalways = [\"! test -e T003.txt || grep -q 'x.  T001' specs/001-x/tasks.md\"]\n",
    );
    repo.commit("a check of the list");
    repo.afresh(&["run", "."]).expect(0);
    assert_eq!(repo.landed(), ["T001", "T002", "T003"]);
}

/// FO-07: it can be turned off, and a plan that is not committed shows nothing and blocks no landing.
#[test]
fn it_is_off_where_asked_and_where_the_plan_is_not_committed() {
    let repo = listed("[writeback]\nmode = \"off\"\n");
    repo.afresh(&["run", "."]).expect(0);
    assert!(!text_on(&repo, &branch(&repo), TASKS).contains("- [x]"));
    let repo = listed("");
    repo.write(TASKS, "# Tasks\n\n- [ ] T001 Create T001.txt\n");
    let ran = repo.afresh(&["run", "."]).expect(0);
    assert!(
        ran.stderr.contains("will not show what is done: they are not committed"),
        "{}",
        ran.stderr
    );
    repo.afresh(&["land"]).expect(0);
    let text = std::fs::read_to_string(repo.root().join(TASKS)).expect("a file");
    assert_eq!(text, "# Tasks\n\n- [ ] T001 Create T001.txt\n");
}

/// FO-07, R5: a document beside the plan that has changes of the user's is named before any work, not first by `land`.
#[test]
fn a_changed_state_document_is_named_at_the_start() {
    let repo = holding("gsd/shop", "");
    let state = repo.git(&["ls-files", "*STATE.md"]);
    let text = std::fs::read_to_string(repo.root().join(&state)).expect("STATE.md");
    repo.write(&state, &format!("{text}\nA thought of mine.\n"));
    let ran = repo.afresh(&["run", ".", "--on-decision", "first"]);
    let flat = ran.stderr.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(flat.contains(&format!("progress is written into {state}, with changes of")), "{flat}");
}

/// FO-07, BE-10: going back takes the progress back with the work.
#[test]
fn rewinding_takes_the_progress_back() {
    let repo = listed("");
    repo.afresh(&["run", "."]).expect(0);
    repo.afresh(&["rewind", "T002"]);
    let text = text_on(&repo, &branch(&repo), TASKS);
    assert!(text.matches("- [x]").count() < 3, "{text}");
    repo.afresh(&["run", "."]).expect(0);
    assert_eq!(text_on(&repo, &branch(&repo), TASKS).matches("- [x]").count(), 3);
}

/// Runs it to its end and lands it: then all of it is done by its own files, for a new run too.
#[track_caller]
pub(crate) fn lands_as_done(repo: &TestRepo) {
    let mut ran = repo.afresh(&["run", ".", "--on-decision", "first"]);
    if ran.code == Some(4) {
        for question in repo.status()["questions"].as_array().expect("questions") {
            repo.afresh(&["decide", question["id"].as_str().expect("an id"), "done"]).expect(0);
        }
        ran = repo.afresh(&["run", "."]);
    }
    ran.expect(0);
    repo.afresh(&["land"]).expect(0);
    repo.afresh(&["verify-run"]).expect(0);
    let again = repo.afresh(&["run", "."]).expect(0);
    assert!(!again.stderr.contains("changed since"), "{}", again.stderr);
    let logs = repo.afresh(&["logs"]).expect(0).stdout;
    assert!(!logs.contains("plan-changed"), "{logs}");
    let new = repo.afresh(&["run", ".", "--new"]);
    assert!(!new.stderr.contains("start "), "nothing is done again: {}", new.stderr);
}

/// FO-07, FO-02: plans of GSD have summaries.
#[test]
fn a_project_of_gsd_lands_with_summaries() {
    let repo = holding("gsd/greeting", "");
    lands_as_done(&repo);
    let files = repo.git(&["ls-files"]);
    assert!(files.contains("-SUMMARY.md"), "{files}");
}

/// FO-07, FO-01: plans of long-run have summaries.
#[test]
fn a_plan_of_long_run_lands_with_summaries() {
    let answer = "OUTPUT_JSON_START\n{\"status\": \"COMPLETED\", \"tasks_completed\": \"1/1\", \"commits\": [], \"files_modified\": [], \"deviations\": [{\"rule\": 5, \"description\": \"could be faster\", \"files\": []}]}\nOUTPUT_JSON_END";
    let repo = holding("long-run/greeting", answer);
    repo.afresh(&["run", "."]).expect(0);
    let history = repo.root().join(".afresh/state/writeback/agent-history.json");
    let history = std::fs::read_to_string(history).expect("a history");
    assert!(history.contains("\"status\": \"completed\""), "{history}");
    assert!(!repo.root().join(".afresh/state/writeback/current-agent-id.txt").exists());
    lands_as_done(&repo);
    let issues = repo.git(&["grep", "-l", "could be faster"]);
    assert!(issues.contains("ISSUES.md"), "{issues}");
}

/// FO-07: while a worker of long-run is running, a file names it.
#[test]
fn the_running_worker_of_long_run_is_named() {
    let repo = holding("long-run/greeting", "");
    let script = repo.path().join("script.toml");
    let state = repo.root().join(".afresh/state/writeback/current-agent-id.txt");
    let look =
        format!("cp {} {}/seen-$AFRESH_TASK || true", state.display(), repo.path().display());
    let text = format!(
        "version = 1\n[[task]]\nid = \"*\"\ndo = [ {{ run = \"for i in 1 2 3 4 5 6 7 8 9; do test -e {} && break; sleep 0.2; done; {look}; exit 1\" }} ]\n",
        state.display()
    );
    std::fs::write(script, text).expect("written");
    repo.afresh(&["run", ".", "--on-failure", "skip", "--sandbox", "off"]).expect(1);
    let seen = std::fs::read_to_string(repo.path().join("seen-02")).expect("it was there");
    assert_eq!(seen.trim(), "02.1");
    assert!(!state.exists());
}

/// FO-07, FO-04: a spec of `SpecFlow` waits for its review.
#[test]
fn a_spec_of_specflow_lands_for_review() {
    let answer = r#"{"group": "{task}", "status": "complete", "files_created": [], "files_modified": [], "commits": [], "criteria_met": [], "deviations": []}"#;
    let repo = holding("specflow", answer);
    lands_as_done(&repo);
    let spec = repo.git(&["show", "HEAD:.specflow/specs/SPEC-014.md"]);
    assert!(spec.contains("status: review") && spec.contains("## Execution Summary"), "{spec}");
}

/// FO-07, FO-03: Tasker's state and results.
#[test]
fn a_plan_of_tasker_lands_with_results() {
    let task = |id: &str, needs: &str| {
        format!(
            r#"{{"id": "{id}", "name": "make {id}", "phase": 1, "behaviors": ["B1"],
            "files": [{{"path": "{id}.txt", "action": "create"}}], "dependencies": {{"tasks": [{needs}]}},
            "acceptance_criteria": [{{"criterion": "the file is there and says something", "verification": "test -s {id}.txt"}}]}}"#
        )
    };
    let state = "{\"version\": \"2.0\", \"tasks\": {\"T001\": {\"status\": \"pending\"}, \"T002\": {\"status\": \"pending\"}}}\n";
    let files = [
        (".tasker/tasks/T001.json".to_owned(), task("T001", "")),
        (".tasker/tasks/T002.json".to_owned(), task("T002", "\"T001\"")),
        (".tasker/state.json".to_owned(), state.to_owned()),
    ];
    let repo = with_files(&files, "{task}: SUCCESS");
    lands_as_done(&repo);
    let state = repo.git(&["show", "HEAD:.tasker/state.json"]);
    assert_eq!(state.matches("\"complete\"").count(), 2, "{state}");
}
