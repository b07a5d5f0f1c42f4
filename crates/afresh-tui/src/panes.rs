//! Where everything is on a screen of a size.

use ratatui_core::layout::Rect;

use crate::screen::ScreenView;

/// Smaller screens show one sentence.
pub const MIN_COLUMNS: u16 = 40;
pub const MIN_ROWS: u16 = 12;
/// From this height on, workers have lines of their own.
const TALL: u16 = 34;
const MAX_WORKER_ROWS: u16 = 8;
const DOCUMENT_HEAD: u16 = 3;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScreenPanes {
    /// The run and its progress.
    pub head: Rect,
    /// One line, and one per thing that needs a person.
    pub needs: Rect,
    pub workers: Rect,
    /// The names of the views.
    pub views: Rect,
    /// The tasks, or all of the picture.
    pub list: Rect,
    /// About the selected task: its state, and the names of the tabs.
    pub document_head: Rect,
    pub document: Rect,
    pub foot: Rect,
}

impl ScreenPanes {
    /// None if the screen is too small.
    pub fn new(
        columns: u16,
        rows: u16,
        view: ScreenView,
        needs: usize,
        workers: usize,
    ) -> Option<Self> {
        if columns < MIN_COLUMNS || rows < MIN_ROWS {
            return None;
        }
        let most_needs: u16 = match rows {
            0..20 => 2,
            20..30 => 3,
            30..45 => 5,
            _ => 8,
        };
        let need_rows = u16::try_from(needs).unwrap_or(u16::MAX).min(most_needs);
        let worker_rows = if rows >= TALL && view == ScreenView::Tasks {
            u16::try_from(workers).unwrap_or(u16::MAX).min(MAX_WORKER_ROWS)
        } else {
            0
        };
        let mut top = 0;
        let mut take = |height: u16| {
            let pane = Rect { x: 0, y: top, width: columns, height };
            top += height;
            pane
        };
        let (head, needs, workers, views) =
            (take(2), take(1 + need_rows), take(worker_rows), take(1));
        let foot = Rect { x: 0, y: rows - 1, width: columns, height: 1 };
        let main =
            Rect { x: 0, y: views.bottom(), width: columns, height: foot.y - views.bottom() };
        let mut panes = Self { head, needs, workers, views, list: main, foot, ..Self::default() };
        if view == ScreenView::Tasks {
            let width = (columns * 2 / 5).clamp(26, 78);
            panes.list = Rect { width, ..main };
            // One column for the line between them.
            let right = Rect { x: width + 1, width: columns - width - 1, ..main };
            let head = DOCUMENT_HEAD.min(right.height);
            panes.document_head = Rect { height: head, ..right };
            panes.document = Rect { y: right.y + head, height: right.height - head, ..right };
        }
        Some(panes)
    }
}
