//! The texts of commands and skills. They only call the tools of `afresh mcp`: how a run works is said there.

use super::owned_file::OwnedFile;

/// One command of a session, such as `/afresh:run`.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionCommand {
    pub(super) name: &'static str,
    description: &'static str,
    /// What may be typed after its name.
    hint: &'static str,
    /// `ARGUMENTS` is what was typed.
    text: &'static str,
}

pub(super) const COMMANDS: [SessionCommand; 4] = [
    SessionCommand {
        name: "plan",
        description: "Make a plan from a specification with afresh, and show it",
        hint: "[specification]",
        text: "\
Make a plan with afresh from this specification: ARGUMENTS

1. Call the tool `plan` of the MCP server `afresh` (without the server: `afresh plan SPEC --yes --detach`).
2. Call `wait` until the planning run has ended. Put every question that it asks to me, and pass my answer on with
   `decide`.
3. Call `plan_status`, then `lint` and `show`, and tell me in a few lines what would run and what it may cost.

Do not run the plan, and do not write any of its files yourself.
",
    },
    SessionCommand {
        name: "run",
        description: "Run a plan with afresh, and follow it to its end",
        hint: "[plan]",
        text: "\
Run this plan with afresh (without a name: the plan of the last run, or the one here): ARGUMENTS

1. Unless I have seen the plan already, call the tools `lint` and `show` of the MCP server `afresh`, tell me in a few
   lines what would run and what it may cost, and wait for my agreement.
2. Call `run` (without the server: `afresh run PLAN --detach`).
3. Call `wait` again and again, while it ends with `time-over`. When a question is open, put it to me with its answers,
   and pass my answer on with `decide`. When nothing drives the run although tasks are left, call `resume`.
4. At its end, sum up the `report`.

Do not work on tasks of the plan yourself, and do not land anything: `afresh land` is mine.
",
    },
    SessionCommand {
        name: "status",
        description: "How the run of afresh stands",
        hint: "[run or task]",
        text: "\
Tell me in a few lines how the run of afresh stands: ARGUMENTS

Call the tool `status` of the MCP server `afresh` (without the server: `afresh status`); about one task, call `task`,
and `logs` or `diff` where they say why. Begin with what waits for me. Change nothing.
",
    },
    SessionCommand {
        name: "answer",
        description: "Answer the open questions of afresh",
        hint: "[question and answer]",
        text: "\
Answer open questions of afresh. What I say to them: ARGUMENTS

1. Call the tool `questions` of the MCP server `afresh` (without the server: `afresh questions`).
2. If what I said does not answer a question, show it to me with its answers and what you know about it from `task`,
   `logs` and `diff`, and ask me.
3. Pass my answer on with `decide`, in my words where it is `say: …`. If nothing drives the run, ask me whether to
   `resume` it.
",
    },
];

impl SessionCommand {
    /// For Claude Code and opencode; `hint` is a field that only one of them has.
    pub(super) fn markdown(&self, with_hint: bool) -> OwnedFile {
        let hint =
            if with_hint { format!("argument-hint: \"{}\"\n", self.hint) } else { String::new() };
        let before = format!("---\ndescription: {}\n{hint}", self.description);
        OwnedFile { before, after: format!("---\n\n{}", self.text_with("$ARGUMENTS")) }
    }

    /// For Gemini CLI.
    pub(super) fn toml(&self) -> OwnedFile {
        let text = self.text_with("{{args}}");
        let after = format!("description = \"{}\"\nprompt = '''\n{text}'''\n", self.description);
        OwnedFile { before: String::new(), after }
    }

    /// For Codex, which knows by the description when to use it.
    pub(super) fn skill(&self) -> OwnedFile {
        let (name, description) = (self.name, self.description);
        let when = "Use it when the person asks for that, or names afresh.";
        let before = format!("---\nname: afresh-{name}\ndescription: {description}. {when}\n");
        let text = self.text_with("what the person said");
        OwnedFile { before, after: format!("---\n\n{text}") }
    }

    fn text_with(&self, arguments: &str) -> String {
        self.text.replace("ARGUMENTS", arguments)
    }
}
