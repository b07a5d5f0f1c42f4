//! From a specification to a plan: what the planner is given, and what becomes of its results.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`audit`] | how large a specification is for the configured model |
//! | [`checkout`] | the files of the user's checkout, as the planner reads them |
//! | [`specification`] | the specification that a command is about |

pub mod audit;
pub mod checkout;
pub mod specification;
