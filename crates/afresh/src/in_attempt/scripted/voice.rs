//! Output of the scripted agent: a stream for afresh, plain text for a person at a terminal.

use std::io::{IsTerminal, Write};

use afresh_agents::adapters::scripted::stream::{self, ScriptedLine};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputMode {
    Stream,
    Plain,
}

impl OutputMode {
    pub(crate) fn for_stdout() -> Self {
        if std::io::stdout().is_terminal() { Self::Plain } else { Self::Stream }
    }

    pub(super) fn print(self, saying: &ScriptedLine) {
        let text = match self {
            Self::Stream => stream::line(saying),
            Self::Plain => plain(saying),
        };
        let mut out = std::io::stdout().lock();
        // A closed standard output is no error.
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }
}

fn plain(saying: &ScriptedLine) -> String {
    match saying {
        ScriptedLine::Text(text) | ScriptedLine::Result(text) => text.trim_end().to_owned(),
        ScriptedLine::Used(usage) => format!("used so far: {} tokens", usage.tokens()),
    }
}
