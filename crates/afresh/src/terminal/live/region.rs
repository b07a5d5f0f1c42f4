//! Painting, clearing, printing above.
//!
//! The cursor rests at the end of the last line of the region, so a frame is: up to its first line, clear everything
//! below, print what is new, paint the lines again. A terminal that became narrower has broken the old lines into more
//! rows; how many follows from their widths.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use afresh_app::dashboard::text::{TextLine, TextRole};
use terminal_size::terminal_size_of;

use crate::terminal::foreground;
use crate::terminal::output::Paint;

/// The rows of the terminal that the region never takes.
const FREE_ROWS: usize = 6;
/// Clears this row, and then everything after its first column: tmux keeps in its scrollback what is cleared from the
/// first cell of the screen.
const CLEAR_FROM_HERE: &str = "\r\x1b[K\x1b[C\x1b[J\r";
/// Smaller terminals get plain lines.
const MIN_COLUMNS: usize = 30;

/// The region of this process; clones paint the same one.
#[derive(Debug, Clone, Default)]
pub(crate) struct LiveRegion(Arc<Mutex<RegionState>>);

#[derive(Debug, Default)]
struct RegionState {
    is_active: bool,
    is_colored: bool,
    lines: Vec<TextLine>,
    /// What the user is typing, with what stands before it.
    input: Option<String>,
    /// The widths of the lines on the screen; empty: nothing is.
    drawn: Vec<usize>,
    /// What is on the screen, to paint nothing twice.
    frame: String,
}

/// How much room there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RegionSize {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

impl RegionSize {
    /// None where standard error is no terminal, or one too small.
    pub(crate) fn measure() -> Option<Self> {
        let (columns, rows) = terminal_size_of(std::io::stderr())?;
        let size = Self {
            columns: usize::from(columns.0),
            rows: usize::from(rows.0).saturating_sub(FREE_ROWS),
        };
        (size.columns >= MIN_COLUMNS && size.rows >= 2).then_some(size)
    }
}

impl LiveRegion {
    pub(crate) fn start(&self, is_colored: bool) {
        let mut state = self.lock();
        state.is_active = true;
        state.is_colored = is_colored;
    }

    pub(crate) fn is_active(&self) -> bool {
        self.lock().is_active
    }

    /// Shows these lines from now on.
    pub(crate) fn show(&self, lines: Vec<TextLine>) {
        let mut state = self.lock();
        if state.is_active {
            state.lines = lines;
            state.paint("");
        }
    }

    /// Shows what the user is typing, below everything else.
    pub(crate) fn show_input(&self, input: Option<String>) {
        let mut state = self.lock();
        if state.is_active && state.input != input {
            state.input = input;
            state.paint("");
        }
    }

    /// Prints lines above the region; false if there is none, and the caller prints.
    pub(crate) fn print_above(&self, text: &str) -> bool {
        let mut state = self.lock();
        if state.is_active {
            state.paint(text);
        }
        state.is_active
    }

    /// Takes the region away for a while, such as while another job has the terminal.
    pub(crate) fn hide(&self) {
        let mut state = self.lock();
        state.erase();
    }

    /// Takes the region away for good.
    pub(crate) fn finish(&self) {
        let mut state = self.lock();
        state.erase();
        *state = RegionState::default();
    }

    fn lock(&self) -> MutexGuard<'_, RegionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RegionState {
    /// Prints `above`, and the region below it if it changed or has to move.
    fn paint(&mut self, above: &str) {
        let size = RegionSize::measure().filter(|_| !foreground::is_taken());
        let Some(RegionSize { columns, rows }) = size else {
            if !above.is_empty() {
                write_frame(&format!("{}{above}\r\n", self.clearing(usize::MAX)));
                self.drawn.clear();
                self.frame.clear();
            }
            return;
        };
        let (frame, widths) = self.render(columns, rows);
        if above.is_empty() && frame == self.frame && widths == self.drawn {
            return;
        }
        let mut out = self.clearing(columns);
        if !above.is_empty() {
            out.push_str(&above.replace('\n', "\r\n"));
            out.push_str("\r\n");
        }
        out.push_str(&frame);
        write_frame(&out);
        (self.frame, self.drawn) = (frame, widths);
    }

    fn erase(&mut self) {
        if !self.drawn.is_empty() {
            let columns = RegionSize::measure().map_or(usize::MAX, |size| size.columns);
            write_frame(&self.clearing(columns));
            self.drawn.clear();
            self.frame.clear();
        }
    }

    /// What moves the cursor to the start of the region and clears it.
    fn clearing(&self, columns: usize) -> String {
        let row_count: usize =
            self.drawn.iter().map(|width| width.saturating_sub(1) / columns.max(1) + 1).sum();
        match row_count {
            0 => String::new(),
            1 => CLEAR_FROM_HERE.to_owned(),
            rows => format!("\x1b[{}A{CLEAR_FROM_HERE}", rows - 1),
        }
    }

    fn render(&self, columns: usize, rows: usize) -> (String, Vec<usize>) {
        // The last column stays free: a full line would move the cursor in some terminals and not in others.
        let room = columns - 1;
        let for_lines = rows.saturating_sub(usize::from(self.input.is_some()));
        let shown = self.lines.iter().take(for_lines).cloned().map(|line| line.fit(room));
        let shown = shown.chain(self.input.as_deref().map(|text| end_of_input(text, room)));
        let mut frame = String::new();
        let mut widths = Vec::new();
        for line in shown {
            if !widths.is_empty() {
                frame.push_str("\r\n");
            }
            widths.push(line.width());
            for span in line.spans() {
                match paint_of(span.role).filter(|_| self.is_colored) {
                    Some(paint) => frame.push_str(&paint.apply(&span.text)),
                    None => frame.push_str(&span.text),
                }
            }
        }
        (frame, widths)
    }
}

/// The end of a long input is what is being typed.
fn end_of_input(text: &str, room: usize) -> TextLine {
    let mut shown = text;
    while TextLine::new().plain(shown).width() > room {
        let mut chars = shown.chars();
        chars.next();
        shown = chars.as_str();
    }
    TextLine::new().plain(shown)
}

fn paint_of(role: TextRole) -> Option<Paint> {
    match role {
        TextRole::Plain => None,
        TextRole::Dim => Some(Paint::Dim),
        TextRole::Strong => Some(Paint::Bold),
        TextRole::Good => Some(Paint::Green),
        TextRole::Bad => Some(Paint::Red),
        TextRole::Warning => Some(Paint::Yellow),
        TextRole::Active => Some(Paint::Cyan),
    }
}

/// One write, between the marks of a synchronized update, so that no terminal shows half of it.
fn write_frame(text: &str) {
    let mut frame = String::with_capacity(text.len() + 16);
    let _ = write!(frame, "\x1b[?2026h{text}\x1b[?2026l");
    let mut terminal = std::io::stderr().lock();
    // A terminal that is gone shows nothing.
    let _ = terminal.write_all(frame.as_bytes());
    let _ = terminal.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(texts: &[&str]) -> RegionState {
        let lines = texts.iter().map(|text| TextLine::new().plain(text)).collect();
        RegionState { lines, ..RegionState::default() }
    }

    #[test]
    fn a_region_is_cleared_from_its_first_row_at_any_width() {
        let mut region = state(&["0123456789", "abc"]);
        let (_, widths) = region.render(20, 10);
        region.drawn = widths;
        assert_eq!(region.clearing(20), format!("\x1b[1A{CLEAR_FROM_HERE}"));
        // Narrower: the first line takes three rows of four columns.
        assert_eq!(region.clearing(4), format!("\x1b[3A{CLEAR_FROM_HERE}"));
        region.drawn.clear();
        assert_eq!(region.clearing(4), "");
    }

    #[test]
    fn lines_leave_the_last_column_free_and_the_input_shows_its_end() {
        let mut region = state(&["0123456789", "second", "third"]);
        region.input = Some("> a long answer".to_owned());
        let (frame, widths) = region.render(10, 3);
        assert_eq!(frame, "01234567…\r\nsecond\r\nng answer");
        assert!(widths.iter().all(|width| *width < 10));
    }

    /// B35: only our own codes are in a frame.
    #[test]
    fn texts_bring_no_codes_into_a_frame() {
        let mut region = state(&["a\x1b[2J\x07"]);
        region.input = Some("> \x1b[H".to_owned());
        let (frame, _) = region.render(80, 5);
        assert!(!frame.contains(['\x1b', '\x07']), "{frame:?}");
    }
}
