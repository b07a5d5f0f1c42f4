//! Data as text: for people, for scripts, for files.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`bundles`] | bundles, their state and what is wrong with them |
//! | [`json_events`] | recorded events as JSON lines |
//! | [`live`] | the live region of a run |
//! | [`logs`] | activity and transcripts of a run |
//! | [`patch_file`] | a run's work as one patch |
//! | [`progress`] | recorded events as lines in a terminal |
//! | [`state_page`] | the state of a run, kept current in a file |
//! | [`summary`] | the end of a run in a terminal |
//! | [`worker_files`] | the files about workers that users of long-run look for |

pub(crate) mod bundles;
pub(crate) mod json_events;
pub(crate) mod live;
pub(crate) mod logs;
pub(crate) mod patch_file;
pub(crate) mod progress;
pub(crate) mod state_page;
pub(crate) mod summary;
pub(crate) mod worker_files;
