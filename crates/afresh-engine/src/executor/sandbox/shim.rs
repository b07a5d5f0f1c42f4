//! What the text of a start script names: its interpreter, and programs by their path.
//!
//! A guess by design: a path that is missed is not readable inside the sandbox, and `afresh doctor` reports that the
//! program does not start there.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The longest script that is read.
const MAX_BYTES: u64 = 64 * 1024;
/// The most paths that are taken from it.
const MAX_WORDS: usize = 50;

/// A path in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathWord<'t> {
    Absolute(&'t str),
    /// After `~/` or `$HOME/`.
    BelowHome(&'t str),
    /// After any other variable, which usually holds the script's own directory.
    BesideScript(&'t str),
}

/// The text of a file that begins with `#!`; none for other files.
pub(crate) fn script_text(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok().filter(|file| {
        file.metadata().is_ok_and(|found| found.is_file() && found.len() <= MAX_BYTES)
    })?;
    let mut start = [0; 2];
    file.read_exact(&mut start).ok()?;
    let mut text = String::new();
    (start == *b"#!").then_some(())?;
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(format!("#!{text}"))
}

/// The program of the first line; that of `env`, if that is the first.
pub(crate) fn interpreter(text: &str) -> Option<&str> {
    let mut words = text.lines().next()?.strip_prefix("#!")?.split_whitespace();
    let first = words.next()?;
    if !first.ends_with("/env") {
        return Some(first);
    }
    words.find(|word| !word.starts_with('-') && !word.contains('='))
}

/// All words that look like paths, except those of comments.
pub(crate) fn path_words(text: &str) -> impl Iterator<Item = PathWord<'_>> {
    let lines = text.lines().skip(1).filter(|line| !line.trim_start().starts_with('#'));
    let ends = |c: char| c.is_whitespace() || "\"'`;|&()<>=,[]".contains(c);
    let words = lines.flat_map(move |line| line.split(ends)).filter(|word| word.contains('/'));
    words.filter_map(path_word).take(MAX_WORDS)
}

fn path_word(word: &str) -> Option<PathWord<'_>> {
    for home in ["~/", "$HOME/", "${HOME}/"] {
        if let Some(rest) = word.strip_prefix(home) {
            return Some(PathWord::BelowHome(rest));
        }
    }
    if word.starts_with('/') {
        return Some(PathWord::Absolute(word));
    }
    let rest = word.strip_prefix('$')?.split_once('/')?.1;
    Some(PathWord::BesideScript(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_and_paths_are_found() {
        assert_eq!(interpreter("#!/usr/bin/env -S A=1 node --x\n"), Some("node"));
        assert_eq!(interpreter("#! /opt/x/python -u\n"), Some("/opt/x/python"));
        assert_eq!(interpreter("echo"), None);
        let text = "#!/bin/sh\n# /not/this\nexec node \"$basedir/../x/cli.js\" \"$@\"\n\
                    A=${HOME}/t/run; ~/b /c/d\n";
        let found: Vec<_> = path_words(text).collect();
        let expected = [
            PathWord::BesideScript("../x/cli.js"),
            PathWord::BelowHome("t/run"),
            PathWord::BelowHome("b"),
            PathWord::Absolute("/c/d"),
        ];
        assert_eq!(found, expected);
    }
}
