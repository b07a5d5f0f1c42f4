//! Lines of text in cells, with or without colours.

use afresh_dashboard::text::{TextLine, TextRole};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};

use crate::wrapped;

/// Whether colours are wanted; no state is told by colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenColors {
    Colored,
    Plain,
}

#[derive(Debug)]
pub(super) struct Canvas<'a> {
    buffer: &'a mut Buffer,
    colors: ScreenColors,
}

impl<'a> Canvas<'a> {
    pub(super) fn new(buffer: &'a mut Buffer, colors: ScreenColors) -> Self {
        Self { buffer, colors }
    }

    pub(super) fn area(&self) -> Rect {
        self.buffer.area
    }

    /// One line in the first row of the area, cut to its width.
    pub(super) fn line(&mut self, area: Rect, line: &TextLine) {
        self.styled_line(area, line, Style::new());
    }

    /// The same with the row marked as the one that keys act on.
    pub(super) fn chosen_line(&mut self, area: Rect, line: &TextLine) {
        self.styled_line(area, line, Style::new().add_modifier(Modifier::REVERSED));
        let row = Rect { height: 1.min(area.height), ..area };
        self.buffer.set_style(row, Style::new().add_modifier(Modifier::REVERSED));
    }

    fn styled_line(&mut self, area: Rect, line: &TextLine, style: Style) {
        if area.height == 0 || area.width == 0 {
            return;
        }
        let width = usize::from(area.width);
        let cut;
        let line = if line.width() > width {
            cut = line.clone().fit(width);
            &cut
        } else {
            line
        };
        let mut x = area.x;
        for span in line.spans() {
            let room = usize::from(area.right().saturating_sub(x));
            let role_style = self.style(span.role).patch(style);
            (x, _) = self.buffer.set_stringn(x, area.y, &span.text, room, role_style);
        }
    }

    /// Lines from the top of the area.
    pub(super) fn lines<'l>(&mut self, area: Rect, lines: impl IntoIterator<Item = &'l TextLine>) {
        for (row, line) in area.rows().zip(lines) {
            self.line(row, line);
        }
    }

    /// A line broken to the width of the area.
    pub(super) fn paragraph(&mut self, area: Rect, line: &TextLine) {
        self.lines(area, &wrapped::wrap(line, usize::from(area.width)));
    }

    /// One character, such as a piece of a line of the graph.
    pub(super) fn glyph(&mut self, x: u16, y: u16, glyph: char, role: TextRole) {
        let style = self.style(role);
        if let Some(cell) = self.buffer.cell_mut((x, y)) {
            cell.set_char(glyph).set_style(style);
        }
    }

    /// A vertical line.
    pub(super) fn divide(&mut self, x: u16, from: u16, to: u16) {
        (from..to).for_each(|y| self.glyph(x, y, '│', TextRole::Dim));
    }

    /// An empty box with a border and a title.
    pub(super) fn frame(&mut self, area: Rect, title: &TextLine) -> Rect {
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                }
            }
        }
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        for x in area.left()..=right {
            self.glyph(x, area.y, '─', TextRole::Active);
            self.glyph(x, bottom, '─', TextRole::Active);
        }
        for y in area.top()..=bottom {
            self.glyph(area.x, y, '│', TextRole::Active);
            self.glyph(right, y, '│', TextRole::Active);
        }
        let corners = [(area.x, area.y, '┌'), (right, area.y, '┐')];
        let feet = [(area.x, bottom, '└'), (right, bottom, '┘')];
        for (x, y, glyph) in corners.into_iter().chain(feet) {
            self.glyph(x, y, glyph, TextRole::Active);
        }
        let head = Rect { x: area.x + 2, width: area.width.saturating_sub(4), height: 1, ..area };
        self.line(head, &TextLine::new().plain(" "));
        self.line(head, title);
        Rect {
            x: area.x + 2,
            y: area.y + 1,
            width: area.width.saturating_sub(4),
            height: area.height.saturating_sub(2),
        }
    }

    fn style(&self, role: TextRole) -> Style {
        let colored = |color| match self.colors {
            ScreenColors::Colored => Style::new().fg(color),
            ScreenColors::Plain => Style::new(),
        };
        match role {
            TextRole::Plain => Style::new(),
            TextRole::Dim => Style::new().add_modifier(Modifier::DIM),
            TextRole::Strong => Style::new().add_modifier(Modifier::BOLD),
            TextRole::Good => colored(Color::Green),
            TextRole::Bad => colored(Color::Red),
            TextRole::Warning => colored(Color::Yellow),
            TextRole::Active => colored(Color::Cyan),
        }
    }
}
