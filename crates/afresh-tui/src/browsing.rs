//! What keys do while no dialog is open.

use afresh_core::ids::TaskId;
use afresh_dashboard::data::graph::GraphNode;
use afresh_dashboard::screen::ScreenPicture;
use afresh_dashboard::text::TextRole;

use crate::action::ScreenAction;
use crate::dialog::{AnswerMode, Dialog};
use crate::input::ScreenKey;
use crate::screen::{ScreenFocus, ScreenView, WatchScreen};

/// How far a diff is scrolled sideways at once.
const SIDE_STEP: usize = 8;

impl WatchScreen {
    pub(crate) fn browse(&mut self, key: ScreenKey) -> Vec<ScreenAction> {
        match key {
            ScreenKey::Char('q') => return vec![ScreenAction::Leave],
            ScreenKey::Char('?') => self.dialog = Some(Dialog::Help),
            ScreenKey::Char('/') => self.is_filtering = true,
            ScreenKey::Char(c @ '1'..='4') => self.show_view(c),
            ScreenKey::Char('a') => self.answer(AnswerMode::Listed),
            ScreenKey::Char('w') => self.answer(AnswerMode::OwnWords),
            ScreenKey::Char('r') => self.confirm_retry(),
            ScreenKey::Char('s') => self.confirm_skip(),
            ScreenKey::Char('t') => self.tell(),
            ScreenKey::Char('h') => self.confirm_halt(),
            ScreenKey::Char(',') => self.step_attempt(-1),
            ScreenKey::Char('.') => self.step_attempt(1),
            ScreenKey::Char('[') => self.step_tab(-1),
            ScreenKey::Char(']') => self.step_tab(1),
            ScreenKey::Tab => self.step_focus(1),
            ScreenKey::BackTab => self.step_focus(-1),
            ScreenKey::Escape => self.go_back(),
            ScreenKey::Enter => self.enter(),
            key => self.navigate(key),
        }
        Vec::new()
    }

    pub(crate) fn type_filter(&mut self, key: ScreenKey) -> Vec<ScreenAction> {
        match key {
            ScreenKey::Enter | ScreenKey::Tab => self.is_filtering = false,
            ScreenKey::Escape => {
                self.is_filtering = false;
                self.filter.clear();
            }
            // The list stays in reach while one types.
            ScreenKey::Up | ScreenKey::Down => self.step_task(key == ScreenKey::Down, 1),
            key => {
                self.filter.edit(key);
            }
        }
        self.renew_list();
        Vec::new()
    }

    fn show_view(&mut self, number: char) {
        let at = number.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(1);
        self.view = ScreenView::ALL[(at - 1).min(ScreenView::ALL.len() - 1)];
        if self.focus == ScreenFocus::Document {
            self.focus = ScreenFocus::Tasks;
        }
    }

    fn step_focus(&mut self, step: isize) {
        let mut places = Vec::new();
        if !self.needs().is_empty() {
            places.push(ScreenFocus::NeedsYou);
        }
        places.push(ScreenFocus::Tasks);
        if self.view == ScreenView::Tasks {
            places.push(ScreenFocus::Document);
        }
        let at = places.iter().position(|place| *place == self.focus).unwrap_or(0);
        let count = places.len();
        self.focus = places[at.saturating_add_signed(count.cast_signed() + step) % count];
        self.select_needed();
    }

    fn go_back(&mut self) {
        if self.focus != ScreenFocus::Tasks {
            self.focus = ScreenFocus::Tasks;
        } else if !self.filter.is_empty() {
            self.filter.clear();
            self.renew_list();
        } else {
            self.view = ScreenView::Tasks;
        }
    }

    fn enter(&mut self) {
        match (self.focus, self.view) {
            (ScreenFocus::NeedsYou, _) => self.answer(AnswerMode::Listed),
            (_, ScreenView::Tasks) => self.focus = ScreenFocus::Document,
            // From a picture to the task in it.
            _ => self.view = ScreenView::Tasks,
        }
    }

    fn navigate(&mut self, key: ScreenKey) {
        match self.focus {
            ScreenFocus::NeedsYou => self.move_in_needs(key),
            ScreenFocus::Document => self.move_in_document(key),
            ScreenFocus::Tasks if self.view == ScreenView::Graph => self.move_in_graph(key),
            ScreenFocus::Tasks => self.move_in_tasks(key),
        }
    }

    fn move_in_needs(&mut self, key: ScreenKey) {
        let last = self.needs().len().saturating_sub(1);
        match key {
            ScreenKey::Up | ScreenKey::Char('k') => self.need = self.need.saturating_sub(1),
            ScreenKey::Down | ScreenKey::Char('j') if self.need < last => self.need += 1,
            // Below the last one is the list.
            ScreenKey::Down | ScreenKey::Char('j') => self.focus = ScreenFocus::Tasks,
            _ => {}
        }
        self.select_needed();
    }

    /// What is asked about is what is shown.
    fn select_needed(&mut self) {
        if self.focus == ScreenFocus::NeedsYou
            && let Some(task) = self.needs().get(self.need).and_then(|need| need.task.clone())
        {
            self.select(task);
        }
    }

    fn move_in_tasks(&mut self, key: ScreenKey) {
        let page = self.panes().map_or(10, |panes| usize::from(panes.list.height)).max(2) - 1;
        match key {
            ScreenKey::Up | ScreenKey::Char('k') => self.step_task(false, 1),
            ScreenKey::Down | ScreenKey::Char('j') => self.step_task(true, 1),
            ScreenKey::PageUp => self.step_task(false, page),
            ScreenKey::PageDown => self.step_task(true, page),
            ScreenKey::Home | ScreenKey::Char('g') => self.step_task(false, usize::MAX),
            ScreenKey::End | ScreenKey::Char('G') => self.step_task(true, usize::MAX),
            ScreenKey::Left => self.step_tab(-1),
            ScreenKey::Right => self.step_tab(1),
            _ => {}
        }
    }

    fn step_task(&mut self, forward: bool, steps: usize) {
        let order: Vec<TaskId> = self.order().iter().map(|task| task.id.clone()).collect();
        let at = order.iter().position(|id| Some(id) == self.selected.as_ref());
        let next = match at {
            None => 0,
            Some(at) if forward => at.saturating_add(steps).min(order.len() - 1),
            Some(at) => at.saturating_sub(steps),
        };
        if let Some(task) = order.into_iter().nth(next) {
            self.select(task);
        }
    }

    /// To the nearest task in this direction.
    fn move_in_graph(&mut self, key: ScreenKey) {
        let Some(ScreenPicture::Graph(graph)) = self.picture() else { return };
        let here = graph.nodes.iter().find(|node| Some(&node.task) == self.selected.as_ref());
        let Some(here) = here.or(graph.nodes.first()) else { return };
        let is_there = |node: &&GraphNode| match key {
            ScreenKey::Up | ScreenKey::Char('k') => node.x == here.x && node.y < here.y,
            ScreenKey::Down | ScreenKey::Char('j') => node.x == here.x && node.y > here.y,
            ScreenKey::Left => node.x < here.x,
            ScreenKey::Right => node.x > here.x,
            _ => false,
        };
        // The next column counts more than the same height.
        let distance =
            |node: &&GraphNode| (node.x.abs_diff(here.x), node.y.abs_diff(here.y), node.y);
        let next = graph.nodes.iter().filter(is_there).min_by_key(distance);
        if let Some(task) = next.map(|node| node.task.clone()) {
            self.select(task);
        }
    }

    fn move_in_document(&mut self, key: ScreenKey) {
        let page = self.panes().map_or(10, |panes| usize::from(panes.document.height)).max(2) - 1;
        let top = self.document_top();
        let is_cut = self.document.shown.as_ref().is_some_and(|(_, document)| !document.wraps);
        self.document.top = match key {
            ScreenKey::Up | ScreenKey::Char('k') => top.saturating_sub(1),
            ScreenKey::Down | ScreenKey::Char('j') => top + 1,
            ScreenKey::PageUp => top.saturating_sub(page),
            ScreenKey::PageDown | ScreenKey::Char(' ') => top + page,
            ScreenKey::Home | ScreenKey::Char('g') => 0,
            ScreenKey::End | ScreenKey::Char('G') => self.document.lines.len(),
            ScreenKey::Left => return self.step_tab(-1),
            ScreenKey::Right => return self.step_tab(1),
            ScreenKey::Char('<') => {
                self.document.left = self.document.left.saturating_sub(SIDE_STEP);
                return;
            }
            ScreenKey::Char('>') if is_cut => {
                self.document.left += SIDE_STEP;
                return;
            }
            _ => return,
        };
        self.document.follows = false;
        let end = self.document_top();
        // At its end, a log is followed again.
        let is_log = self.document.shown.as_ref().is_some_and(|(_, document)| document.follows);
        self.document.follows = is_log && end < self.document.top;
        self.document.top = end;
    }

    fn step_tab(&mut self, step: isize) {
        if self.view == ScreenView::Tasks {
            self.tab = self.tab.next(step);
        }
    }

    fn step_attempt(&mut self, step: i32) {
        let Some(task) = self.selected_task() else { return };
        let last = task.attempts;
        let shown = self.attempt.unwrap_or(last);
        let next = shown.saturating_add_signed(step).clamp(1.min(last), last);
        let text = match last {
            0 => format!("{} was not started yet", task.id),
            _ => format!("attempt {next} of {last}"),
        };
        // The last one is followed: there may be another one later.
        self.attempt = (next < last).then_some(next);
        self.say(TextRole::Dim, &text);
    }
}
