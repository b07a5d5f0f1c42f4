//! One story per kind of bad input, told in every format: whatever a plan is written in, what is
//! wrong with it is found, named and located.
//!
//! | module | idea |
//! | --- | --- |
//! | [`written`] | the same few tasks in each format's own words |
//! | [`names`] | ids and dependencies |
//! | [`files`] | files that leave the tree, or trip a tool |
//! | [`texts`] | titles, commands and whole files that are not what they should be |

mod files;
mod names;
mod texts;
mod written;
