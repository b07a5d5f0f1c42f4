//! What make does not find.

use super::lines::FailedOutput;
use super::{MissingKind, MissingThing, between};
use crate::command::InvokedTool;

pub(super) fn find_missing(failed: &FailedOutput<'_>) -> Vec<MissingThing> {
    failed.lines_of(&[InvokedTool::Make]).iter().filter_map(|line| read_line(line)).collect()
}

/// `make[1]: *** No rule to make target 'x', needed by 'all'.  Stop.`
fn read_line(line: &str) -> Option<MissingThing> {
    let (program, message) = line.split_once(": *** ")?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || "[]".contains(c));
    if !matches!(program, "make" | "gmake") {
        return None;
    }
    let message = message.strip_suffix("  Stop.")?;
    if message == "No targets specified and no makefile found." {
        return Some(MissingThing::new(MissingKind::Configuration, "Makefile"));
    }
    if let Some(name) = message.strip_suffix(": No such file or directory.") {
        return Some(MissingThing::new(MissingKind::File, name));
    }
    let name = between(message, "No rule to make target '", "'");
    let name = name.or_else(|| between(message, "No rule to make target `", "'"))?;
    Some(MissingThing::new(MissingKind::MakeTarget, name))
}
