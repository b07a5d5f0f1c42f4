use afresh_dashboard::svg;

use crate::recorded::{PlayedRun, is_question};

/// BE-03: the same events give the same bytes.
#[test]
fn pictures_of_the_same_events_are_the_same() {
    let draw = || {
        let board = PlayedRun::until(is_question).dashboard();
        [
            svg::graph::render(&board.graph),
            svg::timeline::render(&board.timeline),
            svg::figures::contexts(&board.contexts),
            svg::figures::burn_up(&board.burn_up),
            svg::figures::retry_heat(&board.retry_heat),
        ]
    };
    assert_eq!(draw(), draw());
}

/// Every node is inside of the picture, and no two of them overlap.
#[test]
fn nodes_of_a_graph_do_not_overlap() {
    let graph = PlayedRun::whole().dashboard().graph;
    assert_eq!(graph.nodes.len(), 9);
    for (number, one) in graph.nodes.iter().enumerate() {
        assert!(one.x + 168 <= graph.width && one.y + 40 <= graph.height);
        for other in &graph.nodes[number + 1..] {
            let apart = one.x.abs_diff(other.x) >= 168 || one.y.abs_diff(other.y) >= 40;
            assert!(apart, "{} and {}", one.task, other.task);
        }
    }
}

/// An edge that follows from others is not drawn.
#[test]
fn implied_edges_are_left_out() {
    let played = PlayedRun::whole();
    let all: usize = played.run.plan().indices().map(|at| played.run.plan().needs(at).len()).sum();
    let graph = played.dashboard().graph;
    assert!(graph.edges.len() <= all);
    let has = |from: &str, to: &str| {
        graph.edges.iter().any(|edge| edge.from.as_str() == from && edge.to.as_str() == to)
    };
    assert!(has("store", "add") && has("add", "list") && !has("store", "list"));
}

#[test]
fn a_picture_alone_brings_its_style() {
    let svg = svg::graph::render(&PlayedRun::whole().dashboard().graph);
    let alone = svg::standalone(&svg);
    assert!(alone.starts_with("<?xml") && alone.contains("<style>") && alone.contains("</svg>"));
    assert!(!svg.contains("style="), "a page with a strict policy shows it too");
}
