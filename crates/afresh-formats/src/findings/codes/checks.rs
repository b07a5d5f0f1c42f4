//! Codes about checks and criteria.

use super::{CodeExample, FindingCode};

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "bad-check",
        title: "a check that is no command",
        text: "A check is a command whose exit code tells: 0 is a pass. It is empty, too long, or holds a NUL.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/bad-check.wrong"),
            right: include_str!("examples/bad-check.right"),
        }),
    },
    FindingCode {
        code: "check-cannot-fail",
        title: "a check that passes whatever happens",
        text: "The exit code of a pipe is that of its last program, and `|| true` always passes. Leave that part out.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/check-cannot-fail.wrong"),
            right: include_str!("examples/check-cannot-fail.right"),
        }),
    },
    FindingCode {
        code: "check-is-prose",
        title: "a check that is a sentence",
        text: "A check is a command whose exit code tells; a sentence is never run, but the worker is shown it.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/check-is-prose.wrong"),
            right: include_str!("examples/check-is-prose.right"),
        }),
    },
    FindingCode {
        code: "check-leaves-tree",
        title: "a check that goes to a directory of some machine",
        text: "Checks start in the root of a clone; with `cd /home/…` they would judge another tree.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/check-leaves-tree.wrong"),
            right: include_str!("examples/check-leaves-tree.right"),
        }),
    },
    FindingCode {
        code: "checks-are-prose",
        title: "criteria that are sentences, not commands",
        text: "A check is a command whose exit code tells; sentences are never run. The worker gets them, and the repository's own build, test and lint commands judge the work.",
        example: Some(CodeExample {
            file: ".tasker/tasks/T001.json",
            wrong: include_str!("examples/checks-are-prose.wrong"),
            right: include_str!("examples/checks-are-prose.right"),
        }),
    },
    FindingCode {
        code: "must-have-unclear",
        title: "a must-have that no command can check",
        text: "An artifact is a path; a key link is a plain text in a file. A `pattern` that is a regular expression is not run: it is only shown to the worker. Use plain text, or a `grep` command in <verify>.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/must-have-unclear.wrong"),
            right: include_str!("examples/must-have-unclear.right"),
        }),
    },
    FindingCode {
        code: "unchecked",
        title: "a task that nothing but its worker's word would judge",
        text: "Give it a command that fails until the work is done; `no_check` says that none is meant.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/unchecked.wrong"),
            right: include_str!("examples/unchecked.right"),
        }),
    },
    FindingCode {
        code: "vague-criterion",
        title: "words that say nothing that could be looked at",
        text: "`works correctly` cannot be seen. Say a value, a status, a file or a time.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/vague-criterion.wrong"),
            right: include_str!("examples/vague-criterion.right"),
        }),
    },
];
