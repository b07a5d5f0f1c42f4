//! The agent programs as npm has them, in the versions that afresh is tested with.
//!
//! `.ci/agents` installs the same ones for the tests. Installing them for a user is for the program.

/// One program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PinnedProgram {
    /// The name that it is started by.
    pub program: &'static str,
    pub package: &'static str,
    pub version: &'static str,
}

/// Those that are known by name, and then those that only speak the Agent Client Protocol for one.
pub const PINS: &[PinnedProgram] = &[
    PinnedProgram { program: "claude", package: "@anthropic-ai/claude-code", version: "2.1.197" },
    PinnedProgram { program: "codex", package: "@openai/codex", version: "0.166.0" },
    PinnedProgram { program: "gemini", package: "@google/gemini-cli", version: "0.61.0" },
    PinnedProgram { program: "opencode", package: "opencode-ai", version: "1.18.33" },
    PinnedProgram {
        program: "claude-agent-acp",
        package: "@agentclientprotocol/claude-agent-acp",
        version: "0.49.0",
    },
    PinnedProgram { program: "codex-acp", package: "@zed-industries/codex-acp", version: "0.16.0" },
];

/// The program of this name; a path counts by its last part.
pub fn find_pin(program: &str) -> Option<&'static PinnedProgram> {
    let name = program.rsplit('/').next().unwrap_or_default();
    PINS.iter().find(|pin| pin.program == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AgentProgram;

    /// AG-01: what is tested is what is installed.
    #[test]
    fn the_tests_use_the_versions_that_are_installed() {
        let script = include_str!("../../../../.ci/agents");
        for program in AgentProgram::ALL {
            let pin = find_pin(program.word()).expect("pinned");
            let line = format!("  {}@{}\n", pin.package, pin.version);
            assert!(script.contains(&line), "{line:?} is not in .ci/agents");
        }
        assert_eq!(find_pin("/usr/bin/codex").map(|pin| pin.package), Some("@openai/codex"));
        assert_eq!(find_pin("python3"), None);
    }
}
