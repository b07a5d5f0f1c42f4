//! Commands that a tool does not understand: unknown options, unknown subcommands, invalid settings.
//!
//! Only the tools that we know count: a program of the project that does not know an option yet is what a check may
//! well be about.

use crate::command::InvokedTool;
use crate::missing::lines::FailedOutput;
use crate::missing::shell_message;

/// The line with which a tool refuses the command.
pub(crate) fn find_usage_error(failed: &FailedOutput<'_>) -> Option<String> {
    let finders: [fn(&FailedOutput<'_>) -> Option<String>; 8] = [
        find_by_clap,
        find_by_python,
        find_by_javascript,
        find_by_go,
        find_by_make,
        find_by_maven,
        find_by_program,
        find_by_shell,
    ];
    finders.iter().find_map(|find| find(failed))
}

fn first_line(lines: &[String], is_error: impl Fn(&str) -> bool) -> Option<String> {
    lines.iter().find(|line| is_error(line)).map(|line| line.trim().to_owned())
}

fn starts_with_any(line: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| line.starts_with(start))
}

/// cargo, nextest and ruff: `error: unexpected argument '--nope' found`, then `Usage: cargo test …`.
fn find_by_clap(failed: &FailedOutput<'_>) -> Option<String> {
    let tools =
        [InvokedTool::Cargo, InvokedTool::CargoTest, InvokedTool::Nextest, InvokedTool::Ruff];
    let lines = failed.lines_of(&tools);
    let starts = [
        "error: unexpected argument ",
        "error: unrecognized subcommand ",
        "error: invalid value ",
        "error: the argument ",
        "error: a value is required for ",
        "error: the following required arguments ",
        "error: Unrecognized option: ",
    ];
    let is_own = lines.iter().any(|line| {
        starts_with_any(
            line,
            &["Usage: cargo", "Usage: ruff", "error: test failed, to rerun pass "],
        ) || line.as_str() == "For more information, try '--help'."
            && failed.command.starts(InvokedTool::Ruff)
    });
    if is_own && let Some(error) = first_line(lines, |line| starts_with_any(line, &starts)) {
        return Some(error);
    }
    if let Some(at) = lines.iter().position(|line| line == "ruff failed") {
        let cause = lines.get(at + 1).map(|line| line.trim().to_owned());
        return Some(cause.unwrap_or_else(|| "ruff failed".to_owned()));
    }
    first_line(lines, |line| line == "error: failed to parse filterset")
}

fn find_by_python(failed: &FailedOutput<'_>) -> Option<String> {
    let lines = failed.lines_of(&[InvokedTool::Pytest, InvokedTool::Unittest, InvokedTool::Python]);
    let starts = ["pytest: error: ", "__main__.py: error: ", "py.test: error: "];
    let refusal = first_line(lines, |line| {
        starts_with_any(line, &starts)
            || line.contains("-m unittest: error: ") && line.starts_with("python")
    });
    // Everything that pytest ends with code 4 is about its command line or its configuration.
    let is_pytest = failed.command.starts(InvokedTool::Pytest) && failed.code == 4;
    refusal.or_else(|| {
        is_pytest.then(|| first_line(lines, |line| line.starts_with("ERROR: "))).flatten()
    })
}

fn find_by_javascript(failed: &FailedOutput<'_>) -> Option<String> {
    let node = [InvokedTool::Node, InvokedTool::NodeTest];
    let runners = [InvokedTool::Jest, InvokedTool::Vitest, InvokedTool::Mocha];
    let bad_option =
        first_line(failed.lines_of(&node), |line| line.starts_with("node: bad option: "));
    let refused = bad_option.or_else(|| {
        first_line(failed.lines_of(&runners), |line| {
            starts_with_any(
                line,
                &["  Unrecognized option \"", "CACError: ", "✖ ERROR: ", "  Option \""],
            )
        })
    });
    refused
        .or_else(|| find_by_eslint(failed))
        .or_else(|| find_by_tsc(failed))
        .or_else(|| find_by_npm(failed))
}

fn find_by_eslint(failed: &FailedOutput<'_>) -> Option<String> {
    let lines = failed.lines_of(&[InvokedTool::Eslint]);
    let starts =
        ["Invalid option '", "There was a problem loading formatter: ", "All files matched by '"];
    let refused = first_line(lines, |line| starts_with_any(line, &starts));
    refused.or_else(|| {
        let start = lines.iter().position(|line| line == "Oops! Something went wrong! :(")?;
        first_line(&lines[start + 1..], |line| !line.is_empty() && !line.starts_with("ESLint: "))
    })
}

/// Errors of tsc without a place are about its options: `error TS5023: Unknown compiler option '--nope'.`
fn find_by_tsc(failed: &FailedOutput<'_>) -> Option<String> {
    let lines = failed.lines_of(&[InvokedTool::Tsc]);
    first_line(lines, |line| starts_with_any(line, &["error TS5", "error TS6"]))
}

fn find_by_npm(failed: &FailedOutput<'_>) -> Option<String> {
    if !failed.command.starts(InvokedTool::Npm) {
        return None;
    }
    let lines = failed.lines_of(&[InvokedTool::Npm]);
    first_line(lines, |line| {
        starts_with_any(line, &["Unknown command: \"", "npm error code EUSAGE"])
    })
}

fn find_by_go(failed: &FailedOutput<'_>) -> Option<String> {
    let lines = failed.lines_of(&[InvokedTool::Go, InvokedTool::GoTest]);
    first_line(lines, |line| {
        line.starts_with("flag provided but not defined: ")
            || (line.starts_with("go ") && line.ends_with(": unknown command"))
    })
}

fn find_by_make(failed: &FailedOutput<'_>) -> Option<String> {
    let lines = failed.lines_of(&[InvokedTool::Make]);
    first_line(lines, |line| {
        starts_with_any(line, &["make: unrecognized option ", "make: invalid option "])
    })
}

fn find_by_maven(failed: &FailedOutput<'_>) -> Option<String> {
    let starts = ["Unable to parse command line options: ", "[ERROR] Unknown lifecycle phase \""];
    first_line(failed.lines_of(&[InvokedTool::Maven]), |line| starts_with_any(line, &starts))
}

/// What common programs say about words that they do not understand.
const REFUSALS: &[&str] = &[
    "unrecognized option ",
    "invalid option ",
    "unknown option ",
    "unknown predicate ",
    "missing argument ",
    "missing operand",
    "paths must precede expression",
    "-e expression #",
    "error: syntax error",
];

/// `grep: unrecognized option '--nope'`, `git: 'nope' is not a git command.`
fn find_by_program(failed: &FailedOutput<'_>) -> Option<String> {
    for call in &failed.command.calls {
        let program = call.program.as_str();
        let is_known = matches!(call.tool, InvokedTool::Plain | InvokedTool::Git);
        let is_error = |line: &str| {
            let message = line.strip_prefix(program).and_then(|rest| rest.strip_prefix(": "));
            let Some(message) = message else { return false };
            // Any other error of grep is about its expression.
            (matches!(program, "grep" | "egrep" | "fgrep" | "rg") && failed.code == 2)
                || starts_with_any(message, REFUSALS)
                || message.contains("is not a git command")
        };
        if let Some(line) = failed.all().find(|line| is_known && is_error(line)) {
            return Some(line.to_owned());
        }
    }
    let is_git = failed.command.starts(InvokedTool::Git) && failed.code == 129;
    is_git
        .then(|| failed.all().find(|line| line.starts_with("error: ")).map(str::to_owned))
        .flatten()
}

/// `sh: 1: Syntax error: …`, `sh: 1: [: missing ]`, and `test` with words that are no numbers.
fn find_by_shell(failed: &FailedOutput<'_>) -> Option<String> {
    if failed.code != 2 {
        return None;
    }
    // What a substitution returns may be a number after the work.
    let mut calls = failed.command.calls.iter();
    let has_substitution =
        calls.any(|call| call.words.iter().any(|word| word.contains(['$', '`'])));
    let is_error = |line: &&str| {
        let Some(message) = shell_message(line) else { return false };
        let is_test = starts_with_any(message, &["[: ", "test: ", "[[: "]);
        starts_with_any(message, &["Syntax error: ", "syntax error "])
            || message.ends_with(": missing ]")
            || message.ends_with(": missing `]'")
            || (is_test && !has_substitution)
    };
    let mut lines = failed.all();
    lines.find(is_error).map(str::to_owned)
}
