//! Bad plans in the program's own format, as `show` and `run` meet them: TOML and JSON alike.
//!
//! | module | idea |
//! | --- | --- |
//! | [`plans`] | one plan in both spellings, refused by both commands |
//! | [`paths`] | files that leave the tree, or trip a tool |
//! | [`names`] | ids and dependencies |
//! | [`text`] | the file itself: missing, endless, empty, in another encoding |
//! | [`fields`] | fields that are not there, or not known |
//! | [`unchecked`] | tasks that nothing would judge |

mod fields;
mod names;
mod paths;
mod plans;
mod text;
mod unchecked;
