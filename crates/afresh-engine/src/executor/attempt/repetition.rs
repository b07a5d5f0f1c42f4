//! Ends a worker that makes the same call again and again: it would spend until its time or budget is over.
//!
//! Equal calls count only if their results are equal too: to look again whether something has finished is no loop.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use afresh_agents::AgentEvent;
use afresh_core::model_error::{ModelError, ModelErrorClass};

/// How many equal calls in a row, with equal results, are a loop.
pub(super) const MAX_REPETITIONS: u32 = 30;
/// How many calls without a result are remembered.
const MAX_OPEN: usize = 100;

#[derive(Debug, Default)]
pub(super) struct RepetitionGuard {
    /// Calls without a result, by their id.
    open: BTreeMap<String, OpenCall>,
    last: Option<u64>,
    count: u32,
}

#[derive(Debug)]
struct OpenCall {
    fingerprint: Option<u64>,
    shown: String,
}

impl RepetitionGuard {
    /// The error of a worker that loops.
    pub(super) fn note(&mut self, event: &AgentEvent) -> Option<ModelError> {
        match event {
            AgentEvent::ToolStarted(call) => {
                if self.open.len() >= MAX_OPEN {
                    self.open.clear();
                }
                let shown = format!("{} {}", call.tool, call.about.lines().next().unwrap_or(""));
                let open = OpenCall { fingerprint: call.fingerprint, shown };
                self.open.insert(call.id.clone(), open);
                None
            }
            AgentEvent::ToolEnded(end) => {
                let call = self.open.remove(&end.id)?;
                self.ended(&call, &end.output)
            }
            _ => None,
        }
    }

    fn ended(&mut self, call: &OpenCall, output: &str) -> Option<ModelError> {
        let key = call.fingerprint.map(|fingerprint| {
            let mut hasher = DefaultHasher::new();
            (fingerprint, output).hash(&mut hasher);
            hasher.finish()
        });
        self.count = if key.is_some() && key == self.last { self.count + 1 } else { 1 };
        self.last = key;
        (self.count >= MAX_REPETITIONS).then(|| {
            let shown: String = call.shown.trim().chars().take(120).collect();
            let message = format!(
                "the same call {MAX_REPETITIONS} times in a row, with the same result: {shown}"
            );
            ModelError::new(ModelErrorClass::Looping, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use afresh_agents::stream::event::{ToolCall, ToolEnd};
    use serde_json::json;

    use super::*;

    fn call(guard: &mut RepetitionGuard, command: &str, output: &str) -> Option<ModelError> {
        let call = ToolCall::new("1", "Bash", &json!({"command": command}));
        assert_eq!(guard.note(&AgentEvent::ToolStarted(call)), None);
        let (id, output) = ("1".to_owned(), output.to_owned());
        guard.note(&AgentEvent::ToolEnded(ToolEnd { id, failed: false, output }))
    }

    /// AG-09: equal calls with equal results are a loop; a look at something that changes is none.
    #[test]
    fn only_equal_calls_with_equal_results_are_a_loop() {
        let mut guard = RepetitionGuard::default();
        for number in 0..100 {
            assert_eq!(call(&mut guard, "tail log", &format!("{number} %")), None);
            assert_eq!(call(&mut guard, &format!("edit {number}"), "ok"), None);
        }
        let ended = (0..40).find_map(|_| call(&mut guard, "echo again", "again"));
        let ended = ended.expect("a loop");
        assert_eq!(ended.class, ModelErrorClass::Looping);
        assert!(ended.message.contains("Bash echo again"), "{ended:?}");
    }
}
