//! Joining late, resizing, and output that is made to break terminals.

use crate::scene::{finished, watch};
use crate::support::repo;
use crate::support::run_section;
use crate::support::tmux::TmuxScreen;

/// HU-06, LO-02: a run that has ended is shown at any size, with the texts of every task.
#[test]
fn a_finished_run_is_joined_late_and_resized() {
    let repo = finished();
    let Some(screen) = watch(&repo, 80, 24) else { return };
    screen.await_text("1/2 done");
    screen.press("g");
    screen.await_text("looked around");
    screen.press("]");
    screen.await_text("+x");
    screen.press("]");
    screen.await_text("[prompt]");
    screen.press("]");
    screen.await_text("exit code 0");
    screen.press("]");
    screen.await_text("T001.1 merged");
    screen.press("]");
    screen.await_text("✓ test -s T001.txt");
    for (columns, rows) in [(200, 50), (60, 16), (30, 5), (80, 24)] {
        screen.resize(columns, rows);
        let is_small = rows < 12;
        let expected = if is_small { "this window is smaller" } else { "[checks]" };
        let shown = screen.await_that("the new size is used", |shown| {
            let has_foot = shown
                .lines()
                .nth(usize::from(rows) - 1)
                .is_some_and(|line| line.starts_with("? help"));
            shown.contains(expected) && (is_small || has_foot)
        });
        assert_eq!(shown.matches("1/2 done").count(), usize::from(!is_small), "{shown}");
    }
    screen.press("2");
    screen.await_text("[2 graph]");
    screen.await_text("T001 ");
    screen.press("3");
    screen.await_text("█ work");
    screen.press("4");
    screen.await_text("tokens");
    screen.press("q");
    let shown = screen.await_text("ended with 0");
    assert!(shown.contains("no process drives run"), "{shown}");
    assert!(screen.is_restored());
}

/// The named run is shown, and an unknown one is an error before the screen is touched.
#[test]
fn a_run_is_named() {
    let repo = finished();
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    repo.run(&["--task", "T001"]);
    let Some(screen) = TmuxScreen::start(&repo, &["watch", &run], 80, 24) else { return };
    screen.await_text(&run);
    screen.press("q");
    screen.await_text("ended with 0");
    let Some(screen) = TmuxScreen::start(&repo, &["watch", "no-such-run"], 80, 24) else { return };
    screen.await_text("ended with 2");
    assert!(!screen.is_full_screen());
}

/// Without a terminal, and with `--json`, it is an error that names what to use instead.
#[test]
fn without_a_terminal_it_names_the_other_views() {
    let repo = finished();
    let refused = repo.afresh(&["watch"]).expect(2);
    for other in ["`afresh status`", "`afresh attach`", "`afresh serve`"] {
        assert!(refused.stderr.contains(other), "{}", refused.stderr);
    }
    let refused = repo.afresh(&["watch", "--json"]).expect(2).json();
    assert_eq!(refused["error"]["kind"], "terminal");
}

/// B35, HU-06: what a worker printed, a title and a question neither move the cursor nor set a title nor turn a text
/// around.
#[test]
fn hostile_output_is_shown_as_text() {
    let repo = repo();
    let title = "\\u001b[2J\\u001b]0;pwned\\u0007 \\u202Eeltit";
    repo.plan(&format!(
        "[[task]]\nid = \"T001\"\ntitle = \"one {title}\"\nfiles = [\"T001.txt\"]\nchecks = [\"test -s T001.txt\"]\n"
    ));
    repo.config(&run_section("attempts = 1"));
    let print =
        "printf 'before\\033[2J\\033[H\\033]0;pwned\\007\\033[?1003h \\342\\200\\256after\\n'";
    repo.agent(&format!(
        "{print}\n{print} >&2\n{print} > $AFRESH_TASK.txt\n\
         echo OUTPUT_JSON_START\n\
         printf '%s\\n' '{{\"status\":\"NEEDS_DECISION\",\"decision_needed\":\"Which {title}?\",\"options\":[\"a\",\"b {title}\"]}}'\n\
         echo OUTPUT_JSON_END"
    ));
    repo.run(&[]).expect(4);
    let Some(screen) = watch(&repo, 200, 50) else { return };
    let expect_unharmed = |expected: &str| {
        let shown = screen.await_text(expected);
        assert!(shown.lines().next().is_some_and(|line| line.contains("waits for you")), "{shown}");
        assert!(!shown.contains('\u{202e}'), "{shown:?}");
        assert!(!screen.takes_mouse() && !screen.title().contains("pwned"));
    };
    expect_unharmed("before\\u{1b}[2J");
    expect_unharmed("\\u{202e}eltit");
    for _ in 0..5 {
        screen.press("]");
        std::thread::sleep(std::time::Duration::from_millis(150));
        expect_unharmed("Waiting for your answer");
    }
    screen.press("a");
    expect_unharmed("answer Q1>");
    screen.press("Escape");
    for view in ["2", "3", "4"] {
        screen.press(view);
        expect_unharmed("T001");
    }
}
