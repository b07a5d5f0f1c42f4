//! What commands print for a client instead of a terminal: kept in memory, up to a limit.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// More than a client is ever sent of one answer.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// What one command printed so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct CapturedOutput(Arc<Mutex<CapturedText>>);

/// Data and messages, as they would be on standard output and standard error.
#[derive(Debug, Default)]
pub(crate) struct CapturedText {
    data: Vec<u8>,
    messages: String,
}

impl CapturedText {
    /// What another process printed.
    pub(crate) fn new(data: Vec<u8>, messages: String) -> Self {
        Self { data, messages }
    }

    pub(crate) fn data(&self) -> String {
        String::from_utf8_lossy(&self.data).into_owned()
    }

    pub(crate) fn messages(&self) -> &str {
        self.messages.trim_end()
    }
}

impl CapturedOutput {
    pub(super) fn add_data(&self, bytes: &[u8]) {
        let mut kept = self.lock();
        let room = MAX_BYTES.saturating_sub(kept.data.len());
        kept.data.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    pub(super) fn add_message(&self, text: &str) {
        let mut kept = self.lock();
        if kept.messages.len() + text.len() < MAX_BYTES {
            kept.messages.push_str(text);
            kept.messages.push('\n');
        }
    }

    /// Everything so far; what follows starts empty.
    pub(crate) fn take(&self) -> CapturedText {
        mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, CapturedText> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
