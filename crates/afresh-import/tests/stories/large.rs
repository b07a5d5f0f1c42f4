//! Large plans of every format: all tasks are read, and the work grows no faster than the plan.
//! Work is counted, not timed: `cargo xtask bench reading` has the times.

use afresh_core::plan::TaskIndex;
use std::cell::Cell;

use afresh_formats::Finding;
use afresh_formats::folder::{MemoryFolder, PlanFolder};
use afresh_formats::native;
use afresh_formats::reading::PlanReading;
use afresh_import::detect::{ReadOptions, format_by_name};
use afresh_testkit::large_plan;

use crate::rendered;

/// A folder that counts its calls.
struct Counting {
    folder: MemoryFolder,
    texts: Cell<usize>,
    listings: Cell<usize>,
}

impl PlanFolder for Counting {
    fn paths(&self) -> &[String] {
        self.listings.set(self.listings.get() + 1);
        self.folder.paths()
    }

    fn holds(&self, path: &str) -> bool {
        self.folder.holds(path)
    }

    fn starting_with(&self, front: &str) -> &[String] {
        self.folder.starting_with(front)
    }

    fn text(&self, path: &str) -> Option<Result<String, Finding>> {
        self.texts.set(self.texts.get() + 1);
        self.folder.text(path)
    }
}

/// Reads a plan of this many tasks, all of which must be present with the right dependencies. Returns the
/// number of calls for texts and for the listing.
#[track_caller]
fn read(format: &str, tasks: usize) -> (usize, usize) {
    let files = large_plan::files(format, tasks);
    if format == "native" {
        expect_all(&native::read("large.plan.toml", files[0].1.as_bytes()), tasks);
        return (1, 0);
    }
    let (texts, listings) = (Cell::new(0), Cell::new(0));
    let folder = Counting { folder: MemoryFolder::new(files), texts, listings };
    let reader = format_by_name(format).expect("a format");
    assert!((reader.is_present)(&folder), "{format}");
    expect_all(&reader.read_traced(&folder, &ReadOptions::default()), tasks);
    (folder.texts.get(), folder.listings.get())
}

#[track_caller]
fn expect_all(reading: &PlanReading, tasks: usize) {
    let plan = reading.plan.as_ref().unwrap_or_else(|| panic!("{}", rendered(reading)));
    assert_eq!(plan.len(), tasks);
    assert!(plan.needs(TaskIndex::new(0)).is_empty());
    for (before, at) in plan.indices().zip(plan.indices().skip(1)) {
        // Formats differ in what the first of ten waits for.
        let waits = if at.position() % 10 == 0 {
            !plan.needs(at).is_empty()
        } else {
            plan.needs(at).contains(&before)
        };
        assert!(waits, "task {at:?} waits for {:?}", plan.needs(at));
    }
}

/// FO-06: ten times the tasks need at most ten times the reads, and no more listings.
#[test]
fn each_file_is_read_a_few_times_however_many_there_are() {
    let known = afresh_import::detect::FORMATS.iter().map(|format| format.name);
    assert!(known.chain(["native"]).all(|name| large_plan::FORMATS.contains(&name)));
    for format in large_plan::FORMATS {
        let ((few, some), (many, same)) = (read(format, 100), read(format, 1_000));
        assert!(many <= few * 10, "{format}: {few} texts for 100 tasks, {many} for 1,000");
        assert_eq!(same, some, "{format}: the listing is gone through for every task");
    }
}

/// FO-05: the promise is about 10,000 tasks.
#[test]
fn a_plan_of_ten_thousand_tasks_is_read() {
    read("native", 10_000);
}
