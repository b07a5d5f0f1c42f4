//! Bundles: what workers are given, for a person to make, check, list and remove.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`cleanup`] | removing bundles that are no longer needed |
//! | [`generate`] | making what the next worker of a task would be given |
//! | [`integrity`] | whether the files that a bundle was made from are unchanged |
//! | [`listing`] | the bundles of a run: state, size, age |
//! | [`select`] | the bundles that a user names |
//! | [`subject`] | the run or plan that bundles are made for |
//! | [`validate`] | whether a bundle fits its schema |

pub mod cleanup;
pub mod generate;
pub mod integrity;
pub mod listing;
pub mod select;
pub mod subject;
pub mod validate;
