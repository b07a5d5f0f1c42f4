//! Values as people read and write them.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`byte_size`] | byte sizes |
//! | [`files`] | reading files up to a size |
//! | [`moment`] | times and durations |

pub(crate) mod byte_size;
pub(crate) mod files;
pub(crate) mod moment;

/// `1 task`, `2 tasks`.
pub(crate) fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
