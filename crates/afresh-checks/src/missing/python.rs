//! What Python and its tools do not find.

use super::lines::FailedOutput;
use super::{MissingKind, MissingShape, MissingThing, NeededBy, between, find_by_shape, shape};
use crate::command::{CalledTool, InvokedTool, is_python};

const PYTEST: &[MissingShape] = &[
    shape(MissingKind::File, "ERROR: file or directory not found: ", ""),
    shape(MissingKind::PythonModule, "ERROR: module or package not found: ", " "),
    shape(MissingKind::Configuration, "ERROR: Config file '", "' not found"),
    shape(MissingKind::PythonModule, "ERROR: Error importing plugin \"", "\": No module named"),
];

pub(super) fn find_missing(failed: &FailedOutput<'_>) -> Vec<MissingThing> {
    let tools = [InvokedTool::Pytest, InvokedTool::Unittest, InvokedTool::Python];
    let lines = failed.lines_of(&tools);
    let mut found: Vec<MissingThing> = lines.iter().filter_map(|line| read_line(line)).collect();
    found.extend(find_modules(lines).into_iter().map(|thing| {
        if is_argument(&thing, failed) {
            MissingThing { needed_by: NeededBy::Check, ..thing }
        } else {
            thing
        }
    }));
    found.extend(find_unittest_names(lines, failed));
    found.extend(find_by_ruff(failed.lines_of(&[InvokedTool::Ruff])));
    found
}

fn read_line(line: &str) -> Option<MissingThing> {
    // Where output is verbose, this line has no end yet.
    let line = line.strip_prefix("collecting ... ").unwrap_or(line);
    if let Some(found) = find_by_shape(line, PYTEST) {
        return Some(found);
    }
    if let Some(name) = line.strip_prefix("ERROR: not found: ") {
        let kind = if name.contains("::") { MissingKind::Test } else { MissingKind::File };
        return Some(MissingThing::new(kind, name));
    }
    let start = line.strip_prefix("ImportError: Start directory is not importable: ");
    if let Some(name) = start {
        return Some(MissingThing::new(MissingKind::File, name.trim_matches(['\'', '"'])));
    }
    let (program, message) = line.split_once(": ")?;
    if !is_python(program.rsplit('/').next().unwrap_or(program)) {
        return None;
    }
    if let Some(name) = between(message, "can't open file '", "': [Errno 2]") {
        return Some(MissingThing::new(MissingKind::File, name));
    }
    // `No module named app.__main__; 'app' is a package and cannot be directly executed`
    let name = message.strip_prefix("No module named ")?;
    let name = name.split(';').next().unwrap_or(name);
    Some(MissingThing::new(MissingKind::PythonModule, name.trim_matches('\'')))
}

/// Whether the command itself names the file.
fn is_argument(thing: &MissingThing, failed: &FailedOutput<'_>) -> bool {
    let mut words = failed.command.calls.iter().flat_map(CalledTool::arguments);
    words.any(|word| *word == thing.name || thing.name.ends_with(&format!("/{word}")))
}

/// The modules that could not be imported, where that ended a program, or the collection of tests.
fn find_modules(lines: &[String]) -> Vec<MissingThing> {
    let is_unittest =
        lines.iter().any(|line| line.starts_with("ImportError: Failed to import test module: "));
    let mut found = Vec::new();
    let mut last = None;
    for line in lines {
        // pytest marks the lines of an error.
        let collected = line.strip_prefix("E   ").map(str::trim_start);
        if let Some(thing) = collected.and_then(read_import_error) {
            found.push(thing);
        } else if let Some(thing) = read_import_error(line) {
            if is_unittest {
                found.push(thing);
            } else {
                last = Some(thing);
            }
        } else if is_exception(line) {
            // What ended the program is the last one.
            last = None;
        }
    }
    found.extend(last);
    found
}

/// `ModuleNotFoundError: No module named 'app.greet'; 'app' is not a package`.
fn read_import_error(line: &str) -> Option<MissingThing> {
    if let Some(name) = between(line, "ModuleNotFoundError: No module named '", "'") {
        return Some(MissingThing::new(MissingKind::PythonModule, name));
    }
    let path = line.strip_prefix("FileNotFoundError: [Errno 2] No such file or directory: ")?;
    let path =
        path.strip_prefix("PosixPath(").and_then(|path| path.strip_suffix(')')).unwrap_or(path);
    Some(MissingThing::by_code(MissingKind::File, path.trim_matches(['\'', '"'])))
}

/// `AssertionError: 1 != 2`, at the start of a line.
fn is_exception(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or(line);
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_name = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte));
    is_name
        && ["Error", "Exception", "Exit", "Interrupt"].iter().any(|ending| last.ends_with(ending))
}

/// `AttributeError: type object 'T' has no attribute 'test_x'` where unittest loads the names of the command.
fn find_unittest_names(lines: &[String], failed: &FailedOutput<'_>) -> Vec<MissingThing> {
    let mut found = Vec::new();
    let mut is_loading = false;
    for line in lines {
        if line.starts_with("ERROR: ") {
            is_loading = line.contains("unittest.loader._FailedTest");
        }
        let attribute = line.strip_prefix("AttributeError: ").filter(|_| is_loading);
        let Some((_, attribute)) =
            attribute.and_then(|rest| rest.split_once(" has no attribute '"))
        else {
            continue;
        };
        let ending = format!(".{}", attribute.trim_end_matches('\''));
        let words = failed.command.calls.iter().flat_map(|call| &call.words);
        let name = words.filter(|word| word.contains(&ending)).max_by_key(|word| word.len());
        found.extend(name.map(|name| MissingThing::new(MissingKind::Test, name)));
    }
    found
}

/// `E902 No such file or directory (os error 2)`, then `--> nothere.py:1:1`.
fn find_by_ruff(lines: &[String]) -> Vec<MissingThing> {
    let mut found = Vec::new();
    let mut is_missing = false;
    for line in lines {
        if let Some((place, _)) = line.split_once(": E902 No such file or directory") {
            found.push(file_of(place));
        } else if let Some(place) = line.trim_start().strip_prefix("--> ").filter(|_| is_missing) {
            found.push(file_of(place));
        } else if let Some(path) = between(line, "  Cause: Failed to parse `", "`: No such file") {
            found.push(MissingThing::new(MissingKind::Configuration, path));
        } else if let Some(path) =
            between(line, "The path `", "` does not point to a configuration file")
        {
            found.push(MissingThing::new(MissingKind::Configuration, path));
        }
        is_missing = line.starts_with("E902 No such file or directory")
            || (line.starts_with("io: ")
                && line.contains(": No such file or directory (os error 2)"));
    }
    found
}

/// The file in `nothere.py:1:1`.
fn file_of(place: &str) -> MissingThing {
    MissingThing::new(MissingKind::File, place.split(':').next().unwrap_or(place))
}
