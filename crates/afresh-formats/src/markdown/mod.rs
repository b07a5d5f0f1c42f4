//! Markdown as far as plans need it: lines with their places, code blocks, headings, frontmatter,
//! check boxes.
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

pub mod check_box;
pub mod fence;
pub mod frontmatter;
pub mod heading;
pub mod lines;

pub use check_box::{CheckBox, check_boxes};
pub use fence::{Fences, Kind};
pub use frontmatter::{Frontmatter, Key};
pub use heading::{Heading, headings};
pub use lines::{Line, lines};
