//! Messages of one line each, from a program that may send anything.

use std::io::{self, BufRead, Read};

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NextLine {
    Line(Vec<u8>),
    /// The line was too long for a message and was skipped.
    TooLong,
    End,
}

/// The next line of at most so many bytes.
pub(crate) fn next(input: &mut impl BufRead, most: u64) -> io::Result<NextLine> {
    let mut line = Vec::new();
    let count = input.by_ref().take(most).read_until(b'\n', &mut line)?;
    if count == 0 {
        return Ok(NextLine::End);
    }
    if line.ends_with(b"\n") || (count as u64) < most {
        return Ok(NextLine::Line(line));
    }
    pass_over(input)?;
    Ok(NextLine::TooLong)
}

/// Leaves out the rest of a line that is too long.
fn pass_over(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let piece = input.fill_buf()?;
        let (used, ended) = match piece.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (piece.len(), piece.is_empty()),
        };
        input.consume(used);
        if ended {
            return Ok(());
        }
    }
}
