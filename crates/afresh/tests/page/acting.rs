//! What a person does in the page: answers, comments, retries, skips, halts.

use serde_json::json;

use crate::browser::Browser;
use crate::server::PageServer;
use crate::support::{Driver, Gate, repo, run_section};

const ASKS: &str = "if [ $AFRESH_TASK.$AFRESH_ATTEMPT = T001.1 ]; then\n\
     echo OUTPUT_JSON_START\n\
     echo '{\"status\":\"NEEDS_DECISION\",\"decision_needed\":\"Which colour?\",\"options\":[\"red\",\"dark blue\"]}'\n\
     echo OUTPUT_JSON_END\n\
     exit 0; fi\n";

/// HU-04, HU-06: a worker's question appears in the open page, is answered there, and the run goes on with the
/// answer.
#[test]
fn a_question_is_answered_in_the_page() {
    let repo = repo();
    repo.plan_of(2);
    let gate = Gate::new(&repo, "go");
    repo.agent(&format!(
        "{ASKS}[ $AFRESH_TASK = T001 ] || {{ {}; }}; echo x > $AFRESH_TASK.txt",
        gate.wait()
    ));
    let Some(mut browser) = Browser::start() else { return };
    let driver = Driver::run(&repo, &["--no-input"]);
    repo.wait_until("there is a run", || repo.status()["run"].is_string());
    let server = PageServer::start(&repo);
    browser.open(&server.url);
    browser.see(".need", "Which colour?");
    browser.until("document.title.startsWith('(1)')");
    browser.picture("needs-you");
    browser.click("button.option", "dark blue");
    browser.see("main", "Nothing waits for you");
    repo.wait_until("the task is done", || repo.state_of("T001") == "done");
    gate.open();
    driver.end().expect(0);
    let prompt = repo.prompt("T001", 2);
    assert!(prompt.contains("Which colour? → 2: dark blue"), "{prompt}");
    browser.finish();
}

/// HU-04, HU-07: words of a person's own answer a worker, and become a note where the answer needs one; a question that
/// takes listed answers only has no box for words.
#[test]
fn words_of_a_persons_own_answer_in_the_page() {
    let repo = repo();
    repo.plan_of(2);
    repo.config(&run_section("attempts = 1"));
    repo.agent(&format!(
        "{ASKS}[ $AFRESH_TASK.$AFRESH_ATTEMPT != T002.1 ] || exit 3; echo x > $AFRESH_TASK.txt"
    ));
    repo.run(&["--no-input"]).expect(4);
    let Some(mut browser) = Browser::start() else { return };
    let server = PageServer::start(&repo);
    browser.open(&server.url);
    browser.see(".need", "Which colour?");
    browser.click("button.option", "clarify");
    browser.until("document.activeElement.matches('.own-answer input')");
    browser.until("document.activeElement.placeholder.includes('note for the next worker')");
    browser.evaluate("document.activeElement.value = 'the number is three'");
    browser.press("Enter");
    browser.gone(".need", "T002");
    browser.fill(".own-answer input", "a pale green");
    browser.click(".own-answer button", "Answer");
    browser.see("main", "Nothing waits for you");
    repo.run(&[]).expect(0);
    let (answered, clarified) = (repo.prompt("T001", 2), repo.prompt("T002", 2));
    assert!(answered.contains("Which colour? → a pale green"), "{answered}");
    assert!(clarified.contains("the number is three"), "{clarified}");
    browser.finish();
}

/// BE-12, HU-06: a click on a line of a diff comments on it; the task is retried from the page; the next worker has
/// the line and the comment.
#[test]
fn a_line_of_a_diff_is_commented_on_and_the_task_retried() {
    let repo = repo();
    repo.plan_of(1);
    repo.config(&run_section("attempts = 1"));
    repo.agent("printf 'one\\n\\ntwo\\nthree\\n' > $AFRESH_TASK.txt; exit 1");
    repo.run(&["--on-failure", "skip"]).expect(1);
    let Some(mut browser) = Browser::start() else { return };
    let server = PageServer::start(&repo);
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    browser.open(&server.url);
    browser.see("main", "Nothing waits");
    browser.go_to(&format!("/run/{run}/task/T001"));
    browser.click(".tabs button", "Diff");
    browser.see("table.patch", "three");
    browser.click("table.patch button", "3");
    browser.click("table.patch button", "4");
    browser.picture("task-diff");
    browser.click(".comment-bar button", "Comment on T001.txt:3-4");
    browser.fill("dialog textarea", "count to four");
    browser.picture("comment");
    browser.click("dialog button", "Send");
    browser.gone("dialog", "Comment");
    browser.see("ul.comments", "count to four");
    browser.see("ul.comments", "T001.txt:3-4");
    browser.click("p.buttons button", "Retry");
    browser.see("dialog", "fresh workers");
    browser.click("dialog button", "Retry");
    browser.gone("dialog", "Retry");
    browser.see("h1", "ready");
    repo.agent("cp $AFRESH_PROMPT $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    let prompt = repo.on_branch("T001.txt").expect("the prompt");
    assert!(prompt.contains("     3 | two\n     4 | three\n> count to four\n"), "{prompt}");
    browser.see("h1", "done");
    browser.finish();
}

/// BE-12, HU-06: a comment on a task reaches the worker that is at it; a refused one says why and stays in its dialog.
#[test]
fn a_comment_is_sent_to_the_worker_at_the_task() {
    let repo = repo();
    repo.plan_of(1);
    let gate = Gate::new(&repo, "go");
    let said = repo.path().join("said");
    repo.agent(&format!(
        "{}; afresh log INFO word message 2>{}; echo x > $AFRESH_TASK.txt",
        gate.wait(),
        said.display()
    ));
    let Some(mut browser) = Browser::start() else { return };
    let driver = Driver::run(&repo, &[]);
    repo.wait_until("it runs", || repo.afresh(&["status"]).stdout.contains("running"));
    let server = PageServer::start(&repo);
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    browser.open(&server.url);
    browser.see("main", "Nothing waits");
    browser.go_to(&format!("/run/{run}/task/T001"));
    browser.click("p.buttons button", "Comment");
    browser.fill("dialog textarea", &"x".repeat(5_000));
    browser.click("dialog button", "Send");
    browser.see("dialog [role=alert]", "at most 4000 characters");
    let errors = browser.take_errors();
    assert!(errors.iter().all(|it| it.contains("400 (Bad Request)")), "{errors:#?}");
    browser.fill("dialog textarea", "use the old format");
    browser.click("dialog button", "Send");
    browser.gone("dialog", "Comment");
    browser.see("ul.comments", "use the old format");
    browser.see("ul.comments", "sent to T001.1, not read yet");
    gate.open();
    driver.end().expect(0);
    browser.see("ul.comments", "read by T001.1");
    let said = std::fs::read_to_string(said).expect("the worker asked");
    assert!(said.contains("use the old format"), "{said}");
    browser.finish();
}

/// HU-06, R8: a run is halted and the halt cleared from the page; a task is skipped with a reason.
#[test]
fn a_run_is_halted_and_a_task_skipped() {
    let repo = repo();
    repo.plan_of(2);
    let gate = Gate::new(&repo, "go");
    repo.agent(&format!("{}; echo x > $AFRESH_TASK.txt", gate.wait()));
    let Some(mut browser) = Browser::start() else { return };
    let driver = Driver::run(&repo, &["--parallel", "1"]);
    repo.wait_until("it runs", || repo.afresh(&["status"]).stdout.contains("running"));
    let server = PageServer::start(&repo);
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    browser.open(&server.url);
    browser.see("main", "Nothing waits");
    browser.go_to(&format!("/run/{run}"));
    browser.click("p.buttons button", "Halt");
    browser.fill("dialog textarea", "lunch");
    browser.click("dialog button", "Halt");
    browser.see("h1", "halted");
    browser.see(".need", "lunch");
    gate.open();
    driver.end().expect(3);
    browser.click(".need button", "Clear the halt");
    browser.gone(".need", "lunch");
    browser.see(".warn", "afresh resume");
    browser.go_to(&format!("/run/{run}/task/T002"));
    browser.click("p.buttons button", "Skip");
    browser.fill("dialog textarea", "not today");
    browser.click("dialog button", "Skip");
    browser.see("h1", "skipped");
    browser.see("main", "not today");
    assert_eq!(repo.status()["halt"], json!(null));
    browser.finish();
}
