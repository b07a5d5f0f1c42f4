//! Data on standard output, people on standard error; nothing panics when nobody reads.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::cli::Common;
use crate::failure::Failure;

#[derive(Debug, Clone)]
pub(crate) struct Output {
    pub(crate) json: bool,
    talk: Talk,
    color: bool,
}

/// How much people want to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Talk {
    Little,
    Usual,
    Much,
}

impl Output {
    pub(crate) fn new(common: &Common) -> Self {
        let color = match common.color {
            crate::cli::Color::Always => true,
            crate::cli::Color::Never => false,
            crate::cli::Color::Auto => {
                std::io::stderr().is_terminal() && !crate::environment::no_color()
            }
        };
        let talk = match (common.quiet, common.verbose) {
            (true, _) => Talk::Little,
            (false, false) => Talk::Usual,
            (false, true) => Talk::Much,
        };
        Self { json: common.json, talk, color }
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.talk == Talk::Much
    }

    /// A line of data.
    #[expect(clippy::unused_self, reason = "data and notes are two sides of one output")]
    pub(crate) fn data(&self, text: &str) {
        // A reader that has gone away is no reason to fail.
        let _ = writeln!(std::io::stdout().lock(), "{text}");
    }

    /// One JSON document as data.
    pub(crate) fn document(&self, value: &impl Serialize) {
        match serde_json::to_string_pretty(value) {
            Ok(text) => self.data(&text),
            Err(error) => self.note(&format!("cannot write JSON: {error}")),
        }
    }

    /// A line for people.
    pub(crate) fn note(&self, text: &str) {
        if self.talk != Talk::Little {
            let _ = writeln!(std::io::stderr().lock(), "{text}");
        }
    }

    /// A word in a colour, where colours are wanted.
    pub(crate) fn paint(&self, color: Paint, text: &str) -> String {
        if self.color { format!("\x1b[{}m{text}\x1b[0m", color as u8) } else { text.to_owned() }
    }

    pub(crate) fn failed(&self, failure: &Failure) -> ExitCode {
        if self.json {
            self.data(&failure.to_json().to_string());
        } else {
            let _ = std::io::stderr().lock().write_all(failure.to_text().as_bytes());
        }
        failure.exit.into()
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Paint {
    Red = 31,
    Green = 32,
    Yellow = 33,
    Blue = 34,
    Dim = 2,
}

/// `1 task`, `2 tasks`.
pub(crate) fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Text from plans, repositories and workers, safe for one line of a terminal.
pub(crate) use afresh_core::printable::line as safe;
