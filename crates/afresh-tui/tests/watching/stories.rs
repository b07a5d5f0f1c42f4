//! What keys do.

use afresh_app::session::view_command::ViewCommand;
use afresh_core::Event;
use afresh_dashboard::screen::PictureKind;
use afresh_dashboard::text::TextLine;
use afresh_tui::document::{DocumentTab, TaskDocument};
use afresh_tui::screen::ScreenFocus;
use afresh_tui::{ScreenAction, ScreenInput, ScreenKey};

use crate::scene::{Scene, log};
use ScreenKey::{Char, Ctrl, Down, End, Enter, Escape, Left, Right, Tab, Up};

fn answer(question: &str, answer: &str, echo: &str) -> ScreenAction {
    let (question, answer) = (question.to_owned(), answer.to_owned());
    ScreenAction::Send { command: ViewCommand::Answer { question, answer }, echo: echo.to_owned() }
}

/// HU-06: the view opens at the question; one key answers it, and what was understood is shown.
#[test]
fn a_question_is_answered_in_place() {
    let mut scene = Scene::asking();
    assert_eq!(scene.screen.focus, ScreenFocus::NeedsYou);
    scene.see("? Waiting for your answer");
    scene.press(&[Enter]);
    scene.see("What should `list` say");
    scene.see(" 2  quiet: it says nothing");
    scene.type_text("1");
    scene.press(&[Enter]);
    let echo = "Q1: friendly: it says that there is nothing to do";
    assert_eq!(*scene.only_action(), answer("Q1", "1", echo));
    scene.see(echo);
}

/// HU-07: a near miss, a number that is not listed and an empty line are asked back; `?` shows the question again.
#[test]
fn a_slip_is_no_answer() {
    let mut scene = Scene::asking();
    scene.press(&[Char('a')]);
    for (typed, refused) in [
        ("friendl", "did you mean \"friendly\"?"),
        ("7", "Q1 has 3 answers, so there is no number 7"),
        ("", "? shows the question again"),
    ] {
        scene.press(&[Ctrl('u')]);
        scene.type_text(typed);
        scene.press(&[Enter]);
        scene.see(refused);
    }
    scene.press(&[Ctrl('u')]);
    scene.type_text("?");
    scene.press(&[Enter]);
    scene.see_not("? shows the question again");
    scene.see("What should `list` say");
    scene.press(&[Escape]);
    scene.see_not("answer Q1>");
    assert_eq!(scene.actions, []);
}

/// HU-07: words of one's own need a key of their own.
#[test]
fn own_words_have_their_own_key() {
    let mut scene = Scene::asking();
    scene.press(&[Char('a')]);
    scene.type_text("print a hint");
    scene.press(&[Enter]);
    assert_eq!(scene.actions, [], "it is none of the listed answers");
    scene.press(&[Tab]);
    scene.see("Q1 in your own words> print a hint");
    scene.press(&[Enter]);
    assert_eq!(*scene.only_action(), answer("Q1", "say: print a hint", "Q1: print a hint"));
    let mut scene = Scene::asking();
    scene.press(&[Char('w')]);
    scene.give(ScreenInput::Paste("two\nlines".to_owned()));
    scene.press(&[Enter]);
    assert_eq!(*scene.only_action(), answer("Q1", "say: two lines", "Q1: two lines"));
}

/// HU-07: a question that was answered elsewhere is asked no more, also while its answer is typed.
#[test]
fn a_question_that_was_answered_elsewhere_is_closed() {
    let mut scene = Scene::asking();
    scene.press(&[Char('a')]);
    scene.type_text("2");
    scene.go_on_until(|event| matches!(event, Event::QuestionAnswered { .. }));
    scene.see("Q1 is no longer open");
    scene.see_not("answer Q1>");
    scene.press(&[Enter]);
    assert_eq!(scene.actions, []);
    scene.press(&[Char('a')]);
    scene.see("nothing waits for an answer");
}

/// ST-04: a halt needs a confirmation; every other key is a no. A second one clears it or ends the attempts.
#[test]
fn a_halt_is_confirmed() {
    let mut scene = Scene::working(80, 24);
    scene.press(&[Char('h')]);
    scene.see("Halt the run?");
    scene.press(&[Char('n')]);
    scene.see_not("Halt the run?");
    scene.press(&[Char('h'), Escape, Char('h'), Char('q')]);
    assert_eq!(scene.actions, [], "also q only closes the dialog");
    scene.press(&[Char('h'), Char('y')]);
    let ScreenAction::Send { command, .. } = scene.only_action() else { panic!("a command") };
    assert_eq!(*command, ViewCommand::Halt { now: false, reason: String::new() });
    scene.actions.clear();
    scene.press(&[Char('h'), Char('x')]);
    let ScreenAction::Send { command, .. } = scene.only_action() else { panic!("a command") };
    assert_eq!(*command, ViewCommand::Halt { now: true, reason: String::new() });
}

/// HU-06: retry and skip are about the selected task, and are confirmed; what is done is not done again by a slip.
#[test]
fn retries_and_skips_are_confirmed() {
    let mut scene = Scene::working(80, 24);
    let select = |scene: &mut Scene, text: &str| {
        scene.press(&[Escape, Char('/')]);
        scene.type_text(text);
        scene.press(&[Enter]);
    };
    select(&mut scene, "count");
    scene.press(&[Char('r')]);
    scene.see("Retry count?");
    scene.press(&[Char('y')]);
    let ScreenAction::Send { command, .. } = scene.only_action() else { panic!("a command") };
    assert_eq!(*command, ViewCommand::Retry { task: "count".to_owned() });
    scene.actions.clear();
    scene.press(&[Char('s'), Enter, Char('y')]);
    let ScreenAction::Send { command, .. } = scene.only_action() else { panic!("a command") };
    let (task, reason) = ("count".to_owned(), String::new());
    assert_eq!(*command, ViewCommand::Skip { task, reason });
    scene.actions.clear();
    select(&mut scene, "words");
    scene.press(&[Char('r')]);
    scene.see("`afresh task redo words`");
    scene.press(&[Char('s'), Char('y')]);
    assert_eq!(scene.actions, []);
}

/// BE-12: a comment is a line of text for the selected task; an empty one is none.
#[test]
fn a_task_is_told_something() {
    let mut scene = Scene::working(80, 24);
    scene.press(&[Char('t'), Enter, Char('t')]);
    scene.type_text("keep the old format");
    let task = scene.screen.selected.clone().expect("a task");
    scene.see(&format!("Tell {task}"));
    scene.press(&[Enter]);
    let text = "keep the old format".to_owned();
    assert_eq!(*scene.only_action(), ScreenAction::Tell { task, text });
}

/// What was carried out, and what failed, stands in the last line until the next key.
#[test]
fn what_a_command_came_to_is_shown() {
    let mut scene = Scene::working(80, 24);
    scene.give(ScreenInput::Failed("✗ refused: it is done".to_owned()));
    scene.see("✗ refused: it is done");
    scene.press(&[Down]);
    scene.see_not("refused");
    scene.give(ScreenInput::Sent("✓ halted".to_owned()));
    scene.see("✓ halted");
}

/// The view never stops the run: leaving it sends nothing.
#[test]
fn leaving_sends_nothing() {
    for key in [Char('q'), Ctrl('c')] {
        let mut scene = Scene::working(80, 24);
        scene.press(&[key]);
        assert_eq!(*scene.only_action(), ScreenAction::Leave);
    }
    let mut scene = Scene::asking();
    scene.press(&[Char('a'), Char('q')]);
    assert_eq!(scene.actions, [], "q is a letter of the answer");
    scene.press(&[Ctrl('c')]);
    assert_eq!(*scene.only_action(), ScreenAction::Leave);
}

#[test]
fn a_filter_finds_tasks_by_id_title_and_state() {
    let mut scene = Scene::working(80, 24);
    scene.press(&[Char('/')]);
    scene.type_text("ITEM");
    scene.see("/ITEM (");
    scene.see("Add an item");
    scene.see_not("Count what is left");
    scene.press(&[Ctrl('u')]);
    scene.type_text("nothing has this");
    scene.see("no task matches the filter");
    scene.press(&[Escape]);
    scene.see("Count what is left");
    scene.press(&[Char('/')]);
    scene.type_text("done words");
    assert_eq!(scene.screen.list.shown, 1);
    // The list moves while one types, and Enter keeps the filter.
    scene.press(&[Down, Enter]);
    assert_eq!(scene.screen.selected.as_ref().map(afresh_core::ids::TaskId::as_str), Some("words"));
    scene.press(&[Escape]);
    assert_eq!(scene.screen.list.shown, scene.screen.list.of);
}

/// LO-02: log, diff, prompt, result, attempts and checks of the selected task, and of its earlier attempts.
#[test]
fn the_texts_of_a_task_are_asked_for_as_they_are_looked_at() {
    let mut scene = Scene::ended(80, 24);
    scene.press(&[ScreenKey::Home]);
    let first = scene.screen.selected.clone().expect("a task");
    let tabs: Vec<DocumentTab> = (0..6)
        .map(|_| {
            let wanted = scene.wanted();
            assert_eq!((&wanted.task, wanted.attempt), (&first, None));
            scene.press(&[Right]);
            wanted.tab
        })
        .collect();
    assert_eq!(tabs, DocumentTab::ALL);
    assert_eq!(scene.wanted().tab, DocumentTab::Log, "after the last comes the first");
    scene.press(&[Char(',')]);
    assert_eq!(scene.wanted().attempt, Some(1));
    scene.see("attempt 1 of 2");
    scene.press(&[Char('.')]);
    assert_eq!(scene.wanted().attempt, None, "the last one is followed");
    scene.press(&[Char(','), Down]);
    assert_ne!(scene.wanted().task, first);
    assert_eq!(scene.wanted().attempt, None);
    scene.press(&[Left]);
    assert_eq!(scene.wanted().tab, DocumentTab::Checks);
}

/// A log stays at its end, unless one scrolls back; at the end it is followed again.
#[test]
fn a_log_is_followed() {
    let mut scene = Scene::working(80, 24);
    scene.bring(log(100));
    scene.see("line 100");
    scene.bring(log(120));
    scene.see("line 120");
    scene.press(&[Enter, Up, Up]);
    scene.see_not("line 120");
    scene.bring(log(130));
    scene.see("line 118");
    scene.see_not("line 130");
    scene.press(&[End]);
    scene.bring(log(140));
    scene.see("line 140");
    // An answer to an earlier request is not shown.
    let earlier = scene.wanted();
    scene.press(&[Right]);
    scene.give(ScreenInput::Document(earlier, std::sync::Arc::new(log(3))));
    scene.see_not("line 3");
}

/// A diff is not broken into lines; it is scrolled sideways.
#[test]
fn a_diff_is_scrolled_sideways() {
    let mut scene = Scene::ended(80, 24);
    scene.press(&[Right, Enter]);
    let long = format!("+{}end", "x".repeat(80));
    let lines = vec![TextLine::new().plain(&long)];
    scene.bring(TaskDocument { lines, wraps: false, follows: false });
    scene.see_not("end");
    (0..6).for_each(|_| scene.press(&[Char('>')]));
    scene.see("xend");
    (0..9).for_each(|_| scene.press(&[Char('<')]));
    scene.see("+xxx");
}

/// LO-04: graph, timeline and cost are asked for only while they are looked at; Enter leads to the task.
#[test]
fn pictures_lead_to_tasks() {
    let mut scene = Scene::ended(80, 24);
    for (key, picture) in [
        ('2', PictureKind::Graph),
        ('3', PictureKind::Timeline),
        ('4', PictureKind::Accounts),
        ('1', PictureKind::None),
    ] {
        scene.press(&[Char(key)]);
        assert_eq!(scene.looked_at.picture, picture);
        assert_eq!(scene.looked_at.document.is_some(), key == '1');
    }
    scene.press(&[Char('2')]);
    (0..9).for_each(|_| scene.press(&[Right]));
    assert_eq!(scene.screen.selected.as_ref().map(afresh_core::ids::TaskId::as_str), Some("usage"));
    scene.press(&[Left]);
    assert_eq!(scene.screen.selected.as_ref().map(afresh_core::ids::TaskId::as_str), Some("count"));
    scene.press(&[Enter]);
    assert_eq!(scene.wanted().task.as_str(), "count");
}

/// HU-06: waiting for you, work, idleness and the end look different, without any colour.
#[test]
fn idle_and_waiting_look_different() {
    Scene::asking().see("? Waiting for your answer");
    Scene::working(80, 24).see("▶ Nothing needs you · ");
    Scene::ended(80, 24).see("✓ Everything is done");
    let mut scene = Scene::working(80, 24);
    scene.is_driven = false;
    scene.news();
    scene.see("○ Idle: nothing needs you, and nothing runs · `afresh resume todo-1` continues");
}
