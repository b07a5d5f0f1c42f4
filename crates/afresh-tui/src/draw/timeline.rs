//! Attempts over time.

use std::collections::BTreeSet;

use afresh_dashboard::data::timeline::TimelineRow;
use afresh_dashboard::screen::ScreenPicture;
use afresh_dashboard::text::{TextLine, timeline};
use ratatui_core::layout::Rect;

use super::canvas::Canvas;
use super::tasks::first_row;
use crate::screen::{ScreenFocus, WatchScreen};

/// Legend and axis stay on top.
const HEAD: usize = 2;

pub(super) fn draw(screen: &WatchScreen, area: Rect, canvas: &mut Canvas<'_>) {
    let Some(ScreenPicture::Timeline(whole)) = screen.picture() else {
        canvas.line(area, &TextLine::new().dim("drawing the timeline …"));
        return;
    };
    let listed: BTreeSet<_> = screen.list.tasks().map(|at| &screen.tasks()[at].id).collect();
    let rows: Vec<&TimelineRow> =
        whole.rows.iter().filter(|row| listed.contains(&row.task)).collect();
    if rows.is_empty() {
        canvas.line(area, &TextLine::new().dim("no task has begun"));
        return;
    }
    let selected = rows.iter().position(|row| Some(&row.task) == screen.selected.as_ref());
    let height = usize::from(area.height).saturating_sub(HEAD);
    let first = first_row(selected.unwrap_or(0), rows.len(), height);
    // Only what is seen is drawn, on the scale of the whole.
    let seen = rows.iter().skip(first).take(height).map(|row| (*row).clone()).collect();
    let lines = timeline::lines(&whole.with_rows(seen), usize::from(area.width));
    let chosen = selected.map(|at| at - first + HEAD);
    for (at, (row, line)) in area.rows().zip(&lines).enumerate() {
        if Some(at) == chosen && screen.focus == ScreenFocus::Tasks {
            canvas.chosen_line(row, line);
        } else {
            canvas.line(row, line);
        }
    }
}
