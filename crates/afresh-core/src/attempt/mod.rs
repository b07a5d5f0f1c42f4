//! One attempt at a task: how it ended, what it reported, what it changed, and how that is judged.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`outcome`] | how its process ended, and what the worker reported |
//! | [`usage`] | tokens, cost and context; budgets |
//! | [`harvest`] | what really changed |
//! | [`scope`] | whether the change may land |
//! | [`check_files`] | which files checks rest on |
//! | [`denial`] | what the sandbox denied |
//! | [`check`] | results of checks, and receipts |
//! | [`probe`] | what checks show before any work |
//! | [`step`] | finished parts of a task, and where the next worker starts |
//! | [`interruption`] | work that was cut off, and continuing it |
//! | [`review`] | what a reviewer says about it |
//! | [`rejection`] | why the work was not accepted |

pub mod check;
pub mod check_files;
pub mod denial;
pub mod harvest;
pub mod interruption;
pub mod outcome;
pub mod probe;
pub mod rejection;
pub mod review;
pub mod scope;
pub mod step;
pub mod usage;
