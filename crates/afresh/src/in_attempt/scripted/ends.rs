//! How a scripted worker ends: with a result, an exit code, a signal, or never.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use afresh_agents::adapters::scripted::script::{HangMode, ScriptedEnd};
use afresh_agents::adapters::scripted::stream::ScriptedLine;
use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGTERM};

use super::ScriptPlayer;

impl ScriptPlayer {
    pub(super) fn end(&self, end: &ScriptedEnd) -> u8 {
        if let Some(answer) = self.filled_end(end).final_text() {
            self.voice.print(&ScriptedLine::Result(answer));
            return 0;
        }
        match end {
            ScriptedEnd::Exit(code) => *code,
            ScriptedEnd::Crash(signal) => crash(*signal),
            ScriptedEnd::Hang(how) => hang(*how),
            _ => 0,
        }
    }

    fn filled_end(&self, end: &ScriptedEnd) -> ScriptedEnd {
        let all = |texts: &[String]| texts.iter().map(|text| self.filled(text)).collect();
        match end {
            ScriptedEnd::Claim { files, deviations, notes } => ScriptedEnd::Claim {
                files: all(files),
                deviations: deviations.clone(),
                notes: notes.as_ref().map(|notes| self.filled(notes)),
            },
            ScriptedEnd::Ask { question, options, context } => ScriptedEnd::Ask {
                question: self.filled(question),
                options: options.clone(),
                context: self.filled(context),
            },
            ScriptedEnd::Approve(text) => ScriptedEnd::Approve(self.filled(text)),
            ScriptedEnd::Answer(text) => ScriptedEnd::Answer(self.filled(text)),
            other => other.clone(),
        }
    }
}

/// Ends by the signal; the exit code is for signals that do not end a process.
fn crash(signal: i32) -> u8 {
    if signal == SIGKILL {
        let _ = nix::sys::signal::raise(nix::sys::signal::SIGKILL);
    }
    // Our own handlers (broken pipe, stack overflow) must not catch it.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

fn hang(how: HangMode) -> ! {
    if how == HangMode::Deaf {
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            // Received and ignored.
            let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
        }
    }
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}
