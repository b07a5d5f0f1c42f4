//! Attempts as segments of time, as a picture.

use super::markup::{SvgArea, SvgWriter};
use crate::data::glyphs;
use crate::data::timeline::{TimeSpan, Timeline, TimelineRow, TimelineSegment};
use crate::history::attempt::SegmentKind;
use crate::text::figures::duration;
use crate::text::timeline::TimeScale;

const LABEL_WIDTH: u32 = 220;
const CHART_WIDTH: u32 = 860;
const ROW_HEIGHT: u32 = 22;
const TOP: u32 = 52;
const MARGIN: u32 = 12;
const TICK_LABEL_WIDTH: u32 = 42;

pub fn render(timeline: &Timeline) -> String {
    let whole =
        u32::from(timeline.base_checks.is_some()) + u32::from(!timeline.final_checks.is_empty());
    let count = u32::try_from(timeline.rows.len()).unwrap_or(0) + whole;
    let height = TOP + count * ROW_HEIGHT + MARGIN;
    let name = format!("timeline of {} tasks", timeline.rows.len());
    let mut svg = SvgWriter::new(LABEL_WIDTH + CHART_WIDTH + MARGIN, height, &name);
    let scale = TimeScale::new(timeline, CHART_WIDTH);
    draw_legend(&mut svg);
    draw_axis(&mut svg, timeline, &scale, height - MARGIN);
    let mut y = TOP;
    if let Some(span) = timeline.base_checks {
        draw_whole(&mut svg, "checks on the base", &[span], &scale, y);
        y += ROW_HEIGHT;
    }
    for row in &timeline.rows {
        draw_row(&mut svg, row, &scale, y);
        y += ROW_HEIGHT;
    }
    if !timeline.final_checks.is_empty() {
        draw_whole(&mut svg, "final checks", &timeline.final_checks, &scale, y);
    }
    svg.finish()
}

fn draw_legend(svg: &mut SvgWriter) {
    let mut x = LABEL_WIDTH;
    for kind in SegmentKind::ALL {
        let area = SvgArea { x, y: 8, width: 14, height: 10 };
        svg.rect(&class_of(kind), area, 2);
        svg.text("muted small", x + 19, 17, kind.word(), 20);
        x += 40 + 6 * u32::try_from(kind.word().len()).unwrap_or(8);
    }
}

fn draw_axis(svg: &mut SvgWriter, timeline: &Timeline, scale: &TimeScale<'_>, bottom: u32) {
    for tick in scale.ticks() {
        let x = LABEL_WIDTH + scale.column_of_driven(tick);
        svg.line("axis", [x, TOP - 8, x, bottom]);
        // One that the end of the picture would cut is left out.
        if x + TICK_LABEL_WIDTH <= LABEL_WIDTH + CHART_WIDTH + MARGIN {
            let label = duration(u64::try_from(tick).unwrap_or(0));
            svg.text("muted small", x + 3, TOP - 12, &label, 12);
        }
    }
    for gap in &timeline.breaks {
        let x = LABEL_WIDTH + scale.column(gap.from_ms);
        svg.begin_group("break", None, "no process drove the run");
        svg.line("rule dash", [x, TOP - 8, x, bottom]);
        svg.end_group();
    }
}

fn draw_whole(svg: &mut SvgWriter, name: &str, spans: &[TimeSpan], scale: &TimeScale<'_>, y: u32) {
    svg.text("muted", MARGIN, y + 15, name, 30);
    for span in spans {
        let TimeSpan { from_ms, to_ms } = *span;
        let segment = TimelineSegment { kind: SegmentKind::Checks, from_ms, to_ms };
        draw_segment(svg, &segment, scale, y, name);
    }
}

fn draw_row(svg: &mut SvgWriter, row: &TimelineRow, scale: &TimeScale<'_>, y: u32) {
    let state = row.state.word();
    svg.begin_group(
        "task",
        Some(row.task.as_str()),
        &format!("{} {}: {state}", row.task, row.title),
    );
    let glyph = glyphs::of_phase(row.state).to_string();
    svg.text(&format!("mark-{state}"), MARGIN, y + 15, &glyph, 2);
    // Bold letters are wider.
    let (class, columns) = if row.is_critical { ("strong", 24) } else { ("", 28) };
    svg.text(class, MARGIN + 16, y + 15, &format!("{} {}", row.task, row.title), columns);
    svg.end_group();
    for attempt in &row.attempts {
        let reason = attempt.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        let name = format!("{}.{} {}{reason}", row.task, attempt.attempt, attempt.outcome.word());
        for segment in &attempt.segments {
            draw_segment(svg, segment, scale, y, &name);
        }
        let is_lost = attempt.reason.is_some();
        if let Some(last) = attempt.segments.last().filter(|_| is_lost) {
            let x = LABEL_WIDTH + scale.column(last.to_ms);
            svg.text(
                "mark-rejected strong",
                x + 1,
                y + 16,
                &attempt.outcome.glyph().to_string(),
                2,
            );
        }
    }
    if let Some(segment) = &row.waits {
        let name = match segment.kind {
            SegmentKind::Person => "waits for an answer",
            _ => "waits for a workspace",
        };
        draw_segment(svg, segment, scale, y, name);
    }
}

fn draw_segment(
    svg: &mut SvgWriter,
    segment: &TimelineSegment,
    scale: &TimeScale<'_>,
    y: u32,
    name: &str,
) {
    let from = scale.column(segment.from_ms);
    let to = scale.column(segment.to_ms);
    let took = duration(u64::try_from(segment.to_ms - segment.from_ms).unwrap_or(0));
    svg.begin_group("segment", None, &format!("{name}\n{} {took}", segment.kind.word()));
    let (top, height) = match segment.kind {
        SegmentKind::Queue => (y + 9, 4),
        _ => (y + 4, 14),
    };
    let width = to.saturating_sub(from).max(1);
    svg.rect(&class_of(segment.kind), SvgArea { x: LABEL_WIDTH + from, y: top, width, height }, 2);
    svg.end_group();
}

fn class_of(kind: SegmentKind) -> String {
    let name = if kind == SegmentKind::Person { "person" } else { kind.word() };
    format!("seg-{name}")
}
