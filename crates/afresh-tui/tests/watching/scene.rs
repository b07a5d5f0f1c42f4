//! A screen with a recorded run on it.

use std::sync::Arc;

use afresh_core::Event;
use afresh_dashboard::data::task_rows::TaskRow;
use afresh_dashboard::data::workers::WorkerAction;
use afresh_dashboard::screen::{PictureKind, ScreenData};
use afresh_dashboard::text::TextLine;
use afresh_dashboard::{LiveFacts, RunHistory};
use afresh_tui::action::LookedAt;
use afresh_tui::document::{DocumentRequest, TaskDocument};
use afresh_tui::draw::{ScreenColors, draw};
use afresh_tui::{ScreenAction, ScreenInput, ScreenKey, WatchScreen};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use crate::recorded::{PlayedRun, is_question, is_spawned};

/// The screen, the run on it, and what the view asked for.
pub(crate) struct Scene {
    pub(crate) screen: WatchScreen,
    pub(crate) played: PlayedRun,
    pub(crate) is_driven: bool,
    pub(crate) looked_at: LookedAt,
    /// Everything else that it asked for.
    pub(crate) actions: Vec<ScreenAction>,
}

impl Scene {
    pub(crate) fn new(played: PlayedRun, is_driven: bool, columns: u16, rows: u16) -> Self {
        let (looked_at, actions) = (LookedAt::default(), Vec::new());
        let screen = WatchScreen::new(columns, rows);
        let mut scene = Self { screen, played, is_driven, looked_at, actions };
        scene.news();
        scene
    }

    /// While the second worker asks a question.
    pub(crate) fn asking() -> Self {
        Self::new(PlayedRun::until(is_question), true, 80, 24)
    }

    /// While several workers are at work.
    pub(crate) fn working(columns: u16, rows: u16) -> Self {
        Self::new(PlayedRun::until(is_spawned("empty")), true, columns, rows)
    }

    pub(crate) fn ended(columns: u16, rows: u16) -> Self {
        Self::new(PlayedRun::whole(), false, columns, rows)
    }

    /// Plays on up to and including the first event like this.
    pub(crate) fn go_on_until(&mut self, is_last: impl Fn(&Event) -> bool) {
        self.played = PlayedRun::until(is_last);
        self.news();
    }

    pub(crate) fn data(&self, picture: PictureKind) -> ScreenData {
        let (run, history) = (&self.played.run, &self.played.history);
        let mut facts = facts(history, self.is_driven);
        for track in history.attempts().iter().filter(|track| track.end.is_none()) {
            let (verb, object) = ("edit".to_owned(), "lib/list.sh".to_owned());
            facts.actions.insert(track.id.clone(), WorkerAction { verb, object });
        }
        let rows = TaskRow::list_all(run, history).into();
        ScreenData::new(run, history, &facts, rows, picture)
    }

    pub(crate) fn news(&mut self) {
        let data = Arc::new(self.data(self.looked_at.picture));
        self.give(ScreenInput::News(data));
    }

    /// As the caller of the view does: what it wants to look at is brought.
    pub(crate) fn give(&mut self, input: ScreenInput) {
        let asked = self.screen.update(input);
        for action in asked {
            match action {
                ScreenAction::LookAt(looked_at) => {
                    let is_other_picture = looked_at.picture != self.looked_at.picture;
                    self.looked_at = looked_at;
                    if is_other_picture {
                        self.news();
                    }
                }
                other => self.actions.push(other),
            }
        }
    }

    pub(crate) fn press(&mut self, keys: &[ScreenKey]) {
        for key in keys {
            self.give(ScreenInput::Key(*key));
        }
    }

    pub(crate) fn type_text(&mut self, text: &str) {
        text.chars().for_each(|c| self.give(ScreenInput::Key(ScreenKey::Char(c))));
    }

    /// What it asked for last; nothing else was asked for.
    #[track_caller]
    pub(crate) fn only_action(&self) -> &ScreenAction {
        assert_eq!(self.actions.len(), 1, "{:?}", self.actions);
        &self.actions[0]
    }

    pub(crate) fn wanted(&self) -> DocumentRequest {
        self.looked_at.document.clone().expect("a document is looked at")
    }

    /// Brings the document that is looked at.
    pub(crate) fn bring(&mut self, document: TaskDocument) {
        let wanted = self.wanted();
        self.give(ScreenInput::Document(wanted, Arc::new(document)));
    }

    pub(crate) fn buffer(&self, colors: ScreenColors) -> Buffer {
        let area = Rect::new(0, 0, self.screen.columns, self.screen.rows);
        let mut buffer = Buffer::empty(area);
        draw(&self.screen, colors, &mut buffer);
        buffer
    }

    /// The lines on the screen.
    pub(crate) fn text(&self) -> String {
        let buffer = self.buffer(ScreenColors::Colored);
        let rows = buffer.content.chunks(usize::from(self.screen.columns).max(1));
        let lines = rows.map(|row| {
            let line: String = row.iter().map(ratatui_core::buffer::Cell::symbol).collect();
            line.trim_end().to_owned()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[track_caller]
    pub(crate) fn see(&self, expected: &str) {
        let text = self.text();
        assert!(text.contains(expected), "{expected:?} is not on the screen:\n{text}");
    }

    #[track_caller]
    pub(crate) fn see_not(&self, unexpected: &str) {
        let text = self.text();
        assert!(!text.contains(unexpected), "{unexpected:?} is on the screen:\n{text}");
    }
}

fn facts(history: &RunHistory, is_driven: bool) -> LiveFacts {
    let later_ms = if is_driven { 2_000 } else { 0 };
    LiveFacts { now_ms: history.last_ms() + later_ms, is_driven, ..LiveFacts::default() }
}

/// A log of this many lines.
pub(crate) fn log(count: usize) -> TaskDocument {
    let lines = (1..=count).map(|number| TextLine::new().plain(&format!("line {number}")));
    TaskDocument { lines: lines.collect(), wraps: true, follows: true }
}
