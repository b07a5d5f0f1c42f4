//! Codes about ids, dependencies and waves.

use super::{CodeExample, FindingCode};

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "bad-id",
        title: "an invalid task id",
        text: "Ids have 1 to 64 letters, digits, '-', '_' or '.', because they are used in refs and directories.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/bad-id.wrong"),
            right: include_str!("examples/bad-id.right"),
        }),
    },
    FindingCode {
        code: "cycle",
        title: "tasks that depend on each other in a cycle",
        text: "The path in the message leads back to its start, so none of these tasks could ever start: they are blocked, and what depends on them waits. Remove one of the dependencies. Finished tasks are never part of a cycle.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/cycle.wrong"),
            right: include_str!("examples/cycle.right"),
        }),
    },
    FindingCode {
        code: "dependency-not-earlier",
        title: "a dependency in the same or a later wave",
        text: "Waves follow from dependencies, so the task waits. Correct the wave, or remove the dependency.",
        example: Some(CodeExample {
            file: ".specflow/specs/SPEC-001.md",
            wrong: include_str!("examples/dependency-not-earlier.wrong"),
            right: include_str!("examples/dependency-not-earlier.right"),
        }),
    },
    FindingCode {
        code: "duplicate-id",
        title: "two tasks with the same id",
        text: "Every task needs a unique id; ids that differ only in case count as equal. In lists and headings the second one gets a suffix, such as `T082.2`, and both are run; where ids are keys, the second is not run.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/duplicate-id.wrong"),
            right: include_str!("examples/duplicate-id.right"),
        }),
    },
    FindingCode {
        code: "self-dependency",
        title: "a group that depends on itself",
        text: "The dependency is ignored. Check whether another group was meant.",
        example: Some(CodeExample {
            file: ".specflow/specs/SPEC-001.md",
            wrong: include_str!("examples/self-dependency.wrong"),
            right: include_str!("examples/self-dependency.right"),
        }),
    },
    FindingCode {
        code: "subtasks-in-a-circle",
        title: "subtasks that depend on each other in a cycle",
        text: "They are done one by one in the order of the file.",
        example: Some(CodeExample {
            file: ".taskmaster/tasks/tasks.json",
            wrong: include_str!("examples/subtasks-in-a-circle.wrong"),
            right: include_str!("examples/subtasks-in-a-circle.right"),
        }),
    },
    FindingCode {
        code: "unknown-dependency",
        title: "a dependency that is not in the plan",
        text: "The task could never start, so it is blocked, and what depends on it waits. Check the name.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/unknown-dependency.wrong"),
            right: include_str!("examples/unknown-dependency.right"),
        }),
    },
    FindingCode {
        code: "unknown-link",
        title: "an unknown kind of dependency",
        text: "Only some kinds make an issue wait; this one is ignored.",
        example: Some(CodeExample {
            file: ".beads/issues.jsonl",
            wrong: include_str!("examples/unknown-link.wrong"),
            right: include_str!("examples/unknown-link.right"),
        }),
    },
    FindingCode {
        code: "unresolved-dependency",
        title: "a dependency that matches no task",
        text: "The dependency is ignored, so the task may start too early. Write the id of a task.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/unresolved-dependency.wrong"),
            right: include_str!("examples/unresolved-dependency.right"),
        }),
    },
    FindingCode {
        code: "unresolved-name",
        title: "a name that matches no task group",
        text: "Its settings reach no worker. Write the name as in tasks.md.",
        example: None,
    },
    FindingCode {
        code: "wave-disagrees",
        title: "a wave that contradicts the dependencies",
        text: "Waves follow from dependencies, so one of the two is wrong. Often a dependency is missing.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/wave-disagrees.wrong"),
            right: include_str!("examples/wave-disagrees.right"),
        }),
    },
];
