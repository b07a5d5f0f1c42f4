//! Values as text.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`byte_size`] | byte sizes |
//! | [`files`] | reading files up to a size |
//! | [`time`] | times and durations |

pub mod byte_size;
pub mod files;
pub mod time;

/// `1 task`, `2 tasks`.
pub fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
