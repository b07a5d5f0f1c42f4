//! How a scripted worker speaks: a stream for afresh, plain words for a person at a terminal.

use std::io::{IsTerminal, Write};

use afresh_agents::AgentEvent;
use afresh_agents::scripted::stream;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    Stream,
    Plain,
}

impl Voice {
    pub(crate) fn for_stdout() -> Self {
        if std::io::stdout().is_terminal() { Self::Plain } else { Self::Stream }
    }

    pub(super) fn tell(self, event: &AgentEvent) {
        let text = match self {
            Self::Stream => stream::line(event),
            Self::Plain => plain(event),
        };
        let mut out = std::io::stdout().lock();
        // A reader that has gone away is no reason to fail.
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }
}

fn plain(event: &AgentEvent) -> String {
    match event {
        AgentEvent::Text(text) | AgentEvent::Result(text) | AgentEvent::Nonsense(text) => {
            text.trim_end().to_owned()
        }
        AgentEvent::Used(usage) => format!("used so far: {} tokens", usage.tokens()),
    }
}
