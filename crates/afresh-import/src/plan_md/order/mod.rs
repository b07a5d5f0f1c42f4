//! The order of the PLAN.md files of a project.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`plan_set`] | the files with their numbers and phases |
//! | [`dependencies`] | what the names in `depends_on` mean |
//! | [`waves`] | which plans of a phase can run in parallel |

pub mod dependencies;
pub mod plan_set;
pub mod waves;
