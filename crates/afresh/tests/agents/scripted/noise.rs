//! Output that a careless reader would fail on.

use std::fs;

use super::scene::{configure, does, one_task, run};

fn noisy(kind: &str) -> String {
    does(&format!(
        "{{ use = {{ input = 10 }} }}, {{ hostile = \"{kind}\" }}, {{ use = {{ input = 5, cost_usd = 0.5 }} }}, {{ write = \"a.txt\", text = \"x\" }}"
    ))
}

/// B34, B35, R15: whatever it prints, its reports are read, its work lands, and none of the noise reaches the
/// terminal.
#[test]
fn noise_neither_reaches_the_terminal_nor_hides_the_reports() {
    for kind in ["escape", "long-line", "binary", "flood"] {
        let repo = one_task(&noisy(kind));
        let ran = run(&repo, &[], 0);
        let shown = ran.stderr.chars().filter(|c| c.is_control() && *c != '\n').count();
        assert_eq!(shown, 0, "{kind}: {:?}", ran.stderr);
        assert!(ran.stderr.len() < 10_000, "{kind}: {} bytes", ran.stderr.len());
        let usage = &repo.status()["usage"];
        assert_eq!((&usage["input"], &usage["cost_usd"]), (&15.into(), &0.5.into()), "{kind}");
    }
}

/// R15: if the middle of the output is not kept, the last report and the answer still count.
#[test]
fn reports_count_although_the_middle_is_left_out() {
    let repo = one_task(&noisy("flood"));
    configure(&repo, "output_limit = 65536");
    run(&repo, &[], 0);
    assert_eq!(repo.status()["usage"]["input"], 15);
    let kept = repo.state().join("attempts/test-1/A.1/stdout.log");
    assert!(fs::metadata(kept).expect("its output").len() < 70_000);
}

/// B33, R14: invalid usage reports are dropped and logged; totals stay what was really used.
#[test]
fn reports_that_make_no_sense_are_thrown_out() {
    let repo = one_task(&noisy("numbers"));
    run(&repo, &[], 0);
    let usage = &repo.status()["usage"];
    let used = (&usage["input"], &usage["output"], &usage["cost_usd"]);
    assert_eq!(used, (&15.into(), &0.into(), &0.5.into()));
    let log = fs::read_to_string(repo.state().join("activity.log")).expect("the log");
    let warned: Vec<&str> = log.lines().filter(|line| line.contains("invalid amount")).collect();
    assert_eq!(warned.len(), 3, "{log}");
    assert!(warned[0].contains("[WARN] [A.1]"), "{log}");
}
