//! Programs that start the program they are given: `env`, `timeout`, `sh -c`.

use super::commands::{SimpleCommand, enter};

/// What a command starts besides itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unwrapped {
    /// The command, without what was wrapped around it.
    Itself,
    /// Nothing but this command line.
    Line(String),
    /// Itself, and these commands: `find -exec`.
    Starts(Vec<Vec<String>>),
}

/// A program that starts the command in its arguments.
struct WrapperSyntax {
    program: &'static str,
    /// Options whose value is the next word.
    valued: &'static [&'static str],
    /// Words between the options and the command.
    positional: usize,
}

const fn wrapper(program: &'static str, valued: &'static [&'static str]) -> WrapperSyntax {
    WrapperSyntax { program, valued, positional: 0 }
}

const WRAPPERS: &[WrapperSyntax] = &[
    wrapper("env", &["-u", "--unset", "-C", "--chdir"]),
    WrapperSyntax {
        program: "timeout",
        valued: &["-s", "--signal", "-k", "--kill-after"],
        positional: 1,
    },
    WrapperSyntax {
        program: "gtimeout",
        valued: &["-s", "--signal", "-k", "--kill-after"],
        positional: 1,
    },
    wrapper("nice", &["-n", "--adjustment"]),
    wrapper("ionice", &["-c", "-n", "-p"]),
    wrapper("nohup", &[]),
    wrapper("time", &["-f", "-o"]),
    wrapper("exec", &["-a"]),
    wrapper("command", &[]),
    wrapper("builtin", &[]),
    wrapper("setsid", &[]),
    wrapper("stdbuf", &["-i", "-o", "-e"]),
    wrapper("sudo", &["-u", "-g", "-C", "-D"]),
    wrapper("doas", &["-u"]),
    wrapper("chronic", &[]),
    wrapper("unbuffer", &[]),
    wrapper("xvfb-run", &["-n", "-s", "-e", "-f", "-w"]),
    wrapper(
        "xargs",
        &["-n", "-I", "-P", "-d", "-L", "-a", "-s", "-E", "--max-args", "--max-procs"],
    ),
];

const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"];

/// Takes away what is wrapped around a command.
pub(super) fn unwrap_command(command: &mut SimpleCommand, document: Option<String>) -> Unwrapped {
    take_assignments(command);
    while let Some(rest) = inside_wrapper(command) {
        command.words.drain(..rest);
        take_assignments(command);
    }
    let program = command.program();
    if program == "eval" && command.words.len() > 1 {
        return Unwrapped::Line(command.words[1..].join(" "));
    }
    if SHELLS.contains(&program) {
        return match shell_input(&command.words) {
            ShellInput::Line(line) => Unwrapped::Line(line),
            ShellInput::Stdin => document.map_or(Unwrapped::Itself, Unwrapped::Line),
            ShellInput::File => Unwrapped::Itself,
        };
    }
    if program == "find" || program == "fd" {
        let others = executed_by_find(&command.words);
        if !others.is_empty() {
            return Unwrapped::Starts(others);
        }
    }
    Unwrapped::Itself
}

/// `NAME=value` before the program.
fn take_assignments(command: &mut SimpleCommand) {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let assigned = |word: &String| {
        let (name, value) = word.split_once('=')?;
        is_name(name).then(|| (name.to_owned(), value.to_owned()))
    };
    let found: Vec<_> = command.words.iter().map_while(assigned).collect();
    command.words.drain(..found.len());
    command.assignments.extend(found);
}

/// How many words come before the command inside, if the program is a wrapper with one.
fn inside_wrapper(command: &mut SimpleCommand) -> Option<usize> {
    let program = command.program();
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.program == program)?;
    // `command -v x` asks whether there is such a program.
    let asks = |word: &String| matches!(word.as_str(), "-v" | "-V");
    if program == "command" && command.words.get(1).is_some_and(asks) {
        return None;
    }
    let mut at = 1;
    let mut directory = None;
    while let Some(option) = command.words.get(at).filter(|word| word.starts_with('-')) {
        at += 1;
        match option.as_str() {
            "--" => break,
            "-C" | "--chdir" if program == "env" => directory = command.words.get(at).cloned(),
            _ => {}
        }
        at += usize::from(wrapper.valued.contains(&option.as_str()));
    }
    at += wrapper.positional;
    if directory.is_some() {
        command.directory = enter(command.directory.as_deref(), directory.as_deref());
    }
    (at < command.words.len()).then_some(at)
}

/// Where a shell reads its commands from.
enum ShellInput {
    Line(String),
    File,
    Stdin,
}

fn shell_input(words: &[String]) -> ShellInput {
    let mut rest = words[1..].iter().map(String::as_str).peekable();
    // `busybox sh -c …`
    rest.next_if(|word| words[0].ends_with("busybox") && SHELLS.contains(word));
    let mut line_follows = false;
    while let Some(option) = rest.next_if(|word| word.starts_with(['-', '+']) && word.len() > 1) {
        if option == "--" {
            break;
        }
        if option.starts_with("--") {
            continue;
        }
        line_follows |= option.starts_with('-') && option.contains('c');
        // `-o pipefail`, `-euo pipefail`
        if option.ends_with('o') {
            rest.next();
        }
    }
    match rest.next() {
        Some(line) if line_follows => ShellInput::Line(line.to_owned()),
        Some("-") | None => ShellInput::Stdin,
        Some(_) => ShellInput::File,
    }
}

/// The commands after `-exec` and its like, up to `;` or `+`.
fn executed_by_find(words: &[String]) -> Vec<Vec<String>> {
    let starts = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
    let mut found = Vec::new();
    let mut rest = words;
    while let Some(at) = rest.iter().position(|word| starts.contains(&word.as_str())) {
        let inner = &rest[at + 1..];
        let end = inner.iter().position(|word| matches!(word.as_str(), ";" | "+"));
        let end = end.unwrap_or(inner.len());
        found.push(inner[..end].to_vec());
        rest = &inner[end..];
    }
    found.retain(|words| !words.is_empty());
    found
}
