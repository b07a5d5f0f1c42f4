//! Bad plans in the native format, with `show` and `run`, in TOML and JSON.
//!
//! | module | idea |
//! | --- | --- |
//! | [`plans`] | one plan in both spellings, refused by both commands |
//! | [`paths`] | files that leave the tree, or break a tool |
//! | [`names`] | ids and dependencies |
//! | [`text`] | the file itself: missing, endless, empty, in another encoding |
//! | [`fields`] | fields that are missing or unknown |
//! | [`unchecked`] | tasks that nothing would check |

mod fields;
mod names;
mod paths;
mod plans;
mod text;
mod unchecked;
