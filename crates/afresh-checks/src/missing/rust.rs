//! What cargo and rustc do not find.

use super::lines::FailedOutput;
use super::{MissingKind, MissingShape, MissingThing, between, find_by_shape, shape};
use crate::command::InvokedTool;

const SHAPES: &[MissingShape] = &[
    shape(MissingKind::CargoTest, "error: no test target named `", "`"),
    shape(MissingKind::CargoTest, "error: no test target matches pattern `", "`"),
    shape(MissingKind::CargoBin, "error: no bin target named `", "`"),
    shape(MissingKind::CargoBin, "error: no bin target matches pattern `", "`"),
    shape(MissingKind::CargoExample, "error: no example target named `", "`"),
    shape(MissingKind::CargoBench, "error: no bench target named `", "`"),
    shape(
        MissingKind::CargoPackage,
        "error: package ID specification `",
        "` did not match any packages",
    ),
    shape(MissingKind::CargoPackage, "error: package `", "` not found in workspace"),
    shape(MissingKind::CargoPackage, "error: package(s) `", "` not found in workspace"),
    shape(MissingKind::CargoPackage, "error: no matching package named `", "` found"),
    shape(MissingKind::Program, "error: no such command: `", "`"),
    shape(MissingKind::Configuration, "error: could not find `", "` in `"),
    shape(MissingKind::Configuration, "error: manifest path `", "` does not exist"),
    shape(
        MissingKind::Configuration,
        "error: cannot create the lock file ",
        " because --locked was passed",
    ),
];

/// How many lines after an error can name its cause.
const MAX_CAUSES: usize = 12;

pub(super) fn find_missing(failed: &FailedOutput<'_>) -> Vec<MissingThing> {
    let tools = [InvokedTool::Cargo, InvokedTool::CargoTest, InvokedTool::Nextest];
    let lines = failed.lines_of(&tools);
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let thing = find_by_shape(line, SHAPES)
            .or_else(|| find_target(line))
            .or_else(|| find_manifest(line, &lines[at + 1..]))
            .or_else(|| find_module(line, &lines[at + 1..]));
        found.extend(thing);
    }
    found
}

fn find_target(line: &str) -> Option<MissingThing> {
    let file = |name| Some(MissingThing::new(MissingKind::File, name));
    match line {
        "error: a bin target must be available for `cargo run`" => return file("src/main.rs"),
        "  either src/lib.rs, src/main.rs, a [lib] section, or [[bin]] section must be present" => {
            return file("src/lib.rs");
        }
        _ => {}
    }
    if line.starts_with("error: no library targets found in package") {
        return file("src/lib.rs");
    }
    // error: can't find bin `x` at path `/w/src/bin/x.rs`
    if let Some((_, path)) = line.strip_prefix("error: can't find ")?.split_once(" at path `") {
        return file(path.trim_end_matches('`'));
    }
    None
}

/// A manifest that cannot be read, and features that are not in one.
fn find_manifest(line: &str, following: &[String]) -> Option<MissingThing> {
    if let Some(path) = between(line, "  failed to read `", "`") {
        let mut causes = following.iter().take(MAX_CAUSES).map(|line| line.trim());
        let cause = causes.find(|line| line.starts_with("No such file"));
        return cause.map(|_| MissingThing::new(MissingKind::File, path));
    }
    let rest = line
        .strip_prefix("error: the package '")
        .or(line.strip_prefix("error: none of the selected "))?;
    let (_, name) = rest.split_once("this feature: ").or(rest.split_once("these features: "))?;
    Some(MissingThing::new(MissingKind::CargoFeature, name.trim_end_matches(['.', ' '])))
}

/// Modules of the code: it is not complete, but the check runs.
fn find_module(line: &str, following: &[String]) -> Option<MissingThing> {
    let place = following.first().and_then(|line| line.trim_start().strip_prefix("--> "));
    let file = place.and_then(|place| place.split(':').next()).unwrap_or_default();
    let new = |name: &str| MissingThing::by_code(MissingKind::RustModule, name).named_in(file);
    if let Some(name) = between(line, "error[E0583]: file not found for module `", "`") {
        return Some(new(name));
    }
    if let Some(name) = between(line, "error[E0432]: unresolved import `", "`") {
        return Some(new(name));
    }
    // The wording has changed several times, the label not: ^^^^^ could not find `greet` in `demo`
    if line.starts_with("error[E0433]: ") {
        let label =
            following.iter().take(6).find_map(|line| line.split_once("^ could not find `"))?.1;
        let (name, rest) = label.split_once("` in ")?;
        let outer = rest.trim_matches('`');
        return Some(new(&format!("{}::{name}", outer.replace("the crate root", "crate"))));
    }
    let path = between(line, "error: couldn't read `", "`: No such file or directory")?;
    Some(MissingThing::by_code(MissingKind::File, path))
}
