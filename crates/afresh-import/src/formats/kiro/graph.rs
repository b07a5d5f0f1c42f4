//! `## Task Dependency Graph`: waves as JSON in several shapes, or arrows.

use std::ops::Range;

use afresh_formats::findings::SourceText;
use afresh_formats::text::json;
use afresh_formats::text::markdown::{FenceTracker, LineKind, TextLine, headings, lines_from};
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml::values::{entries, get};

/// A graph as it is written: names, not yet tasks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct KiroGraph {
    pub(super) waves: Vec<GraphWave>,
    /// What comes first, and what comes after.
    pub(super) edges: Vec<(GraphName, GraphName)>,
    /// Tasks that are listed with their own dependencies.
    pub(super) tasks: Vec<GraphName>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GraphWave {
    pub(super) id: Option<String>,
    pub(super) tasks: Vec<GraphName>,
    /// The waves that it waits for, if it says so; otherwise all before it.
    pub(super) needs: Option<Vec<GraphName>>,
}

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GraphName {
    pub(super) text: String,
    pub(super) at: Range<usize>,
}

impl KiroGraph {
    pub(super) fn is_empty(&self) -> bool {
        self.waves.is_empty() && self.edges.is_empty() && self.tasks.is_empty()
    }
}

/// The graph of a document, and where it cannot be read.
pub(super) fn read(file: &str, text: &str) -> (KiroGraph, Option<Range<usize>>) {
    let mut graph = KiroGraph::default();
    let is_graph = |name: &str| {
        let name = name.to_lowercase();
        name.contains("dependency graph") || name.contains("execution waves")
    };
    let Some(section) = headings(text).into_iter().find(|heading| is_graph(heading.text)) else {
        return (graph, None);
    };
    let (blocks, rest) = parts(text, &section.body);
    let mut trouble = None;
    for block in &blocks {
        let inner = text[block.clone()].trim_start();
        if inner.starts_with(['{', '[']) {
            let source = SourceText::new(file, text);
            match json::parse_part(&source, block, "the end of the block") {
                Ok(node) => from_json(text, &node, &mut graph),
                Err(_) => trouble = Some(block.clone()),
            }
        } else {
            lines_from(&text[block.clone()], block.start)
                .for_each(|line| arrows(&line, &mut graph));
        }
    }
    if graph.is_empty() {
        for line in &rest {
            arrows(line, &mut graph);
        }
    }
    (graph, trouble)
}

/// The code blocks of a section, and its other lines.
fn parts<'a>(text: &'a str, section: &Range<usize>) -> (Vec<Range<usize>>, Vec<TextLine<'a>>) {
    let mut fences = FenceTracker::default();
    let (mut blocks, mut rest): (Vec<Range<usize>>, Vec<TextLine<'a>>) = (Vec::new(), Vec::new());
    for line in lines_from(&text[section.clone()], section.start) {
        match fences.kind(&line) {
            LineKind::Opening => {
                let start = (line.end() + 1).min(section.end);
                blocks.push(start..start);
            }
            LineKind::Code => {
                if let Some(block) = blocks.last_mut() {
                    block.end = line.end();
                }
            }
            LineKind::Text => rest.push(line),
            LineKind::Closing => {}
        }
    }
    (blocks, rest)
}

/// `{"waves": [{"id": 0, "tasks": ["1.1"]}]}`, `{"wave": 1, …}`, `dependsOn`, `[[1], [2, 6]]`, or tasks with
/// their own dependencies.
fn from_json(text: &str, root: &Node, graph: &mut KiroGraph) {
    let list = match &root.value {
        Value::List(items) => items.as_slice(),
        _ => match ["waves", "tasks", "graph", "levels"].iter().find_map(|key| get(root, key)) {
            Some(Node { value: Value::List(items), .. }) => items.as_slice(),
            // `{"1.1": ["1.2"]}`: each task with what it needs.
            _ => return of_table(text, root, graph),
        },
    };
    let nested = list.iter().any(|item| matches!(item.value, Value::List(_)));
    let grouped = list.iter().any(|item| get(item, "tasks").is_some());
    for item in list {
        let needs = ["dependsOn", "depends_on", "dependencies", "needs"];
        let needs = needs.iter().find_map(|key| get(item, key)).map(|node| names(text, node));
        if nested || grouped {
            let tasks = if nested { Some(item) } else { get(item, "tasks") };
            let tasks = tasks.map(|node| names(text, node)).unwrap_or_default();
            let id = ["id", "wave", "name"].iter().find_map(|key| get(item, key));
            let id = id.and_then(|node| name(text, node)).map(|name| name.text);
            graph.waves.push(GraphWave { id, tasks, needs });
        } else if let Some(own) = get(item, "id").and_then(|node| name(text, node)) {
            graph
                .edges
                .extend(needs.unwrap_or_default().into_iter().map(|need| (need, own.clone())));
            graph.tasks.push(own);
        } else if let Some(own) = name(text, item) {
            // A plain list of tasks is their order.
            graph.waves.push(GraphWave { id: None, tasks: vec![own], needs: None });
        }
    }
}

fn of_table(text: &str, root: &Node, graph: &mut KiroGraph) {
    for entry in entries(root) {
        let own = GraphName { text: clean(&entry.key), at: entry.key_span.clone() };
        let needs = names(text, &entry.node);
        graph.edges.extend(needs.into_iter().map(|need| (need, own.clone())));
    }
}

/// The names in a list; a single value counts as a list.
fn names(text: &str, node: &Node) -> Vec<GraphName> {
    match &node.value {
        Value::List(items) => items.iter().filter_map(|item| name(text, item)).collect(),
        _ => name(text, node).into_iter().collect(),
    }
}

/// A text, a number as it is written (`1.10` is not `1.1`), or an object with an id.
fn name(text: &str, node: &Node) -> Option<GraphName> {
    let written = match &node.value {
        Value::Text(text) => clean(text),
        Value::Integer(_) | Value::Fraction(_) => text.get(node.span.clone())?.to_owned(),
        Value::Table(_) => return name(text, get(node, "id")?),
        _ => return None,
    };
    Some(GraphName { text: written, at: node.span.clone() })
}

/// `Task 1.1`, `T1.1`, `1.` as `1.1`, `1`.
fn clean(text: &str) -> String {
    let bare = text.trim().trim_start_matches("Task ").trim_start_matches("task ");
    bare.trim_matches(['*', '`', '"', ' ', '.']).to_owned()
}

/// `1.1 → 1.2, 1.3 → 2`, and mermaid's `T1_1["1.1 Title"] --> T1_2`.
fn arrows(line: &TextLine<'_>, graph: &mut KiroGraph) {
    let marks = ["→", "-->", "->", "==>", "=>", "⟶"];
    let mut sides: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while at < line.text.len() {
        let rest = &line.text[at..];
        if let Some(mark) = marks.iter().find(|mark| rest.starts_with(**mark)) {
            sides.push((from, at));
            at += mark.len();
            from = at;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    if sides.is_empty() {
        return;
    }
    sides.push((from, line.text.len()));
    let named: Vec<Vec<GraphName>> =
        sides.iter().map(|(start, end)| ids(&line.part(&line.text[*start..*end]))).collect();
    for pair in named.windows(2) {
        for first in &pair[0] {
            graph.edges.extend(pair[1].iter().map(|next| (first.clone(), next.clone())));
        }
    }
}

/// The task numbers of one side of an arrow: separated by commas or `&`, each with or without a title.
fn ids(side: &TextLine<'_>) -> Vec<GraphName> {
    let mut found = Vec::new();
    for piece in side.text.split([',', '&', '+', ';']) {
        let label = piece.find(['[', '(', '{', '"']).map_or(piece, |at| &piece[at..]);
        let number = first_number(label).or_else(|| first_number(piece));
        if let Some(number) = number {
            let part = side.part(piece);
            let text = number.replace('_', ".");
            found.push(GraphName { text, at: part.range() });
        }
    }
    found
}

/// The first number of a text: `1.1`, or `1_1` as mermaid needs it.
fn first_number(text: &str) -> Option<&str> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[start..];
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'));
    let number = rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', '_']);
    number.chars().all(|c| c.is_ascii_digit() || ".abc_".contains(c)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waves(json: &str) -> Vec<Vec<String>> {
        let text = format!("## Task Dependency Graph\n```json\n{json}\n```\n");
        let (graph, trouble) = read("tasks.md", &text);
        assert_eq!(trouble, None, "{json}");
        let names = |wave: &GraphWave| wave.tasks.iter().map(|name| name.text.clone()).collect();
        graph.waves.iter().map(names).collect()
    }

    fn edges(text: &str) -> Vec<(String, String)> {
        let text = format!("## Task Dependency Graph\n{text}\n");
        let (graph, _) = read("tasks.md", &text);
        graph.edges.iter().map(|(a, b)| (a.text.clone(), b.text.clone())).collect()
    }

    /// FO-09: the shapes in which waves are written.
    #[test]
    fn waves_are_read_in_every_shape() {
        let expected = vec![vec!["1.1".to_owned()], vec!["1.2".to_owned(), "2".to_owned()]];
        for json in [
            r#"{"waves":[{"id":0,"tasks":["1.1"]},{"id":1,"tasks":["1.2","2"]}]}"#,
            r#"{"waves":[{"wave":1,"tasks":["1.1"],"description":"x"},{"wave":2,"tasks":["1.2",2]}]}"#,
            r#"{"waves":[{"tasks":[1.1]},{"tasks":["Task 1.2","2."],"dependsOn":[1]}]}"#,
            r#"[["1.1"],["1.2","2"]]"#,
            r#"{"waves":[[1.1],[1.2,2]]}"#,
            r#"[{"tasks":[{"id":"1.1"}]},{"tasks":["1.2","2"]}]"#,
        ] {
            assert_eq!(waves(json), expected, "{json}");
        }
    }

    /// FO-09: arrows, also mermaid's.
    #[test]
    fn arrows_are_edges() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let expected = [pair("1.1", "1.2"), pair("1.2", "2"), pair("1.2", "3")];
        assert_eq!(edges("```\n1.1 → 1.2 → 2, 3\n```"), expected);
        assert_eq!(edges("- 1.1 -> 1.2\n- Task 1.2 -> 2 & 3"), expected);
        assert_eq!(
            edges(
                "```mermaid\ngraph TD\n  T1_1[\"1.1 Store\"] --> T1_2\n  T1_2 --> T2\n  T1_2 --> T3\n```"
            ),
            expected
        );
        assert_eq!(
            edges("```json\n{\"tasks\":[{\"id\":\"1.2\",\"dependsOn\":[\"1.1\"]}]}\n```"),
            [pair("1.1", "1.2")]
        );
    }
}
