//! What a run looks like: its events folded into plain data, and that data as text and as pictures.
//!
//! Everything here is pure and deterministic: the same events at the same moment give the same bytes. Terminals, pages
//! and files are for the callers.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`history`] | what happened when: attempts in segments, spending, drivers; one event at a time |
//! | [`dashboard`] | all of the view data of one moment |
//! | [`screen`] | what one screen of a full-screen view shows |
//! | [`data`] | each part of it: needs-you list, task rows, graph, timeline, context, spending, queue, retries |
//! | [`text`] | the parts as lines for a terminal |
//! | [`svg`] | the parts as pictures |

pub mod dashboard;
pub mod data;
pub mod history;
pub mod screen;
pub mod svg;
pub mod text;

pub use dashboard::{Dashboard, LiveFacts};
pub use history::RunHistory;
