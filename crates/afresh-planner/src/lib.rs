//! From a specification to a plan. Pure: it is given texts and sizes, and returns documents and findings; agents,
//! git and the disk are the caller's.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`discovery`] | what a repository is: languages, layout, commands, patterns |

pub mod discovery;
