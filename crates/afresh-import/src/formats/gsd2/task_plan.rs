//! T01-PLAN.md: the files that a task reads and writes, its steps and its verification.

use std::ops::Range;

use afresh_core::plan::FileAction;

use crate::plan_md::checks::verify::{self, VerifyBlock};
use crate::plan_md::parse::remarks::PlanRemarks;
use crate::prose::paths::{is_dot_file, without_note};
use crate::prose::{self, paths};
use afresh_formats::Finding;
use afresh_formats::findings::SourceText;
use afresh_formats::text::markdown::{
    Frontmatter, Heading, TextLine, code_spans, headings, items, lines_from,
};
use afresh_formats::text::yaml;
use afresh_formats::text::yaml::values::entries;

/// Fields without instructions.
const KNOWN: &[&str] = &["estimated_steps", "estimated_files", "skills_used"];

#[derive(Debug)]
pub(super) struct TaskPlan {
    pub(super) file: String,
    /// The text without the frontmatter.
    pub(super) body: String,
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<TaskOutput>,
    /// Name and text.
    pub(super) steps: Vec<(String, String)>,
    pub(super) verify: VerifyBlock,
    pub(super) findings: Vec<Finding>,
    pub(super) unknown: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TaskOutput {
    pub(super) path: String,
    pub(super) action: Option<FileAction>,
    pub(super) at: Range<usize>,
}

pub(super) fn read(file: &str, text: &str) -> TaskPlan {
    let source = SourceText::new(file, text);
    let mut remarks = PlanRemarks::default();
    let all = headings(text);
    let section = |names: &[&str]| {
        all.iter().find(|heading| names.contains(&heading.text.to_lowercase().as_str()))
    };
    let listed = |heading: Option<&Heading<'_>>| -> Vec<TaskOutput> {
        heading.map(|heading| outputs(text, &heading.own)).unwrap_or_default()
    };
    let verification = section(&["verification", "verify"]);
    let verify = verification
        .map(|heading| verify::parse(text, &heading.own, &mut remarks))
        .unwrap_or_default();
    let written = section(&["expected output", "expected outputs", "outputs", "output"]);
    if let Some(heading) = written {
        for line in lines_from(&text[heading.own.clone()], heading.own.start) {
            prose::remark_outside(&mut remarks, &line);
        }
    }
    let block = Frontmatter::first(text);
    let body = block.as_ref().map_or(0, |block| block.body);
    let read = block.map(|block| yaml::frontmatter(&source, &block));
    let (fields, trouble) = read.map_or((None, None), |(fields, trouble)| (Some(fields), trouble));
    let unknown =
        fields.iter().flat_map(entries).filter(|entry| !KNOWN.contains(&entry.key.as_str()));
    let unknown = unknown
        .map(|entry| (entry.key.clone(), text[entry.node.span.clone()].to_owned()))
        .collect();
    let mut findings = remarks.render(&source);
    findings.extend(trouble);
    TaskPlan {
        file: file.to_owned(),
        body: text[body..].to_owned(),
        inputs: listed(section(&["inputs", "input"])).into_iter().map(|input| input.path).collect(),
        outputs: listed(written),
        steps: section(&["steps"]).map(|heading| steps(text, &heading.own)).unwrap_or_default(),
        verify,
        findings,
        unknown,
    }
}

/// The paths that a section lists in backticks, with their action.
fn outputs(text: &str, within: &Range<usize>) -> Vec<TaskOutput> {
    let mut found: Vec<TaskOutput> = Vec::new();
    for line in lines_from(&text[within.clone()], within.start) {
        for path in listed(&line) {
            let behind = line.text[path.end() - line.start..].to_lowercase();
            let path_text = path.text.to_owned();
            found.push(TaskOutput { path: path_text, action: action(&behind), at: path.range() });
        }
    }
    found
}

/// Anything in backticks that can be a path, or else what clearly is one.
pub(super) fn listed<'a>(line: &TextLine<'a>) -> Vec<TextLine<'a>> {
    let spans = code_spans(line);
    if spans.is_empty() {
        return paths(line);
    }
    let could_be = |path: &TextLine<'_>| {
        let text = path.text;
        let outside = text.starts_with(['/', '~', '-', '.']) && !text.starts_with("./");
        // `.card-image` is a CSS class.
        let hidden = text.starts_with('.') && (text.contains('/') || is_dot_file(text));
        let plain = !text.contains(|c: char| c.is_whitespace() || "()<>|\"'=:".contains(c));
        text.contains(['/', '.']) && plain && (!outside || hidden) && !text.contains("..")
    };
    spans.iter().map(without_note).filter(could_be).collect()
}

/// The action that the text after a path starts with: ``(modified)``, ``— new module``.
fn action(behind: &str) -> Option<FileAction> {
    let mut words = behind.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    match words.next()? {
        "new" | "create" | "created" | "creates" => Some(FileAction::Create),
        "modified" | "modify" | "updated" | "update" | "extended" => Some(FileAction::Modify),
        "deleted" | "removed" | "delete" => Some(FileAction::Delete),
        _ => None,
    }
}

/// The top-level items.
fn steps(text: &str, within: &Range<usize>) -> Vec<(String, String)> {
    let all = items(text, within.clone());
    let top = all.iter().map(|item| item.indent).min().unwrap_or_default();
    let own = all.iter().filter(|item| item.indent == top);
    own.map(|item| (item.text.text.to_owned(), text[item.whole()].to_owned())).collect()
}
