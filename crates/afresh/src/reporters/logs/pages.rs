//! Printing the files of attempts, and what is added to them while they are followed.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use afresh_engine::reports::run_report::AttemptResult;

use crate::terminal::output::{Output, Paint, safe};
use afresh_app::logs::decode::ChunkDecoder;
use afresh_app::logs::readers::AgentReaders;
use afresh_app::logs::render::TranscriptRenderer;
use afresh_app::logs::transcript::{AttemptTranscript, TranscriptFile};

pub(crate) use afresh_app::logs::decode::TranscriptEncoding;

const PIECE_BYTES: usize = 64 * 1024;

/// A printer of these files, and what it has printed so far.
#[derive(Debug)]
pub(crate) struct TranscriptPrinter {
    show: TranscriptEncoding,
    readers: AgentReaders,
    /// Only the last lines of each file.
    last: Option<usize>,
    files: BTreeMap<PathBuf, FileProgress>,
    /// The last printed file, whose heading is not repeated.
    current: Option<PathBuf>,
    ends_line: bool,
    output: Output,
}

/// How far a file was read.
#[derive(Debug, Default)]
struct FileProgress {
    read: u64,
    decoder: ChunkDecoder,
    /// For the reports of an agent program.
    details: Option<TranscriptRenderer>,
}

impl FileProgress {
    /// The text of the next piece, as far as it is complete.
    fn next(&mut self, piece: &[u8]) -> String {
        match &mut self.details {
            Some(details) => details.next(piece),
            None => self.decoder.next(piece),
        }
    }

    fn rest(&mut self) -> String {
        match &mut self.details {
            Some(details) => details.rest(),
            None => self.decoder.rest(),
        }
    }
}

impl TranscriptPrinter {
    pub(crate) fn new(
        show: TranscriptEncoding,
        readers: AgentReaders,
        last: Option<usize>,
        output: &Output,
    ) -> Self {
        let (files, output) = (BTreeMap::new(), output.clone());
        Self { show, readers, last, files, current: None, ends_line: true, output }
    }

    /// Prints what is new in these files. Fails once standard output is closed.
    pub(crate) fn print(&mut self, transcripts: &[AttemptTranscript]) -> io::Result<()> {
        for transcript in transcripts {
            for part in &transcript.parts {
                self.print_part(transcript, part)?;
            }
        }
        Ok(())
    }

    /// Prints incomplete characters at the ends of the files.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let open: Vec<String> = self.files.values_mut().map(FileProgress::rest).collect();
        for text in open.iter().filter(|text| !text.is_empty()) {
            self.write(text.as_bytes())?;
        }
        if !self.ends_line && self.show == TranscriptEncoding::Printable {
            self.write(b"\n")?;
        }
        Ok(())
    }

    fn print_part(
        &mut self,
        transcript: &AttemptTranscript,
        part: &TranscriptFile,
    ) -> io::Result<()> {
        // A file that is missing now may exist at the next look.
        let Ok(mut file) = File::open(&part.file) else { return Ok(()) };
        let length = file.metadata().map_or(0, |found| found.len());
        let known = self.files.contains_key(&part.file);
        if !known {
            let details = self.renderer(transcript, part);
            self.files
                .insert(part.file.clone(), FileProgress { details, ..FileProgress::default() });
        }
        let reached = self.files.entry(part.file.clone()).or_default();
        let (mut from, is_told) = (reached.read, reached.details.is_some());
        // Rendered reports have other lines than the file.
        let last = self.last.filter(|_| !known);
        if let Some(last) = last.filter(|_| !is_told) {
            from = start_of_last(&mut file, length, last).unwrap_or(0);
        }
        // The file was rewritten.
        if length < from {
            from = 0;
        }
        // An empty transcript gets a heading, once.
        let is_silent = !known && part.name == "stdout";
        if length > from || is_silent {
            self.heading(transcript, part)?;
            from = match last.filter(|_| is_told) {
                Some(last) => self.copy_last(&mut file, &part.file, last)?,
                None => self.copy(&mut file, from, &part.file)?,
            };
        }
        // The worker has ended.
        if is_told && transcript.attempt.result != AttemptResult::Underway {
            let rest = self.files.entry(part.file.clone()).or_default().rest();
            self.write(rest.as_bytes())?;
        }
        self.files.entry(part.file.clone()).or_default().read = from;
        Ok(())
    }

    /// The output of an agent program is rendered, not printed line by line.
    fn renderer(
        &self,
        transcript: &AttemptTranscript,
        part: &TranscriptFile,
    ) -> Option<TranscriptRenderer> {
        let is_stream = part.name == "stdout" && self.show == TranscriptEncoding::Printable;
        let agent = transcript.attempt.agent.as_deref().filter(|_| is_stream);
        self.readers.reader(agent).map(TranscriptRenderer::new)
    }

    /// The last lines of a rendered transcript.
    fn copy_last(&mut self, file: &mut File, path: &Path, count: usize) -> io::Result<u64> {
        let mut last: VecDeque<String> = VecDeque::new();
        let mut piece = vec![0; PIECE_BYTES];
        let mut at = 0;
        loop {
            let read = file.read(&mut piece).unwrap_or(0);
            let entry = self.files.entry(path.to_owned()).or_default();
            at += read as u64;
            let text = if read == 0 { entry.rest() } else { entry.next(&piece[..read]) };
            last.extend(text.lines().map(str::to_owned));
            last.drain(..last.len().saturating_sub(count));
            if read == 0 {
                break;
            }
        }
        for line in last {
            self.write(format!("{line}\n").as_bytes())?;
        }
        Ok(at)
    }

    fn heading(&mut self, transcript: &AttemptTranscript, part: &TranscriptFile) -> io::Result<()> {
        if self.current.as_deref() == Some(part.file.as_path())
            || self.show == TranscriptEncoding::Raw
        {
            return Ok(());
        }
        if !self.ends_line {
            self.write(b"\n")?;
        }
        self.current = Some(part.file.clone());
        let attempt = &transcript.attempt;
        let details = match (&part.command, part.name.as_str(), &attempt.reason) {
            (Some(command), ..) => format!(": {}", safe(command)),
            (None, "stdout", Some(reason)) => {
                format!(" ({}: {})", attempt.result.word(), safe(reason))
            }
            (None, "stdout", None) => format!(" ({})", attempt.result.word()),
            _ => String::new(),
        };
        let heading = format!("=== {} {}{details}", attempt.attempt, part.name);
        self.write(format!("{}\n", self.output.paint_data(Paint::Cyan, &heading)).as_bytes())
    }

    /// Prints a file from an offset; returns where it ended.
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
                TranscriptEncoding::Raw => self.write(&piece[..count])?,
                TranscriptEncoding::Printable => {
                    let entry = self.files.entry(path.to_owned()).or_default();
                    let text = entry.next(&piece[..count]);
                    self.write(text.as_bytes())?;
                }
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(last) = bytes.last() {
            self.ends_line = *last == b'\n';
        }
        self.output.write_data(bytes)
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
            // The last line break starts no line.
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
