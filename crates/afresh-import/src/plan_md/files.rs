//! The files in a plan: separated by commas or lines, with remarks.
//!
//! `src/a.ts (new)`, `- src/b.ts — the parser`, `` `src/c.ts`:10-20 ``, `Create: src/d.ts`, ``Create
//! `a.ts` and modify `b.ts` ``. Text that is not a path is returned as prose.

use std::ops::Range;

use afresh_core::plan::{FileAction, FileDraft};

use crate::prose::paths;
use afresh_formats::text::markdown::lines::{TextLine, lines_from};

/// A file, or prose in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileMention {
    File(FileDraft, Range<usize>),
    Prose(String, Range<usize>),
}

/// The files in a part of a text.
pub fn parse(text: &str, part: &Range<usize>) -> Vec<FileMention> {
    lines_from(&text[part.clone()], part.start).flat_map(|line| parse_line(&line)).collect()
}

/// The files in a line.
pub fn parse_line(line: &TextLine) -> Vec<FileMention> {
    FileSequence::read(line.without_bullet())
        .unwrap_or_else(|| items(line).into_iter().filter_map(item).collect())
}

/// A single file in an item of a list.
pub fn parse_item(text: &str, at: &Range<usize>) -> Option<FileMention> {
    item(TextLine { text, start: at.start }).map(|named| match named {
        FileMention::File(file, _) => FileMention::File(file, at.clone()),
        FileMention::Prose(prose, _) => FileMention::Prose(prose, at.clone()),
    })
}

/// Splits a line at commas outside of brackets, braces and backticks.
fn items<'a>(line: &TextLine<'a>) -> Vec<TextLine<'a>> {
    let mut cuts = vec![0];
    let (mut depth, mut code) = (0_usize, false);
    for (at, c) in line.text.char_indices() {
        match c {
            '`' => code = !code,
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ',' | ';' if depth == 0 && !code => cuts.push(at + 1),
            _ => {}
        }
    }
    cuts.push(line.text.len() + 1);
    let part = |pair: &[usize]| line.part(&line.text[pair[0]..pair[1] - 1]);
    cuts.windows(2).map(part).collect()
}

fn item(line: TextLine) -> Option<FileMention> {
    let line = line.without_bullet();
    // `(none — checks only, nothing written)`
    if is_bracketed(line.text) {
        let words = line.text[1..].trim_start().to_ascii_lowercase();
        let none = ["none", "no ", "n/a", "nothing", "-"].iter().any(|no| words.starts_with(no));
        return (!none).then(|| FileMention::Prose(line.text.to_owned(), line.range()));
    }
    let (action, line) = leading_word(line);
    let (path, remark) = split_remark(&line);
    let path = path.trim().trim_matches(['`', '"', '\'', '*']).trim().trim_start_matches('@');
    let path = without_line_numbers(path);
    let nothing = ["", "none", "n/a", "na", "-", "—", "[]", "tbd", "null", "(none)"];
    if nothing.contains(&path.to_ascii_lowercase().as_str()) {
        return None;
    }
    let at = line.part(path).range();
    if path.contains(char::is_whitespace) && !line.text.starts_with(['`', '"', '\'']) {
        return Some(FileMention::Prose(line.text.to_owned(), line.range()));
    }
    let action = action.or_else(|| action_of(remark));
    Some(FileMention::File(FileDraft { path: path.to_owned(), action }, at))
}

/// Whether the whole text is one remark in brackets.
fn is_bracketed(text: &str) -> bool {
    let inside = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inside.is_some_and(|inside| !inside.contains(['(', ')', '/']) || inside.contains(' '))
}

/// `Create: src/a.ts`, `[NEW] src/a.ts`.
fn leading_word(line: TextLine<'_>) -> (Option<FileAction>, TextLine<'_>) {
    let bracketed = line.text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let Some((word, rest)) = bracketed.or_else(|| line.text.split_once(':')) else {
        return (None, line);
    };
    // `**Create:** a`, `**Create**: a`
    let (word, rest) = (word.trim_matches('*'), rest.trim_start_matches('*'));
    let spaced = rest.starts_with([' ', '\t']);
    match action_of(word).filter(|_| spaced && !word.contains(['/', '.'])) {
        Some(action) => (Some(action), line.part(rest.trim())),
        None => (None, line),
    }
}

/// The path and the remark after it.
fn split_remark<'a>(line: &TextLine<'a>) -> (&'a str, &'a str) {
    if let Some((path, remark)) = line.text.strip_prefix('`').and_then(|rest| rest.split_once('`'))
    {
        return (path, remark);
    }
    let ends = [" (", " — ", " – ", " - ", " # ", ": ", " → ", " <-", " ←"];
    match ends.iter().filter_map(|end| line.text.find(end)).min() {
        Some(at) => line.text.split_at(at),
        None => (line.text, ""),
    }
}

/// Files in a row, with words that say what is done to them: ``Create `a.ts` (new), modify b.ts and
/// test `c.ts` — the parser``.
struct FileSequence<'a> {
    line: TextLine<'a>,
    rest: &'a str,
    action: Option<FileAction>,
    found: Vec<(FileDraft, Range<usize>)>,
}

impl<'a> FileSequence<'a> {
    /// The files, if the line is nothing but a sequence of them and a remark at its end.
    fn read(line: TextLine<'a>) -> Option<Vec<FileMention>> {
        let mut sequence =
            Self { rest: line.text.trim_start(), line, action: None, found: Vec::new() };
        while !sequence.rest.is_empty() {
            if sequence.skip_remark() || sequence.skip_word() || sequence.take_path() {
                sequence.rest = sequence.rest.trim_start_matches([' ', '\t', ',', ';']);
            } else if sequence.ends_here() {
                break;
            } else {
                return None;
            }
        }
        let found = sequence.found.into_iter().map(|(file, at)| FileMention::File(file, at));
        Some(found.collect::<Vec<_>>()).filter(|found| !found.is_empty())
    }

    /// `(new)` after a path.
    fn skip_remark(&mut self) -> bool {
        let Some(inside) = self.rest.strip_prefix('(') else { return false };
        let (Some((remark, rest)), Some((file, _))) =
            (inside.split_once(')'), self.found.last_mut())
        else {
            return false;
        };
        file.action = file.action.or_else(|| action_of(remark));
        self.rest = rest;
        true
    }

    /// `Create`, `[NEW]`, `Test:`, `and`.
    fn skip_word(&mut self) -> bool {
        let word = self.rest.split([' ', '\t']).next().unwrap_or_default();
        let rest = &self.rest[word.len()..];
        let bare = word.trim_matches(['[', ']', '*', ':']);
        let joins = ["and", "plus", "&", "+"].contains(&bare) && !self.found.is_empty();
        let moves = ["to", "→", "->"].contains(&bare) && !self.found.is_empty();
        if joins || (moves && first_word(rest).is_some_and(is_plain_path)) {
            self.rest = rest;
            return true;
        }
        let is_word = bare.chars().all(char::is_alphabetic) && !rest.trim().is_empty();
        if !is_word || !(action_of(bare).is_some() || is_neutral_verb(bare)) {
            return false;
        }
        (self.action, self.rest) = (action_of(bare), rest);
        true
    }

    fn take_path(&mut self) -> bool {
        let spanned = self.rest.strip_prefix('`').and_then(|rest| rest.split_once('`'));
        let (path, rest) = spanned.unwrap_or_else(|| {
            let word = bare_word(self.rest).trim_end_matches(':');
            (word, &self.rest[word.len()..])
        });
        let path = path.trim();
        let quoted = spanned.is_some();
        // After a path in backticks, `:10-20` are its lines.
        let lines = rest.strip_prefix(':').map_or(0, |rest| {
            let digits = |c: char| c.is_ascii_digit() || c == '-' || c == 'L';
            rest.find(|c| !digits(c)).unwrap_or(rest.len())
        });
        let rest = if quoted && lines > 0 { &rest[1 + lines..] } else { rest };
        let path = path.trim_matches(['"', '\'', '*']).trim_start_matches('@');
        let path = without_line_numbers(path);
        if path.is_empty() || !(quoted || is_plain_path(path)) {
            return false;
        }
        let at = self.line.part(path).range();
        self.found.push((FileDraft { path: path.to_owned(), action: self.action }, at));
        self.rest = rest;
        true
    }

    /// Whether the rest is a remark about the last file.
    fn ends_here(&mut self) -> bool {
        let marks = ["—", "–", "- ", "#", ": ", "→", "->", "<-", "←"];
        let Some((file, _)) = self.found.last_mut() else { return false };
        file.action = file.action.or_else(|| action_of(self.rest));
        marks.iter().any(|mark| self.rest.starts_with(mark))
    }
}

/// The first word of a text, with spaces and commas only in brackets.
fn bare_word(text: &str) -> &str {
    let mut depth = 0_usize;
    let end = text.char_indices().find_map(|(at, c)| {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0 && matches!(c, ' ' | '\t' | ',' | ';')).then_some(at)
    });
    &text[..end.unwrap_or(text.len())]
}

fn first_word(text: &str) -> Option<&str> {
    text.split_whitespace().next().map(|word| word.trim_matches('`'))
}

/// Whether a word among others is a path: it has a directory or an extension, or is well known.
fn is_plain_path(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let has_extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !extension.is_empty()
            && extension.chars().all(|c| c.is_ascii_alphanumeric() || c == '*')
            && (!stem.is_empty() || word.contains('/') || paths::is_dot_file(name))
    });
    let dotted = word.matches('.').count() > 1 && !word.contains('/') && word.ends_with('.');
    let plain = |c: char| c.is_alphanumeric() || "._-/@+*[]{},()~:$".contains(c);
    word.chars().all(plain)
        && !dotted
        && !word.contains("//")
        && (word.contains('/') || has_extension || paths::is_path(name))
}

/// Words before a file that say nothing about what is done to it.
fn is_neutral_verb(word: &str) -> bool {
    let words = ["test", "tests", "rename", "move", "use", "touch", "file", "files"];
    words.contains(&word.to_ascii_lowercase().as_str())
}

/// The path without `:10`, `:10-20` or `:L5`.
fn without_line_numbers(path: &str) -> &str {
    match path.rsplit_once(':') {
        Some((file, numbers))
            if !numbers.is_empty()
                && numbers.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | 'L')) =>
        {
            file
        }
        _ => path,
    }
}

/// The action that a remark names.
pub(super) fn action_of(remark: &str) -> Option<FileAction> {
    let mut words = remark.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    match words.next()?.to_ascii_lowercase().as_str() {
        "new" | "create" | "created" | "creates" | "add" | "adds" | "write" => {
            Some(FileAction::Create)
        }
        "modify" | "modified" | "update" | "updated" | "edit" | "extend" | "existing"
        | "modifies" => Some(FileAction::Modify),
        "delete" | "deleted" | "remove" | "removed" => Some(FileAction::Delete),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let shown = |named| match named {
            FileMention::File(file, at) => {
                assert_eq!(&text[at], file.path);
                let action = file.action.map(|action| format!(" {action:?}")).unwrap_or_default();
                file.path + &action
            }
            FileMention::Prose(prose, _) => format!("? {prose}"),
        };
        parse(text, &(0..text.len())).into_iter().map(shown).collect()
    }

    /// FO-02: all the ways in which real plans list files.
    #[test]
    fn files_are_read_in_every_notation() {
        assert_eq!(read("src/a.ts"), ["src/a.ts"]);
        assert_eq!(read("src/a.ts, src/b.ts"), ["src/a.ts", "src/b.ts"]);
        assert_eq!(
            read("\n  src/a.ts (new)\n  - src/b.ts (modify, then test)\n"),
            ["src/a.ts Create", "src/b.ts Modify"]
        );
        assert_eq!(read("`src/a.ts`, `b c.ts` — new"), ["src/a.ts", "b c.ts Create"]);
        assert_eq!(read("src/{a,b}.ts, src/**/*.ts"), ["src/{a,b}.ts", "src/**/*.ts"]);
        assert_eq!(
            read("Create: src/a.ts\n[DELETE] src/b.ts"),
            ["src/a.ts Create", "src/b.ts Delete"]
        );
        assert_eq!(read("1. src/a.ts:10-20\n2. src/b.ts - parser"), ["src/a.ts", "src/b.ts"]);
        assert_eq!(read("src/a.ts: new file"), ["src/a.ts Create"]);
        assert_eq!(read("None"), Vec::<String>::new());
        assert_eq!(read("(none)"), Vec::<String>::new());
        assert_eq!(read("(none — checks only, nothing written)"), Vec::<String>::new());
        assert_eq!(read("(no files, only a decision)"), Vec::<String>::new());
        assert_eq!(read("(see the plan, then decide)"), ["? (see the plan, then decide)"]);
        assert_eq!(read(""), Vec::<String>::new());
        assert_eq!(read("whatever is needed"), ["? whatever is needed"]);
        assert_eq!(read("Create a.gd"), ["a.gd Create"]);
        assert_eq!(read("Create `a.gd`"), ["a.gd Create"]);
        assert_eq!(
            read("- Modify: `src/a.py:123-145`\n- Test: `tests/test_a.py`\n- Create: b.py"),
            ["src/a.py Modify", "tests/test_a.py", "b.py Create"]
        );
        assert_eq!(
            read("Create `a.gd` and `b.gd`, modify c.gd (the player) and test `d.gd` — all"),
            ["a.gd Create", "b.gd Create", "c.gd Modify", "d.gd"]
        );
        assert_eq!(read("`a.ts` `b.ts`"), ["a.ts", "b.ts"]);
        assert_eq!(read("src/a.ts (new) and src/b.ts"), ["src/a.ts Create", "src/b.ts"]);
        assert_eq!(read("Rename a.gd to b.gd"), ["a.gd", "b.gd"]);
        assert_eq!(read("`a.ts` → exports b"), ["a.ts"]);
        assert_eq!(read("Create the parser"), ["? Create the parser"]);
        assert_eq!(
            read("src/app/[slug]/page.tsx, src/(auth)/a.ts"),
            ["src/app/[slug]/page.tsx", "src/(auth)/a.ts"]
        );
    }
}
