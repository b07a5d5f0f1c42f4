//! Progress, written into the files of every format (FO-07).

use std::collections::{BTreeMap, BTreeSet};

use afresh_formats::folder::MemoryFolder;
use afresh_formats::reading::PlanReading;
use afresh_import::detect::{PlanFormat, ReadOptions, format_by_name};
use afresh_import::writeback::finished::MarkedTask;
use afresh_import::writeback::write_back;

use crate::written::{KINDS, Kind};

type Bytes = BTreeMap<String, Vec<u8>>;

fn foreign() -> impl Iterator<Item = (&'static Kind, &'static PlanFormat)> {
    KINDS.iter().filter_map(|kind| Some((kind, format_by_name(kind.name)?)))
}

fn read(format: &PlanFormat, files: &Bytes) -> PlanReading {
    (format.read)(&MemoryFolder::new(files.clone()), &ReadOptions::default())
}

fn done(reading: &PlanReading) -> BTreeSet<String> {
    let tasks = reading.plan.iter().flat_map(afresh_core::Plan::tasks);
    tasks.filter(|task| task.done_before.is_some()).map(|task| task.id.to_string()).collect()
}

/// The files after a task is finished.
fn finish(format: &PlanFormat, files: &Bytes, id: &str, finished: &BTreeSet<String>) -> Bytes {
    let folder = MemoryFolder::new(files.clone());
    let task = MarkedTask {
        id: id.to_owned(),
        title: format!("title of {id}"),
        run: "r-1".to_owned(),
        attempt: 1,
        created: vec!["src/new.txt".to_owned()],
        finished_at: 1_795_032_899,
        finished: finished.clone(),
        ..MarkedTask::default()
    };
    let edits = write_back(&folder, format, &ReadOptions::default(), &task)
        .unwrap_or_else(|problem| panic!("{} {id}: {problem}", format.name));
    let mut files = files.clone();
    files.extend(edits.apply(|path| files.get(path).cloned()));
    files
}

/// The same files as another editor would save them.
fn saved_otherwise(files: &Bytes) -> [Bytes; 3] {
    let wide = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).replace('\n', "\r\n").into_bytes();
    let marked = |bytes: &Vec<u8>| [b"\xef\xbb\xbf", bytes.as_slice()].concat();
    let with = |change: &dyn Fn(&Vec<u8>) -> Vec<u8>| {
        files.iter().map(|(path, bytes)| (path.clone(), change(bytes))).collect::<Bytes>()
    };
    [files.clone(), with(&wide), with(&marked)]
}

/// FO-07: each finished task, one after the other, is done for the format's own reader, and no other one is; what is
/// written twice is written once; byte order marks and line breaks stay.
#[test]
fn every_format_shows_what_is_finished() {
    for (kind, format) in foreign() {
        let (written, _) = kind.read(&kind.samples(3));
        let written: Bytes =
            written.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
        for mut files in saved_otherwise(&written) {
            let plan = read(format, &files).plan.expect("a plan");
            let mut finished = BTreeSet::new();
            for task in plan.tasks() {
                let before = files.clone();
                files = finish(format, &files, task.id.as_str(), &finished);
                finished.insert(task.id.to_string());
                assert_eq!(done(&read(format, &files)), finished, "{}", kind.name);
                assert_eq!(finish(format, &files, task.id.as_str(), &finished), files);
                for path in written.keys() {
                    keeps_lines(kind.name, path, &before[path], &files[path]);
                }
            }
        }
    }
}

/// Lines that say nothing about progress stay byte for byte, in their order.
fn keeps_lines(format: &str, path: &str, old: &[u8], new: &[u8]) {
    let about = ["[ ]", "status", "passes", "\u{feff}---"];
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_owned).collect()
    };
    let new = lines(new);
    let mut rest = new.iter();
    for line in lines(old) {
        let text = String::from_utf8_lossy(&line).into_owned();
        if about.iter().any(|word| text.contains(word)) {
            rest.next();
            continue;
        }
        assert!(rest.any(|kept| *kept == line), "{format} {path}: {text:?} is gone");
    }
}

/// FO-07: a task that the files do not have is a reason, not a change.
#[test]
fn an_unknown_task_changes_nothing() {
    for (kind, format) in foreign() {
        let (files, _) = kind.read(&kind.samples(2));
        let task = MarkedTask { id: "nothing".to_owned(), ..MarkedTask::default() };
        let folder = MemoryFolder::new(files);
        assert!(write_back(&folder, format, &ReadOptions::default(), &task).is_err());
    }
}
