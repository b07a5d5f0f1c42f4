//! Tasker's spec, and the lines of it that tasks refer to.

use std::ops::Range;

use afresh_formats::text::markdown::{headings, lines};

#[derive(Debug, Default)]
pub(super) struct TaskerSpec {
    text: String,
}

impl TaskerSpec {
    pub(super) fn new(text: String) -> Self {
        Self { text }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The sections with the lines of a reference such as `line 3` or `spec.md:10-14`. `None` if it is not
    /// such a reference.
    pub(super) fn lines_around(&self, reference: &str) -> Option<String> {
        let wanted = line_numbers(reference)?;
        let bytes = self.bytes(&wanted)?;
        let headings = headings(&self.text);
        let before = 0..headings.first().map_or(self.text.len(), |first| first.at.start);
        let mut part = String::new();
        if overlap(&before, &bytes) {
            part.push_str(self.text[before].trim_end_matches(['#', ' ']));
        }
        for heading in headings {
            if overlap(&(heading.at.start..heading.own.end), &bytes) {
                let own = self.text[heading.own.clone()].trim_end();
                part = format!("{part}{} {}\n{own}\n", "#".repeat(heading.level), heading.text);
            }
        }
        Some(part).filter(|part| !part.trim().is_empty())
    }

    /// The byte range of these lines.
    fn bytes(&self, wanted: &Range<usize>) -> Option<Range<usize>> {
        let mut found = lines(&self.text)
            .skip(wanted.start - 1)
            .take(wanted.len())
            .map(|line| (line.start, line.end()));
        let (start, end) = found.next()?;
        Some(start..found.last().map_or(end, |(_, last)| last).max(start + 1))
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// `line 3`, `lines 3-9`, `L3-L9`, `spec.md:3`; counted from 1.
fn line_numbers(reference: &str) -> Option<Range<usize>> {
    let words = reference.trim().to_lowercase();
    let words = words.rsplit_once(".md").map_or(words.as_str(), |(_, rest)| rest);
    let words = words.trim_start_matches([':', '#', ',', ' ']);
    let words = ["lines", "line", "l"].iter().find_map(|word| words.strip_prefix(word)).unwrap_or(
        // A number alone is ambiguous.
        if reference.contains(".md:") { words } else { "" },
    );
    let (first, rest) = number(words.trim_start())?;
    let rest = rest.trim_start();
    if rest.is_empty() {
        return Some(first..first + 1);
    }
    let rest = rest.strip_prefix(['-', '–']).or_else(|| rest.strip_prefix("to"))?.trim_start();
    let (last, rest) = number(rest.strip_prefix('l').unwrap_or(rest))?;
    (rest.trim().is_empty() && last >= first).then(|| first..last.saturating_add(1))
}

fn number(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = text[..end].parse().ok().filter(|number| *number > 0)?;
    Some((number, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PR-01: a reference by line gives the sections that contain the lines, and nothing else.
    #[test]
    fn a_reference_by_line_gives_its_sections() {
        let spec = TaskerSpec::new(
            "# Links\nShort ones.\n## Codes\nSeven.\n## Store\nA file.\n".to_owned(),
        );
        for reference in
            ["line 4", "Lines 3-4", "L3-L4", "inputs/spec.md:4", "spec.md lines 3 to 4"]
        {
            let part = spec.lines_around(reference);
            assert_eq!(part.as_deref(), Some("## Codes\nSeven.\n"), "{reference}");
        }
        let two = spec.lines_around("lines 4–6");
        assert_eq!(two.as_deref(), Some("## Codes\nSeven.\n## Store\nA file.\n"));
        for other in
            ["Codes have seven characters", "line 99", "4", "lines 5-3", "see line 4 of it"]
        {
            assert_eq!(spec.lines_around(other), None, "{other}");
        }
        assert_eq!(
            TaskerSpec::new("one\ntwo".to_owned()).lines_around("line 2").as_deref(),
            Some("one\ntwo")
        );
    }
}
