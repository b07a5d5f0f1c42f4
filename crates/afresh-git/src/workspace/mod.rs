//! Workspaces: private clones in which attempts and checks run, in a pool outside the repository.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `pool` | all workspaces of one repository |
//! | `slot` | the files of one workspace |
//! | `lock` | one call at a time uses a workspace |
//! | `lease` | which attempt a workspace belongs to, and whether its contents are saved |
//! | `prepare` | making a workspace equal to a commit |
//! | `reset` | removing what the last attempt left |
//! | `clone` | the workspace's own `.git` |
//! | `shadow` | the git directory that afresh's own git calls use |
//! | `keep` | ignored paths that stay from one attempt to the next |
//! | `restore` | putting an interrupted attempt's files back |
//! | `retire` | saving a workspace's contents and removing it |
//! | `abandoned` | workspaces of repositories that no longer exist |
//! | `remove` | removing whatever a worker left |

pub(crate) mod abandoned;
pub(crate) mod clone;
pub(crate) mod keep;
pub(crate) mod lease;
pub(crate) mod lock;
pub(crate) mod pool;
pub(crate) mod prepare;
pub(crate) mod remove;
pub(crate) mod reset;
pub(crate) mod restore;
pub(crate) mod retire;
pub(crate) mod shadow;
pub(crate) mod slot;
