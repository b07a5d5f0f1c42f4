//! Small, dark, without a mouse, and large.

use serde_json::json;

use crate::browser::{Browser, PHONE};
use crate::server::PageServer;
use crate::support::{Driver, Gate, repo, run_section};

/// A run with one task that is done, one that asks, and one that failed.
fn mixed_run() -> (afresh_testkit::TestRepo, String) {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"T001\"\ntitle = \"Store notes in a file whose name nobody would want to type\"\n\
         files = [\"src/deeply/nested/directories/with_a_very_long_name_that_does_not_break.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"T002\"\ntitle = \"Search\"\nneeds = [\"T001\"]\nfiles = [\"T002.txt\"]\nchecks = [\"test -s T002.txt\"]\n\
         [[task]]\nid = \"T003\"\ntitle = \"Export\"\nneeds = [\"T001\"]\nfiles = [\"T003.txt\"]\nchecks = [\"echo one; false\"]\n\
         [[task]]\nid = \"T004\"\ntitle = \"Release\"\nneeds = [\"T002\", \"T003\"]\nfiles = [\"T004.txt\"]\nchecks = [\"true\"]\n",
    );
    repo.config(&run_section("attempts = 2"));
    repo.agent(
        "case $AFRESH_TASK in\n\
         T001) mkdir -p src/deeply/nested/directories; \
           echo 'a line that is longer than a phone is wide, and that must scroll inside its own box' \
           > src/deeply/nested/directories/with_a_very_long_name_that_does_not_break.txt;;\n\
         T002) echo OUTPUT_JSON_START; echo '{\"status\":\"NEEDS_DECISION\",\
         \"decision_needed\":\"Should the search ignore case?\",\"options\":[\"yes, everywhere\",\"only in titles\"]}'; \
           echo OUTPUT_JSON_END;;\n\
         *) echo x > $AFRESH_TASK.txt;;\nesac",
    );
    repo.run(&["--no-input", "--on-failure", "skip"]).expect(4);
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    (repo, run)
}

/// A page, its address, and a text that it has once it is complete.
type NamedPage = (&'static str, String, &'static str);

fn pages(run: &str) -> Vec<NamedPage> {
    vec![
        ("needs-you", "/".to_owned(), "ignore case"),
        ("runs", "/runs".to_owned(), "p.plan.toml"),
        ("run", format!("/run/{run}"), "Export"),
        ("task", format!("/run/{run}/task/T001"), "Receipt"),
        ("failed-task", format!("/run/{run}/task/T003"), "output"),
        ("trace", format!("/run/{run}/trace"), "cites no requirements"),
        ("cost", format!("/run/{run}/cost"), "Agents"),
        ("findings", format!("/run/{run}/findings"), "p.plan.toml"),
        ("replay", format!("/run/{run}/replay"), "record"),
    ]
}

/// Goes there, and waits until it is complete.
#[track_caller]
fn visit(browser: &mut Browser, (name, place, text): &NamedPage) {
    browser.go_to(place);
    browser.see("main", text);
    if ["run", "replay"].contains(name) {
        browser.see(".wide svg", "T001");
    }
}

/// HU-06: on a phone every page fits its width.
#[test]
fn every_page_fits_a_phone() {
    let (repo, run) = mixed_run();
    let Some(mut browser) = Browser::start_sized(PHONE) else { return };
    let server = PageServer::start(&repo);
    browser.open(&server.url);
    browser.see(".need", "ignore case");
    for page in pages(&run) {
        visit(&mut browser, &page);
        let name = page.0;
        if name == "task" {
            browser.click(".tabs button", "Diff");
            browser.see("table.patch", "a line");
        }
        browser.expect_no_horizontal_scroll(name);
        browser.picture(&format!("phone-{name}"));
    }
    browser.finish();
}

/// HU-06: dark where the system is dark, and every text is readable on its ground.
#[test]
fn dark_where_the_system_is_dark() {
    let (repo, run) = mixed_run();
    let Some(mut browser) = Browser::start() else { return };
    let server = PageServer::start(&repo);
    browser.open(&server.url);
    browser.see(".need", "ignore case");
    for colours in ["light", "dark"] {
        if colours == "dark" {
            browser.dark();
        }
        for page in pages(&run) {
            visit(&mut browser, &page);
            let name = page.0;
            browser.picture(&format!("{colours}-{name}"));
            assert_eq!(browser.evaluate(UNREADABLE), json!([]), "{colours} {name}");
        }
    }
    let ground = browser.evaluate("getComputedStyle(document.body).backgroundColor");
    assert!(ground.as_str().is_some_and(|it| !it.contains("255, 255, 255")), "{ground}");
    browser.finish();
}

/// Texts whose contrast with the first opaque ground behind them is below 4.5 to 1, that of WCAG AA.
const UNREADABLE: &str = r"(() => {
  const parse = (text) => (text.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    return parse(getComputedStyle(document.documentElement).colorScheme.includes('dark')
      && matchMedia('(prefers-color-scheme: dark)').matches ? '18 18 18' : '255 255 255');
  };
  const found = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest('svg') || !element.checkVisibility() || element.closest('.only-read-out, .skip')) continue;
    if (element.disabled || element.closest(':disabled')) continue;
    const [one, other] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) found.add(`${element.className || element.localName} ${contrast.toFixed(2)}`);
  }
  return [...found];
})()";

/// HU-06: a question is found and answered with the keyboard alone, and the focus can be seen.
#[test]
fn a_question_is_answered_without_a_mouse() {
    let (repo, run) = mixed_run();
    let Some(mut browser) = Browser::start() else { return };
    let server = PageServer::start(&repo);
    browser.open(&server.url);
    browser.see(".need", "ignore case");
    browser.press("Tab");
    assert_eq!(browser.evaluate("document.activeElement.className"), "skip");
    tab_to(&mut browser, "button.option");
    let outline = browser.evaluate("getComputedStyle(document.activeElement).outlineStyle");
    assert_ne!(outline, "none", "the focus can be seen");
    browser.press("Enter");
    browser.see("main", "Nothing waits for you");
    browser.see(".notice", &format!("afresh resume {run}"));
    browser.go_to(&format!("/run/{run}"));
    browser.see("table.tasks", "T003");
    browser.press("/");
    assert_eq!(browser.evaluate("document.activeElement.type"), "search");
    browser.fill("input[type=search]", "export");
    browser.see(".filter", "1 of 4 tasks");
    tab_to(&mut browser, "table.tasks a");
    browser.press("Enter");
    browser.see("h1", "T003");
    tab_to(&mut browser, "p.buttons button");
    browser.press("Enter");
    browser.see("dialog", "T003");
    browser.press("Escape");
    browser.until("!document.querySelector('dialog')");
    browser.finish();
}

/// Presses Tab until the focus is on what the selector finds.
#[track_caller]
fn tab_to(browser: &mut Browser, selector: &str) {
    for _ in 0..60 {
        browser.press("Tab");
        let is_there = format!("document.activeElement.matches({})", json!(selector));
        if browser.evaluate(&is_there) == json!(true) {
            return;
        }
    }
    panic!("the keyboard does not reach {selector}");
}

/// HU-06, B39: a run with a thousand tasks is shown, filtered and followed.
#[test]
fn a_thousand_tasks_are_shown() {
    let repo = repo();
    repo.plan_of(1_000);
    repo.config("[checks]\nprobe = \"off\"\n");
    let gate = Gate::new(&repo, "go");
    repo.agent(&format!(
        "[ $AFRESH_TASK = T001 ] || {{ {}; }}; echo x > $AFRESH_TASK.txt",
        gate.wait()
    ));
    let Some(mut browser) = Browser::start() else { return };
    let driver = Driver::run(&repo, &["--parallel", "1"]);
    repo.wait_until("one is done", || repo.afresh(&["status"]).stdout.contains("done"));
    let server = PageServer::start(&repo);
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    browser.open(&server.url);
    browser.see("main", "Nothing waits");
    browser.go_to(&format!("/run/{run}"));
    browser.see(".figure", "1 / 1000");
    browser.see("table.tasks", "T1000");
    browser.see(".wide svg", "T001");
    browser.picture("thousand-tasks");
    browser.fill("input[type=search]", "T0999");
    browser.see(".filter", "0 of 1000 tasks");
    browser.fill("input[type=search]", "T999");
    browser.see(".filter", "1 of 1000 tasks");
    browser.fill("input[type=search]", "");
    browser.expect_no_horizontal_scroll("a thousand tasks");
    browser.finish();
    driver.kill_9();
}
