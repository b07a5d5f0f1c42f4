//! What make does not find.

use super::lines::FailedOutput;
use super::{MissingKind, MissingThing, between};
use crate::command::InvokedTool;

pub(super) fn find_missing(failed: &FailedOutput<'_>) -> Vec<MissingThing> {
    let found = failed.lines_of(&[InvokedTool::Make]).iter().filter_map(|line| read_line(line));
    // make takes a makefile that is missing for a target that has to be built.
    let as_file = |thing: MissingThing| {
        let is_makefile = thing.kind == MissingKind::MakeTarget
            && makefiles(failed).any(|makefile| makefile == thing.name);
        if is_makefile { MissingThing::new(MissingKind::File, &thing.name) } else { thing }
    };
    found.map(as_file).collect()
}

/// The values of `-f`.
fn makefiles<'a>(failed: &'a FailedOutput<'_>) -> impl Iterator<Item = &'a str> {
    let calls = failed.command.calls.iter().filter(|call| call.tool == InvokedTool::Make);
    calls.flat_map(|call| {
        let words = call.words.iter().map(String::as_str);
        let named = words.clone().zip(words.clone().skip(1));
        let separate = named
            .filter(|(option, _)| matches!(*option, "-f" | "--file" | "--makefile"))
            .map(|(_, file)| file);
        let joined = words.filter_map(|word| {
            let long = word.strip_prefix("--file=").or_else(|| word.strip_prefix("--makefile="));
            long.or_else(|| word.strip_prefix("-f").filter(|file| !file.is_empty()))
        });
        separate.chain(joined)
    })
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
