//! The sections of a spec that belong to a task.
//!
//! A section belongs to a task that names a requirement which the section defines (`FR-003`, `G2`,
//! `R1.2`), whose own id it has, or that refers to it (`spec.md#error-handling`). Without such a link,
//! the task gets the whole spec.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use afresh_core::plan::Task;
use afresh_formats::text::markdown::{Heading, headings, lines};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bundle::briefing::ProjectDocument;

/// The most bytes of a spec for one worker.
pub const MAX_SPEC_BYTES: usize = 32 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpecPart {
    pub file: String,
    pub text: String,
    /// Whether it is the whole spec, not a selection of sections.
    pub whole: bool,
    /// Whether the text is cut because it is too long.
    pub cut: bool,
}

/// A spec, parsed once for all tasks of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedSpec {
    document: ProjectDocument,
    sections: Vec<SpecSection>,
}

/// One heading and the text directly below it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SpecSection {
    level: usize,
    heading: String,
    anchor: String,
    /// The id that the heading starts with, if any.
    named: Option<String>,
    /// The ids that its lines start with, which it may define.
    defines: BTreeSet<String>,
    own: Range<usize>,
}

impl ParsedSpec {
    pub fn new(document: ProjectDocument) -> Self {
        let text = &document.text;
        let section = |heading: Heading<'_>| SpecSection {
            level: heading.level,
            heading: heading.text.to_owned(),
            anchor: anchor(heading.text),
            named: first_word(heading.text).map(str::to_owned),
            defines: lines(&text[heading.own.clone()])
                .filter_map(|line| first_word(line.text))
                .map(str::to_owned)
                .collect(),
            own: heading.own,
        };
        let sections = headings(text).into_iter().map(section).collect();
        Self { document, sections }
    }
}

impl SpecPart {
    pub fn for_task(spec: &ParsedSpec, task: &Task) -> Self {
        let chosen = chosen(spec, task);
        let whole = chosen.is_none();
        let text = chosen.as_deref().unwrap_or(&spec.document.text);
        let (text, cut) = cut_at_line(text, MAX_SPEC_BYTES);
        Self { file: spec.document.path.clone(), text: text.to_owned(), whole, cut }
    }
}

/// The start of a text, cut at the end of a line, and whether it was cut.
pub fn cut_at_line(text: &str, most_bytes: usize) -> (&str, bool) {
    let text = text.trim_end();
    if text.len() <= most_bytes {
        return (text, false);
    }
    let mut end = most_bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').unwrap_or(end);
    (&text[..end], true)
}

/// The sections that a task refers to, with the headings above them, or `None` if there are none.
fn chosen(spec: &ParsedSpec, task: &Task) -> Option<String> {
    let (text, sections) = (&spec.document.text, &spec.sections);
    let named = TaskReferences::by(task);
    let mut detail = vec![SectionDetail::Nothing; sections.len()];
    for (at, section) in sections.iter().enumerate() {
        if named.heading(section) {
            let below = sections[at..].iter().skip(1).take_while(|next| next.level > section.level);
            detail[at..=at + below.count()].fill(SectionDetail::Text);
        } else if named.ids.iter().any(|id| section.defines.contains(id)) {
            detail[at] = SectionDetail::Text;
        }
    }
    if !detail.contains(&SectionDetail::Text) {
        return None;
    }
    name_above(sections, &mut detail);
    let mut part = String::new();
    for (section, detail) in sections.iter().zip(detail) {
        if detail != SectionDetail::Nothing {
            let _ = writeln!(part, "{} {}", "#".repeat(section.level), section.heading);
        }
        if detail == SectionDetail::Text {
            part.push_str(text[section.own.clone()].trim_end());
            part.push('\n');
        }
    }
    Some(part)
}

/// How much of a section is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SectionDetail {
    Nothing,
    /// Only the heading, as the parent of shown sections.
    Heading,
    Text,
}

fn name_above(sections: &[SpecSection], detail: &mut [SectionDetail]) {
    let mut level = 0;
    for (at, heading) in sections.iter().enumerate().rev() {
        if detail[at] == SectionDetail::Text {
            level = heading.level;
        } else if heading.level < level {
            detail[at] = SectionDetail::Heading;
            level = heading.level;
        }
    }
}

/// The ids and anchors that a task refers to.
struct TaskReferences {
    ids: BTreeSet<String>,
    anchors: BTreeSet<String>,
}

impl TaskReferences {
    fn by(task: &Task) -> Self {
        let steps = task.steps.iter().flat_map(|step| [&step.name, &step.instructions]);
        let texts = [&task.title, &task.instructions].into_iter().chain(steps);
        let mut named =
            Self { ids: BTreeSet::from([task.id.to_string()]), anchors: BTreeSet::new() };
        for text in texts {
            named.ids.extend(id_words(text).filter(|word| is_id(word)).map(str::to_owned));
            named.anchors.extend(text.split(".md#").skip(1).map(|rest| {
                rest.chars().take_while(|c| c.is_alphanumeric() || *c == '-' || *c == '_').collect()
            }));
        }
        named
    }

    fn heading(&self, section: &SpecSection) -> bool {
        section.named.as_ref().is_some_and(|id| self.ids.contains(id))
            || self.anchors.contains(&section.anchor)
    }
}

/// The first word of a line. A line defines only that; other ids in it are mentions.
fn first_word(line: &str) -> Option<&str> {
    let marks = |c: char| !c.is_alphanumeric();
    let line = line.trim_start_matches(marks);
    let line = line.strip_prefix("x]").unwrap_or(line).trim_start_matches(marks);
    id_words(line).next().filter(|word| line.starts_with(word))
}

fn id_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '.' | '_')))
        .map(|word| word.trim_matches(['-', '.', '_']))
        .filter(|word| !word.is_empty())
}

/// Uppercase letters, then numbers: `FR-003`, `R1.2`, `US1`, `G2a`.
fn is_id(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = word.len() - rest.len();
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    (1..=8).contains(&letters)
        && rest.starts_with(|c: char| c.is_ascii_digit())
        && rest.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().trim().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use afresh_core::plan::{Plan, PlanDraft, TaskDraft};

    use super::*;
    use afresh_core::plan::TaskIndex;

    const SPEC: &str = "\
# Greeter
Says hello.
## Requirements
### Greeting
- **FR-001**: greets by name
### Errors
- FR-002: no name is an error, unlike FR-001
## G2: Command line
Text of it.
### Help
Details.
## Error handling
Never panics.
";

    fn part(instructions: &str) -> SpecPart {
        let task = TaskDraft {
            id: "T001".to_owned(),
            title: "t".to_owned(),
            instructions: instructions.to_owned(),
            ..TaskDraft::default()
        };
        let plan = Plan::new(PlanDraft { tasks: vec![task], ..PlanDraft::default() });
        let plan = plan.expect("a plan");
        let spec = ProjectDocument { path: "spec.md".to_owned(), text: SPEC.to_owned() };
        SpecPart::for_task(&ParsedSpec::new(spec), plan.task(TaskIndex::new(0)))
    }

    /// PR-01: sections are chosen by requirement id, by group, by reference.
    #[test]
    fn a_task_gets_the_sections_that_it_names() {
        let greeting = "# Greeter\n## Requirements\n### Greeting\n- **FR-001**: greets by name";
        assert_eq!(part("Do FR-001.").text, greeting);
        let group = "# Greeter\n## G2: Command line\nText of it.\n### Help\nDetails.";
        assert_eq!(part("Covers G2").text, group);
        let errors = "# Greeter\n## Error handling\nNever panics.";
        let referred = part("See spec.md#error-handling.");
        assert_eq!(referred.text, errors);
        assert!(!referred.whole);
    }

    /// PR-01: without a link, the task gets the whole spec; a word that only resembles an id is not a link.
    #[test]
    fn without_a_link_a_task_gets_the_whole_specification() {
        let whole = part("Write UTF-8 and FR-009.");
        assert!(whole.whole && !whole.cut);
        assert_eq!(whole.text, SPEC.trim_end());
    }

    #[test]
    fn long_text_is_cut_at_the_end_of_a_line() {
        assert_eq!(cut_at_line("one\ntwo\nthree", 9), ("one\ntwo", true));
        assert_eq!(cut_at_line("ääää", 3), ("ä", true));
        assert_eq!(cut_at_line("one\n", 3), ("one", false));
    }
}
