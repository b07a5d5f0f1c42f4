//! Markdown as far as plans need it: lines with positions, code blocks, headings, frontmatter, check
//! boxes, lists, tables.
//!
//! Not a renderer: paragraphs, emphasis and links stay text. Everything is found in one pass over the
//! lines, and every position is a range of bytes. `docs/design/markdown.md` says why this is not a
//! `CommonMark` parser.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`lines`](mod@lines) | lines with their positions |
//! | [`fence`] | which lines are code |
//! | [`frontmatter`] | the `key: value` lines at the start of a document |
//! | [`heading`] | headings and their sections |
//! | [`check_box`] | `- [ ]` and `- [x]` |
//! | [`item`] | list items and the lines that belong to them |
//! | [`table`] | tables, with columns by name |
//! | [`code_span`] | code spans within a line |

pub mod check_box;
pub mod code_span;
pub mod fence;
pub mod frontmatter;
pub mod heading;
pub mod item;
pub mod lines;
pub mod table;

pub use check_box::{CheckBox, check_boxes};
pub use code_span::code_spans;
pub use fence::{FenceTracker, LineKind};
pub use frontmatter::{Frontmatter, FrontmatterKey};
pub use heading::{Heading, headings};
pub use item::{ListItem, items};
pub use lines::{TextLine, lines, lines_from};
pub use table::{MarkdownTable, TableRow, tables};
