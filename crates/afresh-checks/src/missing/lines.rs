//! The lines of a failed command that can be a tool's own.

use crate::command::{InvokedTool, ReadCommand};
use crate::runners::text_of_events;
use crate::text::{MAX_LINE, plain_text};

/// How many lines of the start and of the end are read.
const MAX_LINES: usize = 10_000;

/// How many of the last lines can be those of a tool that was not started by the command itself.
const LAST_LINES: usize = 40;

/// How a command failed, and what it printed.
#[derive(Debug)]
pub(crate) struct FailedOutput<'a> {
    pub(crate) command: &'a ReadCommand,
    /// With which code the command ended, or the part of it that failed if make says so.
    pub(crate) code: i32,
    lines: Vec<String>,
}

impl<'a> FailedOutput<'a> {
    pub(crate) fn new(command: &'a ReadCommand, exit_code: i32, output: &str) -> Self {
        let mut plain = plain_text(output);
        if command.starts(InvokedTool::GoTest) {
            plain = text_of_events(&plain);
        }
        let usual = |line: &&str| line.len() <= MAX_LINE;
        let first = plain.lines().filter(usual).take(MAX_LINES);
        let mut lines: Vec<String> = first.map(str::to_owned).collect();
        if lines.len() == MAX_LINES {
            let others = plain.lines().filter(usual).skip(MAX_LINES).count();
            let last = plain.lines().rev().filter(usual).take(others.min(MAX_LINES));
            let mut last: Vec<String> = last.map(str::to_owned).collect();
            last.reverse();
            lines.append(&mut last);
        }
        let code = lines.iter().find_map(|line| code_of_recipe(line)).unwrap_or(exit_code);
        let code = if command.may_start(InvokedTool::Make) { code } else { exit_code };
        Self { command, code, lines }
    }

    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }

    /// The lines that this tool may have written: all if the command starts it, the last ones if something opaque may
    /// start it.
    pub(crate) fn lines_of(&self, tools: &[InvokedTool]) -> &[String] {
        if tools.iter().any(|tool| self.command.starts(*tool)) {
            &self.lines
        } else if self.command.is_opaque() {
            let is_text = |line: &&String| !line.trim().is_empty();
            let mut texts = self.lines.iter().enumerate().rev().filter(|(_, line)| is_text(line));
            let start = texts.nth(LAST_LINES - 1).map_or(0, |(at, _)| at);
            &self.lines[start..]
        } else {
            &[]
        }
    }
}

/// The number in `make: *** [Makefile:2: test] Error 127`.
fn code_of_recipe(line: &str) -> Option<i32> {
    let (program, rest) = line.split_once(": *** [")?;
    let is_make = program.trim_end_matches(|c: char| c.is_ascii_digit() || "[]".contains(c));
    if !matches!(is_make, "make" | "gmake") {
        return None;
    }
    rest.rsplit_once("] Error ")?.1.trim().parse().ok()
}
