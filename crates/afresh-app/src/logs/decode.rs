//! Bytes of a worker as text that is safe to print, piece by piece.

use afresh_core::printable;

/// How bytes become what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptEncoding {
    /// Safe for a terminal: other characters are escaped.
    Printable,
    /// As it is.
    Raw,
}

/// Keeps the incomplete end of the last piece.
#[derive(Debug, Default)]
pub struct ChunkDecoder {
    open: Vec<u8>,
}

impl ChunkDecoder {
    /// The text of the next piece, as far as it is complete.
    pub fn next(&mut self, piece: &[u8]) -> String {
        let mut bytes = std::mem::take(&mut self.open);
        bytes.extend_from_slice(piece);
        let end = bytes.len() - incomplete(&bytes);
        self.open = bytes.split_off(end);
        show(&bytes)
    }

    /// The incomplete rest, at the end.
    pub fn rest(&mut self) -> String {
        show(&std::mem::take(&mut self.open))
    }
}

fn show(bytes: &[u8]) -> String {
    printable::lines(&String::from_utf8_lossy(bytes))
}

/// How many bytes at the end may belong to an incomplete character, or to a line break of two characters.
fn incomplete(bytes: &[u8]) -> usize {
    if bytes.last() == Some(&b'\r') {
        return 1;
    }
    let continued = bytes.iter().rev().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    let Some(lead) = bytes.len().checked_sub(continued + 1).map(|at| bytes[at]) else { return 0 };
    let length = match lead {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => return 0,
    };
    if continued + 1 < length { continued + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B35: however output is cut into pieces, it reads the same, and no escape gets through.
    #[test]
    fn text_reads_the_same_however_it_is_cut() {
        let text = "a\r\nβ\u{9b}2J€😀\x1b]0;t\x07\rx\u{202e}".as_bytes();
        let whole = show(text);
        for size in 1..text.len() {
            let mut decoder = ChunkDecoder::default();
            let mut joined: String = text.chunks(size).map(|piece| decoder.next(piece)).collect();
            joined.push_str(&decoder.rest());
            assert_eq!(joined, whole, "pieces of {size}");
        }
        assert!(!whole.chars().any(|c| c != '\n' && printable::is_unprintable(c)), "{whole:?}");
    }

    #[test]
    fn bytes_that_are_no_text_come_through_as_marks() {
        let mut decoder = ChunkDecoder::default();
        assert_eq!(decoder.next(b"a\xff\xfeb\xe2\x82"), "a\u{fffd}\u{fffd}b");
        assert_eq!(decoder.rest(), "\u{fffd}");
    }
}
