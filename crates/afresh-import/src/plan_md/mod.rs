//! PLAN.md: a frontmatter, sections in tags, and `<task>` blocks.
//!
//! GSD, Ultra Planner and long-run write it, each in its own dialect; what they have in common is
//! here, and what they do not is with each of them.
//!
//! | module | idea |
//! | --- | --- |
//! | [`remark`] | what is to be said about a place of one file |
//! | [`tag`] | tags in a text that is not XML |
//! | [`task_blocks`] | the `<task>` blocks |
//! | [`files`] | the files that a plan names |
//! | [`command`] | is it a command or prose? |
//! | [`verify`] | the commands of a `<verify>` |
//! | [`must_haves`], [`regex`] | what has to be there at the end, as commands |
//! | [`checkpoint`] | a `<task>` at which a person is asked |
//! | [`fields`], [`item`], [`document`] | what a frontmatter says; one task; one PLAN.md |
//! | [`completeness`] | what a plan and its tasks should say, and do not |
//! | `reads` | files that workers are told to read |
//! | [`summary`] | what became of a plan |
//! | [`set`], [`dependencies`], [`waves`] | the plans of a project, what their names for each other mean, and their order |
//! | [`parts`], [`assemble`] | the tasks of one plan; all of them as a plan of ours |

pub mod assemble;
pub mod checkpoint;
pub mod checkpoint_json;
pub mod command;
pub mod completeness;
pub mod dependencies;
pub mod document;
pub mod fields;
pub mod files;
pub mod item;
pub mod must_haves;
pub mod parts;
mod reads;
pub mod regex;
pub mod remark;
pub mod set;
mod shell_words;
pub mod summary;
pub mod tag;
pub mod task_blocks;
pub mod verify;
pub mod waves;
