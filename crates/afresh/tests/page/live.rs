//! What the page shows while a run goes on: updates, late joins, a server that was killed, the replay.

use serde_json::json;

use crate::browser::Browser;
use crate::server::PageServer;
use crate::support::{Driver, Gate, repo};

/// HU-06: what happens arrives in an open page, which is not loaded again for it; the same page shows every run.
#[test]
fn updates_arrive_in_an_open_page() {
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
    browser.see("main", "Nothing waits for you");
    let address = browser.evaluate("location.href");
    assert!(!address.to_string().contains(&server.token), "the token left the address: {address}");
    browser.click("nav a", "Runs");
    browser.click("main a", &run);
    browser.evaluate("window.loadedOnce = true");
    browser.see("h1", "running");
    browser.see("article.worker", "T001.1");
    browser.see(".wide svg", "T002");
    gate.open();
    browser.see("h1", "done");
    driver.end().expect(0);
    browser.see(".figure", "2 / 2");
    browser.gone("article.worker", "T002");
    assert_eq!(browser.evaluate("document.querySelectorAll('table.tasks .state-done').length"), 2);
    assert_eq!(browser.evaluate("window.loadedOnce"), true);
    for (page, text) in
        [("Trace", "requirement"), ("Cost", "Agents"), ("Plan findings", "p.plan.toml")]
    {
        browser.click("nav a", page);
        browser.see("main", text);
    }
    assert_eq!(browser.evaluate("window.loadedOnce"), true);
    browser.finish();
}

/// HU-06: a page that is opened in the middle of a run shows all of it.
#[test]
fn a_late_page_shows_all_of_it() {
    let repo = repo();
    repo.plan_of(2);
    let gate = Gate::new(&repo, "go");
    repo.agent(&format!(
        "[ $AFRESH_TASK = T001 ] || {{ {}; }}; echo x > $AFRESH_TASK.txt",
        gate.wait()
    ));
    let Some(mut browser) = Browser::start() else { return };
    let driver = Driver::run(&repo, &[]);
    repo.wait_until("one is done", || repo.afresh(&["status"]).stdout.contains("done"));
    repo.wait_until("the other one runs", || repo.state_of("T002") == "running");
    let server = PageServer::start(&repo);
    browser.open(&server.url);
    browser.see("main", "Nothing waits");
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    browser.go_to(&format!("/run/{run}"));
    browser.see("table.tasks tr:nth-child(1)", "done");
    browser.see("table.tasks tr:nth-child(2)", "running");
    browser.see("ol.activity", "T001");
    browser.see(".figure", "1 / 2");
    browser.picture("run");
    // Another browser, on the page of the task that is done.
    browser.go_to(&format!("/run/{run}/task/T001"));
    browser.see("h1", "T001");
    browser.see("main", "Receipt");
    gate.open();
    driver.end().expect(0);
    browser.finish();
}

/// HU-06, R1: after kill -9 of the server an open page finds the next one by itself, and shows what happened meanwhile,
/// each thing once.
#[test]
fn a_page_finds_the_next_server() {
    let repo = repo();
    repo.plan_of(3);
    let gate = Gate::new(&repo, "go");
    repo.agent(&format!(
        "[ $AFRESH_TASK = T001 ] || {{ {}; }}; echo x > $AFRESH_TASK.txt",
        gate.wait()
    ));
    let Some(mut browser) = Browser::start() else { return };
    let driver = Driver::run(&repo, &["--parallel", "1"]);
    repo.wait_until("the second one runs", || {
        repo.afresh(&["status"]).stdout.contains("done") && repo.state_of("T002") == "running"
    });
    let server = PageServer::start(&repo);
    let port = server.port();
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    browser.open(&server.url);
    browser.see("main", "Nothing waits");
    browser.go_to(&format!("/run/{run}"));
    browser.see(".figure", "1 / 3");
    browser.evaluate("window.loadedOnce = true");
    server.kill_9();
    browser.see("#connection", "Connection lost");
    gate.open();
    driver.end().expect(0);
    let _next = PageServer::start_with(&repo, &["--port", &port]);
    browser.see("h1", "done");
    browser.see(".figure", "3 / 3");
    browser.until("document.getElementById('connection').textContent === ''");
    assert_eq!(browser.evaluate("window.loadedOnce"), true);
    let rows = browser.evaluate(
        "[...document.querySelectorAll('table.tasks tbody tr')].map((row) => row.dataset.key)",
    );
    assert_eq!(rows, json!(["T001", "T002", "T003"]));
    let twice = browser.evaluate(
        "(() => { const keys = [...document.querySelectorAll('ol.activity li')].map((it) => it.dataset.key); \
         return keys.length - new Set(keys).size; })()",
    );
    assert_eq!(twice, 0);
    let merges = browser.evaluate(
        "[...document.querySelectorAll('ol.activity li')].filter((it) => /T00\\d\\.1/.test(it.textContent) && \
         /merged/i.test(it.textContent)).length",
    );
    assert!(merges.as_u64() >= Some(3), "what happened meanwhile is shown: {merges}");
    let errors = browser.take_errors();
    let refused = |error: &String| error.contains("net::ERR_");
    assert!(errors.iter().all(refused), "only that it was unreachable: {errors:#?}");
    browser.finish();
}

/// BE-03, HU-06: a run that is over is looked at as it was at any record, and played.
#[test]
fn a_run_is_played_again() {
    let repo = repo();
    repo.plan_of(2);
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    let Some(mut browser) = Browser::start() else { return };
    let server = PageServer::start(&repo);
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    browser.open(&server.url);
    browser.see("main", "Nothing waits");
    browser.go_to(&format!("/run/{run}/replay"));
    browser.see(".figure", "2 / 2");
    browser.see(".replay-controls", "done");
    browser.picture("replay");
    browser.evaluate(
        "(() => { const slider = document.querySelector('input[type=range]'); slider.value = '1'; \
         slider.dispatchEvent(new Event('input')); })()",
    );
    browser.see(".figure", "0 / 2");
    browser.see(".replay-controls", "record 2 of");
    browser.click("button[aria-label='one record on']", "▶");
    browser.see(".replay-controls", "record 3 of");
    browser.see(".wide svg", "T002");
    browser.click(".replay-controls button", "Play");
    browser.see(".figure", "2 / 2");
    browser.see(".replay-controls button", "Play");
    browser.finish();
}
