//! The run, what needs you, workers, the names of the views, and what keys do.

use afresh_core::status::RunState;
use afresh_dashboard::data::needs_you::NeedsYou;
use afresh_dashboard::screen::ScreenData;
use afresh_dashboard::text::{TextLine, TextRole};
use ratatui_core::layout::Rect;

use super::canvas::Canvas;
use crate::panes::ScreenPanes;
use crate::screen::{ScreenFocus, ScreenView, WatchScreen};

pub(super) fn draw_head(screen: &WatchScreen, panes: &ScreenPanes, canvas: &mut Canvas<'_>) {
    let Some(data) = &screen.data else { return };
    let width = usize::from(panes.head.width);
    let (mark, role, word) = state_mark(data);
    let mut line = TextLine::new()
        .with(TextRole::Strong, data.run.as_str())
        .with(role, &format!(" {mark} {word}"));
    if data.plan != data.run.as_str() {
        line = line.dim(" · ").dim(&data.plan);
    }
    if let Some(stage) = data.overview.stage_line() {
        let text = stage.to_text();
        line = line.dim(" · ").with(TextRole::Active, text.trim());
    }
    canvas.line(panes.head, &line);
    let second = Rect { y: panes.head.y + 1, height: 1, ..panes.head };
    canvas.line(second, &data.overview.progress_line(width));
}

fn state_mark(data: &ScreenData) -> (char, TextRole, &'static str) {
    match data.state {
        RunState::Waiting => ('?', TextRole::Warning, "waits for you"),
        RunState::Halted => ('‖', TextRole::Warning, "halted"),
        RunState::Done => ('✓', TextRole::Good, "done"),
        RunState::Failed => ('✗', TextRole::Bad, "failed"),
        RunState::Planning | RunState::Running if !data.is_driven => {
            ('○', TextRole::Dim, "idle: no process drives it")
        }
        state => ('▶', TextRole::Active, state.word()),
    }
}

pub(super) fn draw_needs(screen: &WatchScreen, area: Rect, canvas: &mut Canvas<'_>) {
    let Some(data) = &screen.data else { return };
    let needs = screen.needs();
    canvas.line(area, &headline(data, needs));
    let room = usize::from(area.height.saturating_sub(1));
    // The chosen one stays in sight.
    let first = (screen.need + 1).saturating_sub(room);
    let rows = area.rows().skip(1).zip(needs.iter().enumerate().skip(first));
    for (row, (at, need)) in rows {
        let is_chosen = screen.focus == ScreenFocus::NeedsYou && at == screen.need;
        let left = needs.len() - at - 1;
        let is_last = row.y + 1 == area.bottom();
        let line = need_line(need, is_chosen, if is_last { left } else { 0 });
        if is_chosen {
            canvas.chosen_line(row, &line);
        } else {
            canvas.line(row, &line);
        }
    }
}

/// What waits, what is at work, or why nothing is: the three look different.
fn headline(data: &ScreenData, needs: &[NeedsYou]) -> TextLine {
    let workers = data.overview.workers.len();
    let at_work = match workers {
        0 => String::new(),
        1 => " · 1 worker at work".to_owned(),
        more => format!(" · {more} workers at work"),
    };
    if !needs.is_empty() {
        let questions = needs.iter().filter(|need| need.question.is_some()).count();
        let text = match questions {
            0 => "! Needs you".to_owned(),
            1 => "? Waiting for your answer".to_owned(),
            more => format!("? Waiting for your answers: {more} questions"),
        };
        let keys = if questions > 0 { "   a answers · w in your own words" } else { "" };
        return TextLine::new().with(TextRole::Warning, &text).plain(&at_work).dim(keys);
    }
    let run = &data.run;
    match data.state {
        RunState::Done => TextLine::new()
            .with(TextRole::Good, "✓ Everything is done")
            .dim(" · `afresh land` merges it"),
        RunState::Failed => {
            let why =
                data.error.as_deref().unwrap_or("some tasks failed, were skipped or are blocked");
            TextLine::new().with(TextRole::Bad, "✗ The run has ended: ").plain(why)
        }
        _ if !data.is_driven => TextLine::new()
            .dim("○ Idle: nothing needs you, and nothing runs · ")
            .plain(&format!("`afresh resume {run}`"))
            .dim(" continues"),
        _ => TextLine::new().with(TextRole::Active, "▶ Nothing needs you").plain(if workers == 0 {
            " · nothing is at work right now"
        } else {
            &at_work
        }),
    }
}

fn need_line(need: &NeedsYou, is_chosen: bool, hidden: usize) -> TextLine {
    let mark = if is_chosen { "› " } else { "  " };
    let name = need.question.as_deref().unwrap_or("!");
    let first = need.text.lines().next().unwrap_or_default();
    let mut line = TextLine::new().plain(mark).with(TextRole::Warning, &format!("{name} "));
    line = match &need.task {
        Some(task) => line.with(TextRole::Strong, &format!("{task} ")),
        None => line.with(TextRole::Strong, &format!("{}: ", need.title)),
    };
    if hidden > 0 {
        line = line.dim(&format!("[+{hidden} more] "));
    }
    let others = match need.blocks.saturating_sub(1) {
        _ if need.question.is_none() => format!("`{}` ", need.command),
        0 => String::new(),
        1 => "(1 task waits for it) ".to_owned(),
        more => format!("({more} tasks wait for it) "),
    };
    line.dim(&others).plain(first)
}

pub(super) fn draw_workers(screen: &WatchScreen, area: Rect, canvas: &mut Canvas<'_>) {
    let Some(data) = &screen.data else { return };
    let (width, room) = (usize::from(area.width), usize::from(area.height));
    canvas.lines(area, &data.overview.worker_lines(width, room));
}

pub(super) fn draw_views(screen: &WatchScreen, area: Rect, canvas: &mut Canvas<'_>) {
    let mut line = TextLine::new().dim("──");
    for (number, view) in (1..).zip(ScreenView::ALL) {
        let (open, close) = if view == screen.view { ("[", "]") } else { (" ", " ") };
        let role = if view == screen.view { TextRole::Strong } else { TextRole::Dim };
        line = line.with(role, &format!("{open}{number} {}{close}", view.word()));
    }
    if !screen.filter.is_empty() || screen.is_filtering {
        let shown =
            format!(" /{} ({} of {}) ", screen.filter.text(), screen.list.shown, screen.list.of);
        line = line.with(TextRole::Warning, &shown);
    }
    let rest = usize::from(area.width).saturating_sub(line.width());
    canvas.line(area, &line.dim(&"─".repeat(rest)));
}

/// What was said last, or what keys do; returns where the cursor is while a filter is typed.
pub(super) fn draw_foot(
    screen: &WatchScreen,
    area: Rect,
    canvas: &mut Canvas<'_>,
) -> Option<(u16, u16)> {
    if screen.is_filtering {
        let before = TextLine::new().plain("/").plain(&screen.filter.before_cursor());
        let column = area.x + u16::try_from(before.width()).unwrap_or(0);
        let rest = screen.filter.after_cursor();
        canvas.line(area, &before.plain(&rest).dim("   Enter keeps the filter · Esc clears it"));
        return Some((column.min(area.right().saturating_sub(1)), area.y));
    }
    let line = match &screen.message {
        Some(message) => TextLine::new().with(message.role, &message.text),
        None => hints(screen),
    };
    canvas.line(area, &line);
    None
}

fn hints(screen: &WatchScreen) -> TextLine {
    let keys: &[(&str, &str)] = match (screen.focus, screen.view) {
        (ScreenFocus::NeedsYou, _) => {
            &[("Enter", "answer"), ("w", "own words"), ("↓", "tasks"), ("h", "halt")]
        }
        (ScreenFocus::Document, _) => &[
            ("↑↓", "scroll"),
            ("←→", "tab"),
            (", .", "attempt"),
            ("< >", "sideways"),
            ("Esc", "back"),
        ],
        (_, ScreenView::Tasks) => &[
            ("Enter", "read"),
            ("←→", "tab"),
            ("r", "retry"),
            ("s", "skip"),
            ("t", "tell"),
            ("h", "halt"),
            ("/", "filter"),
        ],
        _ => &[("↑↓←→", "move"), ("Enter", "to the task"), ("h", "halt"), ("/", "filter")],
    };
    // A narrow screen cuts the rest, which the help has.
    let all = [("?", "help"), ("q", "leave")];
    all.iter().chain(keys).fold(TextLine::new(), |line, (key, what)| {
        line.with(TextRole::Strong, key).dim(&format!(" {what}  "))
    })
}
