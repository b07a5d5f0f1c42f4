//! The command line: messages, setup, reports, logs, documents, tools.
//!
//! | module | what it tests |
//! | --- | --- |
//! | [`demo`] | `afresh demo` |
//! | [`dialogs`] | the dialogs of a run, in tmux and without a terminal |
//! | [`discovery`] | `afresh discover` |
//! | [`doctor`] | `afresh doctor` |
//! | [`documents`] | the commands that documents show |
//! | [`generated_files`] | generated documents, completions and schemas are current |
//! | [`init`] | `afresh init` |
//! | [`json_schemas`] | outputs fit their published schemas |
//! | [`logs`] | `afresh logs` |
//! | [`messages`] | errors: message, cause, hint, place, colours |
//! | [`pictures`] | the pictures of the README |
//! | [`promises`] | every promise has a test, every id in a test a promise |
//! | [`report`] | `afresh report` |
//! | [`terminal`] | questions in the terminal of the run |
//! | [`tool_output`] | output for shells, pagers and scripts |

#[path = "../support/mod.rs"]
mod support;

mod demo;
mod dialogs;
mod discovery;
mod doctor;
mod documents;
mod generated_files;
mod init;
mod json_schemas;
mod logs;
mod messages;
mod pictures;
mod report;
mod terminal;
mod tool_output;
