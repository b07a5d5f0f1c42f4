//! A plan, shown.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`conflicts`] | why two tasks cannot run at the same time |
//! | [`forecast_text`] | what it is expected to take, and its score, in a line each |
//! | [`graph`] | as a picture, as a tree, for Mermaid, for Graphviz |
//! | [`json`] | as JSON |
//! | [`text`] | as text |

pub mod conflicts;
pub mod forecast_text;
pub mod graph;
pub mod json;
pub mod text;
