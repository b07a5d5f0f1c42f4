//! Asking the user in this terminal; without one, nothing is asked.

use std::io::{BufRead, Write};

use crate::terminal::output::{Output, Paint};
use crate::terminal::wrap;

/// A user who can read a question and type an answer.
#[derive(Debug)]
pub(crate) struct UserPrompt(());

impl UserPrompt {
    /// None without a terminal for input and output, or with `--json`.
    pub(crate) fn there(output: &Output) -> Option<Self> {
        output.is_interactive().then_some(Self(()))
    }

    /// The answer, or `default` for an empty line; none at the end of the input.
    #[expect(clippy::unused_self, reason = "only a user at a terminal can be asked")]
    pub(crate) fn ask(&self, question: &str, default: &str) -> Option<String> {
        let mut line = String::new();
        {
            let mut out = std::io::stderr().lock();
            let hint = if default.is_empty() { String::new() } else { format!(" [{default}]") };
            let shown = wrap::for_stream(&std::io::stderr(), &format!("{question}{hint} "));
            let _ = write!(out, "{shown}");
            let _ = out.flush();
        }
        if std::io::stdin().lock().read_line(&mut line).unwrap_or(0) == 0 {
            let _ = writeln!(std::io::stderr().lock());
            return None;
        }
        let answer = line.trim();
        Some(if answer.is_empty() { default } else { answer }.to_owned())
    }

    /// One of several choices, by its number or its first word; none for Enter alone.
    pub(crate) fn choose(&self, question: &str, ways: &[&str], output: &Output) -> Option<usize> {
        output.note(&format!("{} {question}", output.paint(Paint::Yellow, "?")));
        for (number, way) in ways.iter().enumerate() {
            output.note(&format!("  {:>2}  {way}", number + 1));
        }
        loop {
            let answer = self.ask("   a number or a word; Enter continues as usual", "")?;
            if answer.is_empty() {
                return None;
            }
            let is_it = |at: &usize| {
                answer == (at + 1).to_string() || ways[*at].split(':').next() == Some(&answer)
            };
            if let Some(at) = (0..ways.len()).find(is_it) {
                return Some(at);
            }
        }
    }

    /// Whether the user agrees.
    pub(crate) fn agrees(&self, question: &str) -> bool {
        let answer = self.ask(question, "y").unwrap_or_default().to_lowercase();
        matches!(answer.as_str(), "y" | "yes")
    }
}
