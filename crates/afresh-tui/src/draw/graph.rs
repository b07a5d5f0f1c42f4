//! Tasks and dependencies in columns by wave, around the selected task.

use std::collections::BTreeMap;

use afresh_core::ids::TaskId;
use afresh_dashboard::data::glyphs;
use afresh_dashboard::data::graph::{GraphEdge, GraphNode, NODE_HEIGHT, NODE_WIDTH, TaskGraph};
use afresh_dashboard::screen::ScreenPicture;
use afresh_dashboard::text::{TextLine, TextRole};
use ratatui_core::layout::Rect;

use super::canvas::Canvas;
use super::tasks::role_of;
use crate::screen::WatchScreen;

/// How many units of the layout one cell shows.
const UNITS_PER_COLUMN: u32 = 7;
const UNITS_PER_ROW: u32 = 27;

/// Where the lines of a cell go.
const LEFT: u8 = 1;
const RIGHT: u8 = 2;
const UP: u8 = 4;
const DOWN: u8 = 8;

pub(super) fn draw(screen: &WatchScreen, area: Rect, canvas: &mut Canvas<'_>) {
    let Some(ScreenPicture::Graph(graph)) = screen.picture() else {
        canvas.line(area, &TextLine::new().dim("drawing the graph …"));
        return;
    };
    let selected = graph.nodes.iter().find(|node| Some(&node.task) == screen.selected.as_ref());
    let window = GraphWindow::around(selected, graph, area);
    let widths: BTreeMap<&TaskId, i64> =
        graph.nodes.iter().map(|node| (&node.task, node_width(node))).collect();
    let mut lines = LineCells::new(area);
    let touches = |edge: &GraphEdge| {
        selected.is_some_and(|node| node.task == edge.from || node.task == edge.to)
    };
    // What concerns the selected task is drawn last, over the rest.
    for wanted in [false, true] {
        for edge in graph.edges.iter().filter(|edge| touches(edge) == wanted) {
            let role = match (wanted, edge.is_critical) {
                (true, _) => TextRole::Active,
                (false, true) => TextRole::Plain,
                (false, false) => TextRole::Dim,
            };
            let width = widths.get(&edge.from).copied().unwrap_or(0);
            lines.add_edge(&window, edge, width, role);
        }
    }
    lines.draw(area, canvas);
    for node in &graph.nodes {
        draw_node(node, selected.map(|it| &it.task) == Some(&node.task), &window, area, canvas);
    }
}

/// Which part of the graph is on the screen, in cells of the whole.
#[derive(Debug, Clone, Copy)]
struct GraphWindow {
    left: i64,
    top: i64,
}

impl GraphWindow {
    fn around(selected: Option<&GraphNode>, graph: &TaskGraph, area: Rect) -> Self {
        let (whole_width, whole_height) = (
            i64::from(graph.width / UNITS_PER_COLUMN) + 1,
            i64::from(graph.height / UNITS_PER_ROW),
        );
        let (width, height) = (i64::from(area.width), i64::from(area.height));
        let (x, y) = selected.map_or((0, 0), cell_of);
        let center = |at: i64, shown: i64, whole: i64| {
            // What fits is not moved about.
            (at - shown / 2).clamp(0, (whole - shown).max(0))
        };
        let middle = x + i64::from(NODE_WIDTH / UNITS_PER_COLUMN) / 2;
        Self { left: center(middle, width, whole_width), top: center(y, height, whole_height) }
    }
}

/// Where its text begins.
fn cell_of(node: &GraphNode) -> (i64, i64) {
    (i64::from(node.x / UNITS_PER_COLUMN), i64::from((node.y + NODE_HEIGHT / 2) / UNITS_PER_ROW))
}

fn node_text(node: &GraphNode) -> TextLine {
    let role = if node.is_critical { TextRole::Strong } else { TextRole::Plain };
    let text = format!("{} {} {}", glyphs::of_phase(node.state), node.task, node.title);
    let width = usize::try_from(NODE_WIDTH / UNITS_PER_COLUMN).unwrap_or(0);
    TextLine::new().with(role, &text).fit(width)
}

/// How many cells it takes: its lines begin right behind its text.
fn node_width(node: &GraphNode) -> i64 {
    i64::try_from(node_text(node).width()).unwrap_or(0)
}

fn draw_node(
    node: &GraphNode,
    is_selected: bool,
    window: &GraphWindow,
    area: Rect,
    canvas: &mut Canvas<'_>,
) {
    let (x, y) = cell_of(node);
    let (x, y) = (x - window.left, y - window.top);
    let text = node_text(node);
    let width = node_width(node);
    if y < 0 || y >= i64::from(area.height) || x + width <= 0 || x >= i64::from(area.width) {
        return;
    }
    // A node that begins left of the screen shows its end.
    let skipped = usize::try_from(-x).unwrap_or(0);
    let role = text.spans().first().map_or(TextRole::Plain, |span| span.role);
    let shown: String = text.to_text().chars().skip(skipped).collect();
    let place = Rect {
        x: area.x + u16::try_from(x.max(0)).unwrap_or(0),
        y: area.y + u16::try_from(y).unwrap_or(0),
        width: u16::try_from(width + x.min(0)).unwrap_or(0),
        height: 1,
    };
    let place = place.intersection(area);
    if is_selected {
        canvas.chosen_line(place, &TextLine::new().with(role, &shown));
    } else {
        let mut rest = shown.chars();
        let glyph: String = rest.next().into_iter().collect();
        let mark = if skipped == 0 { role_of(node.state) } else { role };
        canvas.line(place, &TextLine::new().with(mark, &glyph).with(role, rest.as_str()));
    }
}

/// The lines of the visible part, as directions per cell.
struct LineCells {
    width: i64,
    height: i64,
    cells: Vec<(u8, TextRole)>,
    /// The cells with the point of an arrow.
    arrows: Vec<(i64, i64, TextRole)>,
}

impl LineCells {
    fn new(area: Rect) -> Self {
        let size = usize::from(area.width) * usize::from(area.height);
        Self {
            width: i64::from(area.width),
            height: i64::from(area.height),
            cells: vec![(0, TextRole::Dim); size],
            arrows: Vec::new(),
        }
    }

    /// From the right side of one node to the left side of the other, turning before it.
    fn add_edge(&mut self, window: &GraphWindow, edge: &GraphEdge, width: i64, role: TextRole) {
        let [x1, y1, x2, y2] = edge.points;
        let column = |x: u32| i64::from(x / UNITS_PER_COLUMN) - window.left;
        let row = |y: u32| i64::from(y / UNITS_PER_ROW) - window.top;
        let (from_x, from_y, to_x, to_y) =
            (column(x1 - NODE_WIDTH) + width + 1, row(y1), column(x2) - 1, row(y2));
        let turn = to_x - 3;
        if from_y == to_y {
            self.horizontal(from_x, to_x, from_y, role);
        } else {
            self.horizontal(from_x, turn, from_y, role);
            self.vertical(turn, from_y, to_y, role);
            self.horizontal(turn, to_x, to_y, role);
        }
        if (0..self.width).contains(&to_x) && (0..self.height).contains(&to_y) {
            self.arrows.push((to_x, to_y, role));
        }
    }

    fn horizontal(&mut self, from: i64, to: i64, y: i64, role: TextRole) {
        for x in from.max(-1)..=to.min(self.width) {
            let left = if x > from { LEFT } else { 0 };
            let right = if x < to { RIGHT } else { 0 };
            self.add(x, y, left | right, role);
        }
    }

    fn vertical(&mut self, x: i64, from: i64, to: i64, role: TextRole) {
        let (top, bottom) = (from.min(to), from.max(to));
        for y in top.max(-1)..=bottom.min(self.height) {
            let up = if y > top { UP } else { 0 };
            let down = if y < bottom { DOWN } else { 0 };
            self.add(x, y, up | down, role);
        }
    }

    fn add(&mut self, x: i64, y: i64, directions: u8, role: TextRole) {
        if (0..self.width).contains(&x) && (0..self.height).contains(&y) {
            let at = usize::try_from(y * self.width + x).unwrap_or(0);
            let cell = &mut self.cells[at];
            *cell = (cell.0 | directions, role);
        }
    }

    fn draw(&self, area: Rect, canvas: &mut Canvas<'_>) {
        for (y, row) in (area.top()..area.bottom()).zip(self.cells.chunks(usize::from(area.width)))
        {
            for (x, (directions, role)) in (area.left()..area.right()).zip(row) {
                if let Some(glyph) = line_glyph(*directions) {
                    canvas.glyph(x, y, glyph, *role);
                }
            }
        }
        for (x, y, role) in &self.arrows {
            let place = (u16::try_from(*x).unwrap_or(0), u16::try_from(*y).unwrap_or(0));
            canvas.glyph(area.x + place.0, area.y + place.1, '▸', *role);
        }
    }
}

fn line_glyph(directions: u8) -> Option<char> {
    const LEFT_RIGHT: u8 = LEFT | RIGHT;
    const UP_DOWN: u8 = UP | DOWN;
    Some(match directions {
        0 => return None,
        UP | DOWN | UP_DOWN => '│',
        LEFT | RIGHT | LEFT_RIGHT => '─',
        d if d == LEFT | DOWN => '╮',
        d if d == LEFT | UP => '╯',
        d if d == RIGHT | DOWN => '╭',
        d if d == RIGHT | UP => '╰',
        d if d == UP_DOWN | LEFT => '┤',
        d if d == UP_DOWN | RIGHT => '├',
        d if d == LEFT_RIGHT | DOWN => '┬',
        d if d == LEFT_RIGHT | UP => '┴',
        _ => '┼',
    })
}
