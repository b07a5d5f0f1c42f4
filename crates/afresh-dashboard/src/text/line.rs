//! Lines of spans with a role each, cut to a width.

use afresh_core::printable;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What a span is, so that a terminal can choose how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRole {
    Plain,
    Dim,
    Strong,
    Good,
    Bad,
    Warning,
    Active,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSpan {
    pub text: String,
    pub role: TextRole,
}

/// One line; every span of it is safe to print.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextLine {
    spans: Vec<TextSpan>,
}

impl TextLine {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text of any origin: what could move the cursor is escaped.
    #[must_use]
    pub fn with(mut self, role: TextRole, text: &str) -> Self {
        if !text.is_empty() {
            self.spans.push(TextSpan { text: printable::line(text), role });
        }
        self
    }

    #[must_use]
    pub fn plain(self, text: &str) -> Self {
        self.with(TextRole::Plain, text)
    }

    #[must_use]
    pub fn dim(self, text: &str) -> Self {
        self.with(TextRole::Dim, text)
    }

    /// Adds a text cut or padded to exactly this many columns.
    #[must_use]
    pub fn column(self, role: TextRole, text: &str, width: usize) -> Self {
        let mut cell = cut(&printable::line(text), width);
        cell.push_str(&" ".repeat(width.saturating_sub(cell.width())));
        self.with(role, &cell)
    }

    pub fn spans(&self) -> &[TextSpan] {
        &self.spans
    }

    /// In columns of a terminal.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| span.text.width()).sum()
    }

    /// The line cut to at most this many columns.
    #[must_use]
    pub fn fit(self, width: usize) -> Self {
        if self.width() <= width {
            return self;
        }
        let mut left = width;
        let mut spans = Vec::new();
        for span in self.spans {
            let wide = span.text.width();
            if wide < left {
                left -= wide;
                spans.push(span);
                continue;
            }
            // One that fills the rest exactly is cut too, because more follows.
            let text = if wide == left {
                cut(&format!("{}…", span.text), left)
            } else {
                cut(&span.text, left)
            };
            spans.push(TextSpan { text, role: span.role });
            break;
        }
        Self { spans }
    }

    /// Without roles.
    pub fn to_text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

/// A text cut to at most this many columns, with a mark where something is missing.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide + 1 > width {
            break;
        }
        used += wide;
        shown.push(c);
    }
    if width > 0 {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_never_wider_than_asked_for() {
        let line = TextLine::new().plain("日本語 and").with(TextRole::Bad, " more").dim(" text");
        for width in 0..30 {
            let cut = line.clone().fit(width);
            assert!(cut.width() <= width, "{width}: {:?}", cut.to_text());
        }
        assert_eq!(line.clone().fit(12).to_text(), "日本語 and …");
        assert_eq!(line.clone().fit(99), line);
    }

    /// B35: no text of a worker reaches the terminal as a command.
    #[test]
    fn escapes_in_texts_are_shown_as_text() {
        let line = TextLine::new().plain("a\x1b[2J\nb").column(TextRole::Dim, "\x07x", 12);
        assert!(!line.to_text().contains(['\x1b', '\n', '\x07']), "{:?}", line.to_text());
    }
}
