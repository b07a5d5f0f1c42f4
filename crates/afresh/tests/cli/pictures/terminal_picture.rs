//! The screen of a terminal as a picture: what tmux captured, with its colours.

use std::fmt::Write as _;

use afresh_app::dashboard::svg::markup::escape;

/// In tenths of a unit.
const COLUMN_WIDTH: usize = 79;
const ROW_HEIGHT: usize = 19;
const MARGIN: usize = 16;
/// The bar with the command.
const TITLE_HEIGHT: usize = 34;

/// How a run of characters looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct TextStyle {
    color: Option<u8>,
    is_bold: bool,
    is_dim: bool,
}

/// Characters that look alike, from this column on.
#[derive(Debug)]
struct StyledText {
    column: usize,
    text: String,
    style: TextStyle,
}

/// The rows of a screen from the line of the run on, without empty ones at the end.
pub(super) fn draw(title: &str, screen: &str) -> String {
    let rows: Vec<Vec<StyledText>> = screen.lines().map(read_row).collect();
    let plain =
        |row: &Vec<StyledText>| row.iter().map(|part| part.text.as_str()).collect::<String>();
    let first = rows.iter().position(|row| plain(row).starts_with("run ")).unwrap_or(0);
    let last = rows.iter().rposition(|row| !plain(row).trim().is_empty()).unwrap_or(0);
    let rows = rows.get(first..=last).unwrap_or_default();
    let columns = rows.iter().map(|row| plain(row).trim_end().chars().count()).max().unwrap_or(0);
    let width = (columns * COLUMN_WIDTH + 5) / 10 + 2 * MARGIN;
    let height = TITLE_HEIGHT + rows.len() * ROW_HEIGHT + MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"a run in a terminal\">\n<style>{STYLE}</style>\n\
         <rect class=\"window\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n\
         <text class=\"dim\" x=\"{MARGIN}\" y=\"22\">$ {}</text>\n",
        escape(title)
    );
    for (at, row) in rows.iter().enumerate() {
        let y = TITLE_HEIGHT + (at + 1) * ROW_HEIGHT - 5;
        for part in row.iter().filter(|part| !part.text.trim().is_empty()) {
            let text = part.text.trim_end();
            let indent = text.chars().take_while(|c| *c == ' ').count();
            let x = tenths(10 * MARGIN + (part.column + indent) * COLUMN_WIDTH);
            let length = tenths(text.trim_start().chars().count() * COLUMN_WIDTH);
            let _ = writeln!(
                svg,
                "<text class=\"{}\" x=\"{x}\" y=\"{y}\" textLength=\"{length}\" \
                 lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\">{}</text>",
                part.style.class(),
                escape(text.trim_start())
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn tenths(number: usize) -> String {
    format!("{}.{}", number / 10, number % 10)
}

const STYLE: &str = "text { font: 13px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #d8dee9; } \
    .window { fill: #14181f; } .dim { fill: #8b95a5; } .bold { font-weight: 700; fill: #ffffff; } \
    .c1 { fill: #ff7b72; } .c2 { fill: #56d364; } .c3 { fill: #e3b341; } .c4, .c6 { fill: #58a6ff; } .c5 { fill: #bc8cff; }";

impl TextStyle {
    fn class(self) -> String {
        match (self.color, self.is_dim, self.is_bold) {
            (Some(color), _, _) => format!("c{color}"),
            (None, true, _) => "dim".to_owned(),
            (None, false, true) => "bold".to_owned(),
            (None, false, false) => "plain".to_owned(),
        }
    }

    /// The parameters of `ESC [ … m`.
    fn change(&mut self, parameters: &str) {
        for parameter in parameters.split(';') {
            match parameter.parse::<u8>().unwrap_or(0) {
                0 => *self = Self::default(),
                1 => self.is_bold = true,
                2 => self.is_dim = true,
                22 => (self.is_bold, self.is_dim) = (false, false),
                color @ 30..=37 => self.color = Some(color - 30),
                color @ 90..=97 => self.color = Some(color - 90),
                39 => self.color = None,
                _ => {}
            }
        }
    }
}

/// tmux begins every row as the last one ended.
fn read_row(row: &str) -> Vec<StyledText> {
    let mut parts: Vec<StyledText> = Vec::new();
    let (mut style, mut column) = (TextStyle::default(), 0);
    let mut chars = row.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            let code: String = chars.by_ref().skip(1).take_while(|c| *c != 'm').collect();
            style.change(&code);
            continue;
        }
        match parts.last_mut().filter(|part| part.style == style) {
            Some(part) => part.text.push(c),
            None => parts.push(StyledText { column, text: c.to_string(), style }),
        }
        column += 1;
    }
    parts
}
