//! Codes about ids, dependencies and waves.

use super::{CodeExample, FindingCode};

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "bad-id",
        title: "an id that cannot name branches and directories",
        text: "Ids are 1 to 64 letters, digits, '-', '_' or '.'; they name refs and directories.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/bad-id.wrong"),
            right: include_str!("examples/bad-id.right"),
        }),
    },
    FindingCode {
        code: "cycle",
        title: "tasks that wait for each other",
        text: "The path that is shown leads back to its start, so none of these tasks could ever begin. Take one of the dependencies away.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/cycle.wrong"),
            right: include_str!("examples/cycle.right"),
        }),
    },
    FindingCode {
        code: "dependency-not-earlier",
        title: "a dependency in the same or a later wave",
        text: "Dependencies count, stated waves do not: the task waits. Correct the wave, or remove the dependency.",
        example: Some(CodeExample {
            file: ".specflow/specs/SPEC-001.md",
            wrong: include_str!("examples/dependency-not-earlier.wrong"),
            right: include_str!("examples/dependency-not-earlier.right"),
        }),
    },
    FindingCode {
        code: "duplicate-id",
        title: "two tasks with one id",
        text: "Every task needs an id of its own; upper and lower case do not tell ids apart.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/duplicate-id.wrong"),
            right: include_str!("examples/duplicate-id.right"),
        }),
    },
    FindingCode {
        code: "self-dependency",
        title: "a group that depends on itself",
        text: "It is left out, because it says nothing about the order. Perhaps another group was meant.",
        example: Some(CodeExample {
            file: ".specflow/specs/SPEC-001.md",
            wrong: include_str!("examples/self-dependency.wrong"),
            right: include_str!("examples/self-dependency.right"),
        }),
    },
    FindingCode {
        code: "subtasks-in-a-circle",
        title: "subtasks that wait for each other",
        text: "They are done in the order of the file, one after the other.",
        example: Some(CodeExample {
            file: ".taskmaster/tasks/tasks.json",
            wrong: include_str!("examples/subtasks-in-a-circle.wrong"),
            right: include_str!("examples/subtasks-in-a-circle.right"),
        }),
    },
    FindingCode {
        code: "unknown-dependency",
        title: "a dependency that is not in the plan",
        text: "The task could never start. Is the name right?",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/unknown-dependency.wrong"),
            right: include_str!("examples/unknown-dependency.right"),
        }),
    },
    FindingCode {
        code: "unknown-link",
        title: "a kind of dependency that is not known",
        text: "Only some kinds make an issue wait; this one is taken as a remark.",
        example: Some(CodeExample {
            file: ".beads/issues.jsonl",
            wrong: include_str!("examples/unknown-link.wrong"),
            right: include_str!("examples/unknown-link.right"),
        }),
    },
    FindingCode {
        code: "unresolved-dependency",
        title: "a dependency that names nothing here",
        text: "It is left out, not guessed at, so the task may start too early. Write it as the id of a task.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unresolved-dependency.wrong"),
            right: include_str!("examples/unresolved-dependency.right"),
        }),
    },
    FindingCode {
        code: "unresolved-name",
        title: "a name that belongs to none of the groups",
        text: "What is said about it reaches no worker. Write the name as it stands in tasks.md.",
        example: None,
    },
    FindingCode {
        code: "wave-disagrees",
        title: "a stated wave that the dependencies contradict",
        text: "Waves follow from dependencies. One of the two is a mistake: perhaps a dependency is missing.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/wave-disagrees.wrong"),
            right: include_str!("examples/wave-disagrees.right"),
        }),
    },
];
