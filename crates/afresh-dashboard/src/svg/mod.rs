//! The parts of a dashboard as pictures.
//!
//! Each picture is one `<svg>` element with classes only; [`STYLE`] says how they look, in light and dark. Embedded in a
//! page, the page brings the style; as a file of its own a picture contains it ([`standalone`]).
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`markup`] | writing elements, with every text escaped and bounded |
//! | [`graph`] | tasks and dependencies |
//! | [`timeline`] | attempts as segments |
//! | [`figures`] | contexts, tokens and cost over time, attempts by outcome |

pub mod figures;
pub mod graph;
pub mod markup;
pub mod timeline;

/// How every picture looks.
pub const STYLE: &str = include_str!("style.css");

/// A picture as a file of its own.
pub fn standalone(svg: &str) -> String {
    let style = format!("<style>{STYLE}</style>");
    let content = svg.find('>').map_or(0, |end| end + 1);
    let (open, rest) = svg.split_at(content);
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{open}{style}{rest}\n")
}
