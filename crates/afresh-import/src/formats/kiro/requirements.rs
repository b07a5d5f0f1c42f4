//! requirements.md and bugfix.md: the criteria that tasks cite as `_Requirements: 1.2, 3.1_`.

use std::collections::BTreeMap;

use crate::prose::leading_number;
use afresh_formats::text::markdown::{TextLine, headings, items, lines_from};

/// Labels of citations in a task's notes.
const LABELS: &[&str] = &["requirements", "validates: requirements", "requirement"];

/// The requirements by number: `2` for all of one, `2.3` for its third criterion.
#[derive(Debug, Default)]
pub(super) struct KiroRequirements {
    by_id: BTreeMap<String, String>,
}

/// A citation, and where it stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KiroCitation<'a> {
    pub(super) id: TextLine<'a>,
}

impl KiroRequirements {
    pub(super) fn read(text: &str) -> Self {
        let mut found = Self::default();
        for heading in headings(text) {
            let number = heading.text.strip_prefix("Requirement ").and_then(leading_number);
            let Some((number, _)) = number else { continue };
            let body = text[heading.body.clone()].trim();
            found.by_id.insert(number.to_owned(), format!("{}\n{body}", heading.text));
            let mut count = 0;
            for item in items(text, heading.body.clone()).iter().filter(|item| item.indent < 3) {
                let line_start = text[..item.text.start].rfind('\n').map_or(0, |at| at + 1);
                let mark = text[line_start..item.text.start].trim();
                if !mark.ends_with('.') || !mark.starts_with(|c: char| c.is_ascii_digit()) {
                    continue;
                }
                count += 1;
                // Some write `1.2` themselves.
                let own = leading_number(item.text.text).filter(|(id, _)| id.contains('.'));
                let id = own.map_or_else(|| format!("{number}.{count}"), |(id, _)| id.to_owned());
                let whole = text[item.whole()].trim().to_owned();
                found.by_id.entry(id).or_insert(whole);
            }
        }
        // `1.1 WHEN …` without a bullet.
        for line in lines_from(text, 0) {
            let bare = line.text.trim().trim_start_matches(['-', '*', ' ']);
            if let Some((id, _)) = leading_number(bare).filter(|(id, _)| id.contains('.')) {
                found.by_id.entry(id.to_owned()).or_insert_with(|| bare.to_owned());
            }
        }
        found
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub(super) fn get(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).map(String::as_str)
    }
}

/// The requirements that a task cites. `All` and other words cite nothing in particular.
pub(super) fn citations<'a>(text: &TextLine<'a>) -> Vec<KiroCitation<'a>> {
    let mut found = Vec::new();
    for line in lines_from(text.text, text.start) {
        let bare = line.part(line.text.trim().trim_start_matches(['-', ' ', '_', '*']));
        let lower = bare.text.to_ascii_lowercase();
        let Some(label) = LABELS.iter().find(|label| lower.starts_with(*label)) else { continue };
        for word in bare.text[label.len()..].split(|c: char| c.is_whitespace() || ",;:".contains(c))
        {
            let word = word.trim_matches(['_', '*', '.', '(', ')']);
            let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            if !word.is_empty() && word.split('.').all(number) {
                found.push(KiroCitation { id: bare.part(word) });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_are_found_by_the_numbers_that_tasks_cite() {
        let text = "### Requirement 2: Delete\n**User Story:** As a user\n#### Acceptance Criteria\n1. WHEN a THEN b\n2. IF c THEN d\n";
        let found = KiroRequirements::read(text);
        assert_eq!(found.get("2.2"), Some("IF c THEN d"));
        assert!(found.get("2").is_some_and(|whole| whole.contains("As a user")));
        let bugs = KiroRequirements::read("### Expected Behavior (Correct)\n2.1 WHEN x THEN y\n");
        assert_eq!(bugs.get("2.1"), Some("2.1 WHEN x THEN y"));
        let note =
            TextLine { text: "- [ ] 1.1 Do\n    - _Requirements: 1.2, 3.1, All_\n", start: 0 };
        let ids: Vec<&str> = citations(&note).iter().map(|cited| cited.id.text).collect();
        assert_eq!(ids, ["1.2", "3.1"]);
    }
}
