//! Handing a run over as a pull request: push its branch and its receipts, then ask the forge's own program.
//!
//! Nothing here touches the user's checkout, branches or index. Everything that can be checked is checked before
//! anything is pushed.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`target`] | remote, branch and base, from options and defaults |
//! | [`forge`] | `gh` and `glab`: which one, what they are asked, and the same by hand |
//! | `program` | running them, supervised and bounded |
//! | [`pull_request`] | the plan, and carrying it out |

pub mod forge;
mod program;
pub mod pull_request;
pub mod target;
