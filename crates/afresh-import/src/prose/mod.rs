//! What can be read from sentences without guessing: ids, paths, and texts for workers.
//!
//! Shared by the formats whose tasks are prose. What an id or a path means is up to the format's
//! reader.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`mention`] | ids in a sentence, `G2` or `G2-G4` |
//! | [`paths`](mod@paths) | paths in a sentence |
//! | [`misspelt`] | misspelt keywords |
//! | [`outside`] | paths outside of the repository |
//! | [`brief`] | the instructions for a worker, from parts of documents |
//! | [`text_id`](mod@text_id) | ids of tasks, from their text |
//! | [`title`](mod@title) | titles, and text with open boxes |
//! | [`vague`](mod@vague) | criteria that are too vague to verify |
//! | [`label`](mod@label) | reports tasks whose criteria are prose |

pub mod brief;
pub mod label;
pub mod mention;
pub mod misspelt;
pub mod outside;
pub mod paths;
pub mod text_id;
pub mod title;
pub mod vague;

pub use brief::WorkerBrief;
pub use label::{label, label_unjudged};
pub use mention::{TaskMention, mentions, outside_brackets};
pub use misspelt::{nearest_keyword, warn_about_misspelt};
pub use outside::{remark_outside, warn_about_outside};
pub use paths::paths;
pub use text_id::{leading_label, leading_number, text_id};
pub use title::{title, unticked};
pub use vague::vague;
