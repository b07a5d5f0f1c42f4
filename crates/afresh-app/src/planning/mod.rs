//! From a specification to a plan: what the planner is given, and what becomes of its results.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`audit`] | how large a specification is for the configured model |
//! | [`checkout`] | the files of the user's checkout, as the planner reads them |
//! | [`commit_files`] | the files of a commit, as the planner reads them |
//! | [`discovery`] | what the repository is, remembered by tree |
//! | [`directory`] | the files of one planned specification |
//! | [`earlier_run`] | the planning run that was driven last, and the stages that are left |
//! | [`job`] | preparing a planning run |
//! | [`progress`] | how far a specification is planned |
//! | [`specification`] | the specification that a command is about |
//! | [`subject`] | what is known before planning starts, and what a person has to decide first |
//! | [`trial`] | running a plan's checks inside of a check |
//! | [`validate`] | everything that is wrong with a plan made from a specification, or with another artifact |

pub mod audit;
pub mod checkout;
pub mod commit_files;
pub mod directory;
pub mod discovery;
pub mod earlier_run;
pub mod job;
pub mod progress;
pub mod specification;
pub mod subject;
pub mod trial;
pub mod validate;
