//! Codes about tasks, and what they are made of.

use super::{CodeExample, FindingCode};

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "action-not-numbered",
        title: "an action that is not in numbered steps",
        text: "With `1.`, `2.` … a worker can say how far it came, and a fresh one goes on from there.",
        example: Some(CodeExample {
            file: ".long-run/plans/01-PLAN.md",
            wrong: include_str!("examples/action-not-numbered.wrong"),
            right: include_str!("examples/action-not-numbered.right"),
        }),
    },
    FindingCode {
        code: "autonomous-checkpoint",
        title: "a plan that calls itself autonomous, and asks a person",
        text: "The checkpoint is asked anyway. Write `autonomous: false`, so that nobody expects it to run through.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/autonomous-checkpoint.wrong"),
            right: include_str!("examples/autonomous-checkpoint.right"),
        }),
    },
    FindingCode {
        code: "frontmatter-incomplete",
        title: "a frontmatter without keys that GSD asks for",
        text: "Without `depends_on` and `files_modified`, order and files are not known, and the plan may start too early. The others are for GSD itself.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/frontmatter-incomplete.wrong"),
            right: include_str!("examples/frontmatter-incomplete.right"),
        }),
    },
    FindingCode {
        code: "large-group",
        title: "a group that fills too much of a context",
        text: "SpecFlow's own auditor allows 30 % of a worker's context for one group. Split it.",
        example: Some(CodeExample {
            file: ".specflow/specs/SPEC-001.md",
            wrong: include_str!("examples/large-group.wrong"),
            right: include_str!("examples/large-group.right"),
        }),
    },
    FindingCode {
        code: "large-task",
        title: "much for one worker",
        text: "15 files or many steps (5 of a PLAN.md) fill a context; a fresh worker does a small task better. Split it.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/large-task.wrong"),
            right: include_str!("examples/large-task.right"),
        }),
    },
    FindingCode {
        code: "missing-title",
        title: "a task without a title",
        text: "The title is the subject of its commit and the heading of its prompt.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/missing-title.wrong"),
            right: include_str!("examples/missing-title.right"),
        }),
    },
    FindingCode {
        code: "no-task-groups",
        title: "a heading for task groups without a table of them",
        text: "Expected is a table with the columns Group, Wave, Tasks and Dependencies.",
        example: Some(CodeExample {
            file: ".specflow/specs/SPEC-001.md",
            wrong: include_str!("examples/no-task-groups.wrong"),
            right: include_str!("examples/no-task-groups.right"),
        }),
    },
    FindingCode {
        code: "no-task-id",
        title: "a box without a task id",
        text: "It is not run, because nothing could name it. Start it with an id, as in `T001`.",
        example: Some(CodeExample {
            file: "specs/001-a/tasks.md",
            wrong: include_str!("examples/no-task-id.wrong"),
            right: include_str!("examples/no-task-id.right"),
        }),
    },
    FindingCode {
        code: "no-tasks",
        title: "a plan without tasks",
        text: "One worker gets its whole text, with no steps to go on from if it is cut off.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/no-tasks.wrong"),
            right: include_str!("examples/no-tasks.right"),
        }),
    },
    FindingCode {
        code: "table-elsewhere",
        title: "a table of groups under another heading",
        text: "Only the table under `### Task Groups` is read, because audits hold tables with the same columns. Now one worker does the whole specification.",
        example: Some(CodeExample {
            file: ".specflow/specs/SPEC-001.md",
            wrong: include_str!("examples/table-elsewhere.wrong"),
            right: include_str!("examples/table-elsewhere.right"),
        }),
    },
    FindingCode {
        code: "task-in-fence",
        title: "a task in a code block",
        text: "What stands in a code block is an example. If it is meant to be done, take it out.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/task-in-fence.wrong"),
            right: include_str!("examples/task-in-fence.right"),
        }),
    },
    FindingCode {
        code: "task-incomplete",
        title: "a task that lacks a part",
        text: "Without <name> or <action> a worker hardly knows what to do; without <verify> and <done> nobody knows when it is done.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/task-incomplete.wrong"),
            right: include_str!("examples/task-incomplete.right"),
        }),
    },
    FindingCode {
        code: "unbalanced-tag",
        title: "a tag that is not closed",
        text: "It was read up to the next tag. Add the closing tag where it is meant.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unbalanced-tag.wrong"),
            right: include_str!("examples/unbalanced-tag.right"),
        }),
    },
    FindingCode {
        code: "unbalanced-task",
        title: "task tags that do not match",
        text: "What ends where is guessed only if another task follows; otherwise the file may be cut off.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unbalanced-task.wrong"),
            right: include_str!("examples/unbalanced-task.right"),
        }),
    },
    FindingCode {
        code: "unclosed-comment",
        title: "a comment that never ends, with tasks in it",
        text: "Nothing in it is read. Close it with `-->`.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unclosed-comment.wrong"),
            right: include_str!("examples/unclosed-comment.right"),
        }),
    },
    FindingCode {
        code: "unclosed-fence",
        title: "a code block that does not end where it should",
        text: "In a task it is taken to end with the task; outside, the tasks in it would be lost.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unclosed-fence.wrong"),
            right: include_str!("examples/unclosed-fence.right"),
        }),
    },
    FindingCode {
        code: "unknown-tag",
        title: "a tag that is nearly a known one",
        text: "A misspelt `<verify>` must not silently mean that there is no check.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unknown-tag.wrong"),
            right: include_str!("examples/unknown-tag.right"),
        }),
    },
    FindingCode {
        code: "unknown-task-type",
        title: "a type of task that is not known",
        text: "A worker does it, as if it were `auto`.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unknown-task-type.wrong"),
            right: include_str!("examples/unknown-task-type.right"),
        }),
    },
];
