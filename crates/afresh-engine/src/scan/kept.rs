//! afresh's own state: the journal record by record, and the other files as they are.

use std::fs;

use afresh_secrets::{SecretScan, SecretSource};
use afresh_store::Journal;

use super::files::{below, display_path};
use crate::layout::StateLayout;

/// The files of the journal, which are read through the journal itself.
const JOURNAL: &str = "journal.db";

pub fn kept(scan: &mut SecretScan, layout: &StateLayout) {
    match Journal::open_read_only(&layout.state).map(|it| it.map(|reader| reader.read_all())) {
        Ok(None) => {}
        Ok(Some(Ok(records))) => {
            for record in records {
                let place = format!("journal, record {}", record.seq);
                scan.scan_text(SecretSource::Journal, &place, record.body.as_bytes(), None);
            }
        }
        Ok(Some(Err(error))) | Err(error) => {
            scan.skip("the journal".to_owned(), error.to_string());
        }
    }
    let entries = fs::read_dir(&layout.state).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    for name in names {
        if !name.to_string_lossy().starts_with(JOURNAL) {
            let path = layout.state.join(&name);
            below(scan, SecretSource::State, &path, std::path::Path::new(&display_path(&path)));
        }
    }
}
