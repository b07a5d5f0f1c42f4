//! Wrapping lines to the width of a terminal.

use std::os::fd::AsFd;

use afresh_app::text::wrap::wrap;

/// A narrower terminal is not wrapped for: it would show one word per line.
const MIN_WIDTH: usize = 40;

/// The text as it is where the stream is no terminal.
pub(crate) fn for_stream(stream: &impl AsFd, text: &str) -> String {
    let size = terminal_size::terminal_size_of(stream.as_fd());
    match size.map(|(width, _)| usize::from(width.0)) {
        Some(width) if width >= MIN_WIDTH => wrap(text, width),
        _ => text.to_owned(),
    }
}
