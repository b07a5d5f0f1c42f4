//! Text to data and back. Pure: a reader is a function over text; nothing is ever executed.
//!
//! | module | idea |
//! | --- | --- |
//! | [`finding`] | what is wrong, where, and how it looks: file, line, column, caret |
//! | [`node`] | TOML, JSON and YAML as one tree with places |
//! | [`reader`] | values out of such a tree, and everything that is wrong with them |
//! | [`span`] | spans of time as people write them |
//! | [`reading`] | what came of reading a plan |
//! | [`limits`] | how much of what others wrote is read |
//! | [`folder`], [`drafted`], [`format`](mod@format) | plans in several files: the files, what was found in them, which format it is |
//! | [`placing`] | gives findings their places, with one look at each file |
//! | [`codes`] | every kind of finding, explained |
//! | [`fixing`] | carrying out what findings propose |
//! | [`lint`] | what is worth knowing about a plan that can be read |
//! | [`markdown`] | Markdown as far as plans need it: lines, code blocks, headings, frontmatter, lists, tables |
//! | [`yaml`] | the values of a frontmatter, also of one that is not YAML |
//! | [`prose`] | what can be taken out of sentences without guessing: ids, paths, texts for workers |
//! | [`checkpoint_json`] | how far a plan of long-run came |
//! | [`native`] | the program's own plan format |
//! | [`specflow`], [`agent_os`], [`spec_kit`], [`gsd2`] | plans of these formats |
//! | `feature` | plans in a directory per feature |
//! | [`tasker`] | Tasker: `tasks/T001.json` and its maps |
//! | [`task_master`] | Task Master: `.taskmaster/tasks/tasks.json` |
//! | [`beads`] | beads: `.beads/issues.jsonl` |
//! | [`plan_md`] | PLAN.md: what the readers of GSD, Ultra Planner and long-run have in common |
//! | [`gsd`], [`ultraplan`], [`long_run`] | where each of them keeps its plans, and what is done |
//! | [`schema`] | the same format for editors and agents, as JSON Schema |
//! | [`conform`] | whether a JSON text is what a schema says |
//! | [`project`] | what a repository is built with, and its commands |
//! | [`result`] | what a worker answered |

pub mod agent_os;
pub mod beads;
pub mod checkpoint_json;
pub mod codes;
pub mod conform;
mod document;
pub mod drafted;
mod feature;
pub mod finding;
pub mod fixing;
pub mod folder;
pub mod format;
pub mod gsd;
pub mod gsd2;
mod json;
pub mod limits;
pub mod lint;
pub mod long_run;
pub mod markdown;
pub mod native;
pub mod node;
pub mod placing;
pub mod plan_md;
pub mod project;
pub mod prose;
pub mod reader;
pub mod reading;
pub mod result;
pub mod schema;
pub mod span;
pub mod spec_kit;
pub mod specflow;
mod standing;
pub mod task_master;
pub mod tasker;
pub mod toml;
pub mod ultraplan;
pub mod yaml;

pub use finding::{Finding, Severity};
