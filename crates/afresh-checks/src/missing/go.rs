//! What go does not find.

use super::lines::FailedOutput;
use super::{MissingKind, MissingThing, between};
use crate::command::InvokedTool;

pub(super) fn find_missing(failed: &FailedOutput<'_>) -> Vec<MissingThing> {
    let lines = failed.lines_of(&[InvokedTool::Go, InvokedTool::GoTest]);
    let found = lines.iter().filter_map(|line| read_line(line));
    found.map(|thing| name_files(thing, failed)).collect()
}

/// What is missing in a directory that exists are the files: `greet/*.go`.
fn name_files(thing: MissingThing, failed: &FailedOutput<'_>) -> MissingThing {
    let Some(directory) = thing.name.strip_suffix("/*.go") else { return thing };
    let words = failed.command.calls.iter().flat_map(|call| &call.words);
    let mut packages = words.map(|word| word.trim_start_matches("./").trim_end_matches('/'));
    let package =
        packages.find(|word| !word.is_empty() && directory.ends_with(&format!("/{word}")));
    let name = package.map_or_else(|| "*.go".to_owned(), |package| format!("{package}/*.go"));
    MissingThing { name, ..thing }
}

fn read_line(line: &str) -> Option<MissingThing> {
    let without_module = ["go: go.mod file not found", "go: cannot find main module"];
    if without_module.iter().any(|start| line.starts_with(start))
        || (line.starts_with("pattern ") && line.contains("does not contain main module"))
    {
        return Some(MissingThing::new(MissingKind::Configuration, "go.mod"));
    }
    let file = |name: &str| Some(MissingThing::new(MissingKind::File, name));
    if let Some(rest) = line.strip_prefix("stat ") {
        let endings = [": directory not found", ": no such file or directory"];
        return file(endings.iter().find_map(|ending| rest.strip_suffix(ending))?);
    }
    if let Some((_, rest)) =
        line.strip_prefix("pattern ").and_then(|rest| rest.split_once(": lstat "))
    {
        return file(rest.strip_suffix(": no such file or directory")?);
    }
    if let Some(directory) = line.strip_prefix("no Go files in ") {
        return file(&format!("{}/*.go", directory.trim_end_matches('/')));
    }
    // `imp/i_test.go:3:8: package x/greet is not in std (/usr/lib/go/src/x/greet)`
    let (place, message) = match line.split_once(": ") {
        Some((place, message)) if is_place(place) => (Some(place), message),
        _ => (None, line),
    };
    let name = between(message, "package ", " is not in std (")
        .or_else(|| between(message, "package ", " is not in GOROOT ("))
        .or_else(|| between(message, "cannot find module providing package ", ":"))
        .or_else(|| between(message, "no required module provides package ", ";"))
        .or_else(|| between(message, "no required module provides package ", ":"))
        .or_else(|| between(message, "cannot find package \"", "\""))?;
    Some(match place.and_then(|place| place.split(':').next()) {
        // A package that a file imports is part of the code; one that the command names is not.
        Some(file) => MissingThing::by_code(MissingKind::GoPackage, name).named_in(file),
        None => MissingThing::new(MissingKind::GoPackage, name),
    })
}

/// `imp/i_test.go:3:8`.
fn is_place(text: &str) -> bool {
    let mut parts = text.split(':');
    parts.next().and_then(|file| file.strip_suffix(".go")).is_some()
        && parts.all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}
