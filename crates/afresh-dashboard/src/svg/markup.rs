//! Writing SVG elements, with every text escaped and bounded.

use std::fmt::{Display, Write as _};

use afresh_core::printable;

use crate::text::line::cut;

/// Longer texts are cut: a picture is no place to read them.
const MAX_TITLE_CHARS: usize = 300;

/// A picture that is being written.
#[derive(Debug)]
pub struct SvgWriter {
    markup: String,
}

impl SvgWriter {
    /// `name` is read out instead of the picture.
    pub fn new(width: u32, height: u32, name: &str) -> Self {
        let name = escape(name);
        let markup = format!(
            "<svg class=\"afresh\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{name}\">"
        );
        Self { markup }
    }

    pub fn finish(mut self) -> String {
        self.markup.push_str("</svg>");
        self.markup
    }

    /// Everything until [`end_group`](Self::end_group) belongs together; `title` is shown on hover.
    pub fn begin_group(&mut self, class: &str, task: Option<&str>, title: &str) {
        let _ = write!(self.markup, "<g class=\"{class}\"");
        if let Some(task) = task {
            let _ = write!(self.markup, " data-task=\"{}\"", escape(task));
        }
        self.markup.push('>');
        if !title.is_empty() {
            let _ = write!(self.markup, "<title>{}</title>", escape(title));
        }
    }

    pub fn end_group(&mut self) {
        self.markup.push_str("</g>");
    }

    pub fn rect(&mut self, class: &str, area: SvgArea, radius: u32) {
        let SvgArea { x, y, width, height } = area;
        let _ = write!(
            self.markup,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\""
        );
        if radius > 0 {
            let _ = write!(self.markup, " rx=\"{radius}\"");
        }
        self.markup.push_str("/>");
    }

    pub fn line(&mut self, class: &str, [x1, y1, x2, y2]: [u32; 4]) {
        let _ = write!(
            self.markup,
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"
        );
    }

    /// `shape` is made of numbers and commands of ours.
    pub fn path(&mut self, class: &str, shape: impl Display) {
        let _ = write!(self.markup, "<path class=\"{class}\" d=\"{shape}\"/>");
    }

    /// Cut to about `columns` characters.
    pub fn text(&mut self, class: &str, x: u32, y: u32, text: &str, columns: usize) {
        let shown = cut(&printable::line(text), columns);
        let _ = write!(
            self.markup,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>",
            escape(&shown)
        );
    }
}

#[derive(Debug, Clone, Copy)]
pub struct SvgArea {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

/// A text of any origin as text of an element or an attribute.
pub fn escape(text: &str) -> String {
    escape_within(text, MAX_TITLE_CHARS)
}

/// The same, cut after this many characters: also for HTML.
pub fn escape_within(text: &str, most: usize) -> String {
    let mut escaped = String::new();
    for (number, c) in printable::lines(text).chars().enumerate() {
        if number == most {
            escaped.push('…');
            break;
        }
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B35: a title cannot become an element, an attribute or a command.
    #[test]
    fn texts_cannot_leave_their_place() {
        let evil = "\"><script>alert(1)</script>\x1b[2J' onload='x";
        let mut svg = SvgWriter::new(10, 10, evil);
        svg.begin_group("node", Some(evil), evil);
        svg.text("muted", 1, 2, evil, 200);
        svg.end_group();
        let markup = svg.finish();
        assert!(!markup.contains("<script") && !markup.contains('\x1b'), "{markup}");
        assert!(!markup.contains("' onload") && !markup.contains("\"><s"), "{markup}");
    }
}
