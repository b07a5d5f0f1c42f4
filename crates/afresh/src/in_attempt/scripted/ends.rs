//! How a scripted worker ends: with an answer, with a code, by a signal, or never.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use afresh_agents::adapters::scripted::script::{End, Hang};
use afresh_agents::adapters::scripted::stream::Saying;
use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGTERM};

use super::Player;

impl Player {
    pub(super) fn end(&self, end: &End) -> u8 {
        if let Some(answer) = self.filled_end(end).answer() {
            self.voice.tell(&Saying::Result(answer));
            return 0;
        }
        match end {
            End::Exit(code) => *code,
            End::Crash(signal) => crash(*signal),
            End::Hang(how) => hang(*how),
            _ => 0,
        }
    }

    fn filled_end(&self, end: &End) -> End {
        let all = |texts: &[String]| texts.iter().map(|text| self.filled(text)).collect();
        match end {
            End::Claim { files, deviations, notes } => End::Claim {
                files: all(files),
                deviations: deviations.clone(),
                notes: notes.as_ref().map(|notes| self.filled(notes)),
            },
            End::Ask { question, options, context } => End::Ask {
                question: self.filled(question),
                options: options.clone(),
                context: self.filled(context),
            },
            End::Answer(text) => End::Answer(self.filled(text)),
            other => other.clone(),
        }
    }
}

/// Ends by the signal; the code is for signals that do not end anybody.
fn crash(signal: i32) -> u8 {
    if signal == SIGKILL {
        let _ = nix::sys::signal::raise(nix::sys::signal::SIGKILL);
    }
    // Our own handlers (a broken pipe, a stack that overflows) must not stand in the way.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

fn hang(how: Hang) -> ! {
    if how == Hang::Deaf {
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            // Heard, and nothing follows from it.
            let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
        }
    }
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}
