//! From a specification to a plan. Pure: it is given texts and sizes, and returns documents and findings; agents,
//! git and the disk are the caller's.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`audit`] | how large a specification is, against limits, and how it could be divided |
//! | [`discovery`] | what a repository is: languages, layout, commands, patterns |
//! | [`ledger`] | every statement of a specification, with an id and a hash |
//! | [`prompts`] | what each planning role is told |
//! | [`review`] | everything that is wrong with a plan made from a specification |
//! | [`spec`] | specifications: where they are, their sections, the files that they name |
//! | [`stages`] | planning as a plan whose tasks write artifacts |

pub mod audit;
pub mod discovery;
pub mod ledger;
pub mod prompts;
pub mod review;
pub mod spec;
pub mod stages;
