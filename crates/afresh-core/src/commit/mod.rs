//! The messages of commits: subject, body and trailers, made so that people would push them (EX-16).
//!
//! A message is a function of the run alone: built again after a crash, it is the same.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `label` | type and scope of a conventional commit, from the plan |
//! | `message` | the message of a task's commit, and of a step |
//! | `paragraph` | text of workers as paragraphs that neither git nor a mail reader takes for something else |
//! | `template` | a message as the user's configuration wants it |

mod label;
mod message;
mod paragraph;
mod template;

pub use label::{CommitLabel, compose_subject};
pub use message::{CHECKED_TREE, CommitFacts, compose_step_body, compose_trailers};
pub use paragraph::{code_list, wrap_prose};
pub use template::{CommitTemplate, TemplateProblem};
