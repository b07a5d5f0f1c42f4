//! Which tools the command line of a check starts, as far as its text tells.
//!
//! Programs and tests can print anything; a line counts as a tool's own only if the command can have started that
//! tool. What a script, a Makefile or a program of the project starts is not known: such a command is opaque.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `launchers` | programs that start the program they are given: `npx`, `uv run` |
//! | `tools` | the tools by the words that start them |

mod launchers;
mod tools;

use afresh_core::plan::shell::simple_commands;

use crate::runners::TestRunner;

pub use launchers::words_before_program;
pub(crate) use tools::{CalledTool, InvokedTool, PLAIN, is_python};

/// A check's command, read but not run.
#[derive(Debug, Clone)]
pub(crate) struct ReadCommand {
    /// As it is written.
    pub(crate) text: String,
    pub(crate) calls: Vec<CalledTool>,
}

impl ReadCommand {
    pub(crate) fn new(command: &str) -> Self {
        let commands = simple_commands(command).into_iter();
        let commands = commands.filter(|simple| !simple.words.is_empty());
        Self { text: command.to_owned(), calls: commands.map(CalledTool::new).collect() }
    }

    /// Whether it starts something of which we do not know what it runs.
    pub(crate) fn is_opaque(&self) -> bool {
        self.calls.is_empty() || self.calls.iter().any(|call| call.tool.is_opaque())
    }

    pub(crate) fn starts(&self, tool: InvokedTool) -> bool {
        self.calls.iter().any(|call| call.tool == tool)
    }

    /// Whether it may start this tool, itself or through what is opaque.
    pub(crate) fn may_start(&self, tool: InvokedTool) -> bool {
        self.starts(tool) || self.is_opaque()
    }

    /// Whether it starts a program of this name.
    pub(crate) fn names_program(&self, name: &str) -> bool {
        let base = |text: &str| text.rsplit('/').next().unwrap_or_default().to_owned();
        self.calls.iter().any(|call| call.program == name || base(&call.program) == base(name))
    }

    /// Whether this runner may have printed a report.
    pub(crate) fn may_report(&self, runner: TestRunner) -> bool {
        if self.is_opaque() {
            return true;
        }
        match runner {
            TestRunner::Junit => self.calls.iter().any(|call| {
                call.program == "cat" || call.words.iter().any(|word| word == "/dev/stdout")
            }),
            runner => self.calls.iter().any(|call| call.tool.runner() == Some(runner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use InvokedTool::{
        Cargo, CargoTest, Eslint, Git, Go, GoTest, Jest, Make, Mocha, Nextest, Node, NodeTest, Npm,
        Opaque, Plain, Pytest, Python, Ruff, Tsc, Unittest, Vitest,
    };

    /// TR-01: every usual way to start a tool is recognised.
    #[test]
    fn tools_are_recognised_behind_their_launchers() {
        for (command, tools) in [
            ("pytest -q", vec![Pytest]),
            ("python3.12 -m pytest tests", vec![Pytest]),
            ("cd a && PYTHONPATH=src uv run --group dev pytest -x", vec![Plain, Pytest]),
            ("poetry run python -m unittest", vec![Unittest]),
            ("coverage run --source src -m pytest", vec![Pytest]),
            ("python -W error -m unittest discover", vec![Unittest]),
            ("python3 tests/test_a.py", vec![Python]),
            ("cargo +nightly test -p a", vec![CargoTest]),
            ("cargo --locked t", vec![CargoTest]),
            ("cargo nextest run", vec![Nextest]),
            ("cargo llvm-cov nextest", vec![Nextest]),
            ("cargo clippy -- -D warnings", vec![Cargo]),
            ("cargo xtask check", vec![Opaque]),
            ("go test ./...", vec![GoTest]),
            ("go -C sub vet ./...", vec![Go]),
            ("node --test", vec![NodeTest]),
            ("node --import tsx --test tests/*.ts", vec![NodeTest]),
            ("node node_modules/.bin/jest a", vec![Jest]),
            ("node scripts/x.js", vec![Node]),
            ("npx --yes jest a", vec![Jest]),
            ("pnpm exec vitest run", vec![Vitest]),
            ("yarn mocha", vec![Mocha]),
            ("npm test", vec![Npm]),
            ("npm run build && npm run lint", vec![Npm, Npm]),
            ("cross-env A=b CI=1 ./node_modules/.bin/mocha", vec![Mocha]),
            ("npx tsc --noEmit && npx eslint .", vec![Tsc, Eslint]),
            ("uvx ruff check .", vec![Ruff]),
            ("make -C a test", vec![Make]),
            ("! grep -q x y | wc -l", vec![Plain, Plain]),
            ("git diff --exit-code", vec![Git]),
            ("./run-tests.sh", vec![Opaque]),
            ("$RUNNER x", vec![Opaque]),
        ] {
            let found: Vec<_> = ReadCommand::new(command).calls.iter().map(|c| c.tool).collect();
            assert_eq!(found, tools, "{command}");
        }
    }

    #[test]
    fn arguments_follow_the_words_that_start_the_tool() {
        let arguments = |command: &str| ReadCommand::new(command).calls[0].arguments().to_vec();
        assert_eq!(arguments("uv run pytest -x tests"), ["-x", "tests"]);
        assert_eq!(arguments("python3 -m unittest a.b"), ["a.b"]);
        assert_eq!(arguments("cargo +stable test --test it"), ["--test", "it"]);
        assert_eq!(arguments("node --test a.js"), ["--test", "a.js"]);
    }
}
