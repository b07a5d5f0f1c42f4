//! The state of the view.

use std::sync::Arc;

use afresh_core::ids::TaskId;
use afresh_dashboard::data::needs_you::NeedsYou;
use afresh_dashboard::data::task_rows::TaskRow;
use afresh_dashboard::data::workers::WorkerRow;
use afresh_dashboard::screen::{PictureKind, ScreenData, ScreenPicture};
use afresh_dashboard::text::TextRole;

use crate::action::{LookedAt, ScreenAction};
use crate::dialog::{Dialog, DialogStep};
use crate::document::DocumentTab;
use crate::input::{ScreenInput, ScreenKey};
use crate::panes::ScreenPanes;
use crate::reading::DocumentPane;
use crate::task_list::ListedTasks;
use crate::typed_text::TypedText;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ScreenView {
    #[default]
    Tasks,
    Graph,
    Timeline,
    Cost,
}

impl ScreenView {
    pub const ALL: [Self; 4] = [Self::Tasks, Self::Graph, Self::Timeline, Self::Cost];

    pub fn word(self) -> &'static str {
        match self {
            Self::Tasks => "tasks",
            Self::Graph => "graph",
            Self::Timeline => "timeline",
            Self::Cost => "cost",
        }
    }

    pub(crate) fn picture(self) -> PictureKind {
        match self {
            Self::Tasks => PictureKind::None,
            Self::Graph => PictureKind::Graph,
            Self::Timeline => PictureKind::Timeline,
            Self::Cost => PictureKind::Accounts,
        }
    }
}

/// What arrow keys move in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ScreenFocus {
    NeedsYou,
    #[default]
    Tasks,
    Document,
}

/// One line at the bottom: what was understood, what was done, what failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenMessage {
    pub text: String,
    pub role: TextRole,
}

/// The view: what it knows, and where the user is in it.
#[derive(Debug, Clone, Default)]
pub struct WatchScreen {
    pub columns: u16,
    pub rows: u16,
    /// None until the run was read.
    pub data: Option<Arc<ScreenData>>,
    pub view: ScreenView,
    pub focus: ScreenFocus,
    pub list: ListedTasks,
    pub selected: Option<TaskId>,
    /// The position in the needs-you list.
    pub need: usize,
    pub filter: TypedText,
    pub is_filtering: bool,
    pub tab: DocumentTab,
    /// None: the last one.
    pub attempt: Option<u32>,
    pub document: DocumentPane,
    pub dialog: Option<Dialog>,
    pub message: Option<ScreenMessage>,
    looked_at: LookedAt,
}

impl WatchScreen {
    pub fn new(columns: u16, rows: u16) -> Self {
        let document = DocumentPane { follows: true, ..DocumentPane::default() };
        Self { columns, rows, document, ..Self::default() }
    }

    /// What this changes, and what the caller has to do.
    pub fn update(&mut self, input: ScreenInput) -> Vec<ScreenAction> {
        let mut actions = match input {
            ScreenInput::Key(key) => self.press(key),
            ScreenInput::Paste(text) => self.paste(&text),
            ScreenInput::Resized { columns, rows } => self.resize(columns, rows),
            ScreenInput::News(data) => self.take_news(data),
            ScreenInput::Document(request, document) => self.take_document(request, document),
            ScreenInput::Sent(text) => self.say(TextRole::Good, &text),
            ScreenInput::Failed(text) => self.say(TextRole::Bad, &text),
        };
        let looked_at = self.what_is_looked_at();
        if looked_at != self.looked_at {
            self.looked_at = looked_at.clone();
            actions.push(ScreenAction::LookAt(looked_at));
        }
        actions
    }

    fn press(&mut self, key: ScreenKey) -> Vec<ScreenAction> {
        self.message = None;
        match key {
            ScreenKey::Ctrl('c') => return vec![ScreenAction::Leave],
            ScreenKey::Ctrl('z') => return vec![ScreenAction::Suspend],
            ScreenKey::Ctrl('l') => return vec![ScreenAction::Repaint],
            _ => {}
        }
        let Some(dialog) = &mut self.dialog else {
            return if self.is_filtering { self.type_filter(key) } else { self.browse(key) };
        };
        match dialog.press(key) {
            DialogStep::Stay => return Vec::new(),
            DialogStep::Close => self.dialog = None,
            DialogStep::Send { command, echo } => {
                self.dialog = None;
                self.say(TextRole::Active, &format!("{echo} …"));
                return vec![ScreenAction::Send { command, echo }];
            }
            DialogStep::Tell { task, text } => {
                self.dialog = None;
                self.say(TextRole::Active, &format!("telling {task}: {text} …"));
                return vec![ScreenAction::Tell { task, text }];
            }
        }
        Vec::new()
    }

    fn paste(&mut self, text: &str) -> Vec<ScreenAction> {
        match &mut self.dialog {
            Some(dialog) => dialog.paste(text),
            None if self.is_filtering => {
                self.filter.insert(text);
                self.renew_list();
            }
            None => {}
        }
        Vec::new()
    }

    fn resize(&mut self, columns: u16, rows: u16) -> Vec<ScreenAction> {
        (self.columns, self.rows) = (columns, rows);
        self.lay_document_out();
        Vec::new()
    }

    fn take_news(&mut self, data: Arc<ScreenData>) -> Vec<ScreenAction> {
        let is_first = self.data.is_none();
        let panes_before = self.panes();
        self.data = Some(data);
        self.renew_list();
        if is_first {
            self.select_first();
        }
        self.close_outdated_dialog();
        let needs = self.needs().len();
        self.need = self.need.min(needs.saturating_sub(1));
        if needs == 0 && self.focus == ScreenFocus::NeedsYou {
            self.focus = ScreenFocus::Tasks;
        }
        if panes_before != self.panes() {
            self.lay_document_out();
        }
        Vec::new()
    }

    /// What needs a person first, else what is at work, else the first task.
    fn select_first(&mut self) {
        let asked = self.needs().iter().find_map(|need| need.task.clone());
        let working = self.workers().first().map(|row| row.task.clone());
        let first = self.list.tasks().next().and_then(|at| self.tasks().get(at));
        self.selected = asked.or(working).or(first.map(|task| task.id.clone()));
        if self.needs().iter().any(|need| need.question.is_some()) {
            self.focus = ScreenFocus::NeedsYou;
        }
    }

    /// A question that was answered elsewhere is asked no more.
    fn close_outdated_dialog(&mut self) {
        let Some(Dialog::Answer(answer)) = &self.dialog else { return };
        let id = answer.question.id;
        let is_open =
            self.data.iter().flat_map(|data| &data.questions).any(|question| question.id == id);
        if !is_open {
            self.dialog = None;
            self.say(TextRole::Warning, &format!("{id} is no longer open"));
        }
    }

    pub(crate) fn say(&mut self, role: TextRole, text: &str) -> Vec<ScreenAction> {
        self.message = Some(ScreenMessage { text: text.to_owned(), role });
        Vec::new()
    }

    pub(crate) fn renew_list(&mut self) {
        let Some(data) = &self.data else { return };
        self.list = ListedTasks::new(&data.tasks, &self.filter.text());
        let is_shown = |id: &TaskId| self.list.row_of(&data.tasks, id).is_some();
        if !self.selected.as_ref().is_some_and(is_shown) {
            let first = self.list.tasks().next();
            let first = first.map(|at| data.tasks[at].id.clone());
            // A filter that matches nothing keeps the selection.
            if let Some(first) = first {
                self.select(first);
            }
        }
    }

    pub(crate) fn select(&mut self, task: TaskId) {
        if self.selected.as_ref() != Some(&task) {
            self.selected = Some(task);
            self.attempt = None;
        }
    }

    fn what_is_looked_at(&self) -> LookedAt {
        LookedAt { picture: self.view.picture(), document: self.wanted_document() }
    }

    /// Where everything is; none if the screen is too small.
    pub fn panes(&self) -> Option<ScreenPanes> {
        let (needs, workers) = (self.needs().len(), self.workers().len());
        ScreenPanes::new(self.columns, self.rows, self.view, needs, workers)
    }

    pub fn needs(&self) -> &[NeedsYou] {
        self.data.as_ref().map_or(&[], |data| &data.overview.needs_you)
    }

    pub fn workers(&self) -> &[WorkerRow] {
        self.data.as_ref().map_or(&[], |data| &data.overview.workers)
    }

    pub fn tasks(&self) -> &[TaskRow] {
        self.data.as_ref().map_or(&[], |data| &data.tasks)
    }

    pub fn selected_task(&self) -> Option<&TaskRow> {
        let id = self.selected.as_ref()?;
        self.tasks().iter().find(|task| task.id == *id)
    }

    /// The picture of this view, once it is there.
    pub fn picture(&self) -> Option<&ScreenPicture> {
        let picture = &self.data.as_ref()?.picture;
        (picture.kind() == self.view.picture()).then_some(picture)
    }

    /// The tasks in the order in which this view shows them.
    pub fn order(&self) -> Vec<&TaskRow> {
        let tasks = self.tasks();
        let mut shown: Vec<&TaskRow> = self.list.tasks().map(|at| &tasks[at]).collect();
        match self.picture() {
            Some(ScreenPicture::Timeline(timeline)) => {
                let begun = timeline
                    .rows
                    .iter()
                    .filter_map(|row| shown.iter().find(|task| task.id == row.task).copied());
                begun.collect()
            }
            Some(ScreenPicture::Accounts(_)) => {
                shown.sort_by_key(|task| std::cmp::Reverse((task.tokens, task.worked_ms)));
                shown
            }
            _ => shown,
        }
    }
}
