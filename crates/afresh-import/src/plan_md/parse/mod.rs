//! The text of one PLAN.md.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`document`] | one file: frontmatter, sections, tasks |
//! | [`frontmatter`] | the fields of its frontmatter |
//! | [`tags`] | tags in text that is not XML |
//! | [`task_blocks`] | the `<task>` blocks |
//! | [`item`] | one `<task>` or `## Task N` |
//! | `heading_parts` | the labelled parts of a `## Task N` |
//! | [`remarks`] | findings about places of the file |

pub mod document;
pub mod frontmatter;
pub(crate) mod heading_parts;
pub mod item;
pub mod remarks;
pub mod tags;
pub mod task_blocks;
