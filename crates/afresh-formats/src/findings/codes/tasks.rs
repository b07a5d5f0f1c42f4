//! Codes about tasks and their parts.

use super::{CodeExample, FindingCode};

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "action-not-numbered",
        title: "an action without numbered steps",
        text: "With `1.`, `2.` … a worker can report how far it got, and the next one continues from there.",
        example: Some(CodeExample {
            file: ".long-run/plans/01-PLAN.md",
            wrong: include_str!("examples/action-not-numbered.wrong"),
            right: include_str!("examples/action-not-numbered.right"),
        }),
    },
    FindingCode {
        code: "autonomous-checkpoint",
        title: "an autonomous plan that asks a person",
        text: "The checkpoint is asked anyway. Write `autonomous: false`.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/autonomous-checkpoint.wrong"),
            right: include_str!("examples/autonomous-checkpoint.right"),
        }),
    },
    FindingCode {
        code: "bad-agents",
        title: "agents that cannot be chosen from",
        text: "`agent` names one agent, or `attempts_by` names up to 8 that compete; `land` says whose work lands: `first` or `cheapest`.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/bad-agents.wrong"),
            right: include_str!("examples/bad-agents.right"),
        }),
    },
    FindingCode {
        code: "frontmatter-incomplete",
        title: "a frontmatter without keys that GSD requires",
        text: "Without `depends_on` and `files_modified`, the order and the files are unknown, and the plan may start too early. The other keys are used by GSD only.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/frontmatter-incomplete.wrong"),
            right: include_str!("examples/frontmatter-incomplete.right"),
        }),
    },
    FindingCode {
        code: "large-group",
        title: "a group that needs too much context",
        text: "SpecFlow's own auditor allows 30 % of a worker's context for one group. Split it.",
        example: Some(CodeExample {
            file: ".specflow/specs/SPEC-001.md",
            wrong: include_str!("examples/large-group.wrong"),
            right: include_str!("examples/large-group.right"),
        }),
    },
    FindingCode {
        code: "large-task",
        title: "a task that is large for one worker",
        text: "15 files or many steps (5 in a PLAN.md) fill the context; workers do small tasks better. Split it.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/large-task.wrong"),
            right: include_str!("examples/large-task.right"),
        }),
    },
    FindingCode {
        code: "missing-title",
        title: "a task without a title",
        text: "The title is the subject of the commit and the heading of the prompt.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/missing-title.wrong"),
            right: include_str!("examples/missing-title.right"),
        }),
    },
    FindingCode {
        code: "no-task-groups",
        title: "a heading for task groups without a table",
        text: "Add a table with the columns Group, Wave, Tasks and Dependencies.",
        example: Some(CodeExample {
            file: ".specflow/specs/SPEC-001.md",
            wrong: include_str!("examples/no-task-groups.wrong"),
            right: include_str!("examples/no-task-groups.right"),
        }),
    },
    FindingCode {
        code: "no-task-id",
        title: "a check box without a task id or group",
        text: "It is not run. Start it with an id such as `T001`, or move it below a task group.",
        example: Some(CodeExample {
            file: "specs/001-a/tasks.md",
            wrong: include_str!("examples/no-task-id.wrong"),
            right: include_str!("examples/no-task-id.right"),
        }),
    },
    FindingCode {
        code: "no-tasks",
        title: "a plan without tasks",
        text: "One worker gets the whole text, and after an interruption there are no steps to continue from.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/no-tasks.wrong"),
            right: include_str!("examples/no-tasks.right"),
        }),
    },
    FindingCode {
        code: "table-elsewhere",
        title: "a table of task groups under another heading",
        text: "Only the table under `### Task Groups` is read, because audits contain tables with the same columns. Without it, one worker does the whole spec.",
        example: Some(CodeExample {
            file: ".specflow/specs/SPEC-001.md",
            wrong: include_str!("examples/table-elsewhere.wrong"),
            right: include_str!("examples/table-elsewhere.right"),
        }),
    },
    FindingCode {
        code: "task-in-fence",
        title: "a task in a code block",
        text: "Tasks in code blocks are examples and not run. Move it out of the code block to run it.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/task-in-fence.wrong"),
            right: include_str!("examples/task-in-fence.right"),
        }),
    },
    FindingCode {
        code: "task-incomplete",
        title: "an incomplete task",
        text: "Without <name> or <action> the worker lacks instructions; without <verify> and <done> it is not clear when the task is done.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/task-incomplete.wrong"),
            right: include_str!("examples/task-incomplete.right"),
        }),
    },
    FindingCode {
        code: "unbalanced-tag",
        title: "a tag that is not closed",
        text: "It was read up to the next tag. Add the closing tag.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unbalanced-tag.wrong"),
            right: include_str!("examples/unbalanced-tag.right"),
        }),
    },
    FindingCode {
        code: "unbalanced-task",
        title: "task tags that do not match",
        text: "A missing `</task>` is assumed before the next task. At the end of a file it is an error, because the file may be cut off.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unbalanced-task.wrong"),
            right: include_str!("examples/unbalanced-task.right"),
        }),
    },
    FindingCode {
        code: "unclosed-comment",
        title: "an unclosed comment that contains tasks",
        text: "Tasks in a comment are not read. Close it with `-->`.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unclosed-comment.wrong"),
            right: include_str!("examples/unclosed-comment.right"),
        }),
    },
    FindingCode {
        code: "unclosed-fence",
        title: "an unclosed code block",
        text: "Inside a task it ends with the task; outside, the tasks in it would be lost.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unclosed-fence.wrong"),
            right: include_str!("examples/unclosed-fence.right"),
        }),
    },
    FindingCode {
        code: "unknown-tag",
        title: "a misspelt tag",
        text: "A misspelt `<verify>` would silently mean that there is no check.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unknown-tag.wrong"),
            right: include_str!("examples/unknown-tag.right"),
        }),
    },
    FindingCode {
        code: "unknown-task-type",
        title: "an unknown type of task",
        text: "It is run by a worker, like `auto`.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unknown-task-type.wrong"),
            right: include_str!("examples/unknown-task-type.right"),
        }),
    },
    FindingCode {
        code: "unknown-requirement",
        title: "a requirement that does not exist",
        text: "The task cites it, but no document states it, so the worker does not get it and `afresh trace` cannot \
               follow it.",
        example: None,
    },
    FindingCode {
        code: "unserved-requirement",
        title: "a requirement that no task serves",
        text: "A document of the plan states it, other requirements of the document are cited by tasks, and this one is \
               not. Cite it in a task, or say that it is deferred or out of scope. `afresh trace` lists all of them.",
        example: None,
    },
    FindingCode {
        code: "unread-plan",
        title: "a file that looks like a plan and is not read",
        text: "It is in a phase and its name says that it is a plan, but not in a spelling that GSD reads. Name it NN-PP-PLAN.md.",
        example: None,
    },
];
