//! Lists of check boxes: what `OpenSpec`, Kiro and plain checklists have in common.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`boxes`] | the boxes of a document, with their state, their notes and the boxes below them |
//! | [`commands`] | commands in a sentence that prove something |
//! | [`tasks`] | a box as a task |

pub(crate) mod boxes;
pub(crate) mod commands;
pub(crate) mod tasks;
