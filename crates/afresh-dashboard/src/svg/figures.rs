//! Contexts, tokens and cost over time, and attempts by outcome, as pictures.

use std::fmt::Write as _;

use super::markup::{SvgArea, SvgWriter};
use crate::data::burn_up::BurnUp;
use crate::data::context::ContextBar;
use crate::data::retry_heat::{RetryCell, RetryHeat};
use crate::text::figures::{amount, dollars, duration};

const MARGIN: u32 = 12;
const LABEL_WIDTH: u32 = 120;
const BAR_WIDTH: u32 = 420;
const ROW_HEIGHT: u32 = 20;

/// A bar per worker with fixed marks at the limits, the estimate beside what it was.
pub fn contexts(bars: &[ContextBar]) -> String {
    let count = u32::try_from(bars.len()).unwrap_or(0);
    let height = 30 + count * ROW_HEIGHT + MARGIN;
    let mut svg = SvgWriter::new(
        LABEL_WIDTH + BAR_WIDTH + 120,
        height,
        "how full the contexts of workers are",
    );
    svg.text(
        "muted small",
        LABEL_WIDTH,
        16,
        "prompt, then all of the context; marks at the limits, line: estimate",
        90,
    );
    for (row, bar) in (0_u32..).zip(bars) {
        draw_context(&mut svg, bar, 26 + row * ROW_HEIGHT);
    }
    svg.finish()
}

fn draw_context(svg: &mut SvgWriter, bar: &ContextBar, y: u32) {
    let column = |percent: u64| u32::try_from(percent.min(100)).unwrap_or(100) * BAR_WIDTH / 100;
    let percent = bar.percent().unwrap_or(0);
    let class = match percent {
        it if it >= u64::from(bar.hard) => "bar-bad",
        it if it >= u64::from(bar.soft) => "bar-warn",
        _ => "bar-good",
    };
    let estimate = bar.estimate.map(|it| format!(", estimated {it} %")).unwrap_or_default();
    svg.begin_group("context", None, &format!("{}: {percent} %{estimate}", bar.attempt));
    svg.text("mono", MARGIN, y + 12, &bar.attempt, 14);
    let area = |width| SvgArea { x: LABEL_WIDTH, y: y + 2, width, height: 12 };
    svg.rect("track", area(BAR_WIDTH), 3);
    svg.rect(class, area(column(percent).max(1)), 3);
    for limit in [bar.soft, bar.hard] {
        let x = LABEL_WIDTH + column(u64::from(limit));
        svg.line("tick", [x, y, x, y + 16]);
    }
    if let Some(prompt) = bar.prompt {
        let x = LABEL_WIDTH + column(prompt);
        svg.line("rule", [x, y + 2, x, y + 14]);
    }
    if let Some(estimate) = bar.estimate {
        let x = LABEL_WIDTH + column(estimate);
        svg.line("estimate", [x, y, x, y + 16]);
    }
    svg.text(
        "muted small",
        LABEL_WIDTH + BAR_WIDTH + 8,
        y + 12,
        &format!("{percent} %{estimate}"),
        26,
    );
    svg.end_group();
}

const PLOT_WIDTH: u32 = 620;
const PLOT_HEIGHT: u32 = 180;

/// Cost over time where prices are known, else tokens, with the budget and the forecast.
pub fn burn_up(burn_up: &BurnUp) -> String {
    let by_cost = burn_up.points.last().is_some_and(|last| last.cost_micros > 0);
    let unit: fn(u64) -> String = if by_cost { dollars } else { amount };
    let (budget, forecast) = if by_cost {
        (burn_up.budget_cost_micros, burn_up.forecast_cost_micros)
    } else {
        (burn_up.budget_tokens, burn_up.forecast_tokens)
    };
    let value = |point: &crate::data::burn_up::BurnUpPoint| {
        if by_cost { point.cost_micros } else { point.tokens }
    };
    let highest = burn_up.points.iter().map(value).chain(budget).chain(forecast).max().unwrap_or(0);
    let name = if by_cost { "cost over time" } else { "tokens over time" };
    let mut svg = SvgWriter::new(PLOT_WIDTH + 90, PLOT_HEIGHT + 50, name);
    let top = highest.max(1);
    let y = |value: u64| {
        let up = u128::from(value.min(top)) * u128::from(PLOT_HEIGHT) / u128::from(top);
        20 + PLOT_HEIGHT - u32::try_from(up).unwrap_or(0)
    };
    let length = u64::try_from(burn_up.to_ms - burn_up.from_ms).unwrap_or(1).max(1);
    let x = |at_ms: i64| {
        let at = u64::try_from(at_ms - burn_up.from_ms).unwrap_or(0).min(length);
        60 + u32::try_from(at * u64::from(PLOT_WIDTH) / length).unwrap_or(0)
    };
    svg.line("axis", [60, 20, 60, 20 + PLOT_HEIGHT]);
    svg.line("axis", [60, 20 + PLOT_HEIGHT, 60 + PLOT_WIDTH, 20 + PLOT_HEIGHT]);
    svg.text("muted small end", 54, y(top) + 4, &unit(top), 10);
    svg.text("muted small end", 54, 20 + PLOT_HEIGHT, &unit(0), 10);
    svg.text("muted small end", 60 + PLOT_WIDTH, PLOT_HEIGHT + 38, &duration(length), 12);
    draw_curve(
        &mut svg,
        burn_up.points.iter().map(|point| (x(point.at_ms), y(value(point)))),
        x(burn_up.to_ms),
    );
    for (class, limit, word) in [("limit", budget, "budget"), ("forecast", forecast, "forecast")] {
        let Some(limit) = limit else { continue };
        svg.line(class, [60, y(limit), 60 + PLOT_WIDTH, y(limit)]);
        svg.text(
            "muted small",
            66,
            y(limit).saturating_sub(4),
            &format!("{word} {}", unit(limit)),
            30,
        );
    }
    svg.finish()
}

/// Usage is known at moments: between two of them it is what it was.
fn draw_curve(svg: &mut SvgWriter, points: impl Iterator<Item = (u32, u32)>, right: u32) {
    let floor = 20 + PLOT_HEIGHT;
    let mut shape = format!("M60 {floor}");
    let mut last = floor;
    for (x, y) in points {
        let _ = write!(shape, "L{x} {last}L{x} {y}");
        last = y;
    }
    let _ = write!(shape, "L{right} {last}");
    svg.path("under", format_args!("{shape}L{right} {floor}Z"));
    svg.path("curve", &shape);
}

const CELL: u32 = 20;

/// A row per task that was tried more than once, a cell per attempt.
pub fn retry_heat(heat: &RetryHeat) -> String {
    let rows = u32::try_from(heat.rows.len()).unwrap_or(0);
    let most = u32::try_from(heat.most).unwrap_or(0);
    let mut svg = SvgWriter::new(260 + most * CELL, 8 + rows * (CELL + 2), "attempts by outcome");
    for (number, row) in (0_u32..).zip(&heat.rows) {
        let y = 4 + number * (CELL + 2);
        svg.text("", MARGIN, y + 14, &format!("{} {}", row.task, row.title), 30);
        for (column, cell) in (0_u32..).zip(&row.cells) {
            draw_cell(&mut svg, row.task.as_str(), cell, 240 + column * CELL, y);
        }
    }
    svg.finish()
}

fn draw_cell(svg: &mut SvgWriter, task: &str, cell: &RetryCell, x: u32, y: u32) {
    let reason = cell.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    let word = cell.outcome.word();
    svg.begin_group("attempt", Some(task), &format!("{task}.{} {word}{reason}", cell.attempt));
    let class = format!("cell cell-{}", word.replace(' ', "-"));
    svg.rect(&class, SvgArea { x, y, width: CELL, height: CELL }, 3);
    let glyph = cell.outcome.glyph().to_string();
    svg.text("on-cell middle strong", x + CELL / 2, y + 14, &glyph, 2);
    svg.end_group();
}
