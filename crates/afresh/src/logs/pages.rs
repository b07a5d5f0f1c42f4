//! Printing the files of attempts, and what is added to them while somebody follows.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::logs::decode::Decoder;
use crate::logs::transcript::{Part, Transcript};
use crate::output::{Output, Paint, safe};

pub(crate) use crate::logs::decode::Show;

const PIECE_BYTES: usize = 64 * 1024;

/// What has been printed so far.
#[derive(Debug)]
pub(crate) struct Pages {
    show: Show,
    /// Only the last lines of each file.
    last: Option<usize>,
    files: BTreeMap<PathBuf, Reached>,
    /// The file that was printed last, whose heading need not be repeated.
    current: Option<PathBuf>,
    ends_line: bool,
}

/// One file, as far as it was read.
#[derive(Debug, Default)]
struct Reached {
    read: u64,
    decoder: Decoder,
}

impl Pages {
    pub(crate) fn new(show: Show, last: Option<usize>) -> Self {
        Self { show, last, files: BTreeMap::new(), current: None, ends_line: true }
    }

    /// Prints what is new in these files. An error: nobody reads any more.
    pub(crate) fn print(&mut self, transcripts: &[Transcript], output: &Output) -> io::Result<()> {
        for transcript in transcripts {
            for part in &transcript.parts {
                self.print_part(transcript, part, output)?;
            }
        }
        Ok(())
    }

    /// What was left open at the ends of the files.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let open: Vec<String> = self.files.values_mut().map(|file| file.decoder.rest()).collect();
        for text in open.iter().filter(|text| !text.is_empty()) {
            self.write(text.as_bytes())?;
        }
        if !self.ends_line && self.show == Show::Printable {
            self.write(b"\n")?;
        }
        Ok(())
    }

    fn print_part(
        &mut self,
        transcript: &Transcript,
        part: &Part,
        output: &Output,
    ) -> io::Result<()> {
        // A file that cannot be read now may be there at the next look.
        let Ok(mut file) = File::open(&part.file) else { return Ok(()) };
        let length = file.metadata().map_or(0, |found| found.len());
        let known = self.files.contains_key(&part.file);
        let mut from = self.files.entry(part.file.clone()).or_default().read;
        if !known && let Some(last) = self.last {
            from = start_of_last(&mut file, length, last).unwrap_or(0);
        }
        // It was written anew.
        if length < from {
            from = 0;
        }
        // Who printed nothing is told too, once.
        let is_silent = !known && part.name == "stdout";
        if length > from || is_silent {
            self.heading(transcript, part, output)?;
            from = self.copy(&mut file, from, &part.file)?;
        }
        self.files.entry(part.file.clone()).or_default().read = from;
        Ok(())
    }

    fn heading(&mut self, transcript: &Transcript, part: &Part, output: &Output) -> io::Result<()> {
        if self.current.as_deref() == Some(part.file.as_path()) || self.show == Show::Raw {
            return Ok(());
        }
        if !self.ends_line {
            self.write(b"\n")?;
        }
        self.current = Some(part.file.clone());
        let attempt = &transcript.attempt;
        let told = match (&part.command, part.name.as_str(), &attempt.reason) {
            (Some(command), ..) => format!(": {}", safe(command)),
            (None, "stdout", Some(reason)) => {
                format!(" ({}: {})", attempt.result.word(), safe(reason))
            }
            (None, "stdout", None) => format!(" ({})", attempt.result.word()),
            _ => String::new(),
        };
        let heading = format!("=== {} {}{told}", attempt.attempt, part.name);
        self.write(format!("{}\n", output.paint_data(Paint::Blue, &heading)).as_bytes())
    }

    /// Prints a file from a place on; answers with where it ended.
    fn copy(&mut self, file: &mut File, from: u64, path: &Path) -> io::Result<u64> {
        let mut at = file.seek(SeekFrom::Start(from)).unwrap_or(from);
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let count = file.read(&mut piece).unwrap_or(0);
            if count == 0 {
                return Ok(at);
            }
            at += count as u64;
            match self.show {
                Show::Raw => self.write(&piece[..count])?,
                Show::Printable => {
                    let entry = self.files.entry(path.to_owned()).or_default();
                    let text = entry.decoder.next(&piece[..count]);
                    self.write(text.as_bytes())?;
                }
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(last) = bytes.last() {
            self.ends_line = *last == b'\n';
        }
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }
}

/// Where the last `count` lines of a file begin.
fn start_of_last(file: &mut File, length: u64, count: usize) -> io::Result<u64> {
    let mut end = length;
    let mut breaks = 0;
    let mut piece = vec![0; PIECE_BYTES];
    while end > 0 {
        let start = end.saturating_sub(PIECE_BYTES as u64);
        let size = usize::try_from(end - start).unwrap_or(PIECE_BYTES);
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut piece[..size])?;
        for (at, _) in piece[..size].iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n') {
            let place = start + at as u64 + 1;
            // The break at the very end closes the last line and starts none.
            if place < length {
                breaks += 1;
                if breaks == count {
                    return Ok(place);
                }
            } else if count == 0 {
                return Ok(length);
            }
        }
        end = start;
    }
    Ok(if count == 0 { length } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_a_file_are_found() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("f");
        for (text, count, rest) in [
            ("a\nb\nc\n", 1, "c\n"),
            ("a\nb\nc", 1, "c"),
            ("a\nb\nc\n", 2, "b\nc\n"),
            ("a\nb\nc\n", 9, "a\nb\nc\n"),
            ("a\nb\n", 0, ""),
            ("", 3, ""),
        ] {
            std::fs::write(&path, text).expect("written");
            let mut file = File::open(&path).expect("there");
            let at = start_of_last(&mut file, text.len() as u64, count).expect("read");
            assert_eq!(&text[usize::try_from(at).expect("small")..], rest, "{text:?} {count}");
        }
    }
}
