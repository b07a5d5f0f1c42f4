//! Text to data and back: the native plan format, workers' results, findings.
//!
//! Pure: a reader is a function over text; nothing is ever executed. Plans of other tools are read
//! by `afresh-import`, which builds on this crate.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`text`] | the notations: Markdown, YAML, JSON, TOML, as trees with places; durations; limits |
//! | [`findings`] | what is wrong, where, how it looks, how it is fixed; every code explained |
//! | [`folder`] | the files that a plan is read from |
//! | [`reading`] | what reading a plan gives: the plan, findings, the places of its tasks |
//! | [`native`] | the native plan format, read and written, and its JSON Schema |
//! | [`lint`] | what is worth knowing about a plan that can be read |
//! | [`result`] | what a worker reports at its end |
//! | [`project`] | what a repository is built with, and its commands |

pub mod findings;
pub mod folder;
pub mod lint;
pub mod native;
pub mod project;
pub mod reading;
pub mod result;
pub mod text;

pub use crate::findings::{Finding, Severity};
