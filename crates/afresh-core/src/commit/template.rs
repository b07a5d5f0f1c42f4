//! A commit message as the user's configuration wants it.
//!
//! `{name}` stands for a variable, `{{` and `}}` for braces. A line that holds nothing but empty variables is left
//! out. What the user wrote as the last paragraph in the form of trailers stays with ours, so that git sees them all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::message::CommitFacts;
use super::paragraph::code_list;
use crate::printable;

const MAX_BYTES: usize = 8 * 1024;
/// Every variable, in the order of the documentation.
pub(super) const VARIABLES: &[(&str, TemplateVariable)] = &[
    ("subject", TemplateVariable::Subject),
    ("title", TemplateVariable::Title),
    ("type", TemplateVariable::Kind),
    ("scope", TemplateVariable::Scope),
    ("task", TemplateVariable::Task),
    ("run", TemplateVariable::Run),
    ("attempt", TemplateVariable::Attempt),
    ("plan", TemplateVariable::Plan),
    ("summary", TemplateVariable::Summary),
    ("checks", TemplateVariable::Checks),
    ("files", TemplateVariable::Files),
    ("requirements", TemplateVariable::Requirements),
    ("agent", TemplateVariable::Agent),
    ("model", TemplateVariable::Model),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TemplateVariable {
    Subject,
    Title,
    Kind,
    Scope,
    Task,
    Run,
    Attempt,
    Plan,
    Summary,
    Checks,
    Files,
    Requirements,
    Agent,
    Model,
}

/// The template of `[commit] template`, which can be rendered.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct CommitTemplate {
    text: String,
    lines: Vec<Vec<TemplatePart>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Variable(TemplateVariable),
}

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateProblem {
    pub message: String,
    pub hint: String,
}

impl CommitTemplate {
    pub fn parse(text: &str) -> Result<Self, TemplateProblem> {
        let problem = |message: &str, hint: &str| TemplateProblem {
            message: message.to_owned(),
            hint: hint.to_owned(),
        };
        if text.len() > MAX_BYTES {
            return Err(problem("the template is longer than 8 KiB", "shorten it"));
        }
        let lines: Result<Vec<_>, _> = text.trim().lines().map(parse_line).collect();
        let lines = lines?;
        if lines.first().is_none_or(Vec::is_empty) {
            return Err(problem("the template is empty", "`{subject}` is the usual first line"));
        }
        let is_several = |part: &TemplatePart| matches!(part, TemplatePart::Variable(variable) if variable.has_lines());
        if lines[0].iter().any(is_several) {
            return Err(problem(
                "the first line of the template has a variable of several lines",
                "the first line is the subject: `{subject}`, or `{type}` and `{title}`",
            ));
        }
        if !lines[0].iter().any(TemplatePart::is_never_empty) {
            return Err(problem(
                "the first line of the template can be empty",
                "use `{subject}`, `{title}` or `{task}` in it",
            ));
        }
        let ours =
            text.lines().any(|line| line.trim_start().to_ascii_lowercase().starts_with("afresh-"));
        if ours {
            return Err(problem(
                "a line of the template begins with `Afresh-`",
                "leave it out: afresh adds its trailers to every message",
            ));
        }
        Ok(Self { text: text.to_owned(), lines })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The message, with the trailers of afresh at its end.
    pub(super) fn render(&self, facts: &CommitFacts, trailers: &str) -> String {
        let (body, own_trailers) = self.lines.split_at(self.trailer_start());
        let mut lines: Vec<String> = Vec::new();
        for line in body {
            let has_variable = line.iter().any(|part| matches!(part, TemplatePart::Variable(_)));
            let text = render_line(line, facts);
            let is_blank = text.trim().is_empty();
            if is_blank && (has_variable || lines.last().is_none_or(String::is_empty)) {
                continue;
            }
            lines.push(if is_blank { String::new() } else { text.trim_end().to_owned() });
        }
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let own: Vec<String> =
            own_trailers.iter().filter_map(|it| render_trailer(it, facts)).collect();
        let own = own.concat();
        format!("{}\n\n{own}{trailers}", lines.join("\n"))
    }

    /// Where the last paragraph begins, if each of its lines is a trailer as it is written.
    fn trailer_start(&self) -> usize {
        let is_trailer = |line: &Vec<TemplatePart>| {
            let Some(TemplatePart::Text(text)) = line.first() else { return false };
            text.split_once(": ").is_some_and(|(key, _)| {
                !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
            })
        };
        let end = self.lines.len();
        let start = self.lines.iter().rposition(Vec::is_empty).map_or(0, |blank| blank + 1);
        let is_paragraph = start > 0 && self.lines[start..].iter().all(is_trailer);
        if is_paragraph { start } else { end }
    }
}

impl TryFrom<String> for CommitTemplate {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).map_err(|problem| problem.message)
    }
}

impl From<CommitTemplate> for String {
    fn from(template: CommitTemplate) -> Self {
        template.text
    }
}

impl TemplatePart {
    /// Whether a subject with it says something.
    fn is_never_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.chars().any(char::is_alphanumeric),
            Self::Variable(variable) => matches!(
                variable,
                TemplateVariable::Subject
                    | TemplateVariable::Title
                    | TemplateVariable::Task
                    | TemplateVariable::Run
            ),
        }
    }
}

impl TemplateVariable {
    fn has_lines(self) -> bool {
        matches!(self, Self::Summary | Self::Checks | Self::Files)
    }

    fn value(self, facts: &CommitFacts) -> String {
        let label = facts.label.as_ref();
        let line = |text: Option<&str>| printable::line(text.unwrap_or_default());
        match self {
            Self::Subject => facts.subject(),
            Self::Title => facts.title(),
            Self::Kind => label.map(|label| label.kind().to_owned()).unwrap_or_default(),
            Self::Scope => line(label.and_then(|label| label.scope())),
            Self::Task => facts.attempt.task.to_string(),
            Self::Run => facts.run.to_string(),
            Self::Attempt => facts.attempt.number.to_string(),
            Self::Plan => line(Some(&facts.plan)),
            Self::Summary => facts.summary(),
            Self::Checks => code_list(&facts.checks),
            Self::Files => code_list(&facts.files),
            Self::Requirements => facts.requirements.join(", "),
            Self::Agent => line(facts.agent.as_deref()),
            Self::Model => line(facts.model.as_deref()),
        }
    }
}

fn parse_line(line: &str) -> Result<Vec<TemplatePart>, TemplateProblem> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = line.trim_end();
    if rest.chars().any(printable::is_unprintable) {
        return Err(TemplateProblem {
            message: "the template has a control character".to_owned(),
            hint: "use blanks and line breaks alone".to_owned(),
        });
    }
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        if from.starts_with("{{") || from.starts_with("}}") {
            text.push_str(&from[..1]);
            rest = &from[2..];
            continue;
        }
        let Some((name, after)) = from.strip_prefix('{').and_then(|it| it.split_once('}')) else {
            return Err(TemplateProblem {
                message: format!("a brace of the template has no partner: {from}"),
                hint: "a variable is `{title}`; `{{` and `}}` are plain braces".to_owned(),
            });
        };
        if !text.is_empty() {
            parts.push(TemplatePart::Text(std::mem::take(&mut text)));
        }
        parts.push(TemplatePart::Variable(find_variable(name)?));
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() {
        parts.push(TemplatePart::Text(text));
    }
    Ok(parts)
}

fn find_variable(name: &str) -> Result<TemplateVariable, TemplateProblem> {
    let known = VARIABLES.iter().find(|(known, _)| *known == name);
    known.map(|(_, variable)| *variable).ok_or_else(|| {
        let names: Vec<&str> = VARIABLES.iter().map(|(known, _)| *known).collect();
        let near = crate::plan::nearest(name, names.iter().copied());
        TemplateProblem {
            message: format!("the template has an unknown variable {{{name}}}"),
            hint: match near {
                Some(near) => format!("did you mean {{{near}}}?"),
                None => format!("the variables are {}", names.join(", ")),
            },
        }
    })
}

fn render_line(line: &[TemplatePart], facts: &CommitFacts) -> String {
    line.iter()
        .map(|part| match part {
            TemplatePart::Text(text) => text.clone(),
            TemplatePart::Variable(variable) => variable.value(facts),
        })
        .collect()
}

/// One line with a value; a trailer whose variables are all empty is left out.
fn render_trailer(line: &[TemplatePart], facts: &CommitFacts) -> Option<String> {
    let is_empty = |part: &TemplatePart| match part {
        TemplatePart::Text(_) => None,
        TemplatePart::Variable(variable) => Some(variable.value(facts).is_empty()),
    };
    let mut variables = line.iter().filter_map(is_empty).peekable();
    if variables.peek().is_some() && variables.all(|is_empty| is_empty) {
        return None;
    }
    Some(format!("{}\n", printable::line(&render_line(line, facts)).trim_end()))
}

#[cfg(test)]
mod tests {
    use super::super::message::tests::facts;
    use super::*;
    use crate::commit::CommitLabel;

    fn render(template: &str, facts: &CommitFacts) -> String {
        CommitTemplate::parse(template).expect("a template").render(facts, "Afresh-Run: r\n")
    }

    /// EX-16: variables are replaced, empty paragraphs are left out, and the trailers are always at the end.
    #[test]
    fn a_template_says_subject_and_body() {
        let full = "[{task}] {title}\n\n{summary}\n\nTested with\n{checks}\n";
        assert_eq!(
            render(full, &facts()),
            "[T8] Release notes\n\nWrote the notes.\n\nThe old ones moved.\n\nTested with\n- make docs\n\
             - test -s NEWS\n\nAfresh-Run: r\n"
        );
        let silent = CommitFacts { summary: None, ..facts() };
        assert_eq!(
            render("{subject}\n\n{summary}\n\n{{{agent}}}", &silent),
            "Release notes\n\n{claude}\n\nAfresh-Run: r\n"
        );
        let labelled = CommitFacts { label: CommitLabel::parse("docs(api)"), ..facts() };
        assert_eq!(
            render("{type}/{scope}: {title}", &labelled),
            "docs/api: Release notes\n\nAfresh-Run: r\n"
        );
        assert_eq!(render("{subject}", &labelled), "docs(api): Release notes\n\nAfresh-Run: r\n");
    }

    /// EX-16: the user's own trailers stay in one paragraph with ours; a worker's words make none.
    #[test]
    fn trailers_of_the_template_join_those_of_afresh() {
        let template =
            "{subject}\n\n{summary}\n\nCo-authored-by: {agent} <bot@example.org>\nModel: {model}";
        assert_eq!(
            render(template, &facts()),
            "Release notes\n\nWrote the notes.\n\nThe old ones moved.\n\n\
             Co-authored-by: claude <bot@example.org>\nAfresh-Run: r\n"
        );
        let hostile = CommitFacts { summary: Some("x\n\nReviewed-by: me".to_owned()), ..facts() };
        assert_eq!(
            render("{subject}\n\n{summary}", &hostile),
            "Release notes\n\nx\n\nReviewed-by: me\n\nAfresh-Run: r\n"
        );
        let many = CommitFacts { summary: Some("x\nAfresh-Task: T9".to_owned()), ..facts() };
        assert_eq!(
            render("{subject}\n\nWork: {summary}", &many),
            "Release notes\n\nWork: x  Afresh-Task: T9\nAfresh-Run: r\n"
        );
    }

    /// EX-16: what cannot become a message is refused with what to write instead.
    #[test]
    fn a_bad_template_is_refused() {
        for (template, message) in [
            ("", "is empty"),
            (" \n ", "is empty"),
            ("{tilte}", "unknown variable {tilte}"),
            ("{title", "no partner"),
            ("title}", "no partner"),
            ("{summary}", "several lines"),
            ("{type}", "can be empty"),
            ("{title}\n\nAfresh-Task: {task}", "begins with `Afresh-`"),
            ("{title}\u{1b}[2J", "control character"),
        ] {
            let problem = CommitTemplate::parse(template).expect_err(template);
            assert!(problem.message.contains(message), "{template:?}: {problem:?}");
        }
        let near = CommitTemplate::parse("{tilte}").expect_err("misspelt");
        assert_eq!(near.hint, "did you mean {title}?");
    }
}
