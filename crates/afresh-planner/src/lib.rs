//! From a specification to a plan. Pure: it is given texts and sizes, and returns documents and findings; agents,
//! git and the disk are the caller's.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`artifacts`] | what the stages write: types, schemas, places |
//! | [`audit`] | how large a specification is, against limits, and how it could be divided |
//! | [`discovery`] | what a repository is: languages, layout, commands, patterns |
//! | [`ledger`] | every statement of a specification, with an id and a hash |
//! | [`prompts`] | what each planning role is told |
//! | [`review`] | everything that is wrong with a plan made from a specification |
//! | [`sequencing`] | from valid artifacts to a plan, by rule |
//! | [`spec`] | specifications: where they are, their sections, the files that they name |
//! | [`stages`] | planning as a plan whose tasks write artifacts |
//! | [`update`] | a plan follows its changed specification by a patch |
//! | [`validation`] | whether an artifact is valid, in form and in meaning |
//! | `words` | words and numbers of sentences, compared |

pub mod artifacts;
pub mod audit;
pub mod discovery;
pub mod ledger;
pub mod prompts;
pub mod review;
pub mod sequencing;
pub mod spec;
pub mod stages;
pub mod update;
pub mod validation;
mod words;
