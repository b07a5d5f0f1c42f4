//! What afresh keeps: the journal by its records, and everything beside it as it is.

use std::fs;

use afresh_store::Journal;

use super::files::{below, shown};
use super::{Scan, Source};
use crate::layout::Layout;

/// The files of the journal, which are read by its own means.
const JOURNAL: &str = "journal.db";

pub fn kept(scan: &mut Scan, layout: &Layout) {
    match Journal::open_read_only(&layout.state).map(|it| it.map(|reader| reader.read_all())) {
        Ok(None) => {}
        Ok(Some(Ok(records))) => {
            for record in records {
                let place = format!("journal, record {}", record.seq);
                scan.look(Source::Journal, &place, record.body.as_bytes(), None);
            }
        }
        Ok(Some(Err(error))) | Err(error) => {
            scan.pass_over("the journal".to_owned(), error.to_string());
        }
    }
    let entries = fs::read_dir(&layout.state).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    for name in names {
        if !name.to_string_lossy().starts_with(JOURNAL) {
            let path = layout.state.join(&name);
            below(scan, Source::State, &path, std::path::Path::new(&shown(&path)));
        }
    }
}
