//! Values as text.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`byte_size`] | byte sizes |
//! | [`files`] | reading files up to a size |
//! | [`markdown`] | text that is safe inside Markdown |
//! | [`measured_base`] | what checks showed before the work |
//! | [`ongoing_work`] | what is underway, and for how long |
//! | [`other_tools`] | commands and options of other tools |
//! | [`report_page`] | the report of a run as Markdown |
//! | [`schemas`] | JSON Schemas of what commands print |
//! | [`time`] | times and durations |
//! | [`wrap`] | lines wrapped at words |

pub mod byte_size;
pub mod files;
pub mod markdown;
pub mod measured_base;
pub mod ongoing_work;
pub mod other_tools;
pub mod report_page;
pub mod schemas;
pub mod time;
pub mod wrap;

/// `1 task`, `2 tasks`.
pub fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
