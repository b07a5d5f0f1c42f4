//! PLAN.md: a frontmatter, sections in tags, and `<task>` blocks.
//!
//! GSD, Ultra Planner and long-run write it, each in its own dialect; what they have in common is
//! here, and what they do not is with each of them.
//!
//! | module | idea |
//! | --- | --- |
//! | [`command`] | is it a command or prose? |
//! | [`files`] | the files that a plan names |
//! | [`remark`] | what is to be said about a place of one file |
//! | [`tag`] | tags in a text that is not XML |
//! | [`task_blocks`] | the `<task>` blocks |
//! | [`verify`] | commands that we run, and prose that the worker is shown |

pub mod command;
pub mod files;
pub mod remark;
mod shell_words;
pub mod tag;
pub mod task_blocks;
pub mod verify;
