//! Tasks and dependencies as a picture.

use super::markup::{SvgArea, SvgWriter};
use crate::data::glyphs;
use crate::data::graph::{GraphEdge, GraphNode, NODE_HEIGHT, NODE_WIDTH, TaskGraph};

const TITLE_COLUMNS: usize = 23;

pub fn render(graph: &TaskGraph) -> String {
    let name = format!("{} tasks and their dependencies", graph.nodes.len());
    let mut svg = SvgWriter::new(graph.width, graph.height, &name);
    // Edges of the critical path are on top.
    for edge in graph.edges.iter().filter(|edge| !edge.is_critical) {
        draw_edge(&mut svg, edge);
    }
    for edge in graph.edges.iter().filter(|edge| edge.is_critical) {
        draw_edge(&mut svg, edge);
    }
    graph.nodes.iter().for_each(|node| draw_node(&mut svg, node));
    svg.finish()
}

fn draw_edge(svg: &mut SvgWriter, edge: &GraphEdge) {
    let [x1, y1, x2, y2] = edge.points;
    let bend = (x2.saturating_sub(x1) / 2).clamp(12, 80);
    let class = if edge.is_critical { "edge critical" } else { "edge" };
    let shape = format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + bend, x2.saturating_sub(bend));
    svg.path(class, shape);
}

fn draw_node(svg: &mut SvgWriter, node: &GraphNode) {
    let state = node.state.word();
    let critical = if node.is_critical { " critical" } else { "" };
    let title = format!("{} {}: {state}", node.task, node.title);
    svg.begin_group("task", Some(node.task.as_str()), &title);
    let area = SvgArea { x: node.x, y: node.y, width: NODE_WIDTH, height: NODE_HEIGHT };
    svg.rect(&format!("node {state}{critical}"), area, 6);
    let glyph = glyphs::of_phase(node.state).to_string();
    svg.text(&format!("mark-{state}"), node.x + 8, node.y + 16, &glyph, 2);
    svg.text("strong mono", node.x + 24, node.y + 16, node.task.as_str(), 18);
    svg.text("muted", node.x + 8, node.y + 32, &node.title, TITLE_COLUMNS);
    svg.end_group();
}
