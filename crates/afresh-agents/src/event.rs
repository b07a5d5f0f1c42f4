//! What agent programs say while they work, whatever words they have for it.

use afresh_core::usage::Usage;

/// One thing that an agent program reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentEvent {
    /// Words for people.
    Text(String),
    /// What the attempt has used so far: a total, not an addition.
    Used(Usage),
    /// Its final text, in which its answer is.
    Result(String),
    /// Something in its output that made no sense, and was thrown out.
    Nonsense(String),
}

/// Reads the output of one attempt, line by line. Pure, and tolerant: lines that are not the
/// program's own mean nothing.
pub trait StreamReader: Send {
    fn read_line(&mut self, line: &str) -> Vec<AgentEvent>;
}
