//! Segments of attempts as a chart of characters.

use std::fmt::Write as _;

use super::figures::duration;
use super::line::{TextLine, TextRole};
use crate::data::glyphs;
use crate::data::timeline::{TimeSpan, Timeline, TimelineRow};
use crate::history::attempt::SegmentKind;

/// Milliseconds as columns, without the time in which nothing drove the run.
#[derive(Debug, Clone)]
pub struct TimeScale<'a> {
    from_ms: i64,
    /// How much driven time the whole width shows.
    length_ms: i64,
    breaks: &'a [TimeSpan],
    width: u32,
}

impl<'a> TimeScale<'a> {
    pub fn new(timeline: &'a Timeline, width: u32) -> Self {
        let mut scale =
            Self { from_ms: timeline.from_ms, length_ms: 1, breaks: &timeline.breaks, width };
        scale.length_ms = scale.driven_ms(timeline.to_ms).max(1);
        scale
    }

    pub fn length_ms(&self) -> i64 {
        self.length_ms
    }

    /// How long the run had been driven at this moment.
    pub fn driven_ms(&self, at_ms: i64) -> i64 {
        let paused: i64 =
            self.breaks.iter().map(|gap| (at_ms.min(gap.to_ms) - gap.from_ms).max(0)).sum();
        (at_ms - self.from_ms - paused).max(0)
    }

    pub fn column(&self, at_ms: i64) -> u32 {
        self.column_of_driven(self.driven_ms(at_ms))
    }

    pub fn column_of_driven(&self, driven_ms: i64) -> u32 {
        let column = driven_ms.clamp(0, self.length_ms) * i64::from(self.width) / self.length_ms;
        u32::try_from(column).unwrap_or(self.width)
    }

    /// Moments for an axis, in driven milliseconds: at most about ten, at round numbers.
    pub fn ticks(&self) -> Vec<i64> {
        const SECONDS: [i64; 18] = [
            1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800,
            86_400, 604_800,
        ];
        let steps = SECONDS.map(|seconds| seconds * 1_000);
        let fits = |step: &&i64| self.length_ms / **step <= 10;
        let step = steps.iter().find(fits).copied().unwrap_or(self.length_ms);
        (0..=self.length_ms / step).map(|number| number * step).collect()
    }
}

/// The legend and one line per task.
pub fn lines(timeline: &Timeline, width: usize) -> Vec<TextLine> {
    let name_width = (width / 4).clamp(12, 32);
    let chart = u32::try_from(width.saturating_sub(name_width + 1)).unwrap_or(40).max(10);
    let scale = TimeScale::new(timeline, chart);
    let mut lines = vec![legend(), axis(&scale, name_width)];
    lines.extend(timeline.rows.iter().map(|row| row_line(row, &scale, name_width)));
    lines.into_iter().map(|line| line.fit(width)).collect()
}

fn legend() -> TextLine {
    SegmentKind::ALL.into_iter().fold(TextLine::new(), |line, kind| {
        line.with(role_of(kind), &format!("{} ", glyphs::of_segment(kind)))
            .dim(&format!("{}   ", kind.word()))
    })
}

fn axis(scale: &TimeScale<'_>, name_width: usize) -> TextLine {
    let mut text = " ".repeat(name_width + 1);
    for tick in scale.ticks() {
        let column = name_width + 1 + scale.column_of_driven(tick) as usize;
        let shown = text.chars().count();
        if column >= shown {
            text.push_str(&" ".repeat(column - shown));
            let _ = write!(text, "╷{} ", duration(u64::try_from(tick).unwrap_or(0)));
        }
    }
    TextLine::new().dim(text.trim_end())
}

fn row_line(row: &TimelineRow, scale: &TimeScale<'_>, name_width: usize) -> TextLine {
    let role = if row.is_critical { TextRole::Strong } else { TextRole::Plain };
    let name = format!("{} {} {}", glyphs::of_phase(row.state), row.task, row.title);
    let line = TextLine::new().column(role, &name, name_width).plain(" ");
    let segments = row.attempts.iter().flat_map(|attempt| attempt.segments.iter().copied());
    let mut at = 0;
    let mut shown = line;
    for segment in segments.chain(row.waits) {
        let from = scale.column(segment.from_ms).max(at);
        // Even a short segment is seen.
        let to = scale.column(segment.to_ms).max(from + 1);
        let glyph = glyphs::of_segment(segment.kind).to_string();
        shown = shown
            .plain(&" ".repeat((from - at) as usize))
            .with(role_of(segment.kind), &glyph.repeat((to - from) as usize));
        at = to;
    }
    shown
}

fn role_of(kind: SegmentKind) -> TextRole {
    match kind {
        SegmentKind::Queue | SegmentKind::SetUp => TextRole::Dim,
        SegmentKind::Work => TextRole::Active,
        SegmentKind::Checks | SegmentKind::Review => TextRole::Plain,
        SegmentKind::Merge => TextRole::Good,
        SegmentKind::Person => TextRole::Warning,
    }
}
