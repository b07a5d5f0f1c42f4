//! One test per kind of bad input, in every format: problems are found, named and located.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`written`] | the same few tasks written in each format |
//! | [`exported`] | plans written in every format, and read again |
//! | [`names`] | ids and dependencies |
//! | [`files`] | hostile paths |
//! | [`progress`] | what is finished, written into the files |
//! | [`texts`] | hostile titles, commands and files |

mod exported;
mod files;
mod names;
mod progress;
mod texts;
mod written;
