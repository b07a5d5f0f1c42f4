//! What the plans of GSD, Ultra Planner and long-run serve: `requirements` and `must_haves` of their
//! frontmatter.

use afresh_formats::findings::SourceText;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::Frontmatter;
use afresh_formats::text::node::Node;
use afresh_formats::text::yaml;
use afresh_formats::text::yaml::values::{get, list_words};

use crate::requirements::ledger::{LedgerBuilder, StatedRequirement};
use crate::requirements::{SourceDocument, leading_id};

/// What the frontmatter of one plan cites.
#[derive(Debug)]
pub struct PlanCitations {
    pub file: String,
    /// Whether it has the key `requirements`, with at least one.
    pub cites: bool,
}

/// Adds the truths of every plan as criteria, and cites the requirements that each lists.
pub fn add_plans(ledger: &mut LedgerBuilder<'_>) -> Vec<PlanCitations> {
    let mut found = Vec::new();
    for file in ledger.sources.files() {
        let text = ledger.sources.text(&file);
        let source = SourceText::new(&file, &text);
        let block = Frontmatter::first(&text);
        let node = block.as_ref().map(|block| yaml::frontmatter(&source, block).0);
        let cites = node.as_ref().is_some_and(|node| add_plan(ledger, &file, &text, node));
        found.push(PlanCitations { file: file.to_string(), cites });
    }
    found
}

fn add_plan(ledger: &mut LedgerBuilder<'_>, file: &str, text: &str, node: &Node) -> bool {
    let tasks = ledger.sources.of_file(file).to_vec();
    let mut cites = false;
    for word in get(node, "requirements").map(list_words).unwrap_or_default() {
        let id = match leading_id(&word.text) {
            Some(end) => &word.text[..end],
            None if !word.text.contains(char::is_whitespace) => &word.text,
            None => continue,
        };
        cites = true;
        for task in &tasks {
            ledger.cite(*task, id, SourceSpan::new(file, word.at.clone()));
        }
    }
    let document = SourceDocument::new(file, text);
    let truths = get(node, "must_haves").and_then(|node| get(node, "truths")).map(list_words);
    for (number, truth) in truths.unwrap_or_default().iter().enumerate() {
        let id = format!("{}/{}", plan_name(file), number + 1);
        let stated = StatedRequirement::criterion(id, &truth.text, truth.at.clone());
        ledger.add_to_tasks(&document, stated, &tasks);
    }
    cites
}

/// `01-02` of `.planning/phases/01-a/01-02-PLAN.md`.
fn plan_name(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    let name = name.strip_suffix(".md").unwrap_or(name);
    name.strip_suffix("-PLAN").unwrap_or(name)
}
