//! Makefiles and justfiles: targets with well-known names.

use crate::project::{CheckKind, ProjectCheck, ProjectDir, ProjectStack};

const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];
const JUSTFILES: &[&str] = &["justfile", "Justfile", ".justfile"];
/// Well-known target names, preferred ones first.
const WORDS: &[(CheckKind, &[&str])] = &[
    (CheckKind::Test, &["test", "tests", "check"]),
    (CheckKind::Build, &["build", "all"]),
    (CheckKind::Lint, &["lint"]),
];

pub(crate) fn stacks(place: &ProjectDir<'_>) -> Vec<ProjectStack> {
    [maker(place, "Make", MAKEFILES, "make"), maker(place, "just", JUSTFILES, "just")]
        .into_iter()
        .flatten()
        .collect()
}

fn maker(
    place: &ProjectDir<'_>,
    name: &'static str,
    files: &[&str],
    program: &str,
) -> Option<ProjectStack> {
    let file = place.first(files)?;
    let targets = targets(place.text(file));
    let checks: Vec<ProjectCheck> = WORDS
        .iter()
        .filter_map(|(kind, words)| {
            let word = words.iter().find(|word| targets.contains(*word))?;
            Some(ProjectCheck { kind: *kind, command: format!("{program} {word}") })
        })
        .collect();
    Some(ProjectStack { name, file: file.to_owned(), setup: vec![], checks, keep: vec![] })
}

/// The names before a colon at the start of a line, except in `name := value`.
fn targets(text: &str) -> Vec<&str> {
    let rules = text.lines().filter(|line| !line.starts_with(['\t', ' ', '#', '.', '@']));
    let heads = rules.filter_map(|line| {
        let (head, rest) = line.split_once(':')?;
        (!rest.starts_with('=') && !head.contains('=')).then_some(head)
    });
    heads.flat_map(str::split_whitespace).collect()
}
