//! The state as cells.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `canvas` | lines of text in cells, with or without colours |
//! | `overview` | the run, what needs you, workers, the names of the views |
//! | `tasks` | the list of tasks |
//! | `document` | the selected task |
//! | `graph` | tasks and dependencies in columns by wave |
//! | `timeline` | attempts over time |
//! | `cost` | tokens and cost over time, and per task |
//! | `dialogs` | questions, comments, confirmations, help |

mod canvas;
mod cost;
mod dialogs;
mod document;
mod graph;
mod overview;
mod tasks;
mod timeline;

use afresh_dashboard::text::TextLine;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use crate::panes::{MIN_COLUMNS, MIN_ROWS};
use crate::screen::{ScreenView, WatchScreen};

use canvas::Canvas;
pub use canvas::ScreenColors;

/// Fills the buffer; returns where the cursor is, if something is typed.
pub fn draw(screen: &WatchScreen, colors: ScreenColors, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let mut canvas = Canvas::new(buffer, colors);
    let Some(panes) = screen.panes() else {
        let text =
            format!("this window is smaller than {MIN_COLUMNS}×{MIN_ROWS}; q leaves the view");
        let area = Rect { x: 0, y: 0, width: screen.columns, height: screen.rows };
        canvas.paragraph(area, &TextLine::new().plain(&text));
        return None;
    };
    if screen.data.is_none() {
        canvas.line(panes.head, &TextLine::new().dim("reading the journal …"));
        return None;
    }
    overview::draw_head(screen, &panes, &mut canvas);
    overview::draw_needs(screen, panes.needs, &mut canvas);
    overview::draw_workers(screen, panes.workers, &mut canvas);
    overview::draw_views(screen, panes.views, &mut canvas);
    match screen.view {
        ScreenView::Tasks => {
            tasks::draw(screen, panes.list, &mut canvas);
            document::draw(screen, &panes, &mut canvas);
        }
        ScreenView::Graph => graph::draw(screen, panes.list, &mut canvas),
        ScreenView::Timeline => timeline::draw(screen, panes.list, &mut canvas),
        ScreenView::Cost => cost::draw(screen, panes.list, &mut canvas),
    }
    let typed_at = overview::draw_foot(screen, panes.foot, &mut canvas);
    match &screen.dialog {
        Some(dialog) => dialogs::draw(screen, dialog, &mut canvas),
        None => typed_at,
    }
}
