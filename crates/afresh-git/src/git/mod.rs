//! The git program and the user's repository.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `program` | which git is used, and whether its version is new enough |
//! | `env` | the environment variables that git may see |
//! | `command` | one run of git, in a controlled environment, with a time limit |
//! | `discover` | finding the repository that a directory belongs to |
//! | `repository` | where the repository is, its worktrees, who the user is |
//! | `identity` | author, committer and time of a commit |
//! | `init` | making a first commit |
//! | `run_obstacle` | what makes a run impossible, found before it starts |
//! | `signing_config` | how the user's git signs |
//! | `remote` | where the user's git pushes, names of commits, shallow clones |
//! | `stale` | ending git processes of an earlier, killed driver |
//! | `error` | failures with files |

pub(crate) mod command;
pub(crate) mod discover;
pub(crate) mod env;
pub(crate) mod error;
pub(crate) mod identity;
pub(crate) mod init;
pub(crate) mod program;
pub(crate) mod push;
pub(crate) mod remote;
pub(crate) mod repository;
pub(crate) mod run_obstacle;
pub(crate) mod signing_config;
pub(crate) mod stale;
