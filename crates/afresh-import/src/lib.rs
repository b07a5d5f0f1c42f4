//! Plans that other tools wrote, read as plans of afresh. Pure: a reader is a function over text.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`detect`] | all formats, and which of them a directory contains |
//! | `box_lists` | lists of check boxes: what formats that are made of them have in common |
//! | [`draft`] | what a reader collects: tasks, their places, findings; and how that becomes a plan |
//! | [`export`] | plans written in the formats of other tools |
//! | [`prose`] | what sentences say without guessing: ids, paths, texts for workers |
//! | [`plan_md`] | PLAN.md: what GSD, Ultra Planner and long-run have in common |
//! | [`formats`] | one module per format |
//! | [`requirements`] | what plans are for: requirements, and which tasks cite them |
//! | [`writeback`] | progress, written into the files of a plan |

mod box_lists;
pub mod detect;
pub mod draft;
pub mod export;
pub mod formats;
pub mod plan_md;
pub mod prose;
pub mod requirements;
pub mod writeback;
