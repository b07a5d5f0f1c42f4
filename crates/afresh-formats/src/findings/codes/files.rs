//! Codes about the files of tasks.

use super::{CodeExample, FindingCode};

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "bad-path",
        title: "a path that a task may not write",
        text: "Paths are relative to the repository's root and stay inside it: no '..', no absolute paths, no `.git`.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/bad-path.wrong"),
            right: include_str!("examples/bad-path.right"),
        }),
    },
    FindingCode {
        code: "created-twice",
        title: "a file that two tasks create",
        text: "The second task finds the file in place, or conflicts with the first. Let one create it, and let the other need that task and modify the file.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/created-twice.wrong"),
            right: include_str!("examples/created-twice.right"),
        }),
    },
    FindingCode {
        code: "file-exists",
        title: "a file to create already exists",
        text: "Use the action `modify`, or choose another name.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/file-exists.wrong"),
            right: include_str!("examples/file-exists.right"),
        }),
    },
    FindingCode {
        code: "file-is-prose",
        title: "a sentence in a list of files",
        text: "List the paths that the task may write, one per line or separated by commas.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/file-is-prose.wrong"),
            right: include_str!("examples/file-is-prose.right"),
        }),
    },
    FindingCode {
        code: "missing-context",
        title: "a file to read that is not committed",
        text: "A worker has a clone of what is committed, so it cannot read this file. Commit it, or correct the path.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/missing-context.wrong"),
            right: include_str!("examples/missing-context.right"),
        }),
    },
    FindingCode {
        code: "missing-file",
        title: "a file to modify does not exist",
        text: "Check the path. If another task creates the file, add that task to `needs`; if this task creates it, use the action `create`.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/missing-file.wrong"),
            right: include_str!("examples/missing-file.right"),
        }),
    },
    FindingCode {
        code: "no-files",
        title: "a task that names no files",
        text: "It may write any file, so it runs alone. List its files, so that other tasks can run in parallel.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/no-files.wrong"),
            right: include_str!("examples/no-files.right"),
        }),
    },
    FindingCode {
        code: "path-outside",
        title: "a task that writes outside of the repository",
        text: "A worker has a private clone; files that it writes elsewhere are not harvested. The path is ignored.",
        example: Some(CodeExample {
            file: "specs/001-a/tasks.md",
            wrong: include_str!("examples/path-outside.wrong"),
            right: include_str!("examples/path-outside.right"),
        }),
    },
    FindingCode {
        code: "same-wave-file",
        title: "two tasks of one wave that may write the same file",
        text: "They never run in parallel, because the second would conflict when it is merged. Let one need the other, or separate their files.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/same-wave-file.wrong"),
            right: include_str!("examples/same-wave-file.right"),
        }),
    },
];
