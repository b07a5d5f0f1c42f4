//! Tokens and cost over time, and per task.

use std::collections::BTreeMap;

use afresh_dashboard::data::burn_up::{BurnUp, BurnUpPoint};
use afresh_dashboard::data::context::ContextBar;
use afresh_dashboard::data::glyphs;
use afresh_dashboard::data::retry_heat::{AttemptMark, RetryRow};
use afresh_dashboard::data::task_rows::TaskRow;
use afresh_dashboard::screen::{RunAccounts, ScreenPicture};
use afresh_dashboard::text::figures::{amount, bar, context_bar, dollars, duration};
use afresh_dashboard::text::{TextLine, TextRole};
use ratatui_core::layout::Rect;

use super::canvas::Canvas;
use super::tasks::{first_row, role_of};
use crate::screen::{ScreenFocus, WatchScreen};

const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const LABEL_WIDTH: u16 = 9;

pub(super) fn draw(screen: &WatchScreen, area: Rect, canvas: &mut Canvas<'_>) {
    let Some(ScreenPicture::Accounts(accounts)) = screen.picture() else {
        canvas.line(area, &TextLine::new().dim("adding up …"));
        return;
    };
    let chart_height = (area.height / 3).clamp(3, 12);
    let sums = sum_lines(accounts);
    let sum_height = u16::try_from(sums.len()).unwrap_or(1);
    canvas.lines(area, &sums);
    let below = |y: u16, height: u16| Rect { y: area.y + y, height, ..area }.intersection(area);
    draw_chart(&accounts.burn_up, below(sum_height, chart_height), canvas);
    let top = sum_height + chart_height;
    draw_table(screen, accounts, below(top, area.height.saturating_sub(top)), canvas);
}

/// What was spent, against what may be and what was expected.
fn sum_lines(accounts: &RunAccounts) -> Vec<TextLine> {
    let burn = &accounts.burn_up;
    let last = burn.points.last();
    let (tokens, cost) = last.map_or((0, 0), |point| (point.tokens, point.cost_micros));
    let mut lines = vec![sum_line(
        "tokens",
        &amount(tokens),
        tokens,
        burn.budget_tokens,
        burn.forecast_tokens,
        amount,
    )];
    if cost > 0 || burn.budget_cost_micros.is_some() {
        let (budget, forecast) = (burn.budget_cost_micros, burn.forecast_cost_micros);
        lines.push(sum_line("cost", &dollars(cost), cost, budget, forecast, dollars));
    }
    lines
}

fn sum_line(
    name: &str,
    used_text: &str,
    used: u64,
    budget: Option<u64>,
    forecast: Option<u64>,
    render: fn(u64) -> String,
) -> TextLine {
    let mut line = TextLine::new().dim(&format!("{name:<8}")).with(TextRole::Strong, used_text);
    if let Some(budget) = budget {
        let role = if used >= budget { TextRole::Bad } else { TextRole::Good };
        line = line
            .plain(" ")
            .with(role, &bar(used, budget, 20))
            .plain(&format!(" of {}", render(budget)));
    }
    match forecast {
        Some(expected) => line.dim(&format!(" · expected {}", render(expected))),
        None => line,
    }
}

/// Cost over time, or tokens where nothing has a price.
fn draw_chart(burn: &BurnUp, area: Rect, canvas: &mut Canvas<'_>) {
    let has_cost = burn.points.iter().any(|point| point.cost_micros > 0);
    let value = |point: &BurnUpPoint| if has_cost { point.cost_micros } else { point.tokens };
    let most = burn.points.last().map_or(0, value);
    if most == 0 || area.height < 2 || area.width <= LABEL_WIDTH + 10 {
        return;
    }
    let render = if has_cost { dollars } else { amount };
    let chart = Rect { x: area.x + LABEL_WIDTH, width: area.width - LABEL_WIDTH, ..area };
    let chart = Rect { height: area.height - 1, ..chart };
    canvas.line(area, &TextLine::new().dim(&format!("{:>8}", render(most))));
    let eighths = u64::from(chart.height) * 8;
    let span = burn.to_ms.saturating_sub(burn.from_ms).max(1);
    for column in 0..chart.width {
        let until = burn.from_ms + span * i64::from(column + 1) / i64::from(chart.width);
        let past = burn.points.partition_point(|point| point.at_ms <= until);
        let used = past.checked_sub(1).map_or(0, |at| value(&burn.points[at]));
        let mut left = usize::try_from(used * eighths / most).unwrap_or(0);
        for y in (chart.top()..chart.bottom()).rev() {
            canvas.glyph(chart.x + column, y, EIGHTHS[left.min(8)], TextRole::Active);
            left = left.saturating_sub(8);
        }
    }
    let foot = Rect { y: chart.bottom(), height: 1, ..chart };
    let end = duration(u64::try_from(span).unwrap_or(0));
    let what = if has_cost { "cost since the start" } else { "tokens since the start" };
    let room = usize::from(foot.width).saturating_sub(end.len());
    canvas.line(foot, &TextLine::new().column(TextRole::Dim, what, room).dim(&end));
}

/// The most expensive tasks first.
fn draw_table(screen: &WatchScreen, accounts: &RunAccounts, area: Rect, canvas: &mut Canvas<'_>) {
    let width = usize::from(area.width);
    let head = TextLine::new().dim(&table_head(width));
    canvas.line(area, &head);
    let rows = screen.order();
    let height = usize::from(area.height).saturating_sub(1);
    let selected = rows.iter().position(|task| Some(&task.id) == screen.selected.as_ref());
    let first = first_row(selected.unwrap_or(0), rows.len(), height);
    let contexts: BTreeMap<&str, &ContextBar> =
        accounts.contexts.iter().map(|bar| (bar.attempt.as_str(), bar)).collect();
    let retries: BTreeMap<&str, &RetryRow> =
        accounts.retry_heat.rows.iter().map(|row| (row.task.as_str(), row)).collect();
    for (place, (at, task)) in area.rows().skip(1).zip(rows.iter().enumerate().skip(first)) {
        let context = contexts.get(format!("{}.{}", task.id, task.attempts).as_str()).copied();
        let line = table_line(task, context, retries.get(task.id.as_str()).copied(), width);
        if selected == Some(at) && screen.focus == ScreenFocus::Tasks {
            canvas.chosen_line(place, &line);
        } else {
            canvas.line(place, &line);
        }
    }
}

fn name_width(width: usize) -> usize {
    width.saturating_sub(54).clamp(16, 60)
}

fn table_head(width: usize) -> String {
    let name = name_width(width);
    format!(
        "{:name$} {:>7} {:>8} {:>7}  {:<16} attempts",
        "task", "tokens", "cost", "work", "context"
    )
}

fn table_line(
    task: &TaskRow,
    context: Option<&ContextBar>,
    retries: Option<&RetryRow>,
    width: usize,
) -> TextLine {
    let name = format!("{} {}", task.id, task.title);
    let cost = task.usage.cost_usd.map(|cost| format!("${cost:.3}")).unwrap_or_default();
    let mut line = TextLine::new()
        .with(role_of(task.state), &format!("{} ", glyphs::of_phase(task.state)))
        .column(TextRole::Plain, &name, name_width(width) - 2)
        .plain(&format!(" {:>7} {cost:>8} ", amount(task.tokens)))
        .dim(&format!("{:>7}  ", duration(task.worked_ms)));
    line = match context.and_then(|bar| Some((bar, bar.percent()?))) {
        Some((bar, percent)) => {
            let role = if percent >= u64::from(bar.hard) {
                TextRole::Bad
            } else if percent >= u64::from(bar.soft) {
                TextRole::Warning
            } else {
                TextRole::Good
            };
            line.with(role, &context_bar(percent, [bar.soft, bar.hard], 10))
                .plain(&format!(" {percent:>3} % "))
        }
        None => line.plain(&" ".repeat(17)),
    };
    match retries {
        Some(row) => row.cells.iter().fold(line, |line, cell| {
            let role = match cell.outcome {
                AttemptMark::Merged | AttemptMark::Passed => TextRole::Good,
                AttemptMark::Underway => TextRole::Active,
                _ => TextRole::Warning,
            };
            line.with(role, &cell.outcome.glyph().to_string())
        }),
        None if task.attempts > 0 => line.dim("1"),
        None => line,
    }
}
