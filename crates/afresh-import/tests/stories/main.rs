//! Stories about plans of other tools: files in, a plan or located findings out.

mod agent_os;
mod beads;
mod codes;
mod families;
mod fixing;
mod folders;
mod gsd2;
mod hostile;
mod large;
mod new_formats;
mod requirements;
mod spec_kit;
mod specflow;
mod task_master;
mod tasker;
mod writeback;
mod writing;

use afresh_formats::Finding;
use afresh_formats::reading::PlanReading;

/// All findings as people read them.
fn rendered(reading: &PlanReading) -> String {
    reading.findings.iter().map(Finding::render).collect()
}
