//! What of a specification belongs to a task.
//!
//! A task and a section belong together by a requirement's id (`FR-003`, `G2`, `R1.2`) that the
//! section defines and the task names, by the task's own id, or by a reference
//! (`spec.md#error-handling`). Without such a link the whole specification belongs to every task.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use afresh_core::plan::Task;
use afresh_formats::text::markdown::{Heading, headings, lines};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bundle::briefing::ProjectDocument;

/// How much of a specification one worker is given, in bytes.
pub const MAX_SPEC_BYTES: usize = 32 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpecPart {
    pub file: String,
    pub text: String,
    /// Nothing was left out because it belongs to other tasks.
    pub whole: bool,
    /// It was too long; there is more of it in the file.
    pub cut: bool,
}

/// A specification, read once for all tasks of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedSpec {
    document: ProjectDocument,
    sections: Vec<SpecSection>,
}

/// One heading and what stands right below it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SpecSection {
    level: usize,
    heading: String,
    anchor: String,
    /// The id that the heading begins with, if it is one.
    named: Option<String>,
    /// What its lines begin with: the ids that it may define.
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
        let (text, cut) = bounded(text, MAX_SPEC_BYTES);
        Self { file: spec.document.path.clone(), text: text.to_owned(), whole, cut }
    }
}

/// The beginning of a text, up to the end of a line; is there more?
pub fn bounded(text: &str, most_bytes: usize) -> (&str, bool) {
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

/// The sections that a task names, with the headings above them; none where it names none.
fn chosen(spec: &ParsedSpec, task: &Task) -> Option<String> {
    let (text, sections) = (&spec.document.text, &spec.sections);
    let named = TaskReferences::by(task);
    let mut told = vec![SectionDetail::Nothing; sections.len()];
    for (at, section) in sections.iter().enumerate() {
        if named.heading(section) {
            let below = sections[at..].iter().skip(1).take_while(|next| next.level > section.level);
            told[at..=at + below.count()].fill(SectionDetail::Text);
        } else if named.ids.iter().any(|id| section.defines.contains(id)) {
            told[at] = SectionDetail::Text;
        }
    }
    if !told.contains(&SectionDetail::Text) {
        return None;
    }
    name_above(sections, &mut told);
    let mut part = String::new();
    for (section, told) in sections.iter().zip(told) {
        if told != SectionDetail::Nothing {
            let _ = writeln!(part, "{} {}", "#".repeat(section.level), section.heading);
        }
        if told == SectionDetail::Text {
            part.push_str(text[section.own.clone()].trim_end());
            part.push('\n');
        }
    }
    Some(part)
}

/// How much of a section is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SectionDetail {
    Nothing,
    /// So that one knows where the sections below it belong.
    Heading,
    Text,
}

fn name_above(sections: &[SpecSection], told: &mut [SectionDetail]) {
    let mut level = 0;
    for (at, heading) in sections.iter().enumerate().rev() {
        if told[at] == SectionDetail::Text {
            level = heading.level;
        } else if heading.level < level {
            told[at] = SectionDetail::Heading;
            level = heading.level;
        }
    }
}

/// What a task names.
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

/// What a line begins with: only that is what it defines; what it mentions belongs to others.
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

/// Capital letters, then numbers: `FR-003`, `R1.2`, `US1`, `G2a`.
fn is_id(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = word.len() - rest.len();
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    (1..=8).contains(&letters)
        && rest.starts_with(|c: char| c.is_ascii_digit())
        && rest.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))
}

/// A heading's name in links, as code hosts make it.
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

    /// PR-01: by requirement id, by group, by reference.
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

    /// PR-01: without a link, the whole specification; a word that only looks like an id is none.
    #[test]
    fn without_a_link_a_task_gets_the_whole_specification() {
        let whole = part("Write UTF-8 and FR-009.");
        assert!(whole.whole && !whole.cut);
        assert_eq!(whole.text, SPEC.trim_end());
    }

    #[test]
    fn what_is_too_long_ends_with_a_whole_line() {
        assert_eq!(bounded("one\ntwo\nthree", 9), ("one\ntwo", true));
        assert_eq!(bounded("ääää", 3), ("ä", true));
        assert_eq!(bounded("one\n", 3), ("one", false));
    }
}
