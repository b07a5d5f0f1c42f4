//! Splits output that arrives in pieces into lines, with a limit for the length of a line.

/// Longer lines are skipped.
pub const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;

#[derive(Debug, Default)]
pub struct LineBuffer {
    /// The incomplete line.
    open: Vec<u8>,
    /// Whether the line is too long; its rest is skipped.
    skipping: bool,
}

impl LineBuffer {
    /// Adds a piece and returns the lines that it completes.
    pub fn push(&mut self, piece: &[u8]) -> Vec<Vec<u8>> {
        let mut ended = Vec::new();
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            if !self.skipping {
                self.open.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                ended.push(std::mem::take(&mut self.open));
                self.skipping = false;
            } else if self.open.len() > MAX_LINE_BYTES {
                self.open = Vec::new();
                self.skipping = true;
            }
        }
        ended
    }

    /// The last line, after the end of the output.
    pub fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.open)
    }

    /// The memory that it uses.
    pub fn held_bytes(&self) -> usize {
        self.open.capacity()
    }
}
