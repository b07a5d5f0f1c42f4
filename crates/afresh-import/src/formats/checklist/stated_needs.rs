//! Lines that say what a task waits for: `**Depends on:** Task 1`, `- Blocked by: #2, #3`.

use std::ops::Range;

use crate::prose::outside_brackets;
use afresh_formats::text::markdown::TextLine;

/// Labels of dependencies on tasks.
const PLAIN: &[&str] =
    &["depends on", "depends", "dependencies", "dependency", "blocked by", "depends upon"];
/// Labels that may be about something else: `Requires: Python 3.11`.
const VAGUE: &[&str] =
    &["requires", "required", "needs", "prerequisites", "prerequisite", "after", "waits for"];

/// Texts of a line without dependencies.
const NOTHING: &[&str] = &["-", "—", "–", "none", "n/a", "na", "nothing", "no dependencies"];
/// Phrases that mean all tasks before.
const ALL: &[&str] = &["all previous", "all prior", "all preceding", "all earlier", "all above"];

/// The most dependencies that one task may state.
const MAX_NAMES: usize = 500;

/// What a task says about its dependencies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StatedNeeds {
    pub(super) names: Vec<StatedName>,
    /// All tasks before it.
    pub(super) all_before: bool,
    /// It says that there are none.
    pub(super) nothing: bool,
}

/// The name of another task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatedName {
    pub(super) text: String,
    pub(super) at: Range<usize>,
    /// Whether it can only be meant as a task.
    pub(super) clarity: NameClarity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameClarity {
    Clear,
    /// Ignored if there is no such task.
    Vague,
}

impl StatedNeeds {
    /// Reads the lines of a task; none if no line is about dependencies.
    pub(super) fn read<'a>(lines: impl Iterator<Item = TextLine<'a>>) -> Option<Self> {
        let mut stated = Self::default();
        let mut open: Option<NameClarity> = None;
        for line in lines {
            let bare = without_bullet(&line);
            if let Some((clarity, rest)) = labelled(&bare) {
                // The names may be a list below the label.
                open = rest.text.is_empty().then_some(clarity);
                stated.add(&rest, clarity);
                continue;
            }
            // A box is a step.
            let is_box = ["[ ]", "[x]", "[X]"].iter().any(|mark| bare.text.starts_with(mark));
            let is_item = bare.start > line.start && !bare.text.is_empty() && !is_box;
            match open {
                Some(clarity) if is_item => stated.add(&bare, clarity),
                Some(_) if bare.text.is_empty() => {}
                _ => open = None,
            }
        }
        let says_something = stated.nothing || stated.all_before || !stated.names.is_empty();
        says_something.then_some(stated)
    }

    /// `Title (depends on Task 1)`
    pub(super) fn read_title(title: &TextLine<'_>) -> Option<Self> {
        let inside = title.text.split(['(', '[']).skip(1);
        let inside = inside.filter_map(|part| part.split([')', ']']).next());
        Self::read(inside.map(|part| title.part(part)))
    }

    fn add(&mut self, line: &TextLine<'_>, clarity: NameClarity) {
        for part in outside_brackets(line) {
            let lower = part.text.trim().trim_matches(['.', '*', '_', '`']).to_lowercase();
            if NOTHING.contains(&lower.as_str()) || lower.starts_with("none") {
                self.nothing = true;
                continue;
            }
            if lower == "all" || ALL.iter().any(|phrase| lower.starts_with(phrase)) {
                self.all_before = true;
                continue;
            }
            for piece in pieces(&part) {
                if self.names.len() < MAX_NAMES {
                    self.names.extend(names(&piece, clarity));
                }
            }
        }
    }
}

/// The line without bullets, quote marks, heading marks and emphasis in front.
fn without_bullet<'a>(line: &TextLine<'a>) -> TextLine<'a> {
    line.part(
        line.text.trim_start_matches([' ', '\t', '-', '*', '+', '>', '#', '_', '`']).trim_end(),
    )
}

/// The text after a label: `Depends on:** Task 1`, `Depends on Task 1`.
fn labelled<'a>(bare: &TextLine<'a>) -> Option<(NameClarity, TextLine<'a>)> {
    let find = |labels: &[&'static str]| {
        let starts = |label: &&&str| {
            bare.text.get(..label.len()).is_some_and(|front| front.eq_ignore_ascii_case(label))
        };
        labels.iter().filter(starts).max_by_key(|label| label.len()).copied()
    };
    let (clarity, label) = match (find(PLAIN), find(VAGUE)) {
        (Some(label), _) => (NameClarity::Clear, label),
        (None, Some(label)) => (NameClarity::Vague, label),
        (None, None) => return None,
    };
    let after = bare.text[label.len()..].trim_start_matches([' ', '*', '_', '`']);
    let (clarity, rest) = match after.strip_prefix(':') {
        Some(rest) => (clarity, rest),
        // `Depends on Task 1` is a sentence, and so is `Dependencies are installed`.
        None if after.is_empty() => (clarity, after),
        None if is_verb(label) && bare.text[label.len()..].starts_with([' ', '*']) => {
            (NameClarity::Vague, after)
        }
        None => return None,
    };
    Some((clarity, bare.part(rest.trim_matches([' ', '*', '_', '`', '\t']))))
}

/// Whether names may follow without a colon.
fn is_verb(label: &str) -> bool {
    !["dependenc", "prerequisite", "required"].iter().any(|noun| label.starts_with(noun))
}

/// Splits at commas and at words such as `and`.
fn pieces<'a>(part: &TextLine<'a>) -> Vec<TextLine<'a>> {
    part.text
        .split([',', ';', '&', '+'])
        .flat_map(|piece| piece.split(" and "))
        .map(|piece| part.part(piece.trim().trim_start_matches("and ").trim_matches(EDGES)))
        .filter(|piece| !piece.text.is_empty())
        .collect()
}

const EDGES: [char; 9] = [' ', '*', '_', '`', '[', ']', '"', '.', '\''];

/// The names in a piece; `Tasks 1-3` are three.
fn names(piece: &TextLine<'_>, clarity: NameClarity) -> Vec<StatedName> {
    let name = |text: String, clarity| StatedName { text, at: piece.range(), clarity };
    let lower = piece.text.to_lowercase();
    let is_task = ["task", "#"].iter().any(|front| lower.starts_with(front));
    let clarity = if is_task { NameClarity::Clear } else { clarity };
    let rest = ["tasks", "task"].iter().find_map(|word| lower.strip_prefix(word));
    let rest = rest.unwrap_or(&lower).trim_start_matches([' ', '#', '-', '_']);
    let bounds = ["-", "–", "—", " to ", " through ", "..", "…"].iter().find_map(|sign| {
        let (from, to) = rest.split_once(sign)?;
        let to = to.trim().trim_start_matches(['#', ' ']).trim_start_matches("task").trim();
        Some((from.trim().parse::<u16>().ok()?, to.parse::<u16>().ok()?))
    });
    match bounds {
        Some((from, to)) if from < to && usize::from(to - from) < MAX_NAMES => {
            (from..=to).map(|number| name(number.to_string(), NameClarity::Clear)).collect()
        }
        _ => vec![name(piece.text.to_owned(), clarity)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        let lines = afresh_formats::text::markdown::lines::lines_from(text, 0);
        let stated = StatedNeeds::read(lines)?;
        let mut words: Vec<String> = stated.names.iter().map(|name| name.text.clone()).collect();
        words.extend(stated.nothing.then(|| "nothing".to_owned()));
        words.extend(stated.all_before.then(|| "all".to_owned()));
        Some(words.join("|"))
    }

    /// FO-10: every usual way to write a dependency is read.
    #[test]
    fn dependencies_are_read_in_every_notation() {
        for (text, expected) in [
            ("**Depends on:** Task 1", "Task 1"),
            ("**Depends on**: Task 1", "Task 1"),
            ("Depends on: Task 1 (the parser), Task 2.", "Task 1|Task 2"),
            ("- **Dependencies:** #1, #2 and #3", "#1|#2|#3"),
            ("  * _Blocked by:_ T001", "T001"),
            ("> Requires: Task 2, Task 3", "Task 2|Task 3"),
            ("- Depends on Task 4", "Task 4"),
            ("DEPENDENCIES: Tasks 1-3", "1|2|3"),
            ("**Dependencies:** Tasks 1 through 2 & 5", "1|2|5"),
            ("#### Dependencies\n\n- Task 1\n- \"Parse it\"\n\nMore text", "Task 1|Parse it"),
            ("**Dependencies:** None", "nothing"),
            ("**Dependencies:** None (first task)", "nothing"),
            ("**Depends on:** all previous tasks", "all"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["It depends on luck", "Dependency injection", "**Dependencies:**\n\ntext", ""]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
