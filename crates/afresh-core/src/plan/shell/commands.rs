//! The simple commands of a line, with those inside of other commands.

use super::tokens::{ShellToken, read_tokens};
use super::wrappers::{Unwrapped, unwrap_command};

/// How deep command lines inside command lines are read.
const MAX_DEPTH: usize = 8;
/// The most commands of one line.
const MAX_COMMANDS: usize = 1_000;
/// The most text of one line that is read.
const MAX_TEXT: usize = 64 * 1024;

/// One program with its arguments, as the shell would start it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The program and its arguments, without quotes, nothing expanded; empty if there are only assignments or
    /// redirections. `cd` and the first line of a `for` loop are commands too.
    pub words: Vec<String>,
    /// `NAME=value` before the program, also those of `env`.
    pub assignments: Vec<(String, String)>,
    /// Files that it reads by redirection.
    pub inputs: Vec<String>,
    /// Files that it writes by redirection.
    pub outputs: Vec<String>,
    /// Where it runs, relative to where the line starts (`""`); `None` if only the shell knows.
    pub directory: Option<String>,
}

impl SimpleCommand {
    /// The program's name without its directory.
    pub fn program(&self) -> &str {
        let first = self.words.first().map(String::as_str).unwrap_or_default();
        first.rsplit('/').next().unwrap_or(first)
    }
}

/// All simple commands of a line, in the order in which they would start.
///
/// Looks into lists, pipes, subshells, groups, conditions, loops, substitutions, `sh -c`, `eval`, `env`, `timeout`
/// and their like. Text that is no command line gives commands that make no sense, never an error.
pub fn simple_commands(line: &str) -> Vec<SimpleCommand> {
    let mut end = line.len().min(MAX_TEXT);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let mut found = Vec::new();
    read_line(&line[..end], Some(String::new()), 0, &mut found);
    found
}

/// Adds the commands of a line that runs in this directory.
fn read_line(line: &str, directory: Option<String>, depth: usize, found: &mut Vec<SimpleCommand>) {
    if depth > MAX_DEPTH {
        return;
    }
    let mut reader = CommandReader {
        found,
        depth,
        command: PartialCommand::default(),
        directory,
        outside: Vec::new(),
        case: CasePart::Outside,
    };
    for token in read_tokens(line).0 {
        if reader.found.len() >= MAX_COMMANDS {
            return;
        }
        reader.token(token);
    }
    reader.end_command();
}

/// A command whose end was not read yet.
#[derive(Default)]
struct PartialCommand {
    words: Vec<String>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// The text of a here-document, which a shell would run.
    document: Option<String>,
}

struct CommandReader<'a> {
    found: &'a mut Vec<SimpleCommand>,
    depth: usize,
    command: PartialCommand,
    directory: Option<String>,
    /// The directories of the shells around this subshell.
    outside: Vec<Option<String>>,
    case: CasePart,
}

/// Where in `case … in … esac` the reader is.
#[derive(PartialEq)]
enum CasePart {
    Outside,
    /// Between `case` and `in`.
    Subject,
    /// Before the `)` of a branch.
    Pattern,
    Body,
}

/// Words that start, part or end a compound command.
const RESERVED: [&str; 13] =
    ["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "{", "}", "function"];

impl CommandReader<'_> {
    fn token(&mut self, token: ShellToken) {
        match token {
            ShellToken::Word { text, quoted, substitutions } => {
                self.read_substitutions(&substitutions);
                self.word(text, quoted);
            }
            ShellToken::Redirect { sign, target, substitutions } => {
                self.read_substitutions(&substitutions);
                self.redirect(&sign, target);
            }
            ShellToken::Operator(operator) => self.operator(operator),
            ShellToken::Bracket(bracket) => self.bracket(bracket),
        }
    }

    fn read_substitutions(&mut self, lines: &[String]) {
        for line in lines {
            read_line(line, self.directory.clone(), self.depth + 1, self.found);
        }
    }

    fn word(&mut self, text: String, quoted: bool) {
        let bare = !quoted;
        match self.case {
            CasePart::Subject if bare && text == "in" => self.case = CasePart::Pattern,
            CasePart::Pattern if bare && text == "esac" => self.case = CasePart::Outside,
            CasePart::Subject | CasePart::Pattern => {}
            CasePart::Outside | CasePart::Body => {
                let starts = bare && self.command.words.is_empty();
                match text.as_str() {
                    "case" if starts => self.case = CasePart::Subject,
                    "esac" if starts => self.case = CasePart::Outside,
                    word if starts && RESERVED.contains(&word) => {}
                    _ => self.command.words.push(text),
                }
            }
        }
    }

    fn operator(&mut self, operator: &str) {
        match self.case {
            // `a | b)`
            CasePart::Subject | CasePart::Pattern => return,
            CasePart::Body if operator == ";;" => {
                self.end_command();
                self.case = CasePart::Pattern;
                return;
            }
            CasePart::Outside | CasePart::Body => {}
        }
        self.end_command();
    }

    fn bracket(&mut self, bracket: char) {
        match (bracket, &self.case) {
            (')', CasePart::Pattern) => self.case = CasePart::Body,
            (_, CasePart::Pattern | CasePart::Subject) => {}
            // `name()` defines a function.
            ('(', _) if self.command.words.len() == 1 => {
                self.command = PartialCommand::default();
                self.outside.push(self.directory.clone());
            }
            ('(', _) => {
                self.end_command();
                self.outside.push(self.directory.clone());
            }
            _ => {
                self.end_command();
                if let Some(outside) = self.outside.pop() {
                    self.directory = outside;
                }
            }
        }
    }

    fn redirect(&mut self, sign: &str, target: String) {
        let sign = sign.trim_start_matches(|c: char| c.is_ascii_digit());
        match sign {
            "<<" | "<<-" => self.command.document = Some(target),
            "<<<" => {}
            // `2>&1`, `<&3`, `>&-` name no file.
            _ if sign.ends_with('-') || target.is_empty() => {}
            _ if sign.ends_with('&') && target.bytes().all(|byte| byte.is_ascii_digit()) => {}
            _ if sign.starts_with('<') => self.command.inputs.push(target),
            _ => self.command.outputs.push(target),
        }
    }

    fn end_command(&mut self) {
        let PartialCommand { words, inputs, outputs, document } = std::mem::take(&mut self.command);
        if words.is_empty() && inputs.is_empty() && outputs.is_empty() {
            return;
        }
        let directory = self.directory.clone();
        self.add(
            SimpleCommand { words, inputs, outputs, directory, ..Default::default() },
            document,
        );
    }

    fn add(&mut self, mut command: SimpleCommand, document: Option<String>) {
        match unwrap_command(&mut command, document) {
            Unwrapped::Itself => {
                let goes_to = (command.program() == "cd").then(|| command.words.get(1).cloned());
                self.found.push(command);
                if let Some(to) = goes_to {
                    self.directory = enter(self.directory.as_deref(), to.as_deref());
                }
            }
            Unwrapped::Line(line) => {
                let directory = command.directory.clone();
                let SimpleCommand { inputs, outputs, assignments, .. } = &command;
                if !(inputs.is_empty() && outputs.is_empty() && assignments.is_empty()) {
                    self.found.push(SimpleCommand { words: Vec::new(), ..command });
                }
                read_line(&line, directory, self.depth + 1, self.found);
            }
            Unwrapped::Starts(others) => {
                let directory = command.directory.clone();
                self.found.push(command);
                for words in others {
                    let other =
                        SimpleCommand { words, directory: directory.clone(), ..Default::default() };
                    self.add(other, None);
                }
            }
        }
    }
}

/// The directory after `cd to`, relative to where the line starts.
pub(super) fn enter(from: Option<&str>, to: Option<&str>) -> Option<String> {
    let to =
        to.filter(|to| !to.starts_with(['/', '~', '-']) && !to.contains(['$', '`', '*', '?']))?;
    let mut parts: Vec<&str> = from?.split('/').filter(|part| !part.is_empty()).collect();
    for part in to.split('/') {
        match part {
            "" | "." => {}
            // Above the start, names mean nothing to us.
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests;
