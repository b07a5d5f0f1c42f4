//! Output that comes in pieces, as lines: bounded, however long a line is.

/// Longer lines are passed over.
pub const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;

#[derive(Debug, Default)]
pub struct LineBuffer {
    /// A line whose end has not come yet.
    open: Vec<u8>,
    /// The line is too long; its rest is passed over.
    passing_over: bool,
}

impl LineBuffer {
    /// The lines that end in this piece.
    pub fn push(&mut self, piece: &[u8]) -> Vec<Vec<u8>> {
        let mut ended = Vec::new();
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            if !self.passing_over {
                self.open.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                ended.push(std::mem::take(&mut self.open));
                self.passing_over = false;
            } else if self.open.len() > MAX_LINE_BYTES {
                self.open = Vec::new();
                self.passing_over = true;
            }
        }
        ended
    }

    /// What was left open, now that nothing more comes.
    pub fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.open)
    }

    /// How much memory it holds on to.
    pub fn held_bytes(&self) -> usize {
        self.open.capacity()
    }
}
