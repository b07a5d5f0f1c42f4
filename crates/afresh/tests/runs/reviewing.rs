//! Reviews by a fresh agent (EX-08).

use crate::support::{repo, salvaged};
use afresh_testkit::TestRepo;

const PLAN: &str =
    "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\nchecks = [\"test -s a.txt\"]\n";

/// A run whose workers and reviewers follow this script.
fn scripted(script: &str, review: &str) -> TestRepo {
    let repo = repo();
    repo.plan(PLAN);
    repo.write("script.toml", &format!("version = 1\n{script}"));
    repo.config(&format!(
        "[run]\nagent = \"actor\"\nbackoff = [\"10ms\"]\n[review]\nwhen = \"always\"\n{review}\n\
         [agents.actor]\nkind = \"scripted\"\nscript = \"script.toml\"\n"
    ));
    repo.commit("a plan and its script");
    repo
}

/// EX-08, PR-07, LO-03: the reviewer sees the change; its feedback reaches the next worker; what lands was approved, and
/// both reviews are paid for apart from the work.
#[test]
fn feedback_of_a_reviewer_reaches_the_next_worker() {
    let repo = scripted(
        "[[task]]\nid = \"A\"\nattempt = 1\ndo = [ { listed = \"rude\\n\" }, { use = { input = 100 } } ]\n\
         [[task]]\nid = \"A\"\ndo = [ { run = \"grep -q 'a.txt:1: be polite' \\\"$AFRESH_PROMPT\\\"\" }, { listed = \"polite\\n\" } ]\n\
         [[review]]\nid = \"A\"\nattempt = 1\n\
         do = [ { run = \"grep -q '^+rude' \\\"$AFRESH_PROMPT\\\" && git diff --stat HEAD~1 HEAD && echo mess > a.txt\" }, \
         { use = { input = 7 } }, { request_changes = \"not like this\", issues = [\"a.txt:1: be polite\"] } ]\n",
        "",
    );
    let before = repo.untouched();
    let ran = repo.run(&["--no-input"]).expect(0);
    repo.untouched().expect_same_as(&before);
    assert!(
        ran.stderr.contains("rejected A.1 the review asks for changes: not like this"),
        "{ran:?}"
    );
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("polite\n"));
    let task = &repo.status()["tasks"][0];
    assert_eq!(task["receipt"]["review"]["agent"], "actor", "{task}");
    assert_eq!((&task["usage"]["input"], &task["review_usage"]["input"]), (&107.into(), &7.into()));
    let report = repo.afresh(&["report"]).expect(0).stdout;
    for line in [
        "- `A.1` changes requested by `actor`",
        "  - a.txt:1: be polite",
        "  - approved by actor: approved by the script",
        "| 2 reviews of it | 7 |",
    ] {
        assert!(report.contains(line), "{line:?} is not in:\n{report}");
    }
    let logs = repo.afresh(&["logs", "A", "--attempt", "1"]).expect(0).stdout;
    assert!(logs.contains("review 1 stdout"), "{logs}");
    repo.expect_no_survivors();
}

/// EX-08, HU-04, R16: reviewers that only die approve nothing; a person may accept the work, and the receipt says who.
#[test]
fn work_that_nobody_could_review_waits_for_a_person() {
    let repo = scripted(
        "[[task]]\nid = \"*\"\ndo = [ { listed = \"a\\n\" } ]\n[[review]]\nid = \"*\"\ndo = [ { exit = 3 } ]\n",
        "",
    );
    repo.run(&["--no-input"]).expect(4);
    let questions = repo.afresh(&["questions"]).expect(0).stdout;
    assert!(questions.contains("it could not be reviewed: the reviewer ended with exit code 3"));
    assert!(salvaged(&repo).iter().any(|name| name.ends_with("/A.1")));
    repo.afresh(&["decide", "Q1", "acept"]).expect(1);
    repo.afresh(&["decide", "Q1", "accept"]).expect(0);
    repo.run(&["--no-input"]).expect(0);
    let task = &repo.status()["tasks"][0];
    assert!(task["receipt"]["review"]["accepted_by"].is_string(), "{task}");
    assert_eq!(task["attempts"], 1);
}

/// EX-08: the configuration names an agent that exists; options win; an agent that reviews nothing is not needed.
#[test]
fn an_unknown_reviewer_is_refused_before_the_run() {
    let repo =
        scripted("[[task]]\nid = \"*\"\ndo = [ { listed = \"a\\n\" } ]\n", "agent = \"acter\"");
    let refused = repo.run(&["--no-input"]).expect(2).stderr;
    assert!(
        refused.contains("unknown agent \"acter\" (`agent` under [review] names it)"),
        "{refused}"
    );
    assert!(refused.contains("did you mean \"actor\"?"), "{refused}");
    repo.run(&["--no-input", "--review", "never"]).expect(0);
    assert!(repo.status()["tasks"][0]["receipt"].get("review").is_none());
}

/// EX-08, PR-03: a template of the project's own is used, and must show the change.
#[test]
fn a_projects_template_for_reviewers_is_used() {
    let script = "[[task]]\nid = \"*\"\ndo = [ { listed = \"a\\n\" } ]\n\
                  [[review]]\nid = \"*\"\ndo = [ { run = \"grep -q 'Our house' \\\"$AFRESH_PROMPT\\\"\" }, { approve = \"as our house wants\" } ]\n";
    let repo = scripted(script, "");
    repo.write(".afresh/templates/reviewer.md", "Our house\n{{task}}{{contract}}");
    repo.commit("a template");
    let refused = repo.run(&["--no-input"]).expect(2).stderr;
    assert!(refused.contains("{{change}}"), "{refused}");
    repo.write(".afresh/templates/reviewer.md", "Our house\n{{task}}{{change}}{{contract}}");
    repo.commit("a whole template");
    repo.run(&["--no-input"]).expect(0);
    assert_eq!(repo.status()["tasks"][0]["receipt"]["review"]["summary"], "as our house wants");
}
