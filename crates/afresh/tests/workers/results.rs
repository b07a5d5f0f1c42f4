//! Answers in every form, with real workers (RE-01, RE-02, RE-04, RE-05, B32).

use crate::support::repo;
use afresh_testkit::TestRepo;
use serde_json::Value;

/// Tasks that each list their own file.
fn plan(repo: &TestRepo, ids: &[&str]) {
    let task = |id: &&str| {
        format!(
            "[[task]]\nid = \"{id}\"\ntitle = \"work {id}\"\nfiles = [\"{id}.txt\"]\nchecks = [\"test -s {id}.txt\"]\n"
        )
    };
    repo.plan(&ids.iter().map(task).collect::<Vec<_>>().join("\n"));
}

fn task(repo: &TestRepo, id: &str) -> Value {
    let status = repo.status();
    let tasks = status["tasks"].as_array().expect("tasks");
    tasks.iter().find(|task| task["id"] == id).expect("the task").clone()
}

const WORK: &str = "echo well > $AFRESH_TASK.txt";

/// RE-01, RE-05: every form lands, and what it reports is in the receipt and the report.
#[test]
fn a_worker_may_answer_in_any_form() {
    let repo = repo();
    plan(&repo, &["T001", "T002", "T003", "T004", "T005"]);
    repo.agent(&format!(
        r#"{WORK}
case $AFRESH_TASK in
T001) printf 'OUTPUT_JSON_START\n{{"status":"COMPLETED","criteria_met":["T001 is met"]}}\nOUTPUT_JSON_END\n' ;;
T002) printf 'Done.\n```yaml\nstatus: success\ntask_name: work T002\nverification:\n  command: test -s T002.txt\n  exit_code: 0\ndone_criteria_met: true\nevidence: T002 is met\nerror: null\n```\n' ;;
T003) printf '```json\n{{"group":"T003","status":"complete","criteria_met":["T003 is met"],"deviations":["T003 went further"]}}\n```\n' ;;
T004) printf '{{"version":"1.0","task_id":"T004","status":"success","verification":{{"verdict":"PASS","criteria":[{{"name":"T004 is met","status":"PASS","evidence":"seen"}}]}},"notes":"T004 notes"}}' > "$AFRESH_RESULT"; echo 'T004: SUCCESS' ;;
T005) echo 'T005: SUCCESS' ;;
esac"#
    ));
    repo.run(&[]).expect(0);
    for id in ["T001", "T002", "T003", "T004"] {
        let receipt = task(&repo, id)["receipt"].to_string();
        assert!(receipt.contains(&format!("{id} is met")), "{id}: {receipt}");
        assert!(receipt.contains("PASS"), "{id}: {receipt}");
    }
    assert_eq!(task(&repo, "T004")["notes"], "T004 notes");
    assert_eq!(task(&repo, "T003")["deviations"][0]["description"], "T003 went further");
    let report = repo.afresh(&["report"]).expect(0).stdout;
    for expected in ["PASS T004 is met (seen)", "T003 went further", "T004 notes"] {
        assert!(report.contains(expected), "{expected:?} is not in\n{report}");
    }
}

/// RE-02: an answer that contradicts itself, or is about another task, does not count as success.
#[test]
fn an_answer_that_denies_itself_does_not_land() {
    for (answer, reason) in [
        (
            "{\"status\":\"success\",\"verification\":{\"command\":\"make\",\"exit_code\":2}}",
            "exit code 2",
        ),
        ("{\"status\":\"success\",\"done_criteria_met\":false}", "criteria are not met"),
        ("{\"status\":\"success\",\"task_id\":\"T002\"}", "about task \"T002\""),
    ] {
        let repo = repo();
        plan(&repo, &["T001"]);
        repo.agent(&format!("{WORK}; printf '%s' '{answer}' > \"$AFRESH_RESULT\""));
        repo.run(&["--on-failure", "skip"]).expect(1);
        let error = task(&repo, "T001")["error"].as_str().expect("an error").to_owned();
        assert!(error.contains(reason), "{error}");
        assert!(repo.prompt("T001", 2).contains(reason), "the next worker gets the reason");
    }
}

/// RE-04: a blocked task waits for the task that it names, and then a fresh worker does it.
#[test]
fn a_blocked_task_is_done_after_the_one_that_it_names() {
    let repo = repo();
    plan(&repo, &["T001", "T002"]);
    repo.agent(&format!(
        r#"if [ $AFRESH_TASK = T001 ] && [ ! -e T002.txt ]; then
printf '{{"status":"BLOCKED","blocked_by":["T002"],"error":"needs its file"}}' > "$AFRESH_RESULT"; exit 0; fi
{WORK}"#
    ));
    repo.run(&["--parallel", "1"]).expect(0);
    assert_eq!(repo.landed(), ["T002", "T001"]);
    let waited = task(&repo, "T001");
    assert_eq!(waited["attempts"], 2);
    let log = repo.afresh(&["logs"]).expect(0).stdout;
    assert!(log.contains("blocked until T002 is done: needs its file"), "{log}");
}

/// RE-05: the category of an error is reported, and `retryable: false` ends the attempts.
#[test]
fn the_kind_of_an_error_reaches_status_and_report() {
    let repo = repo();
    plan(&repo, &["T001"]);
    repo.agent(
        r#"printf '{"task_id":"T001","status":"failed","error":{"category":"dependency","message":"no compiler","retryable":false}}' > "$AFRESH_RESULT"; echo 'T001: FAILED - no compiler'"#,
    );
    repo.run(&["--on-failure", "skip"]).expect(1);
    let status = task(&repo, "T001");
    assert_eq!((&status["attempts"], &status["error_category"]), (&1.into(), &"dependency".into()));
    let report: Value =
        serde_json::from_str(&repo.afresh(&["report", "--json"]).expect(0).stdout).expect("JSON");
    assert_eq!(report["tasks"][0]["error_category"], "dependency");
}

/// B32: if a program prints its whole prompt, the example in it does not count as an answer.
#[test]
fn an_echo_of_the_prompt_is_no_answer() {
    let repo = repo();
    plan(&repo, &["T001"]);
    repo.agent(&format!("cat \"$AFRESH_PROMPT\"; {WORK}; sed 's/^/> /' \"$AFRESH_PROMPT\""));
    repo.run(&[]).expect(0);
    let status = task(&repo, "T001");
    assert_eq!(
        (&status["state"], &status["differences"]),
        (&"done".into(), &Value::Null),
        "{status}"
    );
}

/// RE-01: afresh's own reporting command accepts any form, from standard input, a file or options; an invalid report is
/// refused at once, and nothing is submitted.
#[test]
fn a_worker_may_hand_in_its_answer_by_a_command() {
    let repo = repo();
    plan(&repo, &["T001", "T002", "T003"]);
    let record = repo.path().join("seen");
    repo.agent(&format!(
        r#"{WORK}
case $AFRESH_TASK in
T001) echo '{{"status": "who knows"}}' | afresh report-result; echo "refused $?" > {record}
      test -e "$AFRESH_RESULT" && echo "handed in" >> {record}
      printf '```yaml\nstatus: success\nverification:\n  command: "true"\n  exit_code: 0\ndone_criteria_met: true\n```\n' | afresh report-result >> {record}; echo 'T001 says no more' ;;
T002) afresh report-result --status failed --error 'no compiler' ;;
T003) afresh report-result --status needs-decision --decision 'Which one?' --option one --option other ;;
esac"#,
        record = record.display()
    ));
    repo.run(&["--on-failure", "skip"]).expect(4);
    let recorded = std::fs::read_to_string(record).expect("what the worker saw");
    assert_eq!(recorded, "refused 2\nrecorded as completed\n");
    assert_eq!(task(&repo, "T001")["state"], "done");
    let failed = task(&repo, "T002");
    assert!(failed["error"].as_str().is_some_and(|e| e.contains("no compiler")), "{failed}");
    let questions = repo.status()["questions"].clone();
    assert!(questions[0]["text"].as_str().is_some_and(|q| q.contains("Which one?")), "{questions}");
    assert_eq!(questions[0]["options"][0]["description"], "one", "{questions}");
}

/// RE-01: outside of an attempt, a report cannot be submitted.
#[test]
fn report_result_is_for_workers() {
    let ran = repo().afresh(&["report-result", "--status", "completed"]).expect(2);
    assert!(ran.stderr.contains("inside an attempt"), "{}", ran.stderr);
}

/// RE-01: an agent program that asks before it stops learns that there is no answer yet, until there is one; a worker
/// that never reports one may stop.
#[test]
fn a_program_that_would_stop_without_an_answer_is_sent_back() {
    let repo = repo();
    plan(&repo, &["T001", "T002"]);
    repo.agent(&format!(
        r#"{WORK}
stops() {{ printf '{{"hook_event_name":"Stop","last_assistant_message":"I am done."}}' | afresh hook stop; echo "exit $?"; }}
stops
case $AFRESH_TASK in T001) afresh report-result --status completed ;; esac
stops; stops; stops"#
    ));
    repo.run(&[]).expect(0);
    for (id, times) in [("T001", 1), ("T002", 2)] {
        let printed = repo.afresh(&["logs", id]).expect(0).stdout;
        assert_eq!(printed.matches("You have not reported a result.").count(), times, "{printed}");
        assert_eq!(printed.matches("\"decision\":\"block\"").count(), times, "{printed}");
        assert_eq!(printed.matches("exit 0").count(), 4, "{printed}");
    }
    repo.afresh(&["hook", "stop"]).expect(2);
}
