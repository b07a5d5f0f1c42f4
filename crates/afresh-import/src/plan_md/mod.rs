//! PLAN.md: a frontmatter, sections in tags, and `<task>` blocks.
//!
//! GSD, Ultra Planner and long-run write it, each in its own dialect. What they have in common is
//! here; the differences are in [`crate::formats`].
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`parse`] | the text of one file: tags, tasks, frontmatter |
//! | [`checks`] | its checks: `<verify>` and `must_haves`, as commands |
//! | [`order`] | the files of a project, their dependencies and waves |
//! | [`files`] | the files that a plan names |
//! | `reads` | the files that a worker is asked to read |
//! | [`checkpoint`] | a `<task>` at which a person is asked |
//! | `commit_label` | type and scope of the commits of a plan |
//! | [`completeness`] | what a plan should say, and does not |
//! | [`summary`], [`checkpoint_json`] | how far a plan came: SUMMARY.md, CHECKPOINT.json |
//! | [`parts`] | from one file to tasks |
//! | [`assemble`] | from all files to one plan |
//! | [`trace`] | the requirements that plans cite, and their must-haves |

pub mod assemble;
pub mod checkpoint;
pub mod checkpoint_json;
pub mod checks;
pub(crate) mod commit_label;
pub mod completeness;
pub mod files;
pub mod order;
pub mod parse;
pub mod parts;
mod reads;
pub mod summary;
pub mod trace;
