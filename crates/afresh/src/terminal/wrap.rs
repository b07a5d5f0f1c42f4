//! Wrapping lines to the width of a terminal.

use std::os::fd::AsFd;

use afresh_app::text::wrap::wrap;

/// A narrower terminal is not wrapped for: it would show one word per line.
const MIN_WIDTH: usize = 40;

/// The text as it is where the stream is no terminal.
pub(crate) fn for_stream(stream: &impl AsFd, text: &str) -> String {
    match columns(stream) {
        Some(width) => wrap(text, width),
        None => text.to_owned(),
    }
}

/// The width to wrap at; none where the stream is no terminal.
pub(crate) fn columns(stream: &impl AsFd) -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(stream.as_fd())?;
    Some(usize::from(width.0)).filter(|width| *width >= MIN_WIDTH)
}
