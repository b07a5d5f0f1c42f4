//! `afresh report`: the summary of a run, for people and for programs.

use std::fs;

use crate::support::plain::without_chance;
use crate::support::repo;
use afresh_testkit::TestRepo;
use serde_json::Value;

/// A run with everything that a report shows: a lie, a question, a deviation, a failure, a task that is blocked, files
/// that are created and deleted.
fn eventful() -> TestRepo {
    let repo = repo();
    repo.write("old.txt", "old\n");
    repo.write("gone.txt", "gone\n");
    repo.commit("before");
    repo.plan(
        r#"
[[task]]
id = "T001"
title = "Create | <b>it</b> \u001b[2J"
files = ["a.txt", "old.txt", "gone.txt"]
checks = ["test -s a.txt"]
[[task]]
id = "T002"
title = "Ask"
needs = ["T001"]
files = ["b.txt"]
checks = ["test -s b.txt"]
[[task]]
id = "T003"
title = "Fail"
files = ["c.txt"]
checks = ["test -s c.txt"]
[[task]]
id = "T004"
title = "Wait for it"
needs = ["T003"]
files = ["d.txt"]
checks = ["true"]
"#,
    );
    repo.agent(
        r#"say() { printf 'OUTPUT_JSON_START\n%s\nOUTPUT_JSON_END\n' "$1"; }
case "$AFRESH_TASK.$AFRESH_ATTEMPT" in
T001.1) say '{"status":"COMPLETED"}'; echo x > old.txt ;;
T001.*) echo a > a.txt; echo new > old.txt; rm gone.txt; echo extra > extra.txt
  say '{"status":"COMPLETED","deviations":[{"rule":3,"description":"needed [a link](http://x)","files":["extra.txt"]}]}' ;;
T002.1) say '{"status":"NEEDS_DECISION","decision_needed":"Which one?","options":[{"key":"a","description":"this"},{"key":"b","description":"that"}]}' ;;
T002.*) echo b > b.txt ;;
T003.*) echo broken >&2; exit 3 ;;
esac"#,
    );
    repo.run(&["--on-decision", "first", "--on-failure", "skip"]).expect(1);
    repo
}

/// EX-10, LO-03: everything that a report shows is in its JSON, from the journal alone.
#[test]
fn a_report_has_everything_that_happened() {
    let repo = eventful();
    let report = repo.afresh(&["report", "--json"]).expect(0).json();
    assert_eq!(report["counts"]["done"], 2, "{report}");
    assert_eq!(report["counts"]["skipped"], 1);
    assert_eq!(report["counts"]["blocked"], 1);
    assert_eq!(report["files"]["created"], serde_json::json!(["a.txt", "b.txt", "extra.txt"]));
    assert_eq!(report["files"]["modified"], serde_json::json!(["old.txt"]));
    assert_eq!(report["files"]["deleted"], serde_json::json!(["gone.txt"]));
    let first = &report["tasks"][0];
    assert_eq!(first["attempts"][0]["result"], "rejected");
    assert!(text(&first["attempts"][0]["reason"]).contains("exit code 1"), "{first}");
    assert_eq!(first["attempts"][1]["result"], "merged");
    assert_eq!(first["commits"][0], first["attempts"][1]["commit"]);
    assert_eq!(first["deviations"][0]["files"][0], "extra.txt");
    assert_eq!(first["receipt"]["checks"][0]["exit_code"], 0);
    assert!(text(&report["tasks"][2]["error"]).contains("exit code 3"), "{report}");
    assert!(text(&report["tasks"][3]["error"]).contains("T003"), "{report}");
    let question = &report["questions"][0];
    assert_eq!(
        (text(&question["answer"]), &question["open"]),
        ("a".to_owned(), &Value::Bool(false))
    );
    // An unknown price is unknown, not zero.
    assert_eq!(report["accounts"]["cost_usd"], Value::Null);
    assert_eq!(report["accounts"]["without_price"], report["accounts"]["attempts"]);
    assert_eq!(report["waves"][1]["tasks"], serde_json::json!(["T002", "T004"]));
    assert_eq!(report["final_checks"]["passed"], true);
    let next: Vec<String> = report["next"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|step| text(&step["command"]))
        .collect();
    assert_eq!(next, ["afresh land --partial"]);
    let started: Vec<String> =
        ["started_at", "last_at"].iter().map(|key| text(&report[*key])).collect();
    assert!(started[0] <= started[1] && started[0].ends_with('Z'), "{started:?}");
}

/// A prompt has paths of the machine in it, so its size is not always the same.
fn without_prompt_sizes(page: &str) -> String {
    let line = |line: &str| match line.split_once(" tokens, 0 % |") {
        Some((before, after)) => {
            let before = before.trim_end_matches(|c: char| c.is_ascii_digit());
            format!("{before}[TOKENS] tokens, 0 % |{after}\n")
        }
        None => format!("{line}\n"),
    };
    page.lines().map(line).collect()
}

/// EX-10, B35: the page names reasons, files, checks, decisions, cost and the next command; text of plans and workers
/// stays text, and moves no cursor.
#[test]
fn the_page_for_people_is_plain_markdown() {
    let repo = eventful();
    let page = repo.afresh(&["report"]).expect(0).stdout;
    let page = without_prompt_sizes(&without_chance(&page));
    insta::assert_snapshot!(page);
    assert!(!page.chars().any(|c| c.is_control() && c != '\n'), "{page:?}");
    assert!(!page.contains("<b>"), "{page}");
}

/// EX-10: a report is written to a file completely or not at all.
#[test]
fn a_report_is_written_to_a_file() {
    let repo = repo();
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.plan_of(1);
    repo.run(&[]).expect(0);
    let ran = repo.afresh(&["report", "-o", "report.md"]).expect(0);
    assert_eq!(ran.stdout, "");
    let page = fs::read_to_string(repo.root().join("report.md")).expect("written");
    assert!(page.starts_with("# test: done\n") && page.contains("`afresh land`"), "{page}");
    let ran = repo.afresh(&["report", "-o", "none/report.md"]).expect(2);
    assert!(ran.stderr.contains("cannot write"), "{}", ran.stderr);
}

/// LO-04: one page without scripts, by either name of the option; heads of numbers stand above them.
#[test]
fn a_page_is_written_by_either_option() {
    let repo = eventful();
    let page = |args: &[&str]| {
        repo.afresh(args).expect(0);
        fs::read_to_string(repo.root().join(args.last().expect("a file"))).expect("a page")
    };
    let by_name = page(&["report", "-o", "one.html"]);
    assert_eq!(page(&["report", "--html", "two.html"]), by_name);
    assert!(by_name.starts_with("<!doctype html>") && !by_name.contains("<script"), "{by_name}");
    assert!(by_name.contains("<th class=\"right\">tokens</th>"), "{by_name}");
    assert!(repo.afresh(&["report", "--html"]).expect(0).stdout.starts_with("<!doctype html>"));
    repo.afresh(&["report", "-o", "a.html", "--html", "b.html"]).expect(2);
}

/// If there is no run, or not the named one, the error lists the existing runs.
#[test]
fn an_unknown_run_is_reported_with_the_known_ones() {
    let repo = repo();
    let ran = repo.afresh(&["report"]).expect(2);
    assert!(ran.stderr.contains("`afresh run PLAN` starts one"), "{}", ran.stderr);
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.plan_of(1);
    repo.run(&[]).expect(0);
    let ran = repo.afresh(&["report", "tset-1"]).expect(2);
    assert!(ran.stderr.contains("did you mean \"test-1\""), "{}", ran.stderr);
    let error = repo.afresh(&["report", "nothing-like-it", "--json"]).expect(2).json();
    assert_eq!(error["error"]["kind"], "no-run");
    assert!(text(&error["error"]["help"]).contains("test-1"), "{error}");
    repo.afresh(&["report", "test-1"]).expect(0);
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// EX-10, ST-05: what a run rewound is reported as undone, and its files do not count.
#[test]
fn what_was_rewound_is_reported_and_does_not_count() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a*\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nfiles = [\"b\"]\nchecks = [\"true\"]\n",
    );
    repo.config("[run]\nagent = \"mine\"\nattempts = 1\nparallel = 1\nschedule = \"waves\"\n");
    repo.agent(
        "case $AFRESH_TASK.$AFRESH_ATTEMPT in A.1) echo 1 > a1;; A.*) echo 2 > a2;; B.1) exit 1;; B.*) echo b > b;; esac",
    );
    repo.run(&["--on-failure", "skip"]).expect(1);
    repo.run(&["--resume", "wave"]).expect(0);
    let report = repo.afresh(&["report", "--json"]).expect(0).json();
    assert_eq!(report["files"]["created"], serde_json::json!(["a2", "b"]), "{report}");
    assert_eq!(report["tasks"][0]["attempts"][0]["result"], "undone");
    assert_eq!(report["tasks"][0]["attempts"][1]["result"], "merged");
    let page = repo.afresh(&["report"]).expect(0).stdout;
    assert!(page.contains("went back to before that"), "{page}");
}
