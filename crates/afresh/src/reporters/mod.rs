//! Data as text: for people, for scripts, for files.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`bundles`] | bundles, their state and what is wrong with them |
//! | [`conflicts`] | a merge conflict with both sides |
//! | [`json_events`] | recorded events as JSON lines |
//! | [`logs`] | activity and transcripts of a run |
//! | [`patch_file`] | a run's work as one patch |
//! | [`plan_graph`] | a plan as a tree, for Mermaid, for Graphviz |
//! | [`plan_json`] | a plan as JSON |
//! | [`progress`] | recorded events as lines in a terminal |
//! | [`sarif`] | findings as SARIF |
//! | [`state_page`] | the state of a run, kept current in a file |
//! | [`summary`] | the end of a run in a terminal |

pub(crate) mod bundles;
pub(crate) mod conflicts;
pub(crate) mod json_events;
pub(crate) mod logs;
pub(crate) mod patch_file;
pub(crate) mod plan_graph;
pub(crate) mod plan_json;
pub(crate) mod progress;
pub(crate) mod sarif;
pub(crate) mod state_page;
pub(crate) mod summary;
