//! What can be taken out of sentences without guessing: ids, paths, and texts for workers.
//!
//! Formats whose tasks are prose share this. What an id or a path means is for the format's reader.
//!
//! | module | idea |
//! | --- | --- |
//! | [`mention`] | ids in a sentence, `G2` or `G2-G4` |
//! | [`paths`](mod@paths) | files that a sentence names |
//! | [`misspelt`] | words that are nearly known |
//! | [`outside`] | files that are not in the repository |
//! | [`brief`] | what a worker is told, put together from parts of documents |
//! | [`title`](mod@title) | texts of a plan, made fit for tasks |
//! | [`vague`](mod@vague) | words that sound like a criterion and say nothing |
//! | [`label`](mod@label) | the label of tasks whose criteria are prose |

pub mod brief;
pub mod label;
pub mod mention;
pub mod misspelt;
pub mod outside;
pub mod paths;
pub mod title;
pub mod vague;

pub use brief::WorkerBrief;
pub use label::{label, label_unjudged};
pub use mention::{TaskMention, mentions, outside_brackets};
pub use misspelt::{meant, warn_of_misspelt};
pub use outside::{remark_outside, warn_of_outside};
pub use paths::paths;
pub use title::{title, unticked};
pub use vague::vague;
