//! One character per state, so that colour is never the only difference.

use afresh_core::status::TaskPhase;

use crate::history::attempt::SegmentKind;

pub fn of_phase(phase: TaskPhase) -> char {
    match phase {
        TaskPhase::Pending => '·',
        TaskPhase::Ready => '○',
        TaskPhase::Running => '▶',
        TaskPhase::Checking => '◎',
        TaskPhase::Merging => '⇥',
        TaskPhase::Done => '✓',
        TaskPhase::Failed => '✗',
        TaskPhase::Skipped => '⊘',
        TaskPhase::Waiting => '?',
        TaskPhase::Blocked => '⊟',
    }
}

pub fn of_segment(kind: SegmentKind) -> char {
    match kind {
        SegmentKind::Queue => '·',
        SegmentKind::SetUp => '░',
        SegmentKind::Work => '█',
        SegmentKind::Checks => '▒',
        SegmentKind::Review => '▓',
        SegmentKind::Merge => '◆',
        SegmentKind::Person => '?',
    }
}
