//! Workers: what they are given, and what they report.
//!
//! | module | what it tests |
//! | --- | --- |
//! | [`bundles`] | `afresh bundle` |
//! | [`mailbox`] | a mailbox with pipes, links and floods in it |
//! | [`prompt_contents`] | which parts of a specification a prompt contains |
//! | [`prompts`] | the prompt and the bundle |
//! | [`results`] | results in every form |
//! | [`steps`] | steps that survive their worker |
//! | [`worker_log`] | `afresh log` inside an attempt |
//! | [`workspace_setup`] | setup commands |

#[path = "../support/mod.rs"]
mod support;

mod bundles;
mod mailbox;
mod prompt_contents;
mod prompts;
mod results;
mod steps;
mod worker_log;
mod workspace_setup;
