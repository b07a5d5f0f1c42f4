//! What workers are given, looked at from outside: `afresh bundle`.
//!
//! | module | idea |
//! | --- | --- |
//! | [`subject`] | the run or plan whose bundles are meant |
//! | [`generate`] | what the next worker of a task would be given |
//! | [`chosen`] | the bundles that somebody names |
//! | [`validate`] | whether a bundle is what its schema says |
//! | [`integrity`] | whether what it was made from is still so |
//! | [`listing`] | which there are |
//! | [`cleaning`] | removing those that nobody needs |

pub(crate) mod chosen;
pub(crate) mod cleaning;
pub(crate) mod generate;
pub(crate) mod integrity;
pub(crate) mod listing;
pub(crate) mod subject;
pub(crate) mod validate;
