//! One test per kind of bad input, in every format: problems are found, named and located.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`written`] | the same few tasks written in each format |
//! | [`names`] | ids and dependencies |
//! | [`files`] | hostile paths |
//! | [`texts`] | hostile titles, commands and files |

mod files;
mod names;
mod texts;
mod written;
