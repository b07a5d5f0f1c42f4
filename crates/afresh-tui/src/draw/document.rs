//! The selected task: its state, and one of its texts.

use afresh_core::status::TaskPhase;
use afresh_dashboard::data::glyphs;
use afresh_dashboard::data::task_rows::TaskRow;
use afresh_dashboard::data::workers::WorkerRow;
use afresh_dashboard::text::figures::{amount, context_bar, dollars, duration};
use afresh_dashboard::text::live::describe_action;
use afresh_dashboard::text::{TextLine, TextRole};
use ratatui_core::layout::Rect;

use super::canvas::Canvas;
use super::tasks::role_of;
use crate::document::DocumentTab;
use crate::panes::ScreenPanes;
use crate::screen::{ScreenFocus, WatchScreen};

pub(super) fn draw(screen: &WatchScreen, panes: &ScreenPanes, canvas: &mut Canvas<'_>) {
    let Some(task) = screen.selected_task() else { return };
    let head = panes.document_head;
    let width = usize::from(head.width);
    let lines = [title_line(task), state_line(screen, task, width), tab_line(screen, task, width)];
    canvas.lines(head, &lines);
    draw_text(screen, panes.document, canvas);
}

fn title_line(task: &TaskRow) -> TextLine {
    let line = TextLine::new()
        .with(role_of(task.state), &format!("{} ", glyphs::of_phase(task.state)))
        .with(TextRole::Strong, task.id.as_str())
        .plain(" ")
        .plain(&task.title)
        .with(role_of(task.state), &format!(" · {}", task.state.word()));
    if task.is_critical { line.dim(" · on the critical path") } else { line }
}

fn state_line(screen: &WatchScreen, task: &TaskRow, width: usize) -> TextLine {
    if let Some(row) = screen.workers().iter().find(|row| row.task == task.id) {
        return worker_line(row, width);
    }
    let ids = |ids: &[afresh_core::ids::TaskId]| {
        ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let line = TextLine::new();
    let question = screen
        .needs()
        .iter()
        .find(|need| need.question.is_some() && need.task.as_ref() == Some(&task.id));
    if let Some(id) = question.and_then(|need| need.question.as_deref()) {
        return line.with(TextRole::Warning, &format!("waits for your answer to {id}: a answers"));
    }
    match task.state {
        TaskPhase::Pending if !task.blocked_by.is_empty() => {
            line.dim(&format!("waits for {}", ids(&task.blocked_by)))
        }
        TaskPhase::Pending if !task.needs.is_empty() => {
            line.dim(&format!("needs {}", ids(&task.needs)))
        }
        TaskPhase::Blocked => {
            line.with(TextRole::Bad, &format!("blocked by {}", ids(&task.blocked_by)))
        }
        TaskPhase::Ready => line.dim("waits for a free workspace"),
        TaskPhase::Done => line.dim(&format!(
            "{} · {} tokens · {}",
            task.commit.as_ref().map_or_else(String::new, |commit| commit
                .as_str()
                .chars()
                .take(10)
                .collect()),
            amount(task.tokens),
            duration(task.worked_ms)
        )),
        _ => {
            let why = task.error.as_deref().unwrap_or_default();
            line.with(role_of(task.state), why.lines().next().unwrap_or_default())
        }
    }
}

/// The context with its limits, then cost and time, then what it does: the most telling first, because lines are cut.
fn worker_line(row: &WorkerRow, width: usize) -> TextLine {
    let mut line = TextLine::new();
    if let Some(percent) = row.context.percent() {
        let limits = [row.context.soft, row.context.hard];
        let role = if percent >= u64::from(row.context.hard) {
            TextRole::Bad
        } else if percent >= u64::from(row.context.soft) {
            TextRole::Warning
        } else {
            TextRole::Good
        };
        let bar = context_bar(percent, limits, if width >= 90 { 20 } else { 10 });
        line = line.with(role, &bar).plain(&format!(" {percent} % · "));
    }
    line = line.plain(&duration(row.lasting_ms));
    if let Some(cost) = row.cost_micros {
        line = line.plain(&format!(" · {}", dollars(cost)));
    }
    line.dim(" · ").with(TextRole::Active, &describe_action(row))
}

fn tab_line(screen: &WatchScreen, task: &TaskRow, width: usize) -> TextLine {
    let mut line = TextLine::new().dim("─");
    for tab in &DocumentTab::ALL[first_tab(screen.tab, width)..] {
        let tab = *tab;
        let is_open = tab == screen.tab;
        let (left, right) = if is_open { ("[", "]") } else { (" ", " ") };
        let role = match (is_open, screen.focus) {
            (true, ScreenFocus::Document) => TextRole::Active,
            (true, _) => TextRole::Strong,
            (false, _) => TextRole::Dim,
        };
        line = line.with(role, &format!("{left}{}{right}", tab.word()));
    }
    if screen.tab.is_of_attempt() && task.attempts > 1 {
        let shown = screen.attempt.unwrap_or(task.attempts);
        line = line.plain(&format!(" {shown}/{}", task.attempts));
    }
    let rest = width.saturating_sub(line.width());
    line.dim(&"─".repeat(rest))
}

/// The first tab that is named, so that the open one is on the screen.
fn first_tab(open: DocumentTab, width: usize) -> usize {
    let at = DocumentTab::ALL.iter().position(|tab| *tab == open).unwrap_or(0);
    let needed = |first: &usize| -> usize {
        DocumentTab::ALL[*first..=at].iter().map(|tab| tab.word().len() + 2).sum()
    };
    // A line in front, and a mark behind if more follow.
    (0..=at).find(|first| needed(first) + 2 <= width).unwrap_or(at)
}

fn draw_text(screen: &WatchScreen, area: Rect, canvas: &mut Canvas<'_>) {
    let pane = &screen.document;
    let is_current =
        pane.shown.as_ref().map(|(request, _)| request) == screen.wanted_document().as_ref();
    if !is_current {
        canvas.line(area, &TextLine::new().dim("…"));
        return;
    }
    let top = screen.document_top();
    for (row, line) in area.rows().zip(pane.lines.iter().skip(top)) {
        if pane.left == 0 {
            canvas.line(row, line);
        } else {
            canvas.line(row, &shifted(line, pane.left));
        }
    }
    draw_position(screen, area, top, canvas);
}

/// How much there is above and below, at the right edge.
fn draw_position(screen: &WatchScreen, area: Rect, top: usize, canvas: &mut Canvas<'_>) {
    let (count, height) = (screen.document.lines.len(), usize::from(area.height));
    if count <= height || height < 3 || area.width == 0 {
        return;
    }
    let size = (height * height / count).max(1);
    let from = top * (height - size) / (count - height).max(1);
    for row in from..from + size {
        let y = area.y + u16::try_from(row).unwrap_or(0);
        canvas.glyph(area.right() - 1, y.min(area.bottom() - 1), '▐', TextRole::Dim);
    }
}

/// The line without its first columns.
fn shifted(line: &TextLine, columns: usize) -> TextLine {
    let mut left = columns;
    let mut shown = TextLine::new();
    for span in line.spans() {
        let skipped = span.text.chars().count().min(left);
        left -= skipped;
        let rest: String = span.text.chars().skip(skipped).collect();
        shown = shown.with(span.role, &rest);
    }
    shown
}
