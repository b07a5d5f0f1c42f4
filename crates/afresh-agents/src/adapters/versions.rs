//! The npm packages of agent programs, in the versions that afresh is tested with.
//!
//! `.ci/agents` installs the same versions for the tests.

/// A program and its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PinnedProgram {
    /// The name of its executable.
    pub program: &'static str,
    pub package: &'static str,
    pub version: &'static str,
}

/// Known programs, then ACP adapters for them.
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

/// Finds a program by name, or by the last component of a path.
pub fn find_pin(program: &str) -> Option<&'static PinnedProgram> {
    let name = program.rsplit('/').next().unwrap_or_default();
    PINS.iter().find(|pin| pin.program == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AgentProgram;

    /// AG-01: the tests use the versions that afresh installs.
    #[test]
    fn the_tests_use_the_installed_versions() {
        let script = include_str!("../../../../.ci/agents");
        for program in AgentProgram::ALL {
            let pin = find_pin(program.name()).expect("pinned");
            let line = format!("  {}@{}\n", pin.package, pin.version);
            assert!(script.contains(&line), "{line:?} is not in .ci/agents");
        }
        assert_eq!(find_pin("/usr/bin/codex").map(|pin| pin.package), Some("@openai/codex"));
        assert_eq!(find_pin("python3"), None);
    }
}
