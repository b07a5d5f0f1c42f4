//! What people have to do with a run.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`question`] | what a person is asked, and what an answer means |
//! | [`comment`] | what a person tells the workers of a task |
//! | [`hook`] | when commands of the user's run, and how they fail |

pub mod comment;
pub mod hook;
pub mod question;
