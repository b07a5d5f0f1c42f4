//! What must hold for any bytes: shared by the fuzz targets and by the ordinary tests that replay
//! their corpora.

#![allow(dead_code, reason = "every target uses its own part of this")]

use afresh_core::outcome::Outcome;
use afresh_formats::folder::MemoryFolder;
use afresh_formats::format::{FolderFormat, Wishes};
use afresh_formats::result::{self, Asked};

/// Line that begins another file, in the corpora of formats with several files.
const FILE: &str = "--- ";

/// Any text is an answer with bounded parts, or none.
pub(crate) fn result(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let asked = Asked { task: "T001", names: vec!["Add login"], prompt: "the prompt" };
    for outcome in [result::read(&text, &asked), result::read_file(&text, &text, &asked)] {
        if let Outcome::Unintelligible { reason, excerpt } = &outcome {
            assert!(!reason.is_empty() && excerpt.chars().count() <= 500, "{outcome:?}");
        }
        if let Some(claim) = outcome.claim() {
            assert!(claim.files.len() <= 2_000 && claim.criteria.len() <= 2_000);
        }
    }
}

/// Any file is a plan, or problems at places that exist, each with a help.
pub(crate) fn one_file(format: &FolderFormat, path: &str, bytes: &[u8]) {
    holds(format, &[(path.to_owned(), bytes.to_vec())]);
}

/// The same for several files: each begins with a line `--- PATH`.
pub(crate) fn files(format: &FolderFormat, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match (line.strip_prefix(FILE), files.last_mut()) {
            (Some(path), _) => files.push((path.trim().to_owned(), Vec::new())),
            (None, Some((_, content))) => content.extend_from_slice(line.as_bytes()),
            (None, None) => {}
        }
    }
    holds(format, &files);
}

fn holds(format: &FolderFormat, files: &[(String, Vec<u8>)]) {
    let folder = MemoryFolder::new(files.iter().cloned());
    let _ = (format.recognises)(&folder);
    let reading = (format.read)(&folder, &Wishes::default());
    let errors = reading.findings.iter().filter(|finding| finding.is_error()).count();
    assert_eq!(reading.plan.is_none(), errors > 0, "{:?}", reading.findings);
    for finding in &reading.findings {
        // The last of two files with one name counts.
        let content = files.iter().rev().find(|(path, _)| *path == finding.file);
        let lines = content.map_or(0, |(_, text)| text.split(|byte| *byte == b'\n').count());
        assert!(finding.line <= lines && finding.help.is_some(), "{finding:?}");
        assert!(!finding.render().is_empty());
    }
}
