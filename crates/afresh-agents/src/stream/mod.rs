//! What agent programs report while they work, from bytes to events.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`lines`] | output in pieces, as lines |
//! | [`event`] | events, whatever a program calls them |
//! | [`session_log`] | where programs record their usage themselves |
//! | [`usage`] | reported numbers that make sense |
//! | `json_fields` | fields of a line of JSON |
//! | `errors` | what error messages of different programs have in common |

pub(crate) mod errors;
pub mod event;
pub(crate) mod json_fields;
pub mod lines;
pub mod session_log;
pub mod usage;
