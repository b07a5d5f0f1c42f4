//! The tools, in the order in which a session needs them.

use serde_json::Value;

use super::tool::ArgumentKind::{Dollars, Flag, Number, Path, Text, Texts};
use super::tool::ArgumentPlace::{Option as Opt, Ours, Positional, Required};
use super::tool::ToolAction::{Document, Launch, Text as TextOf, Wait};
use super::tool::ToolEffect::{Ends, Reads, StartsAgents, Steers};
use super::tool::{ArgumentKind, ArgumentPlace, SessionTool, ToolArgument};

/// The longest wait: clients give up after a minute.
pub(super) const MAX_WAIT_SECONDS: u64 = 50;

pub(super) fn find(name: &str) -> Option<&'static SessionTool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

pub(super) fn list() -> Vec<Value> {
    TOOLS.iter().map(SessionTool::to_json).collect()
}

const fn argument(
    name: &'static str,
    kind: ArgumentKind,
    place: ArgumentPlace,
    description: &'static str,
) -> ToolArgument {
    ToolArgument { name, description, kind, place }
}

const RUN: ToolArgument = argument("run", Text, Opt("--run"), "The run; by default, the last one");
const THE_RUN: ToolArgument =
    argument("run", Text, Positional, "The run; by default, the last one");
const TASK: ToolArgument = argument("task", Text, Required, "The id of the task, such as T003");
const PLAN: ToolArgument = argument(
    "plan",
    Path,
    Positional,
    "A plan file, or a directory that contains one; by default, the one here",
);
const PARALLEL: ToolArgument = argument(
    "parallel",
    Number { least: 1, most: 1000 },
    Opt("--parallel"),
    "How many workers run at the same time",
);
const AGENT: ToolArgument = argument(
    "agent",
    Text,
    Opt("--agent"),
    "The agent program for tasks that name none, such as claude or codex",
);
const BUDGET: ToolArgument =
    argument("budget_usd", Dollars, Opt("--budget-usd"), "Stop the run at this many dollars");

static TOOLS: &[SessionTool] = &[
    SessionTool {
        name: "plan",
        title: "Plan a specification",
        description: "Make a plan from a specification, with planning agents in the background; returns within a \
                      minute, with a null `run` while it still measures the project. `wait` follows it, `plan_status` \
                      shows when the plan is ready.",
        action: Launch(&["plan", "--yes"]),
        arguments: &[
            argument(
                "spec",
                Path,
                Required,
                "A Markdown file, or a directory of a specification tool",
            ),
            argument(
                "name",
                Text,
                Opt("--name"),
                "The name of the plan; by default, that of the specification",
            ),
            argument("stack", Text, Opt("--stack"), "What to build it with, in words"),
            argument(
                "update",
                Flag,
                Opt("--update"),
                "The specification changed: change its plan accordingly",
            ),
            AGENT,
            BUDGET,
        ],
        effect: StartsAgents,
    },
    SessionTool {
        name: "plan_status",
        title: "Planning progress",
        description: "How far a specification is planned: its phase, and the state of each artifact.",
        action: Document(&["plan", "status"]),
        arguments: &[argument("name", Text, Positional, "The plan; by default, the only one")],
        effect: Reads,
    },
    SessionTool {
        name: "lint",
        title: "Lint a plan",
        description: "Find mistakes in a plan of any format. Starts no agent.",
        action: Document(&["lint"]),
        arguments: &[PLAN],
        effect: Reads,
    },
    SessionTool {
        name: "show",
        title: "Show a plan",
        description: "What would run: waves, tasks, files, critical path, conflicts, forecast of tokens and cost.",
        action: TextOf(&["show"]),
        arguments: &[PLAN],
        effect: Reads,
    },
    SessionTool {
        name: "run",
        title: "Run a plan",
        description: "Start a plan, or continue where it stopped, in the background; returns with the id of the run, \
                      or null while it still prepares. Then call `wait`. Workers cost money.",
        action: Launch(&["run"]),
        arguments: &[
            argument(
                "plan",
                Path,
                Positional,
                "A plan file, or a directory that contains one; by default, the plan of the last run, else the one here",
            ),
            PARALLEL,
            AGENT,
            argument(
                "model",
                Text,
                Opt("--model"),
                "The model of every task, by the name that the agent program uses",
            ),
            argument("task", Text, Opt("--task"), "Run this task only"),
            argument(
                "new",
                Flag,
                Opt("--new"),
                "Start a new run from the current commit, even if this plan has one",
            ),
            BUDGET,
            argument(
                "budget_tokens",
                Number { least: 1, most: u64::MAX },
                Opt("--budget-tokens"),
                "Stop the run at this many tokens",
            ),
        ],
        effect: StartsAgents,
    },
    SessionTool {
        name: "wait",
        title: "Wait for the run",
        description: "Returns when the run needs a person (open questions), has ended, is halted or not driven, or the \
                      time is over. `ended_by` says which: needs-person, ended, halted, not-driven (call `resume`), \
                      time-over (call `wait` again).",
        action: Wait,
        arguments: &[
            argument("run", Text, Ours, "The run; by default, the last one"),
            argument(
                "seconds",
                Number { least: 0, most: MAX_WAIT_SECONDS },
                Ours,
                "The longest time to wait; by default, 30",
            ),
        ],
        effect: Reads,
    },
    SessionTool {
        name: "status",
        title: "Status of a run",
        description: "The state of the run and of each task, its open questions, usage and cost.",
        action: Document(&["status"]),
        arguments: &[RUN],
        effect: Reads,
    },
    SessionTool {
        name: "runs",
        title: "List runs",
        description: "All runs of this repository, newest first.",
        action: Document(&["runs"]),
        arguments: &[],
        effect: Reads,
    },
    SessionTool {
        name: "questions",
        title: "Open questions",
        description: "The questions that wait for an answer, with the answers that each accepts.",
        action: Document(&["questions"]),
        arguments: &[RUN],
        effect: Reads,
    },
    SessionTool {
        name: "decide",
        title: "Answer a question",
        description: "Answer an open question. Ask the person first, unless they told you how to answer.",
        action: Document(&["decide"]),
        arguments: &[
            argument("question", Text, Required, "The question, such as Q3"),
            argument(
                "answer",
                Text,
                Required,
                "One of its answers, or its number; `say: WORDS` answers a worker in the person's own words",
            ),
            RUN,
        ],
        effect: Steers,
    },
    SessionTool {
        name: "task",
        title: "Show a task",
        description: "Everything about a task: state, checks, attempts, saved work, what to do next.",
        action: Document(&["task", "show"]),
        arguments: &[TASK, RUN],
        effect: Reads,
    },
    SessionTool {
        name: "logs",
        title: "Logs of a run or task",
        description: "The activity of the run, or what the attempts of a task printed.",
        action: TextOf(&["logs"]),
        arguments: &[
            argument(
                "task",
                Text,
                Positional,
                "A task, or one attempt (T002.1); by default, the activity of the run",
            ),
            argument(
                "lines",
                Number { least: 1, most: 100_000 },
                Opt("--lines"),
                "Only the last lines, of each file",
            ),
            argument("prompt", Flag, Opt("--prompt"), "Also the prompt; needs a task"),
            RUN,
        ],
        effect: Reads,
    },
    SessionTool {
        name: "diff",
        title: "Diff of a task",
        description: "What a task changed: what landed, one attempt, or the difference of two attempts.",
        action: TextOf(&["diff"]),
        arguments: &[
            argument("tasks", Texts, Required, "A task, an attempt (T002.1), or two attempts"),
            argument(
                "stat",
                Flag,
                Opt("--stat"),
                "Only the changed files, with the numbers of lines",
            ),
            RUN,
        ],
        effect: Reads,
    },
    SessionTool {
        name: "trace",
        title: "Trace requirements",
        description: "Which tasks, checks and commits prove each requirement.",
        action: Document(&["trace"]),
        arguments: &[
            argument(
                "id",
                Text,
                Positional,
                "Only this requirement and its parts, or what this task serves",
            ),
            RUN,
        ],
        effect: Reads,
    },
    SessionTool {
        name: "report",
        title: "Report of a run",
        description: "The summary of a run, as Markdown.",
        action: TextOf(&["report"]),
        arguments: &[THE_RUN],
        effect: Reads,
    },
    SessionTool {
        name: "tell",
        title: "Comment on a task",
        description: "Tell the worker of a task something; without one, its next worker. With `on`, the comment is on \
                      lines of what an attempt changed.",
        action: Document(&["tell"]),
        arguments: &[
            argument(
                "task",
                Text,
                Required,
                "The id of the task, such as T003; with `on`, also of an attempt, such as T003.1",
            ),
            argument("text", Text, Required, "What to take into account"),
            argument(
                "on",
                Text,
                Opt("--on"),
                "A file that the attempt changed, or lines of it, such as src/main.rs:3-5, as the attempt left it",
            ),
            RUN,
        ],
        effect: Steers,
    },
    SessionTool {
        name: "run_by_hand",
        title: "Prepare a run to work on it by hand",
        description: "Start a run of a plan, or update one, without any worker: you, or agents of yours, do its tasks \
                      with `task_start` and `task_complete`. Returns once its checks were run on the base.",
        action: TextOf(&["run", "--by-hand", "--no-input"]),
        arguments: &[argument(
            "plan",
            Path,
            Positional,
            "A plan file, or a directory that contains one; by default, the plan of the last run, else the one here",
        )],
        effect: Steers,
    },
    SessionTool {
        name: "task_start",
        title: "Start a task by hand",
        description: "Make a workspace for a task that you, or an agent of yours, do without a worker of afresh: the \
                      answer has the directory to work in, and the prompt. `task_complete` hands the work in.",
        action: Document(&["task", "start"]),
        arguments: &[TASK, RUN],
        effect: Steers,
    },
    SessionTool {
        name: "task_complete",
        title: "Hand in a task that was started by hand",
        description: "The work in the workspace is saved, checked and merged like that of any worker; the answer says \
                      what became of it. Waits for the checks unless `no_wait` is true.",
        action: Document(&["task", "complete"]),
        arguments: &[
            TASK,
            argument("message", Text, Opt("--message"), "Notes for people"),
            argument("no_wait", Flag, Opt("--no-wait"), "Return before the work is checked"),
            RUN,
        ],
        effect: Steers,
    },
    SessionTool {
        name: "task_fail",
        title: "Give up a task that was started by hand",
        description: "The work is saved; another attempt may follow, unless `no_retry` is true.",
        action: Document(&["task", "fail"]),
        arguments: &[
            TASK,
            argument("category", Text, Opt("--category"), "One word, such as test or dependency"),
            argument("reason", Text, Opt("--reason"), "What went wrong"),
            argument("no_retry", Flag, Opt("--no-retry"), "No other attempt would succeed"),
            RUN,
        ],
        effect: Ends,
    },
    SessionTool {
        name: "task_retry",
        title: "Retry a task",
        description: "Retry a failed, skipped or waiting task with fresh workers. If the run is not driven, `resume` \
                      continues it.",
        action: Document(&["task", "retry"]),
        arguments: &[TASK, RUN],
        effect: Steers,
    },
    SessionTool {
        name: "task_skip",
        title: "Skip a task",
        description: "Continue without a task; tasks that need it stay blocked.",
        action: Document(&["task", "skip"]),
        arguments: &[TASK, argument("reason", Text, Positional, "The reason"), RUN],
        effect: Ends,
    },
    SessionTool {
        name: "halt",
        title: "Halt the run",
        description: "Stop gracefully: running attempts finish, nothing new starts; a second call ends them. `resume` \
                      continues.",
        action: Document(&["halt"]),
        arguments: &[
            argument("reason", Text, Positional, "The reason"),
            argument(
                "now",
                Flag,
                Opt("--now"),
                "End running attempts at once; their work is saved",
            ),
        ],
        effect: Ends,
    },
    SessionTool {
        name: "resume",
        title: "Continue a run",
        description: "Clear the halt of a run and continue it in the background; returns at once. Then call `wait`.",
        action: Launch(&["resume"]),
        arguments: &[THE_RUN, PARALLEL, AGENT, BUDGET],
        effect: StartsAgents,
    },
];
