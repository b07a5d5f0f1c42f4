//! Logs as text: the activity of a run, and the transcripts of its attempts.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`activity`] | the activity of a run, as lines, and what is added to it |
//! | [`pages`] | the files of attempts, and what is added to them |

pub(crate) mod activity;
pub(crate) mod pages;
