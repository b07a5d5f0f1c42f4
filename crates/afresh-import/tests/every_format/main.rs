//! One test per kind of bad input, in every format: problems are found, named and located.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`written`] | the same few tasks written in each format |
//! | [`names`] | ids and dependencies |
//! | [`files`] | hostile paths |
//! | [`progress`] | what is finished, written back |
//! | [`texts`] | hostile titles, commands and files |

mod files;
mod names;
mod progress;
mod texts;
mod written;
