//! The template language of prompts.
//!
//! `{{name}}` is replaced by a value. `{{#name}}` … `{{/name}}` is omitted if that value is empty.
//! `{{! … }}` is a comment. There is nothing else, and values are never parsed as templates. A line with
//! only one of the last three disappears.
//!
//! The values come from [`prompt`](crate::prompt).

use std::collections::BTreeMap;
use std::ops::Range;

use afresh_core::plan::nearest;
use afresh_formats::Finding;
use afresh_formats::findings::SourceText;

/// The largest template, in bytes.
pub const MAX_TEMPLATE_BYTES: usize = 64 * 1024;
/// The deepest nesting of sections.
const MAX_DEPTH: usize = 8;
const CODE: &str = "template";

/// The names of all values.
pub const NAMES: &[&str] = &[
    "task",
    "plan",
    "position",
    "project",
    "patterns",
    "spec",
    "files",
    "without",
    "steps",
    "checks",
    "built_on",
    "interfaces",
    "tests",
    "recent",
    "answers",
    "feedback",
    "left",
    "directory",
    "rules",
    "contract",
    "passed",
    "change",
    "reviews",
];

/// The values that every prompt must contain (PR-03).
pub const REQUIRED: &[&str] = &["task", "files", "checks", "rules", "contract"];

/// The values that a reviewer's prompt must contain.
pub const REVIEW_REQUIRED: &[&str] = &["task", "change", "contract"];

/// Who a prompt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptRole {
    /// The first worker of a task.
    Worker,
    /// One whose predecessor's work was rejected.
    Repairer,
    /// One who judges work whose checks passed.
    Reviewer,
}

impl PromptRole {
    pub const ALL: [Self; 3] = [Self::Worker, Self::Repairer, Self::Reviewer];

    /// The name of its template's file.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Worker => "worker.md",
            Self::Repairer => "repairer.md",
            Self::Reviewer => "reviewer.md",
        }
    }

    /// The default template.
    pub fn built_in(self) -> &'static str {
        match self {
            Self::Worker => include_str!("worker.md"),
            Self::Repairer => include_str!("repairer.md"),
            Self::Reviewer => include_str!("reviewer.md"),
        }
    }

    /// What its template must contain.
    fn required(self) -> impl Iterator<Item = &'static str> {
        let (common, own): (&[&str], Option<&str>) = match self {
            Self::Worker => (REQUIRED, None),
            Self::Repairer => (REQUIRED, Some("feedback")),
            Self::Reviewer => (REVIEW_REQUIRED, None),
        };
        common.iter().copied().chain(own)
    }
}

/// A value for each name that has one.
pub type TemplateValues = BTreeMap<&'static str, String>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptTemplate(Vec<TemplateNode>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplateNode {
    Text(String),
    Value(&'static str),
    Section(&'static str, Vec<TemplateNode>),
}

impl PromptTemplate {
    /// The default template of a role.
    pub fn built_in(role: PromptRole) -> Self {
        Self::parse(role, role.file_name(), role.built_in())
            .expect("the built-in template is valid")
    }

    /// Parses a template, or returns everything that is wrong with it.
    pub fn parse(role: PromptRole, file: &str, text: &str) -> Result<Self, Vec<Finding>> {
        let source = SourceText::new(file, text);
        let mut parser = TemplateParser { source: &source, open: Vec::new(), findings: Vec::new() };
        let nodes = parser.parse();
        if !parser.findings.is_empty() {
            return Err(parser.findings);
        }
        for name in role.required().filter(|name| !always_shows(&nodes, name)) {
            let message =
                format!("the template does not contain {{{{{name}}}}}, which every worker needs");
            let hint = format!("add {{{{{name}}}}}, outside of other sections");
            parser.findings.push(Finding::for_file(file, CODE, message).with_hint(hint));
        }
        if parser.findings.is_empty() { Ok(Self(nodes)) } else { Err(parser.findings) }
    }

    pub fn render(&self, values: &TemplateValues) -> String {
        let mut text = String::new();
        render(&self.0, values, &mut text);
        text
    }
}

/// The templates of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptTemplates {
    pub worker: PromptTemplate,
    pub repairer: PromptTemplate,
    pub reviewer: PromptTemplate,
}

impl Default for PromptTemplates {
    fn default() -> Self {
        let [worker, repairer, reviewer] = PromptRole::ALL.map(PromptTemplate::built_in);
        Self { worker, repairer, reviewer }
    }
}

impl PromptTemplates {
    pub fn for_role(&self, role: PromptRole) -> &PromptTemplate {
        match role {
            PromptRole::Worker => &self.worker,
            PromptRole::Repairer => &self.repairer,
            PromptRole::Reviewer => &self.reviewer,
        }
    }
}

fn render(nodes: &[TemplateNode], values: &TemplateValues, text: &mut String) {
    let value = |name: &&'static str| values.get(name).map_or("", |value| value.trim_end());
    for node in nodes {
        match node {
            TemplateNode::Text(words) => text.push_str(words),
            TemplateNode::Value(name) => text.push_str(value(name)),
            TemplateNode::Section(name, _) if value(name).is_empty() => {}
            TemplateNode::Section(_, inside) => render(inside, values, text),
        }
    }
}

/// Whether the value is shown whenever it is not empty.
fn always_shows(nodes: &[TemplateNode], wanted: &str) -> bool {
    nodes.iter().any(|node| match node {
        TemplateNode::Text(_) => false,
        TemplateNode::Value(name) => *name == wanted,
        TemplateNode::Section(name, inside) => *name == wanted && always_shows(inside, wanted),
    })
}

struct TemplateParser<'s, 't> {
    source: &'s SourceText<'t>,
    open: Vec<OpenSection>,
    findings: Vec<Finding>,
}

/// A section that is not closed yet.
struct OpenSection {
    name: &'static str,
    at: Range<usize>,
    before: Vec<TemplateNode>,
}

impl TemplateParser<'_, '_> {
    fn parse(&mut self) -> Vec<TemplateNode> {
        let text = self.source.text;
        let (mut nodes, mut from) = (Vec::new(), 0);
        while let Some(start) = text[from..].find("{{").map(|at| from + at) {
            let Some(end) = text[start..].find("}}").map(|at| start + at + 2) else {
                self.find(start..start + 2, "this `{{` is not closed", "write }} after the name");
                break;
            };
            let tag = text[start + 2..end - 2].trim();
            let is_value = !tag.starts_with(['#', '/', '!']);
            let line = if is_value { None } else { alone_on_line(text, &(start..end)) };
            let cut = line.unwrap_or(start..end);
            nodes.push(TemplateNode::Text(text[from..cut.start].to_owned()));
            from = cut.end;
            self.tag(tag, start..end, &mut nodes);
        }
        nodes.push(TemplateNode::Text(text[from..].to_owned()));
        while let Some(open) = self.open.pop() {
            let message = format!("the section {:?} is not closed", open.name);
            self.find(open.at, &message, &format!("write {{{{/{}}}}} where it ends", open.name));
        }
        nodes
    }

    fn tag(&mut self, tag: &str, at: Range<usize>, nodes: &mut Vec<TemplateNode>) {
        let (kind, word) = match tag.split_at_checked(1) {
            Some((kind @ ("#" | "/" | "!"), word)) => (kind, word.trim()),
            _ => ("", tag),
        };
        if kind == "!" {
            return;
        }
        let Some(name) = NAMES.iter().copied().find(|name| *name == word) else {
            return self.unknown(word, at);
        };
        match kind {
            "#" if self.open.len() == MAX_DEPTH => {
                self.find(at, "sections are nested too deeply", "nest fewer sections");
            }
            "#" => self.open.push(OpenSection { name, at, before: std::mem::take(nodes) }),
            "/" => self.close(name, at, nodes),
            _ => nodes.push(TemplateNode::Value(name)),
        }
    }

    fn close(&mut self, name: &'static str, at: Range<usize>, nodes: &mut Vec<TemplateNode>) {
        if let Some(open) = self.open.pop_if(|open| open.name == name) {
            let inside = std::mem::replace(nodes, open.before);
            nodes.push(TemplateNode::Section(name, inside));
            return;
        }
        let message = format!("this closes {name:?}, which is not the open section");
        self.find(at, &message, &format!("{{{{#{name}}}}} opens it"));
    }

    fn unknown(&mut self, word: &str, at: Range<usize>) {
        let shown: String = word.chars().take(80).collect();
        let hint = nearest(word, NAMES.iter().copied()).map_or_else(
            || format!("known values: {}", NAMES.join(", ")),
            |near| format!("did you mean {near:?}?"),
        );
        self.find(at, &format!("unknown value {shown:?}"), &hint);
    }

    fn find(&mut self, at: Range<usize>, message: &str, hint: &str) {
        self.findings.push(self.source.finding(CODE, &at, message).with_hint(hint));
    }
}

/// The range of the line, with its line break, if it contains only this.
fn alone_on_line(text: &str, at: &Range<usize>) -> Option<Range<usize>> {
    let start = text[..at.start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at.end..].find('\n').map_or(text.len(), |end| at.end + end + 1);
    let is_blank = |part: &str| part.trim().is_empty();
    (is_blank(&text[start..at.start]) && is_blank(&text[at.end..end])).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "{{task}}{{files}}{{checks}}{{rules}}{{contract}}";

    fn problems(text: &str) -> Vec<(usize, usize, String)> {
        let findings = PromptTemplate::parse(PromptRole::Worker, "worker.md", text)
            .expect_err("a bad template");
        findings.into_iter().map(|found| (found.line, found.column, found.message)).collect()
    }

    #[test]
    fn empty_sections_disappear_and_values_are_not_parsed() {
        let text = format!(
            "A\n{{{{#spec}}}}\nspec: {{{{spec}}}}\n{{{{/spec}}}}\n{{{{! why }}}}\n\
             {{{{#plan}}}}P {{{{plan}}}}{{{{/plan}}}}\n{ALL}"
        );
        let template =
            PromptTemplate::parse(PromptRole::Worker, "worker.md", &text).expect("a template");
        let values =
            TemplateValues::from([("task", "{{files}}\n".to_owned()), ("plan", "p".to_owned())]);
        assert_eq!(template.render(&values), "A\nP p\n{{files}}");
        let values = TemplateValues::from([("spec", "s".to_owned())]);
        assert_eq!(template.render(&values), "A\nspec: s\n\n");
    }

    /// PR-03: every mistake is reported with its position.
    #[test]
    fn every_mistake_has_its_position() {
        let found = problems(&format!("{ALL}\n  {{{{tsak}}}}\n{{{{#spec}}}}\n{{{{/plan}}}}\n{{{{"));
        let places: Vec<_> = found.iter().map(|(line, column, _)| (*line, *column)).collect();
        assert_eq!(places, [(2, 3), (4, 1), (5, 1), (3, 1)]);
    }

    /// PR-03: a repairer is told why it is there.
    #[test]
    fn a_template_for_repairers_shows_the_rejection() {
        let findings = PromptTemplate::parse(PromptRole::Repairer, "repairer.md", ALL)
            .expect_err("a template without feedback");
        assert!(findings[0].message.contains("{{feedback}}"), "{findings:?}");
        let whole = format!("{ALL}{{{{feedback}}}}");
        assert!(PromptTemplate::parse(PromptRole::Repairer, "repairer.md", &whole).is_ok());
    }

    /// PR-03: required values cannot be omitted, nor shown only sometimes.
    #[test]
    fn a_template_without_a_required_value_is_rejected() {
        for name in REQUIRED {
            let without = ALL.replace(&format!("{{{{{name}}}}}"), "");
            assert!(problems(&without)[0].2.contains(name), "{name}");
            let sometimes = format!("{without}{{{{#spec}}}}{{{{{name}}}}}{{{{/spec}}}}");
            assert!(problems(&sometimes)[0].2.contains(name), "{name}");
            let own = format!("{without}{{{{#{name}}}}}{{{{{name}}}}}{{{{/{name}}}}}");
            assert!(PromptTemplate::parse(PromptRole::Worker, "worker.md", &own).is_ok(), "{name}");
        }
    }
}
