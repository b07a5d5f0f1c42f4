//! Parts of documents that tools keep up to date: labelled lines, counts, bars, cells of tables; and lists of what was
//! done.

use std::fmt::Write as _;
use std::ops::Range;

use afresh_formats::text::markdown::{
    FenceTracker, Frontmatter, Heading, LineKind, TextLine, headings, lines,
};

use super::edits::PlanEdits;
use super::finished::{MarkedTask, code_span, one_line};

/// A file that is edited, with its text.
pub(super) struct EditedDocument<'e> {
    pub(super) file: String,
    pub(super) text: String,
    pub(super) edits: &'e mut PlanEdits,
}

impl EditedDocument<'_> {
    /// Replaces the values of the lines with this label within a range: `Status: x`, `- **Status:** x`.
    pub(super) fn set_label(
        &mut self,
        within: &Range<usize>,
        label: &str,
        value: impl Fn(&str) -> Option<String>,
    ) {
        for (at, old) in labelled(&self.text, within, label) {
            if let Some(new) = value(&old).filter(|new| *new != old) {
                self.edits.replace(&self.file, at, new);
            }
        }
    }

    /// Replaces the value of a key of the frontmatter, at any depth, if it has it.
    pub(super) fn set_key(&mut self, key: &str, value: &str) {
        if let Some(at) = frontmatter_value(&self.text, key)
            && self.text[at.clone()] != *value
        {
            self.edits.replace(&self.file, at, value);
        }
    }

    /// Replaces the value of the line with this label that tells the state: the first one of the sections that tools
    /// keep up to date; without such a section, the only one of the document.
    pub(super) fn set_state(&mut self, label: &str, value: impl Fn(&str) -> Option<String>) {
        let found = labelled(&self.text, &(0..self.text.len()), label);
        let sections = kept_sections(&self.text);
        let is_kept = |at: &Range<usize>| sections.iter().any(|kept| kept.contains(&at.start));
        let chosen = match found.as_slice() {
            [only] if sections.is_empty() => Some(only),
            all => all.iter().find(|(at, _)| is_kept(at)),
        };
        if let Some((at, old)) = chosen
            && let Some(new) = value(old).filter(|new| new != old)
        {
            self.edits.replace(&self.file, at.clone(), new);
        }
    }
}

/// Sections of a state that tools keep up to date.
const KEPT_SECTIONS: &[&str] = &["current position", "progress", "performance metrics"];

/// The text of these sections, without their parts that have headings of their own.
fn kept_sections(text: &str) -> Vec<Range<usize>> {
    let comments = comment_ranges(text);
    let is_kept = |one: &Heading<'_>| {
        KEPT_SECTIONS.iter().any(|name| one.text.trim().eq_ignore_ascii_case(name))
            && !is_within(&comments, one.at.start)
    };
    headings(text).into_iter().filter(is_kept).map(|one| one.own).collect()
}

/// The comments `<!-- … -->`, outside of code. One that is never closed goes to the end.
pub(super) fn comment_ranges(text: &str) -> Vec<Range<usize>> {
    let mut fences = FenceTracker::within(text, 0..text.len());
    let mut found: Vec<Range<usize>> = Vec::new();
    for line in lines(text) {
        let is_text = fences.kind(&line) == LineKind::Text;
        let mut from = found.last().map_or(0, |last| last.end).max(line.start);
        while from < line.end() {
            let Some(at) = text[from..line.end()].find("<!--").map(|at| from + at) else { break };
            let in_code = text[line.start..at].matches('`').count() % 2 == 1;
            if !is_text || in_code {
                from = at + 4;
                continue;
            }
            let end = text[at..].find("-->").map_or(text.len(), |end| at + end + 3);
            found.push(at..end);
            from = end;
        }
    }
    found
}

pub(super) fn is_within(ranges: &[Range<usize>], at: usize) -> bool {
    ranges.iter().any(|range| range.contains(&at))
}

/// The values of lines with a label, outside of code and comments.
fn labelled(text: &str, within: &Range<usize>, label: &str) -> Vec<(Range<usize>, String)> {
    let comments = comment_ranges(text);
    let mut fences = FenceTracker::within(text, 0..text.len());
    let is_text = |line: &TextLine<'_>| fences.kind(line) == LineKind::Text;
    let in_range = |line: &TextLine<'_>| within.start <= line.start && line.start < within.end;
    let value = |line: TextLine<'_>| {
        let bare = line.text.trim_start_matches([' ', '\t', '-', '*']);
        let rest = bare.strip_prefix(label)?.trim_start_matches('*').strip_prefix(':')?;
        let value = rest.trim_start_matches('*').split("<!--").next().unwrap_or_default().trim();
        let found = line.part(value);
        let is_shown = !value.is_empty() && !is_within(&comments, found.start);
        is_shown.then(|| (found.range(), value.to_owned()))
    };
    lines(text).filter(is_text).filter(in_range).filter_map(value).collect()
}

/// The place of a plain value in the frontmatter.
fn frontmatter_value(text: &str, key: &str) -> Option<Range<usize>> {
    let block = Frontmatter::first(text)?;
    let of_block = lines(text).filter(|line| block.at.contains(&line.start));
    of_block.into_iter().find_map(|line| {
        let value = line.text.trim_start().strip_prefix(key)?.strip_prefix(':')?.trim();
        // A comment is the person's.
        let value = value.split(" #").next().unwrap_or(value).trim_end();
        (!value.is_empty()).then(|| line.part(value).range())
    })
}

/// `1/3 plans`: with another first number, where that is what the text has.
pub(super) fn with_count(text: &str, done: usize) -> Option<String> {
    let slash = text.find('/')?;
    let start = text[..slash].trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let has_both = start < slash && text[slash + 1..].starts_with(|c: char| c.is_ascii_digit());
    has_both.then(|| format!("{}{done}{}", &text[..start], &text[slash..]))
}

/// `2 of 3`: with other numbers.
pub(super) fn with_position(text: &str, done: usize, total: usize) -> Option<String> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text[digits(text)..].strip_prefix(" of ")?;
    let has_both = digits(text) > 0 && digits(rest) > 0;
    has_both.then(|| format!("{done} of {total}{}", &rest[digits(rest)..]))
}

/// `[████░░░░░░] 40%`: as wide as the bar that is there.
pub(super) fn with_bar(text: &str, done: usize, total: usize) -> Option<String> {
    let start = text.find('[')?;
    let end = start + text[start..].find(']')?;
    let width = text[start + 1..end].chars().count();
    let is_bar = width > 0 && text[start + 1..end].chars().all(|c| "█▓▒░ =>-#.".contains(c));
    if !is_bar {
        return None;
    }
    let filled = (width * done + total / 2).checked_div(total).unwrap_or(0);
    let bar = format!("{}{}", "█".repeat(filled), "░".repeat(width - filled));
    let rest = &text[end + 1..];
    let number = rest.find(|c: char| c.is_ascii_digit());
    let rest = match number {
        Some(at) => {
            let digits = rest[at..].bytes().take_while(u8::is_ascii_digit).count();
            let has_sign = rest[at + digits..].starts_with('%');
            let number = percent(done, total).to_string();
            let number = if has_sign { number.as_str() } else { &rest[at..at + digits] };
            format!("{}{number}{}", &rest[..at], &rest[at + digits..])
        }
        None => rest.to_owned(),
    };
    Some(format!("{}[{bar}]{rest}", &text[..start]))
}

pub(super) fn percent(done: usize, total: usize) -> usize {
    (done * 100).checked_div(total).unwrap_or(0)
}

/// The changed files as a list.
pub(super) fn list_files(task: &MarkedTask) -> String {
    let mut text = String::new();
    for (paths, action) in
        [(&task.created, "created"), (&task.modified, "modified"), (&task.deleted, "deleted")]
    {
        for path in paths {
            let _ = writeln!(text, "- {} - {action}", code_span(path));
        }
    }
    if text.is_empty() { "None\n".to_owned() } else { text }
}

/// The checks that passed as a table.
pub(super) fn list_checks(task: &MarkedTask) -> String {
    if task.checks.is_empty() {
        return "No command checked it.\n".to_owned();
    }
    let mut text = "| Check | Result |\n|-------|--------|\n".to_owned();
    for check in &task.checks {
        // A bar would end the cell, even inside code.
        let command = code_span(&check.command).replace('|', "\\|");
        let took = check.took.map(|took| format!(" ({:.1} s)", took.as_secs_f64()));
        let _ = writeln!(text, "| {command} | passed{} |", took.unwrap_or_default());
    }
    text
}

/// What the worker did besides its task.
pub(super) fn list_deviations(task: &MarkedTask) -> String {
    let mut text = String::new();
    for deviation in &task.claim.deviations {
        let rule = match deviation.rule {
            0 => String::new(),
            rule => format!("[Rule {rule}] "),
        };
        let _ = writeln!(text, "- {rule}{}", one_line(&deviation.description));
    }
    if text.is_empty() { "None\n".to_owned() } else { text }
}

/// Paths as a YAML list in one line.
pub(super) fn yaml_list(paths: &[String]) -> String {
    let quoted: Vec<String> =
        paths.iter().map(|path| serde_json::Value::from(path.as_str()).to_string()).collect();
    format!("[{}]", quoted.join(", "))
}

/// The empty line that separates added lines from the end of a text.
pub(super) fn gap_after(text: &str) -> &'static str {
    match text {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_bars_keep_their_shape() {
        assert_eq!(with_count("0/3 plans executed", 2).as_deref(), Some("2/3 plans executed"));
        assert_eq!(with_count("3 plans", 2), None);
        assert_eq!(
            with_position("1 of 3 in current phase", 2, 4).as_deref(),
            Some("2 of 4 in current phase")
        );
        assert_eq!(with_bar("[░░░░░░░░░░] 0%", 1, 3).as_deref(), Some("[███░░░░░░░] 33%"));
        assert_eq!(with_bar("[██░░] 50% done", 4, 4).as_deref(), Some("[████] 100% done"));
        assert_eq!(with_bar("[link](x)", 4, 4), None);
    }
}
