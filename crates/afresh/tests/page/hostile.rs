//! What plans and workers write is shown as text, and runs nothing (B35, B39).

use crate::browser::Browser;
use crate::server::PageServer;
use crate::support::{repo, run_section};

const SCRIPT: &str = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script>";

/// B35, B39, LO-02: markup, scripts, escape sequences and characters that turn the text around, in titles, questions, output,
/// diffs, prompts and comments.
#[test]
fn hostile_text_is_shown_and_runs_nothing() {
    let repo = repo();
    repo.plan(&format!(
        "[[task]]\nid = \"T001\"\ntitle = \"one {SCRIPT}\"\nfiles = [\"T001.txt\"]\nchecks = [\"test -s T001.txt\"]\n\
         do = \"write \\u202E {SCRIPT}\"\n\
         [[task]]\nid = \"T002\"\ntitle = \"two\"\nfiles = [\"T002.txt\"]\nchecks = [\"echo '{SCRIPT}'; false\"]\n"
    ));
    repo.config(&run_section("attempts = 1"));
    repo.agent(&format!(
        "printf '%s\\n\\033[2J\\033]0;title\\007 \\342\\200\\256reversed\\n' '{SCRIPT}' | tee $AFRESH_TASK.txt\n\
         printf '%s\\n' '{SCRIPT}' >&2\n\
         afresh log WARN word '{SCRIPT}'\n\
         [ $AFRESH_TASK = T001 ] || exit 0\n\
         echo OUTPUT_JSON_START\n\
         printf '%s\\n' '{{\"status\":\"NEEDS_DECISION\",\"decision_needed\":\"Which {SCRIPT}?\",\
         \"options\":[\"{SCRIPT}\",\"javascript:window.pwned=1\"]}}'\n\
         echo OUTPUT_JSON_END"
    ));
    repo.run(&["--on-failure", "skip"]).expect(4);
    repo.afresh(&["tell", "T001", SCRIPT]).expect(0);
    let Some(mut browser) = Browser::start() else { return };
    let server = PageServer::start(&repo);
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    browser.open(&server.url);
    browser.see(".need", "Which <img src=x");
    browser.see("button.option", "<script>window.pwned");
    browser.go_to(&format!("/run/{run}"));
    browser.see("table.tasks", "one <img src=x");
    browser.see("ol.activity", "<script>window.pwned");
    browser.see(".wide svg", "T001");
    for task in ["T001", "T002"] {
        browser.go_to(&format!("/run/{run}/task/{task}"));
        browser.see("h1", task);
        for (tab, place) in [
            ("Transcript", "ol.transcript"),
            ("Diff", "table.patch"),
            ("Prompt", "pre.file"),
            ("Errors", "pre.file"),
        ] {
            browser.click(".tabs button", tab);
            browser.see(place, if tab == "Prompt" { task } else { "<img src=x" });
        }
        browser.click(".tabs button", "Diff");
        browser.see("table.patch", "\\u{202e}reversed");
        browser.see("table.patch", "\\u{1b}[2J");
    }
    for page in ["trace", "cost", "findings", "replay"] {
        browser.go_to(&format!("/run/{run}/{page}"));
        browser.see("nav [aria-current=page]", "");
        browser.until("document.querySelector('main').textContent.length > 10");
    }
    browser.see(".wide svg", "T001");
    assert!(browser.evaluate("window.pwned ?? null").is_null(), "nothing ran");
    let made =
        browser.evaluate("document.querySelectorAll('main img, main script, main iframe').length");
    assert_eq!(made, 0);
    assert_eq!(browser.evaluate("document.title.includes('title\\u0007')"), false);
    browser.finish();
}
