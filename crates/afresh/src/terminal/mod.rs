//! The terminal: output, questions, signals, completion.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`attention`] | bell, title and desktop notification |
//! | [`capture`] | what commands print for a client instead of a terminal |
//! | [`completion`] | what a shell completes |
//! | [`foreground`] | programs that take over the terminal |
//! | [`full_screen`] | taking over the whole terminal, and always giving it back |
//! | [`live`] | the live region at the bottom of the terminal |
//! | [`output`] | data on standard output, messages on standard error, colours |
//! | [`piped_text`] | a text from standard input |
//! | [`plan_watch`] | a plan that was edited during its run |
//! | [`prompt`] | yes-or-no questions and choices |
//! | [`questions`] | a run's questions, answered in this terminal |
//! | [`signals`] | Ctrl-C and other signals |
//! | [`wrap`] | wrapping lines to the width of the terminal |

pub(crate) mod attention;
pub(crate) mod capture;
pub(crate) mod completion;
pub(crate) mod foreground;
pub(crate) mod full_screen;
pub(crate) mod live;
pub(crate) mod output;
pub(crate) mod piped_text;
pub(crate) mod plan_watch;
pub(crate) mod prompt;
pub(crate) mod questions;
pub(crate) mod signals;
pub(crate) mod wrap;
