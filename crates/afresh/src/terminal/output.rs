//! Data on standard output, messages on standard error. A closed stream is no error.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use afresh_app::error::AppError;
use afresh_app::formats::Finding;
use afresh_app::notice::Notice;
use afresh_core::printable;
use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use serde::Serialize;

use crate::cli::{ColorChoice, CommonArgs};
use crate::error;
use crate::exit::Exit;
use crate::terminal::live::LiveRegion;
use crate::terminal::live::region::RegionSize;
use crate::terminal::{capture::CapturedOutput, foreground, wrap};

/// Where and how a command prints.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    pub(crate) json: bool,
    /// As it was typed.
    pub(crate) color_option: ColorChoice,
    verbosity: Verbosity,
    color: ColorUse,
    /// Notices that were printed: a command that prepares several runs says each once.
    noticed: Arc<Mutex<BTreeSet<String>>>,
    progress: ProgressMode,
    /// Messages are printed above it.
    region: LiveRegion,
    /// Where everything goes instead of the streams of this process.
    captured: Option<CapturedOutput>,
}

/// How the progress of a run is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    /// Live in a terminal that can show it, else plain
    #[default]
    Auto,
    /// Below the log, painted again and again
    Live,
    /// One line per event
    Plain,
    /// Questions and the summary only
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColorUse {
    Colored,
    Plain,
}

impl Output {
    pub(crate) fn new(common: &CommonArgs) -> Self {
        let color = match common.color {
            ColorChoice::Always => ColorUse::Colored,
            ColorChoice::Never => ColorUse::Plain,
            ColorChoice::Auto => detect_color(&std::io::stderr()),
        };
        let verbosity = match (common.quiet, common.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, false) => Verbosity::Normal,
            (false, true) => Verbosity::Verbose,
        };
        let (json, color_option, noticed) = (common.json, common.color, Arc::default());
        let (progress, region) = (ProgressMode::Auto, LiveRegion::default());
        Self { json, color_option, verbosity, color, noticed, progress, region, captured: None }
    }

    /// Prints nothing, and keeps everything for the caller: for commands that a client asks for.
    pub(crate) fn captured(json: bool, captured: &CapturedOutput) -> Self {
        Self { captured: Some(captured.clone()), ..Self::for_usage_errors(json) }
    }

    /// Before the options are known: without colours.
    pub(crate) fn for_usage_errors(json: bool) -> Self {
        Self {
            json,
            color_option: ColorChoice::Auto,
            verbosity: Verbosity::Normal,
            color: ColorUse::Plain,
            noticed: Arc::default(),
            progress: ProgressMode::Plain,
            region: LiveRegion::default(),
            captured: None,
        }
    }

    /// The same with another way to show progress.
    pub(crate) fn with_progress(&self, progress: ProgressMode) -> Self {
        Self { progress, ..self.clone() }
    }

    pub(crate) fn progress(&self) -> ProgressMode {
        self.progress
    }

    pub(crate) fn region(&self) -> &LiveRegion {
        &self.region
    }

    pub(crate) fn is_colored(&self) -> bool {
        self.color == ColorUse::Colored
    }

    /// Whether progress is shown in a live region; `term` is the name of the terminal.
    pub(crate) fn shows_live_region(&self, term: Option<&str>) -> bool {
        let is_wanted = match self.progress {
            ProgressMode::Live => true,
            ProgressMode::Auto => !self.is_quiet() && !self.is_verbose(),
            ProgressMode::Plain | ProgressMode::None => false,
        };
        let is_able = term.is_some_and(|term| term != "dumb") && std::io::stderr().is_terminal();
        is_wanted
            && is_able
            && !self.json
            && self.captured.is_none()
            && !foreground::is_taken()
            && RegionSize::measure().is_some()
    }

    /// The same without JSON, for messages while scripts get something else on standard output.
    pub(crate) fn for_people(&self) -> Self {
        Self { json: false, ..self.clone() }
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.verbosity == Verbosity::Quiet
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    /// Whether a person can read a question here and type an answer.
    pub(crate) fn is_interactive(&self) -> bool {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        is_terminal && !self.json && self.captured.is_none() && !foreground::is_taken()
    }

    /// A line of data.
    pub(crate) fn data(&self, text: &str) {
        // A closed standard output is no error.
        let _ = self.line(text);
    }

    /// A line of data; false once standard output is closed.
    pub(crate) fn line(&self, text: &str) -> bool {
        let text = if self.json { escape_hidden(text) } else { self.sanitize(text).into() };
        self.write_data(format!("{text}\n").as_bytes()).is_ok()
    }

    /// Data as it is, for files and programs. Fails once standard output is closed.
    pub(crate) fn write_data(&self, bytes: &[u8]) -> io::Result<()> {
        if let Some(captured) = &self.captured {
            captured.add_data(bytes);
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }

    /// Whether data goes to a terminal, which would obey what is in it.
    pub(crate) fn is_data_on_terminal(&self) -> bool {
        self.captured.is_none() && io::stdout().is_terminal()
    }

    /// A line of data that is prose: wrapped at words where standard output is a terminal.
    pub(crate) fn prose(&self, text: &str) {
        let text = self.sanitize(text);
        let text = match &self.captured {
            Some(_) => text,
            None => wrap::for_stream(&std::io::stdout(), &text),
        };
        let _ = self.write_data(format!("{text}\n").as_bytes());
    }

    /// A finding as data.
    pub(crate) fn finding(&self, finding: &Finding) {
        let columns = wrap::columns(&std::io::stdout()).unwrap_or(usize::MAX);
        self.prose(finding.render_within(columns).trim_end());
    }

    /// A finding as a message.
    pub(crate) fn note_finding(&self, finding: &Finding) {
        let columns = wrap::columns(&std::io::stderr()).unwrap_or(usize::MAX);
        self.note(finding.render_within(columns).trim_end());
    }

    /// One JSON document as data.
    pub(crate) fn document(&self, value: &impl Serialize) {
        match serde_json::to_string_pretty(value) {
            Ok(text) => self.data(&text),
            Err(error) => self.note(&format!("cannot write JSON: {error}")),
        }
    }

    /// A message for people; wrapped at words where standard error is a terminal.
    pub(crate) fn note(&self, text: &str) {
        if self.verbosity != Verbosity::Quiet {
            self.message(text);
        }
    }

    /// The same, also for those who asked for less.
    pub(crate) fn message(&self, text: &str) {
        if let Some(captured) = &self.captured {
            return captured.add_message(&self.sanitize(text));
        }
        let text = wrap::for_stream(&std::io::stderr(), &self.sanitize(text));
        if !self.region.print_above(&text) {
            let _ = writeln!(std::io::stderr().lock(), "{text}");
        }
    }

    /// The last line of defence: whatever was forgotten before, only our own colours get through.
    fn sanitize(&self, text: &str) -> String {
        if !text.contains('\x1b') || self.color == ColorUse::Plain {
            return printable::lines(text);
        }
        let mut pieces = text.split('\x1b');
        let mut shown = printable::lines(pieces.next().unwrap_or_default());
        for piece in pieces {
            let color = piece.strip_prefix('[').and_then(|rest| rest.split_once('m'));
            match color.filter(|(code, _)| COLOR_CODES.contains(code)) {
                Some((code, rest)) => {
                    let _ = write!(shown, "\x1b[{code}m{}", printable::lines(rest));
                }
                None => shown.push_str(&printable::lines(&format!("\x1b{piece}"))),
            }
        }
        shown
    }

    /// A word in a colour, where colours are wanted.
    pub(crate) fn paint(&self, paint: Paint, text: &str) -> String {
        match self.color {
            ColorUse::Colored => paint.apply(text),
            ColorUse::Plain => text.to_owned(),
        }
    }

    /// The same on standard output.
    pub(crate) fn paint_data(&self, paint: Paint, text: &str) -> String {
        if self.is_data_on_terminal() { self.paint(paint, text) } else { text.to_owned() }
    }

    /// Prints notices of a library function.
    pub(crate) fn notices(&self, notices: impl IntoIterator<Item = Notice>) {
        let mut noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        for notice in notices {
            if noticed.insert(notice.text.clone()) {
                self.note(&notice.text);
            }
        }
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
            let columns = wrap::columns(&std::io::stderr()).unwrap_or(usize::MAX);
            self.message(error::to_text(error, columns).trim_end());
        }
        Exit::from(error.class).into()
    }
}

/// By `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`, `TERM` and whether it is a terminal.
fn detect_color(stream: &std::io::Stderr) -> ColorUse {
    match AutoStream::choice(stream) {
        anstream::ColorChoice::Never => ColorUse::Plain,
        _ => ColorUse::Colored,
    }
}

/// The codes of [`Paint`], and the one that ends a colour.
const COLOR_CODES: &[&str] = &["31", "32", "33", "36", "1", "2", "0"];

#[derive(Debug, Clone, Copy)]
pub(crate) enum Paint {
    Red,
    Green,
    Yellow,
    Cyan,
    Bold,
    Dim,
}

impl Paint {
    pub(crate) fn apply(self, text: &str) -> String {
        let style = self.style();
        format!("{style}{text}{style:#}")
    }

    fn style(self) -> Style {
        let colored = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        match self {
            Self::Red => colored(AnsiColor::Red),
            Self::Green => colored(AnsiColor::Green),
            Self::Yellow => colored(AnsiColor::Yellow),
            // Plain blue can hardly be read on black.
            Self::Cyan => colored(AnsiColor::Cyan),
            Self::Bold => Style::new().bold(),
            Self::Dim => Style::new().dimmed(),
        }
    }
}

/// JSON with every character that a terminal could obey written as an escape; such characters occur
/// only in strings, where an escape means the same.
fn escape_hidden(json: &str) -> Cow<'_, str> {
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
pub(crate) use afresh_core::printable::{join_lines, line as safe};

#[cfg(test)]
mod tests {
    use super::*;

    /// B35: whatever a command prints, only our own colours get through, and none without colours.
    #[test]
    fn only_our_own_colours_get_through() {
        let mut output = Output {
            json: false,
            color_option: ColorChoice::Auto,
            verbosity: Verbosity::Normal,
            color: ColorUse::Colored,
            noticed: Arc::default(),
            progress: ProgressMode::Plain,
            region: LiveRegion::default(),
            captured: None,
        };
        let text = format!("{} \x1b[2J\x1b[31;1m\x1b]0;t\x07\x1b", output.paint(Paint::Red, "x"));
        let wanted = "\x1b[31mx\x1b[0m \\u{1b}[2J\\u{1b}[31;1m\\u{1b}]0;t\\u{7}\\u{1b}";
        assert_eq!(output.sanitize(&text), wanted);
        output.color = ColorUse::Plain;
        assert_eq!(output.sanitize("\x1b[31mx\n\ty"), "\\u{1b}[31mx\n\ty");
    }

    #[test]
    fn every_paint_is_one_of_the_allowed_codes() {
        for paint in [Paint::Red, Paint::Green, Paint::Yellow, Paint::Cyan, Paint::Bold, Paint::Dim]
        {
            let code = format!("{}", paint.style());
            let code = code.trim_start_matches("\x1b[").trim_end_matches('m');
            assert!(COLOR_CODES.contains(&code), "{paint:?} is {code}");
        }
    }

    #[test]
    fn escaped_json_means_the_same() {
        let value = serde_json::json!({"a": "\u{9b}2J\u{202e}\u{e0041}"});
        let text = value.to_string();
        let shown = escape_hidden(&text);
        assert!(shown.is_ascii(), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).expect("JSON"), value);
    }
}
