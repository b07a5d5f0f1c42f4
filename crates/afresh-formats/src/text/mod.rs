//! The notations that plans, results and settings are written in.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`node`] | TOML, JSON and YAML as one tree with places |
//! | [`toml`], [`json`], [`yaml`] | text to such a tree; YAML also where it is not quite YAML |
//! | [`node_reader`] | typed values out of a tree, and everything that is wrong with them |
//! | [`markdown`] | Markdown as far as plans need it: lines, code blocks, headings, frontmatter, lists, tables |
//! | [`duration`] | durations as people write them |
//! | [`limits`] | how much text is read |

pub mod duration;
pub mod json;
pub mod limits;
pub mod markdown;
pub mod node;
pub mod node_reader;
pub mod toml;
pub mod yaml;
