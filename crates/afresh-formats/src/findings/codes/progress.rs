//! Codes about what is done, and what is planned.

use super::{CodeExample, FindingCode};

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "checkpoint-unclear",
        title: "a checkpoint that does not tell what is finished",
        text: "What it does not tell counts as not done, so it is done again.",
        example: None,
    },
    FindingCode {
        code: "id-unlike-file",
        title: "a task whose file has another name",
        text: "The id in the file counts; perhaps the file was copied.",
        example: Some(CodeExample {
            file: ".tasker/tasks/T001.json",
            wrong: include_str!("examples/id-unlike-file.wrong"),
            right: include_str!("examples/id-unlike-file.right"),
        }),
    },
    FindingCode {
        code: "left-out",
        title: "tasks that were given up or put off",
        text: "They are not done. Nobody waits for what was given up; where something needs what was put off, a person is asked.",
        example: Some(CodeExample {
            file: ".taskmaster/tasks/tasks.json",
            wrong: include_str!("examples/left-out.wrong"),
            right: include_str!("examples/left-out.right"),
        }),
    },
    FindingCode {
        code: "missing-task-file",
        title: "a task without a file",
        text: "The state names it, but there is nothing that says what to do.",
        example: None,
    },
    FindingCode {
        code: "no-steel-thread",
        title: "flows without a steel thread",
        text: "The steel thread is the thinnest flow through everything; built early, it shows what does not fit together.",
        example: None,
    },
    FindingCode {
        code: "not-planned",
        title: "a slice without tasks",
        text: "It is left out, and what depends on it cannot run. Let GSD plan it first.",
        example: None,
    },
    FindingCode {
        code: "other-tags",
        title: "tasks of other tags",
        text: "Task Master keeps a list for every tag; the one that is worked on is read.",
        example: None,
    },
    FindingCode {
        code: "partly-done",
        title: "a group of which some boxes are ticked",
        text: "A fresh worker does a group as a whole and finds what is there. Tick all of its boxes if it is done.",
        example: Some(CodeExample {
            file: "agent-os/specs/a/tasks.md",
            wrong: include_str!("examples/partly-done.wrong"),
            right: include_str!("examples/partly-done.right"),
        }),
    },
    FindingCode {
        code: "spec-is-split",
        title: "a specification that was split",
        text: "It is not run itself; the specifications that it was split into are.",
        example: Some(CodeExample {
            file: ".specflow/specs/SPEC-001.md",
            wrong: include_str!("examples/spec-is-split.wrong"),
            right: include_str!("examples/spec-is-split.right"),
        }),
    },
    FindingCode {
        code: "steel-thread-late",
        title: "a steel thread that comes late",
        text: "In the second half of the phases it shows too late what does not fit together.",
        example: None,
    },
    FindingCode {
        code: "ticked-without-summary",
        title: "a tick in ROADMAP.md without a summary",
        text: "Summaries tell what is done, ticks only mirror them; so the plan is not done.",
        example: None,
    },
    FindingCode {
        code: "uncovered-behavior",
        title: "a behaviour that no task brings",
        text: "The capability map promises it, and nobody builds it. Add it to a task, or take it out of the map.",
        example: None,
    },
    FindingCode {
        code: "unknown-behavior",
        title: "a behaviour that the capability map does not know",
        text: "The worker is told its id and nothing else.",
        example: None,
    },
    FindingCode {
        code: "unknown-status",
        title: "a status that is not known",
        text: "It is taken as work that is still to be done.",
        example: Some(CodeExample {
            file: ".taskmaster/tasks/tasks.json",
            wrong: include_str!("examples/unknown-status.wrong"),
            right: include_str!("examples/unknown-status.right"),
        }),
    },
];
