//! The parts of a dashboard as lines for a terminal. Lines know roles, not colours.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`mod@line`] | lines of spans with a role each, cut to a width |
//! | [`figures`] | durations, amounts and bars |
//! | [`live`] | the region below a run's log: progress, questions, workers |
//! | [`timeline`] | segments of attempts as a chart of characters |

pub mod figures;
pub mod line;
pub mod live;
pub mod timeline;

pub use line::{TextLine, TextRole};
