//! Codes about the files of tasks.

use super::{CodeExample, FindingCode};

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "bad-path",
        title: "a path that no task may write",
        text: "Paths are relative to the repository's root and stay inside it: no '..', nothing absolute, nothing of git's own.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/bad-path.wrong"),
            right: include_str!("examples/bad-path.right"),
        }),
    },
    FindingCode {
        code: "created-twice",
        title: "a file that two tasks create",
        text: "The second one finds it there, or collides with it. Let one create it, and the other one need that and modify it.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/created-twice.wrong"),
            right: include_str!("examples/created-twice.right"),
        }),
    },
    FindingCode {
        code: "file-exists",
        title: "a file to be created is there already",
        text: "Either the task modifies it, or the name is taken.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/file-exists.wrong"),
            right: include_str!("examples/file-exists.right"),
        }),
    },
    FindingCode {
        code: "file-is-prose",
        title: "a file list that holds a sentence",
        text: "Only paths say what a task may write: one per line, or several with commas.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/file-is-prose.wrong"),
            right: include_str!("examples/file-is-prose.right"),
        }),
    },
    FindingCode {
        code: "missing-context",
        title: "a file to read that workers do not have",
        text: "A worker stands in a clone of what is committed, so it cannot read it. Commit it, or correct the path.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/missing-context.wrong"),
            right: include_str!("examples/missing-context.right"),
        }),
    },
    FindingCode {
        code: "missing-file",
        title: "a file to be changed is not there",
        text: "The path may be misspelt, or another task creates it and should be needed first.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/missing-file.wrong"),
            right: include_str!("examples/missing-file.right"),
        }),
    },
    FindingCode {
        code: "no-files",
        title: "a task that names no files",
        text: "It may write anything, and therefore runs alone. Name its files, so that others can run beside it.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/no-files.wrong"),
            right: include_str!("examples/no-files.right"),
        }),
    },
    FindingCode {
        code: "path-outside",
        title: "a task that is to write outside of the repository",
        text: "A worker stands in a private clone; whatever it writes elsewhere is not harvested. The path is left out of the task's files.",
        example: Some(CodeExample {
            file: "specs/001-a/tasks.md",
            wrong: include_str!("examples/path-outside.wrong"),
            right: include_str!("examples/path-outside.right"),
        }),
    },
    FindingCode {
        code: "same-wave-file",
        title: "two tasks of one wave that may write one file",
        text: "They never run side by side: the second would collide when it lands. Let one need the other, or part their files.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/same-wave-file.wrong"),
            right: include_str!("examples/same-wave-file.right"),
        }),
    },
];
