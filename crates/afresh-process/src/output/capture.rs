//! One output file of limited size (R15).
//!
//! The beginning is written at once. What exceeds it passes through a ring buffer, which is
//! appended at the end, because a worker's answer comes last. The middle is left out, with a line
//! that says so.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use afresh_secrets::Redactor;
use nix::libc::{O_NOFOLLOW, O_NONBLOCK};

#[derive(Debug)]
pub(crate) struct OutputFile {
    file: File,
    redactor: Redactor,
    head: u64,
    ring: VecDeque<u8>,
    ring_bytes: usize,
    written: u64,
    seen: u64,
    ends_line: bool,
    error: Option<String>,
}

const MAX_RING_BYTES: u64 = 1024 * 1024;

impl OutputFile {
    pub(crate) fn create(path: &Path, bytes: u64, redactor: Redactor) -> io::Result<Self> {
        // Output may hold secrets; only the user may read it.
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        // The path may be a pipe or a symlink: neither is opened.
        let file = options.custom_flags(O_NOFOLLOW | O_NONBLOCK).open(path)?;
        let ring_bytes = (bytes / 2).min(MAX_RING_BYTES);
        Ok(Self {
            file,
            redactor,
            head: bytes - ring_bytes,
            ring: VecDeque::new(),
            ring_bytes: usize::try_from(ring_bytes).unwrap_or(0),
            written: 0,
            seen: 0,
            ends_line: true,
            error: None,
        })
    }

    /// Bytes of output after redaction, stored or not.
    pub(crate) fn byte_count(&self) -> u64 {
        self.seen
    }

    pub(crate) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    pub(crate) fn push(&mut self, piece: &[u8]) {
        let piece = self.redactor.push(piece);
        self.store(&piece);
    }

    fn store(&mut self, piece: &[u8]) {
        self.seen += piece.len() as u64;
        let space = usize::try_from(self.head - self.written).unwrap_or(usize::MAX);
        let (stored, rest) = piece.split_at(space.min(piece.len()));
        if !stored.is_empty() {
            self.written += stored.len() as u64;
            self.write(stored);
        }
        let rest = &rest[rest.len().saturating_sub(self.ring_bytes)..];
        let excess = (self.ring.len() + rest.len()).saturating_sub(self.ring_bytes);
        self.ring.drain(..excess);
        self.ring.extend(rest);
    }

    /// Appends the ring buffer; returns whether something was left out.
    pub(crate) fn finish(&mut self) -> bool {
        let rest = self.redactor.finish();
        self.store(&rest);
        let left_out = self.seen - self.written - self.ring.len() as u64;
        if left_out > 0 {
            let newline = if self.ends_line { "" } else { "\n" };
            self.write(format!("{newline}… {left_out} bytes left out …\n").as_bytes());
        }
        let ring = std::mem::take(&mut self.ring);
        let (front, back) = ring.as_slices();
        self.write(front);
        self.write(back);
        left_out > 0
    }

    /// A full disk must not block the program's pipe; the first error is reported.
    fn write(&mut self, piece: &[u8]) {
        if let Some(&last) = piece.last() {
            self.ends_line = last == b'\n';
        }
        if self.error.is_none() {
            self.error = self.file.write_all(piece).err().map(|error| error.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(bytes: u64, pieces: &[&str]) -> (String, bool) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        let mut capture = OutputFile::create(&path, bytes, Redactor::new(&[])).unwrap();
        for piece in pieces {
            capture.push(piece.as_bytes());
        }
        let truncated = capture.finish();
        assert_eq!(capture.error(), None);
        (std::fs::read_to_string(path).unwrap(), truncated)
    }

    #[test]
    fn output_within_the_limit_is_stored_unchanged() {
        assert_eq!(captured(10, &["abc", "defg", "hij"]), ("abcdefghij".into(), false));
        assert_eq!(captured(10, &[]), (String::new(), false));
    }

    /// R15.
    #[test]
    fn the_middle_is_left_out_and_the_last_piece_stays() {
        let (text, truncated) = captured(10, &["0123456789", "abcdef", "VWXYZ"]);
        assert_eq!(text, "01234\n… 11 bytes left out …\nVWXYZ");
        assert!(truncated);
    }

    /// R15.
    #[test]
    fn a_single_huge_piece_is_cut_like_many_small_ones() {
        let whole = captured(8, &["aaaabbbbccccdddd"]);
        let bytewise: Vec<String> = "aaaabbbbccccdddd".chars().map(String::from).collect();
        let bytewise: Vec<&str> = bytewise.iter().map(String::as_str).collect();
        assert_eq!(whole, captured(8, &bytewise));
    }

    #[test]
    fn a_limit_of_zero_stores_only_the_notice() {
        assert_eq!(captured(0, &["abc"]), ("… 3 bytes left out …\n".into(), true));
    }

    /// R9.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_reported_and_does_not_stop_the_stream() {
        let mut capture =
            OutputFile::create(Path::new("/dev/full"), 10, Redactor::new(&[])).unwrap();
        capture.push(b"abc");
        capture.push(b"def");
        assert!(capture.error().is_some_and(|error| error.contains("space")));
        assert_eq!(capture.byte_count(), 6);
    }
}
