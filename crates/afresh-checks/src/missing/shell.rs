//! What the shell and common programs do not find.

use super::lines::FailedOutput;
use super::{MissingKind, MissingThing, NeededBy, between};
use crate::command::{InvokedTool, PLAIN};

const NO_FILE: &str = "No such file or directory";

pub(super) fn find_missing(failed: &FailedOutput<'_>) -> Vec<MissingThing> {
    // The shell that runs the command is always there, but tests print such lines too.
    let lines = failed.lines_of(&[InvokedTool::Plain]);
    let lines = if lines.is_empty() { failed.all().collect() } else { borrow(lines) };
    let find = |line: &str| {
        shell_message(line)
            .and_then(|message| read_shell(message, failed))
            .map(|missing| place_in_script(missing, line, failed))
            .or_else(|| read_launcher(line, failed))
            .or_else(|| read_program(line, failed))
    };
    lines.into_iter().filter_map(find).collect()
}

fn borrow(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

/// What follows `sh: 1: `, `bash: line 1: `, `./check.sh: line 3: `.
pub(crate) fn shell_message(line: &str) -> Option<&str> {
    let (first, rest) = line.split_once(": ")?;
    if first.is_empty() || first.contains(char::is_whitespace) {
        return None;
    }
    let numbered = rest.strip_prefix("line ").unwrap_or(rest);
    if let Some((number, message)) = numbered.split_once(": ")
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Some(message);
    }
    is_shell(first).then_some(rest)
}

/// A line that starts with a script is about something inside it: the check itself could be started.
fn place_in_script(missing: MissingThing, line: &str, failed: &FailedOutput<'_>) -> MissingThing {
    let speaker = line.split(": ").next().unwrap_or_default();
    if is_shell(speaker) || failed.command.names_program(&missing.name) {
        return missing;
    }
    MissingThing { needed_by: NeededBy::Code, ..missing }.named_in(speaker)
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    matches!(name, "sh" | "bash" | "dash" | "ash" | "ksh" | "zsh")
}

/// `nothere: not found`, `cd: can't cd to nothere`, `./x.sh: Permission denied`.
fn read_shell(message: &str, failed: &FailedOutput<'_>) -> Option<MissingThing> {
    let message = message.strip_prefix("exec: ").unwrap_or(message);
    for ending in [": command not found", ": inaccessible or not found", ": not found"] {
        if let Some(name) = message.strip_suffix(ending) {
            let is_own = failed.code == 127 || failed.command.names_program(name);
            return is_own.then(|| missing_program(name));
        }
    }
    if let Some(name) = message.strip_suffix(": cannot execute: required file not found") {
        return Some(MissingThing::new(MissingKind::File, name));
    }
    for ending in [": Permission denied", ": Is a directory"] {
        if let Some(name) = message.strip_suffix(ending).filter(|_| failed.code == 126) {
            return Some(MissingThing::new(MissingKind::NotExecutable, name));
        }
    }
    let file = message
        .strip_prefix("cd: can't cd to ")
        .or_else(|| between(message, "cannot open ", ": No such file"))
        .or_else(|| between(message, ".: cannot open ", ": No such file"))
        .or_else(|| between(message, "cd: ", ": No such file or directory"))
        .or_else(|| message.strip_suffix(": No such file or directory"))?;
    (!file.contains(": ")).then(|| MissingThing::new(MissingKind::File, file))
}

fn missing_program(name: &str) -> MissingThing {
    let kind = if name.contains('/') { MissingKind::File } else { MissingKind::Program };
    MissingThing::new(kind, name)
}

/// `env: ‘nothere’: No such file or directory`, `make: nothere: No such file or directory`: with code 127.
fn read_launcher(line: &str, failed: &FailedOutput<'_>) -> Option<MissingThing> {
    if failed.code != 127 {
        return None;
    }
    let (program, message) = line.split_once(": ")?;
    if !matches!(
        program,
        "env" | "timeout" | "nice" | "nohup" | "xargs" | "make" | "stdbuf" | "setsid"
    ) {
        return None;
    }
    let message = message.strip_suffix(NO_FILE)?.strip_suffix(": ")?;
    let name = message.strip_prefix("failed to run command ").unwrap_or(message);
    Some(missing_program(without_quotes(name)))
}

/// `grep: src/a.py: No such file or directory`, `ls: cannot access 'a': No such file or directory`.
fn read_program(line: &str, failed: &FailedOutput<'_>) -> Option<MissingThing> {
    let (program, message) = line.split_once(": ")?;
    let is_own = failed.command.names_program(program)
        || (failed.command.is_opaque() && failed.code == code_of(program));
    if !is_own || !(PLAIN.contains(&program) || program == "make") {
        return None;
    }
    let message = message.strip_suffix(NO_FILE).and_then(|rest| rest.strip_suffix(": "));
    let message = message
        .or_else(|| line.split_once(": ")?.1.strip_suffix(" (No such file or directory)"))?;
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let message = message.strip_prefix("fatal: ").unwrap_or(message);
    let message = message.strip_suffix(" for reading").unwrap_or(message);
    let message = message.strip_suffix(": Cannot open").unwrap_or(message);
    let verbs = [
        "cannot access ",
        "cannot open file ",
        "cannot open ",
        "cannot statx ",
        "cannot stat ",
        "cannot read: ",
        "cannot remove ",
        "can't read ",
        "Could not open file ",
        "can't open ",
    ];
    let name = verbs.iter().find_map(|verb| message.strip_prefix(verb)).unwrap_or(message);
    let name = without_quotes(name);
    // Anything longer is a sentence.
    (!name.contains(": ") && !name.is_empty()).then(|| MissingThing::new(MissingKind::File, name))
}

/// With which code a program ends if a file is missing.
fn code_of(program: &str) -> i32 {
    match program {
        "grep" | "egrep" | "fgrep" | "rg" | "ls" | "diff" | "cmp" | "sed" | "sort" | "awk"
        | "gawk" | "mawk" | "jq" | "tar" => 2,
        _ => 1,
    }
}

fn without_quotes(name: &str) -> &str {
    name.trim_matches(['\'', '"', '‘', '’', '`'])
}

/// What is missing although nothing says so: a program that is not named, or the file of a quiet `grep`.
pub(super) fn find_silently(failed: &FailedOutput<'_>) -> Vec<MissingThing> {
    let calls = &failed.command.calls;
    match (failed.code, calls.as_slice()) {
        // The command says itself how it ends.
        (126 | 127, [.., last]) if matches!(last.program.as_str(), "exit" | "return") => Vec::new(),
        (126 | 127, [.., last]) => {
            let kind =
                if failed.code == 126 { MissingKind::NotExecutable } else { MissingKind::Program };
            // `command -v nothere`
            let asks = matches!(last.program.as_str(), "command" | "hash" | "type");
            let asked = last.arguments().last().filter(|_| asks);
            vec![MissingThing::new(kind, asked.unwrap_or(&last.program))]
        }
        (2, [call]) if matches!(call.program.as_str(), "grep" | "egrep" | "fgrep" | "rg") => {
            if failed.all().any(|line| !line.trim().is_empty()) {
                return Vec::new();
            }
            let last = call.arguments().last().filter(|word| !word.starts_with('-'));
            last.map(|name| MissingThing::new(MissingKind::File, name)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
