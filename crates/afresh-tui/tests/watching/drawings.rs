//! What stands on the screen, in every view, on small and large screens.

use afresh_dashboard::text::TextLine;
use afresh_tui::document::TaskDocument;
use afresh_tui::draw::ScreenColors;
use afresh_tui::{ScreenInput, ScreenKey};
use insta::assert_snapshot;
use ratatui_core::style::Color;

use crate::scene::{Scene, log};
use ScreenKey::{Char, Down, Right};

fn in_view(view: char, columns: u16, rows: u16) -> String {
    let mut scene = Scene::ended(columns, rows);
    scene.press(&[Char(view)]);
    scene.text()
}

/// HU-06: what needs a person stands above everything else.
#[test]
fn a_question_at_80x24() {
    let mut scene = Scene::asking();
    scene.bring(log(40));
    assert_snapshot!("question", scene.text());
    scene.press(&[Char('a'), Char('9'), ScreenKey::Enter]);
    assert_snapshot!("answer", scene.text());
}

/// LO-03, HU-06: every task with its state, the selected one with its worker, its context and its cost.
#[test]
fn workers_at_both_sizes() {
    let mut scene = Scene::working(80, 24);
    scene.bring(log(5));
    assert_snapshot!("working_80x24", scene.text());
    scene.give(ScreenInput::Resized { columns: 200, rows: 50 });
    assert_snapshot!("working_200x50", scene.text());
    // Back at the first size, everything is where it was.
    let before = Scene::working(80, 24).text();
    scene.give(ScreenInput::Resized { columns: 80, rows: 24 });
    assert_eq!(scene.text().lines().next(), before.lines().next());
}

/// LO-04: the graph, the timeline and the cost of a run that has ended.
#[test]
fn pictures_at_both_sizes() {
    assert_snapshot!("graph_80x24", in_view('2', 80, 24));
    assert_snapshot!("graph_200x50", in_view('2', 200, 50));
    assert_snapshot!("timeline_80x24", in_view('3', 80, 24));
    assert_snapshot!("cost_80x24", in_view('4', 80, 24));
    assert_snapshot!("cost_200x50", in_view('4', 200, 50));
}

#[test]
fn help_and_confirmations_fit_the_smallest_usual_screen() {
    let mut scene = Scene::working(80, 24);
    scene.press(&[Char('?')]);
    assert_snapshot!("help", scene.text());
    scene.press(&[Char('x'), Char('h')]);
    assert_snapshot!("halt", scene.text());
}

/// A long text has a mark that shows where one is in it.
#[test]
fn a_long_text_shows_its_place() {
    let mut scene = Scene::working(80, 24);
    scene.bring(TaskDocument { follows: false, ..log(200) });
    scene.see("line 1 ");
    assert_eq!(scene.text().matches('▐').count(), 1);
}

/// No size and no key makes drawing fail, and a screen that is too small says so.
#[test]
fn every_size_can_be_drawn() {
    for columns in [1, 2, 20, 39, 40, 41, 59, 80, 200] {
        for rows in [1, 2, 5, 11, 12, 13, 20, 24, 34, 50] {
            for mut scene in [Scene::asking(), Scene::ended(80, 24)] {
                scene.give(ScreenInput::Resized { columns, rows });
                scene.bring(log(30));
                let is_small = columns < 40 || rows < 12;
                assert_eq!(scene.text().contains("todo-1"), !is_small, "{columns}×{rows}");
                for key in "2d3d4d1dat\u{1b}h\u{1b}?\u{1b}/x".chars() {
                    let key = match key {
                        '\u{1b}' => ScreenKey::Escape,
                        'd' => Down,
                        c => Char(c),
                    };
                    scene.press(&[key, Right]);
                    scene.text();
                }
            }
        }
    }
}

/// HU-06: without colours nothing is lost: every state has a character of its own.
#[test]
fn no_colour_is_needed() {
    let scene = Scene::asking();
    let colored = scene.buffer(ScreenColors::Colored);
    let plain = scene.buffer(ScreenColors::Plain);
    assert!(colored.content.iter().any(|cell| cell.fg != Color::Reset));
    assert!(plain.content.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
    let text = |buffer: &ratatui_core::buffer::Buffer| -> String {
        buffer.content.iter().map(ratatui_core::buffer::Cell::symbol).collect()
    };
    assert_eq!(text(&colored), text(&plain));
}

/// A tab that is read, and one that is not there yet, look different.
#[test]
fn a_text_that_is_being_read_is_marked() {
    let mut scene = Scene::working(80, 24);
    assert!(scene.text().lines().any(|line| line.ends_with("│…")), "{}", scene.text());
    let lines = vec![TextLine::new().plain("read")];
    scene.bring(TaskDocument { lines, wraps: true, follows: true });
    scene.see("│read");
}
