//! Tags, with every text escaped and bounded.

use std::fmt::Write as _;

use afresh_app::dashboard::svg;

/// Longer texts are cut: the whole is in `afresh report --json` and in the transcripts.
const MAX_TEXT_CHARS: usize = 4_000;

#[derive(Debug)]
pub(super) struct HtmlPage {
    text: String,
}

impl HtmlPage {
    pub(super) fn new(title: &str) -> Self {
        let style = include_str!("style.css");
        let pictures = svg::STYLE;
        let title = escape(title);
        // Nothing may be loaded and nothing can run, whatever a text contains.
        let policy = "default-src 'none'; style-src 'unsafe-inline'";
        let text = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <title>{title}</title>\n<style>{style}{pictures}</style></head>\n<body>\n"
        );
        Self { text }
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</body></html>\n");
        self.text
    }

    /// Markup of ours; texts in it are escaped.
    pub(super) fn push(&mut self, markup: &str) {
        self.text.push_str(markup);
        self.text.push('\n');
    }

    pub(super) fn heading(&mut self, text: &str) {
        let _ = writeln!(self.text, "<h2>{}</h2>", escape(text));
    }

    /// A picture; one that is much wider than the page is scrolled sideways.
    pub(super) fn picture(&mut self, title: &str, svg: &str) {
        self.heading(title);
        let width = svg.split_once(" width=\"").and_then(|(_, rest)| rest.split('"').next());
        let width = width.and_then(|width| width.parse::<u32>().ok()).unwrap_or(1_000);
        let _ = writeln!(self.text, "<div class=\"wide\" style=\"--width: {width}px\">{svg}</div>");
    }

    pub(super) fn table(
        &mut self,
        columns: &[&str],
        rows: impl IntoIterator<Item = Vec<HtmlCell>>,
    ) {
        let rows: Vec<Vec<HtmlCell>> = rows.into_iter().collect();
        self.text.push_str("<div class=\"rows\"><table><thead><tr>");
        for (at, column) in columns.iter().enumerate() {
            // The head of numbers stands above them.
            let class = rows.first().and_then(|row| row.get(at)).map_or("", |cell| cell.class);
            let class = if class == "right" { class } else { "" };
            let _ = write!(self.text, "<th class=\"{class}\">{}</th>", escape(column));
        }
        self.text.push_str("</tr></thead><tbody>\n");
        for row in rows {
            self.text.push_str("<tr>");
            for HtmlCell { class, markup } in row {
                let _ = write!(self.text, "<td class=\"{class}\">{markup}</td>");
            }
            self.text.push_str("</tr>\n");
        }
        self.text.push_str("</tbody></table></div>\n");
    }
}

/// One cell of a table.
#[derive(Debug)]
pub(super) struct HtmlCell {
    class: &'static str,
    markup: String,
}

impl HtmlCell {
    pub(super) fn text(text: &str) -> Self {
        Self { class: "", markup: escape(text) }
    }

    pub(super) fn code(text: &str) -> Self {
        Self { class: "mono", markup: escape(text) }
    }

    pub(super) fn number(text: impl std::fmt::Display) -> Self {
        Self { class: "right", markup: escape(&format!("{text}")) }
    }

    pub(super) fn with_class(class: &'static str, text: &str) -> Self {
        Self { class, markup: escape(text) }
    }

    /// Markup of ours; texts in it are escaped.
    pub(super) fn markup(markup: String) -> Self {
        Self { class: "", markup }
    }
}

/// A text of any origin.
pub(super) fn escape(text: &str) -> String {
    svg::markup::escape_within(text, MAX_TEXT_CHARS)
}

pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}
