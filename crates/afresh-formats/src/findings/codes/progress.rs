//! Codes about what is done and what is planned.

use super::{CodeExample, FindingCode};

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "checkpoint-unclear",
        title: "a checkpoint that does not say what is finished",
        text: "Work that it does not mention counts as not done and is done again.",
        example: None,
    },
    FindingCode {
        code: "id-unlike-file",
        title: "a task id that differs from the file name",
        text: "The id in the file is used. Check whether the file was copied.",
        example: Some(CodeExample {
            file: ".tasker/tasks/T001.json",
            wrong: include_str!("examples/id-unlike-file.wrong"),
            right: include_str!("examples/id-unlike-file.right"),
        }),
    },
    FindingCode {
        code: "left-out",
        title: "work that is left out",
        text: "Tasks that were cancelled, deferred or called optional are not run. What depends on a cancelled one waits for what that one waited for; if a task depends on a deferred one, a person is asked. Boxes below criteria and notes are no tasks.",
        example: Some(CodeExample {
            file: ".taskmaster/tasks/tasks.json",
            wrong: include_str!("examples/left-out.wrong"),
            right: include_str!("examples/left-out.right"),
        }),
    },
    FindingCode {
        code: "missing-task-file",
        title: "a task without a task file",
        text: "The state file names the task, but no file says what to do.",
        example: None,
    },
    FindingCode {
        code: "no-steel-thread",
        title: "flows without a steel thread",
        text: "The steel thread is the thinnest flow through the whole system. Built early, it shows what does not fit together.",
        example: None,
    },
    FindingCode {
        code: "not-planned",
        title: "a slice without tasks",
        text: "It is not run, and slices that depend on it wait for it. Plan it with GSD first.",
        example: None,
    },
    FindingCode {
        code: "other-tags",
        title: "tasks under other tags",
        text: "Task Master has a list of tasks for every tag; only the current tag is read.",
        example: None,
    },
    FindingCode {
        code: "partly-done",
        title: "a group with some boxes checked",
        text: "A worker does a group as a whole, on top of what exists; the tasks of a checked parent are run if they are open. Check all boxes if it is done.",
        example: Some(CodeExample {
            file: "agent-os/specs/a/tasks.md",
            wrong: include_str!("examples/partly-done.wrong"),
            right: include_str!("examples/partly-done.right"),
        }),
    },
    FindingCode {
        code: "spec-is-split",
        title: "a spec that was split",
        text: "It is not run itself; the specs that it was split into are.",
        example: Some(CodeExample {
            file: ".specflow/specs/SPEC-001.md",
            wrong: include_str!("examples/spec-is-split.wrong"),
            right: include_str!("examples/spec-is-split.right"),
        }),
    },
    FindingCode {
        code: "steel-thread-late",
        title: "a steel thread that comes late",
        text: "It is in the second half of the phases, which is late to find out what does not fit together.",
        example: None,
    },
    FindingCode {
        code: "ticked-without-summary",
        title: "a plan checked in ROADMAP.md without a summary",
        text: "A plan is done if it has a summary; boxes in ROADMAP.md only mirror that. The plan is run.",
        example: None,
    },
    FindingCode {
        code: "uncovered-behavior",
        title: "a behaviour that no task implements",
        text: "The capability map lists it. Add it to a task, or remove it from the map.",
        example: None,
    },
    FindingCode {
        code: "unknown-behavior",
        title: "a behaviour that is not in the capability map",
        text: "The worker gets only its id.",
        example: None,
    },
    FindingCode {
        code: "unknown-status",
        title: "an unknown status",
        text: "The task counts as not done.",
        example: Some(CodeExample {
            file: ".taskmaster/tasks/tasks.json",
            wrong: include_str!("examples/unknown-status.wrong"),
            right: include_str!("examples/unknown-status.right"),
        }),
    },
    FindingCode {
        code: "archived-unfinished",
        title: "an archived change with open boxes",
        text: "Archived changes are not run, whatever is open in them. Move one back to run it.",
        example: None,
    },
    FindingCode {
        code: "needs-outside",
        title: "an unfinished plan before the named one",
        text: "Only what was named is run, so nothing waits for this plan. Finish it first, or name the whole project.",
        example: None,
    },
    FindingCode {
        code: "unclear-box",
        title: "an open box that may not be meant",
        text: "It is struck out, called deferred, or in a section about finished work. Check the box, or remove it.",
        example: Some(CodeExample {
            file: "TODO.md",
            wrong: include_str!("examples/unclear-box.wrong"),
            right: include_str!("examples/unclear-box.right"),
        }),
    },
    FindingCode {
        code: "unproven-done",
        title: "work that is done by its agent's word",
        text: "`passes` in a prd.json is written by the agent that did the work. The story is not done again; its checks, if it has any, run at the end of the run.",
        example: Some(CodeExample {
            file: "prd.json",
            wrong: include_str!("examples/unproven-done.wrong"),
            right: include_str!("examples/unproven-done.right"),
        }),
    },
];
