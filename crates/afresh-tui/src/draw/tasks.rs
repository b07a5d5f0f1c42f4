//! The list of tasks, by wave.

use afresh_core::status::TaskPhase;
use afresh_dashboard::data::glyphs;
use afresh_dashboard::data::task_rows::TaskRow;
use afresh_dashboard::text::figures::{amount, duration};
use afresh_dashboard::text::{TextLine, TextRole};
use ratatui_core::layout::Rect;

use super::canvas::Canvas;
use crate::screen::{ScreenFocus, WatchScreen};
use crate::task_list::ListRow;

/// From this width on, the list has columns for state, attempts, time and tokens.
const WIDE: usize = 56;

pub(super) fn draw(screen: &WatchScreen, area: Rect, canvas: &mut Canvas<'_>) {
    canvas.divide(area.right(), area.top(), area.bottom());
    let tasks = screen.tasks();
    let rows = &screen.list.rows;
    if rows.is_empty() {
        canvas.paragraph(area, &TextLine::new().dim("no task matches the filter; Esc clears it"));
        return;
    }
    let selected = screen.selected.as_ref().and_then(|id| screen.list.row_of(tasks, id));
    let first = first_row(selected.unwrap_or(0), rows.len(), usize::from(area.height));
    let id_width = tasks.iter().map(|task| task.id.as_str().len()).max().unwrap_or(0).min(12);
    for (place, (at, row)) in area.rows().zip(rows.iter().enumerate().skip(first)) {
        let is_selected = selected == Some(at);
        match row {
            ListRow::Wave { number, done, of } => {
                canvas.line(place, &TextLine::new().dim(&format!("wave {number} · {done}/{of}")));
            }
            ListRow::Task(task) => {
                let line = task_line(&tasks[*task], is_selected, usize::from(area.width), id_width);
                if is_selected && screen.focus == ScreenFocus::Tasks {
                    canvas.chosen_line(place, &line);
                } else {
                    canvas.line(place, &line);
                }
            }
        }
    }
}

/// The first row that is shown, so that the selected one is in the middle where that is possible.
pub(super) fn first_row(selected: usize, count: usize, height: usize) -> usize {
    selected.saturating_sub(height / 2).min(count.saturating_sub(height))
}

fn task_line(task: &TaskRow, is_selected: bool, width: usize, id_width: usize) -> TextLine {
    let mark = if is_selected { "›" } else { " " };
    let glyph = glyphs::of_phase(task.state);
    let name_role = match task.state {
        TaskPhase::Done | TaskPhase::Pending | TaskPhase::Skipped | TaskPhase::Blocked => {
            TextRole::Plain
        }
        _ => TextRole::Strong,
    };
    let line = TextLine::new()
        .with(TextRole::Strong, mark)
        .with(role_of(task.state), &format!("{glyph} "))
        .column(name_role, task.id.as_str(), id_width)
        .plain(" ");
    let right = right_columns(task, width);
    let room = width.saturating_sub(line.width() + right.width());
    let title_role = if task.state == TaskPhase::Pending { TextRole::Dim } else { TextRole::Plain };
    let mut whole = line.column(title_role, &task.title, room);
    for span in right.spans() {
        whole = whole.with(span.role, &span.text);
    }
    whole
}

fn right_columns(task: &TaskRow, width: usize) -> TextLine {
    if width < WIDE {
        // More than one attempt is worth a place on any screen.
        return match task.attempts {
            0 | 1 => TextLine::new(),
            more => TextLine::new().with(TextRole::Warning, &format!(" ×{more}")),
        };
    }
    let attempts = match task.attempts {
        0 | 1 => String::new(),
        more => format!("×{more}"),
    };
    let worked = if task.worked_ms > 0 { duration(task.worked_ms) } else { String::new() };
    let tokens = if task.tokens > 0 { amount(task.tokens) } else { String::new() };
    TextLine::new()
        .with(role_of(task.state), &format!(" {:<8}", task.state.word()))
        .with(TextRole::Warning, &format!(" {attempts:<3}"))
        .dim(&format!(" {worked:>7} {tokens:>6} "))
}

pub(super) fn role_of(state: TaskPhase) -> TextRole {
    match state {
        TaskPhase::Done => TextRole::Good,
        TaskPhase::Failed | TaskPhase::Blocked => TextRole::Bad,
        TaskPhase::Waiting => TextRole::Warning,
        TaskPhase::Running | TaskPhase::Checking | TaskPhase::Merging => TextRole::Active,
        TaskPhase::Pending | TaskPhase::Skipped => TextRole::Dim,
        TaskPhase::Ready => TextRole::Plain,
    }
}
