//! Data on standard output, people on standard error; nothing panics when nobody reads.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use afresh_core::printable;
use serde::Serialize;

use crate::cli::{Color, Common};
use crate::error;
use crate::exit::Exit;
use crate::terminal::foreground;
use afresh_app::environment::Environment;
use afresh_app::error::AppError;
use afresh_app::notice::Notice;

#[derive(Debug, Clone)]
pub(crate) struct Output {
    pub(crate) json: bool,
    /// As it was typed.
    pub(crate) color_option: Color,
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
    pub(crate) fn new(common: &Common, environment: &Environment) -> Self {
        let color = match common.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => std::io::stderr().is_terminal() && !environment.no_color(),
        };
        let talk = match (common.quiet, common.verbose) {
            (true, _) => Talk::Little,
            (false, false) => Talk::Usual,
            (false, true) => Talk::Much,
        };
        Self { json: common.json, color_option: common.color, talk, color }
    }

    /// The same, where scripts get something else than what people see meanwhile.
    pub(crate) fn for_people(&self) -> Self {
        Self { json: false, ..self.clone() }
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.talk == Talk::Much
    }

    /// Somebody can read a question here and type an answer.
    pub(crate) fn is_attended(&self) -> bool {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        is_terminal && !self.json && !foreground::is_taken()
    }

    /// A line of data.
    pub(crate) fn data(&self, text: &str) {
        // A reader that has gone away is no reason to fail.
        let _ = self.line(text);
    }

    /// A line of data, for those who go on until nobody reads: false from then on.
    pub(crate) fn line(&self, text: &str) -> bool {
        let text = if self.json { ascii_where_hidden(text) } else { self.harmless(text).into() };
        writeln!(std::io::stdout().lock(), "{text}").is_ok()
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
            let _ = writeln!(std::io::stderr().lock(), "{}", self.harmless(text));
        }
    }

    /// The last line of defence: whatever was forgotten before, only our own colours get through.
    fn harmless(&self, text: &str) -> String {
        if !text.contains('\x1b') || !self.color {
            return printable::lines(text);
        }
        let mut pieces = text.split('\x1b');
        let mut shown = printable::lines(pieces.next().unwrap_or_default());
        for piece in pieces {
            let color = piece.strip_prefix('[').and_then(|rest| rest.split_once('m'));
            match color.filter(|(code, _)| COLORS.contains(code)) {
                Some((code, rest)) => {
                    let _ = write!(shown, "\x1b[{code}m{}", printable::lines(rest));
                }
                None => shown.push_str(&printable::lines(&format!("\x1b{piece}"))),
            }
        }
        shown
    }

    /// A word in a colour, where colours are wanted.
    pub(crate) fn paint(&self, color: Paint, text: &str) -> String {
        if self.color { format!("\x1b[{}m{text}\x1b[0m", color as u8) } else { text.to_owned() }
    }

    /// The same on standard output.
    pub(crate) fn paint_data(&self, color: Paint, text: &str) -> String {
        if std::io::stdout().is_terminal() { self.paint(color, text) } else { text.to_owned() }
    }

    /// What a library function wants people to know.
    pub(crate) fn notices(&self, notices: impl IntoIterator<Item = Notice>) {
        notices.into_iter().for_each(|notice| self.note(&notice.text));
    }

    /// Calls a library function and prints its notices, whether it fails or not.
    pub(crate) fn with_notices<T>(&self, call: impl FnOnce(&mut Vec<Notice>) -> T) -> T {
        let mut notices = Vec::new();
        let result = call(&mut notices);
        self.notices(notices);
        result
    }

    pub(crate) fn print_error(&self, error: &AppError) -> ExitCode {
        if self.json {
            self.data(&error::to_json(error).to_string());
        } else {
            let _ = std::io::stderr().lock().write_all(error::to_text(error).as_bytes());
        }
        Exit::from(error.class).into()
    }
}

/// The codes of [`Paint`], and the one that ends a colour.
const COLORS: &[&str] = &["31", "32", "33", "34", "2", "0"];

#[derive(Debug, Clone, Copy)]
pub(crate) enum Paint {
    Red = 31,
    Green = 32,
    Yellow = 33,
    Blue = 34,
    Dim = 2,
}

/// JSON that says the same without a character that a terminal could obey: those stand in texts
/// alone, where their number means the same.
fn ascii_where_hidden(json: &str) -> Cow<'_, str> {
    let hidden = |c: char| c != '\n' && printable::is_unprintable(c);
    if !json.contains(hidden) {
        return json.into();
    }
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        if !hidden(c) {
            shown.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(shown, "\\u{unit:04x}");
        }
    }
    shown.into()
}

pub(crate) use afresh_app::text::count;

/// Text from plans, repositories and workers, safe for one line of a terminal.
pub(crate) use afresh_core::printable::line as safe;

#[cfg(test)]
mod tests {
    use super::*;

    /// B35: whatever a command prints, only our own colours get through, and none without colours.
    #[test]
    fn only_our_own_colours_get_through() {
        let mut output =
            Output { json: false, color_option: Color::Auto, talk: Talk::Usual, color: true };
        let text = format!("{} \x1b[2J\x1b[31;1m\x1b]0;t\x07\x1b", output.paint(Paint::Red, "x"));
        let wanted = "\x1b[31mx\x1b[0m \\u{1b}[2J\\u{1b}[31;1m\\u{1b}]0;t\\u{7}\\u{1b}";
        assert_eq!(output.harmless(&text), wanted);
        output.color = false;
        assert_eq!(output.harmless("\x1b[31mx\n\ty"), "\\u{1b}[31mx\n\ty");
    }

    #[test]
    fn json_says_the_same_without_hidden_characters() {
        let value = serde_json::json!({"a": "\u{9b}2J\u{202e}\u{e0041}"});
        let text = value.to_string();
        let shown = ascii_where_hidden(&text);
        assert!(shown.is_ascii(), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).expect("JSON"), value);
    }
}
