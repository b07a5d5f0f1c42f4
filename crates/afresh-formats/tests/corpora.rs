//! What the fuzz targets keep is replayed here, so that nothing that was mended breaks again.

#[path = "../../../fuzz/properties.rs"]
mod properties;

use std::fs;
use std::path::Path;

use afresh_formats::{agent_os, beads, gsd2, spec_kit, specflow, task_master, tasker};

fn replay(target: &str, property: impl Fn(&[u8])) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut count = 0;
    for entry in fs::read_dir(&root).expect("a corpus") {
        let bytes = fs::read(entry.expect("an entry").path()).expect("a file");
        // Cut off as well: the shortest way to something odd.
        for end in [bytes.len(), bytes.len() / 2, bytes.len() / 3] {
            property(&bytes[..end]);
        }
        count += 1;
    }
    assert!(count > 0, "no corpus for {target}");
}

/// B32: any text is an answer or none.
#[test]
fn b32_the_corpus_of_results_is_replayed() {
    replay("result", properties::result);
}

/// FO-06: any bytes are a plan or located problems.
#[test]
fn fo_06_the_corpora_of_plans_are_replayed() {
    replay("tasker", |bytes| properties::files(&tasker::FORMAT, bytes));
    replay("specflow", |bytes| properties::files(&specflow::FORMAT, bytes));
    replay("agent_os", |bytes| properties::files(&agent_os::FORMAT, bytes));
    replay("spec_kit", |bytes| properties::files(&spec_kit::FORMAT, bytes));
    replay("gsd2", |bytes| properties::files(&gsd2::FORMAT, bytes));
    let file = ".taskmaster/tasks/tasks.json";
    replay("task_master", |bytes| properties::one_file(&task_master::FORMAT, file, bytes));
    replay("beads", |bytes| properties::one_file(&beads::FORMAT, ".beads/issues.jsonl", bytes));
}
