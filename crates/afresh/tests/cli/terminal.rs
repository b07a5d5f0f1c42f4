//! The person at the run's own terminal: HU-01 to HU-05, EX-09, ST-04; and nothing waits for input that cannot come.

use crate::support::repo;
use crate::support::terminal::Terminal;
use afresh_testkit::TestRepo;

const PLAN: &str = r#"
[[task]]
id = "T"
title = "store it"
files = ["a.txt"]
checks = ["test -s a.txt"]
[[task]]
id = "U"
title = "beside it"
files = ["b.txt"]
checks = ["test -s b.txt"]
"#;

/// T asks which storage to use; if its prompt has an answer, it follows that.
const ASKING: &str = r#"
if [ $AFRESH_TASK = U ]; then echo b > b.txt; exit; fi
if grep -q 'Decided by a person' "$AFRESH_PROMPT"; then
  grep -o 'sqlite\|a flat file' "$AFRESH_PROMPT" | tail -1 > a.txt; exit
fi
echo OUTPUT_JSON_START
echo '{"status":"NEEDS_DECISION","decision_needed":"Which storage?","options":[{"key":"json","description":"plain text"},{"key":"sqlite","description":"one file"}],"context":"both would do"}'
echo OUTPUT_JSON_END"#;

#[track_caller]
fn ends(terminal: Terminal, with: i32) -> String {
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(with), "{screen}");
    screen
}

fn asking() -> TestRepo {
    let repo = repo();
    repo.plan(PLAN);
    repo.agent(ASKING);
    repo
}

/// HU-01, HU-04: question, options and context are shown; a number is an answer; the rest has continued meanwhile.
#[test]
fn a_decision_is_asked_and_answered_in_the_running_terminal() {
    let repo = asking();
    let mut terminal = Terminal::start(repo.command(&["run", "p.plan.toml"]));
    terminal.await_text("Which storage?");
    terminal.await_text("both would do");
    terminal.await_text("2  sqlite: one file");
    // BE-06: only its dependents wait.
    terminal.await_text("U.1 beside it (");
    // Once nothing else is running, afresh says so.
    terminal.await_text("Waiting for your answer to Q1");
    terminal.keys("2\n");
    let screen = ends(terminal, 0);
    assert!(screen.contains("2/2 tasks: 2 merged"), "{screen}");
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("sqlite\n"));
    repo.expect_no_survivors();
}

/// HU-01, HU-07: free text is an answer to a worker's question, with a key of its own. A near miss, a number that is
/// not listed and a command for the shell are refused; `?` shows the question again; what was understood is shown.
#[test]
fn a_decision_can_be_answered_in_free_words_and_a_slip_is_no_answer() {
    let repo = asking();
    let mut terminal = Terminal::start(repo.command(&["run", "p.plan.toml"]));
    terminal.await_text("STOP halts");
    terminal.keys("sqlit\n");
    terminal.await_text("did you mean \"sqlite\"?");
    terminal.keys("5\n");
    terminal.await_text("Q1 has 3 answers, so there is no number 5");
    terminal.keys("git status\n");
    terminal.await_text("or your own words: `say: YOUR WORDS`");
    terminal.keys("?\n");
    terminal.await_text("Which storage?");
    terminal.keys("Q1 say: a flat file\n");
    terminal.await_text("Q1 a flat file (by");
    ends(terminal, 0);
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("a flat file\n"));
}

/// HU-04: answered in another terminal, the waiting one continues by itself.
#[test]
fn an_answer_from_another_terminal_reaches_the_waiting_run() {
    let repo = asking();
    let terminal = Terminal::start(repo.command(&["run", "p.plan.toml"]));
    terminal.await_text("STOP halts");
    repo.afresh(&["decide", "Q1", "sqlite"]).expect(0);
    ends(terminal, 0);
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("sqlite\n"));
}

/// HU-04: nothing waits in memory only: after a restart the question is still open.
#[test]
fn a_person_who_leaves_finds_the_question_again() {
    let repo = asking();
    let mut terminal = Terminal::start(repo.command(&["run", "p.plan.toml"]));
    terminal.await_text("STOP halts");
    terminal.keys("\u{4}");
    ends(terminal, 4);
    let mut again = Terminal::start(repo.command(&["run", "p.plan.toml"]));
    again.await_text("Which storage?");
    again.keys("sqlite\n");
    ends(again, 0);
}

/// ST-04: a typed STOP in an interactive run is a halt.
#[test]
fn a_typed_stop_halts_the_run() {
    let repo = asking();
    let mut terminal = Terminal::start(repo.command(&["run", "p.plan.toml"]));
    terminal.await_text("STOP halts");
    terminal.keys("STOP\n");
    ends(terminal, 3);
    assert_eq!(repo.status()["state"], "halted");
}

/// HU-02: numbered instructions; `done` starts a worker that verifies and continues.
#[test]
fn an_action_is_shown_with_numbered_instructions() {
    let repo = repo();
    repo.plan(PLAN);
    repo.agent(
        r#"if [ $AFRESH_TASK = U ]; then echo b > b.txt; exit; fi
if grep -q 'done: it is done' "$AFRESH_PROMPT"; then echo verified > a.txt; exit; fi
echo OUTPUT_JSON_START
echo '{"status":"NEEDS_ACTION","action_needed":"An account","instructions":["open the page","sign up"],"verification":"the key works"}'
echo OUTPUT_JSON_END"#,
    );
    let mut terminal = Terminal::start(repo.command(&["run", "p.plan.toml"]));
    terminal.await_text("2. sign up");
    terminal.await_text("It is done when: the key works");
    terminal.await_text("STOP halts");
    terminal.keys("perhaps\n");
    terminal.await_text("Q1 takes one of: done, defer");
    terminal.keys("done\n");
    ends(terminal, 0);
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("verified\n"));
}

/// HU-03: a failure offers its options here too.
#[test]
fn a_failed_task_is_given_words_in_the_terminal() {
    let repo = repo();
    repo.plan(PLAN);
    repo.config(&crate::support::run_section("attempts = 1"));
    repo.agent(
        r#"if [ $AFRESH_TASK = U ]; then echo b > b.txt; exit; fi
grep -q 'the blue one' "$AFRESH_PROMPT" && echo blue > a.txt; exit 0"#,
    );
    let mut terminal = Terminal::start(repo.command(&["run", "p.plan.toml"]));
    terminal.await_text("clarify: YOUR WORDS");
    terminal.keys("clarify: take the blue one\n");
    ends(terminal, 0);
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("blue\n"));
}

/// EX-09: `--interactive` asks before each task.
#[test]
fn interactive_asks_before_each_task() {
    let repo = repo();
    repo.plan(PLAN);
    repo.agent("echo x > a.txt; [ $AFRESH_TASK = U ] && mv a.txt b.txt; true");
    let mut terminal = Terminal::start(repo.command(&["run", "p.plan.toml", "--interactive"]));
    terminal.await_text("start T: store it?");
    terminal.keys("start\n");
    terminal.await_text("start U: beside it?");
    terminal.keys("n\n");
    let screen = ends(terminal, 1);
    assert!(screen.contains("1 merged, 1 skipped"), "{screen}");
    assert_eq!(repo.landed(), ["T"]);
}

/// Without a terminal, or if the user asked for it, nothing waits for input that cannot come.
#[test]
fn nothing_waits_for_input_that_cannot_come() {
    let repo = asking();
    let ran = repo.run(&[]).expect(4);
    assert!(ran.stderr.contains("afresh decide Q1"), "{}", ran.stderr);
    repo.run(&["--interactive"]).expect(4);
    let terminal = Terminal::start(repo.command(&["run", "p.plan.toml", "--no-input"]));
    let screen = ends(terminal, 4);
    assert!(screen.contains("afresh decide Q1"), "{screen}");
}

/// HU-04: a job in the background is neither stopped nor waits for input that cannot come.
#[test]
fn in_the_background_of_a_terminal_no_answer_is_awaited() {
    let repo = asking();
    let terminal = Terminal::start_in_background(&repo.command(&["run", "p.plan.toml"]));
    let screen = ends(terminal, 4);
    assert!(screen.contains("1 merged") && screen.contains("afresh decide Q1"), "{screen}");
}

/// HU-04: where nothing waits for an answer, that is what is said; after an answer, what is still open is named.
#[test]
fn what_waits_is_named_after_every_answer() {
    let repo = repo();
    repo.plan(PLAN);
    repo.config(&crate::support::run_section("attempts = 1"));
    repo.commit("config");
    let gate = crate::support::Gate::new(&repo, "go");
    let ask = ASKING.replace("if [ $AFRESH_TASK = U ]; then echo b > b.txt; exit; fi", "");
    let ask = ask.replace("> a.txt", "> $([ $AFRESH_TASK = T ] && echo a || echo b).txt");
    repo.agent(&format!("{}\n{ask}", gate.wait()));
    let mut terminal = Terminal::start(repo.command(&["run", "p.plan.toml"]));
    terminal.await_text("T.1");
    terminal.keys("hello\n");
    terminal.await_text("nothing waits for an answer");
    assert!(!terminal.screen().contains("shows the question again"), "{}", terminal.screen());
    gate.open();
    terminal.await_text("Waiting for your answer to Q1, Q2");
    terminal.keys("Q2 sqlite\n");
    terminal.await_text("still open: Q1 (? shows them)");
    terminal.keys("sqlite\n");
    ends(terminal, 0);
}

/// TR-02, HU-07: `stop` is an answer to the question about the base, and no halt; the line below it says how to halt.
#[test]
fn stop_answers_the_question_that_offers_it() {
    let repo = repo();
    repo.plan(PLAN);
    repo.config(&format!("{}[checks]\nalways = [\"exit 1\"]\n", crate::support::run_section("")));
    repo.commit("config");
    repo.agent(ASKING);
    let mut terminal = Terminal::start(repo.command(&["run", "p.plan.toml"]));
    terminal.await_text("Ctrl-C halts the run");
    terminal.keys("stop\n");
    let screen = ends(terminal, 1);
    assert!(!screen.contains("STOP halts"), "{screen}");
    let status = repo.status();
    assert_eq!(
        (&status["halt"], &status["tasks"][0]["attempts"]),
        (&serde_json::Value::Null, &0.into())
    );
}
