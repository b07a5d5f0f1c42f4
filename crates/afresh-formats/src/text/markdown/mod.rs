//! Markdown as far as plans need it: lines with their places, code blocks, headings, frontmatter,
//! check boxes, lists, tables.
//!
//! Not a renderer: paragraphs, emphasis and links stay text. Everything is found in one pass over
//! the lines, and every place is a range of bytes of the text.
//!
//! | module | idea |
//! | --- | --- |
//! | [`lines`](mod@lines) | lines that know where they are |
//! | [`fence`] | which lines are code |
//! | [`frontmatter`] | the block of `key: value` lines in front of a document |
//! | [`heading`] | headings, and what stands under each |
//! | [`check_box`] | `- [ ]` and `- [x]` |
//! | [`item`] | items of lists, and what stands below each |
//! | [`table`] | tables, with columns by name |
//! | [`code_span`] | code within a line |

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
