//! One PLAN.md: its frontmatter, its sections and its tasks.

use afresh_core::plan::MAX_TASKS;

use crate::plan_md::checks::must_haves::{self, MustHaves};
use crate::plan_md::parse::frontmatter::PlanFrontmatter;
use crate::plan_md::parse::item::{PlanItem, dedented, short};
use crate::plan_md::parse::remarks::PlanRemarks;
use crate::plan_md::parse::tags::{tags, trim};
use crate::plan_md::parse::task_blocks::{TaskBlock, scan};
use crate::prose::unticked;
use afresh_formats::findings::{Finding, Fix, SourceText};
use afresh_formats::text::markdown::{Frontmatter, headings};
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::yaml;
use afresh_formats::text::yaml::values::get;

/// A PLAN.md as it was read.
#[derive(Debug)]
pub struct PlanDocument {
    pub path: String,
    pub text: String,
    /// The finding about its frontmatter, if that is not valid YAML.
    pub yaml_finding: Option<Finding>,
    pub remarks: PlanRemarks,
    pub fields: PlanFrontmatter,
    pub must_haves: MustHaves,
    /// The text of the sections.
    pub sections: String,
    pub objective: String,
    pub items: Vec<PlanItem>,
}

/// Sections that a worker needs. The others are about the tool that wrote the plan and its summary.
const SHOWN_SECTIONS: [&str; 9] = [
    "objective",
    "context",
    "interfaces",
    "constraints",
    "threat_model",
    "verification",
    "success_criteria",
    "feature",
    "notes",
];
const OMITTED_SECTIONS: [&str; 4] = ["execution_context", "tasks", "task", "output"];

/// The section with this name, unless it contains tasks.
pub(super) fn section_without_tasks(name: &str) -> Option<&'static str> {
    let all = SHOWN_SECTIONS.into_iter().chain(["execution_context", "output"]);
    all.into_iter().find(|known| *known == name)
}

impl PlanDocument {
    pub fn read(path: &str, text: String) -> Self {
        let source = SourceText::new(path, &text);
        let mut remarks = PlanRemarks::default();
        let block = Frontmatter::first(&text);
        let (node, yaml_finding) = match &block {
            Some(block) => {
                if !block.closed {
                    let at = block.at.start.saturating_sub(4)..block.at.start;
                    let message = "the frontmatter that starts here is not closed".to_owned();
                    remarks.warning(
                        "frontmatter-invalid",
                        &at,
                        message,
                        "add a line `---` after it",
                    );
                }
                yaml::frontmatter(&source, block)
            }
            None => (Node { value: Value::Table(Vec::new()), span: 0..0 }, None),
        };
        let body = block.map_or(0, |block| block.body);
        let fields = PlanFrontmatter::read(&text, &node, &mut remarks);
        let must_haves = get(&node, "must_haves")
            .map(|node| must_haves::read(node, &mut remarks))
            .unwrap_or_default();
        let items = items(&text, body, &mut remarks);
        let first_task = items.first().map_or(text.len(), |item| line_start(&text, item.at.start));
        let (sections, objective) = sections(&text, body, first_task);
        let mut document = Self {
            path: path.to_owned(),
            yaml_finding,
            remarks,
            fields,
            must_haves,
            sections: unticked(&sections),
            objective,
            items,
            text: String::new(),
        };
        document.remark_on_itself(trim(&text, body..text.len()).start);
        document.text = text;
        document
    }

    /// Its title: as listed elsewhere, or its group, its objective, its first text, or its first task.
    pub fn title(&self, listed: Option<&str>, fallback: &str) -> String {
        let first = self.items.first().map(|item| item.name.as_str());
        let group = self.fields.task_group.as_deref();
        let objective = Some(self.objective.as_str());
        let text = Some(self.sections.as_str()).filter(|text| !text.starts_with('<'));
        let all = [listed, group, objective, text, first, Some(fallback)];
        let mut titles = all.into_iter().flatten().map(short);
        titles.find(|title| !title.is_empty()).unwrap_or_else(|| "plan".to_owned())
    }

    /// Forgets what only a plan that runs needs.
    pub fn forget_text(&mut self) {
        (self.text, self.sections, self.objective) = Default::default();
        (self.fields.unknown, self.remarks) = Default::default();
        self.must_haves = MustHaves::default();
        for item in &mut self.items {
            item.text = String::new();
        }
    }

    fn remark_on_itself(&mut self, start: usize) {
        if self.items.is_empty() && self.sections.trim().is_empty() {
            let message = "the plan is empty: nothing to do".to_owned();
            self.remarks.error(
                "empty-plan",
                &(start..start),
                message,
                "describe the work, or remove the file",
            );
        } else if self.items.is_empty() {
            let message = "this plan has no tasks; one worker gets the whole text".to_owned();
            let hint = "add `<task type=\"auto\">` with <name>, <files>, <action> and <verify>";
            self.remarks.warning("no-tasks", &(start..start), message, hint);
        }
        let asks = self.items.iter().any(|item| item.checkpoint.is_some());
        if let Some((true, at)) = self.fields.autonomous.clone().filter(|_| asks) {
            let message =
                "`autonomous: true`, but a checkpoint of this plan asks a person".to_owned();
            let hint = "write `autonomous: false`; the checkpoint is asked anyway";
            let fix = Fix::rewording(at.clone(), "false");
            self.remarks.fixable("autonomous-checkpoint", &at, message, hint, fix);
        }
    }
}

/// The tasks: in tags, or else under headings.
fn items(text: &str, body: usize, remarks: &mut PlanRemarks) -> Vec<PlanItem> {
    let blocks = scan(text, body, remarks);
    let headings = headings(text);
    if blocks.is_empty() {
        let is_task = |words: &str| {
            words
                .strip_prefix("Task ")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        let tasks =
            headings.iter().filter(|heading| heading.at.start >= body && is_task(heading.text));
        // One more than the limit, so that the caller reports it.
        return tasks
            .take(MAX_TASKS + 1)
            .map(|heading| PlanItem::of_heading(text, heading, remarks))
            .collect();
    }
    let waves: Vec<(usize, u32)> = headings
        .iter()
        .filter(|heading| !is_inside(&blocks, heading.at.start))
        .filter_map(|heading| Some((heading.at.start, wave_of_heading(heading.text)?)))
        .collect();
    let item = |block| {
        let mut item = PlanItem::of_block(text, block, remarks);
        let before = waves.partition_point(|(start, _)| *start < item.at.start);
        item.wave = before.checked_sub(1).map_or(0, |last| waves[last].1);
        item
    };
    blocks.iter().map(item).collect()
}

/// Whether one of the sorted blocks contains this byte.
fn is_inside(blocks: &[TaskBlock], byte: usize) -> bool {
    let after = blocks.partition_point(|block| block.range().start <= byte);
    after.checked_sub(1).is_some_and(|last| blocks[last].range().contains(&byte))
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// `Wave 2`, `Wave 2: the rest`.
fn wave_of_heading(words: &str) -> Option<u32> {
    let rest = words.strip_prefix("Wave ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The sections that a worker needs, and the objective.
fn sections(text: &str, body: usize, first_task: usize) -> (String, String) {
    let names: Vec<&str> = SHOWN_SECTIONS.into_iter().chain(OMITTED_SECTIONS).collect();
    let found = tags(text, body..text.len(), &names).known;
    let shown: Vec<(&str, String)> = found
        .iter()
        .filter(|tag| SHOWN_SECTIONS.contains(&tag.opening.name))
        .map(|tag| (tag.opening.name, dedented(&text[tag.inner.clone()])))
        .filter(|(_, words)| !words.is_empty())
        .collect();
    let objective = shown.iter().find(|(name, _)| *name == "objective");
    let objective = objective.map(|(_, words)| words.clone()).unwrap_or_default();
    if shown.is_empty() {
        // A plan without tags: every worker gets the text before the first task.
        return (dedented(&text[body..first_task.max(body)]), objective);
    }
    let texts: Vec<String> =
        shown.iter().map(|(name, words)| format!("<{name}>\n{words}\n</{name}>")).collect();
    (texts.join("\n\n"), objective)
}
