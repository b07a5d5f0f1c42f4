//! What Maven and javac do not find.

use super::lines::FailedOutput;
use super::{MissingKind, MissingThing, between};
use crate::command::InvokedTool;
use crate::runners::without_level;

pub(super) fn find_missing(failed: &FailedOutput<'_>) -> Vec<MissingThing> {
    let lines = failed.lines_of(&[InvokedTool::Maven]);
    let mut found = Vec::new();
    let mut is_symbol = false;
    for line in lines {
        let message = without_level(line).unwrap_or(line);
        found.extend(read_line(message));
        // `symbol:   class Greet`, after `cannot find symbol`
        let symbol = message.trim_start().strip_prefix("symbol:").map(str::trim_start);
        let symbol = symbol.filter(|_| is_symbol).and_then(|symbol| symbol.split_once(' '));
        if let Some((kind @ ("class" | "variable"), name)) = symbol {
            let is_class = kind == "class" || name.starts_with(char::is_uppercase);
            found.extend(is_class.then(|| MissingThing::by_code(MissingKind::JavaClass, name)));
        }
        is_symbol = message.ends_with("cannot find symbol");
    }
    found
}

fn read_line(message: &str) -> Option<MissingThing> {
    if message.contains("requires a project to execute but there is no POM in this directory") {
        return Some(MissingThing::new(MissingKind::Configuration, "pom.xml"));
    }
    if let Some(name) = message.strip_prefix("Could not find the selected project in the reactor: ")
    {
        let name = name.split(" -> ").next().unwrap_or(name);
        return Some(MissingThing::new(MissingKind::MavenModule, name.trim_start_matches(':')));
    }
    // `/w/src/main/java/demo/A.java:[3,17] package demo.greet does not exist`
    let (place, error) = message.split_once("] ")?;
    let name = between(error, "package ", " does not exist")?;
    let file = place.split_once(":[")?.0;
    Some(MissingThing::by_code(MissingKind::JavaClass, name).named_in(file))
}
