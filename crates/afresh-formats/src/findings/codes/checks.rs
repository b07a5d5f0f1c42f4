//! Codes about checks and criteria.

use super::{CodeExample, FindingCode};

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "bad-check",
        title: "a check that is not a command",
        text: "A check is a command; exit code 0 means that it passed. This one is empty, too long, or contains a NUL character.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/bad-check.wrong"),
            right: include_str!("examples/bad-check.right"),
        }),
    },
    FindingCode {
        code: "check-cannot-fail",
        title: "a check that always passes",
        text: "The exit code of a pipe is that of its last program, and `|| true` always succeeds. Remove that part.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/check-cannot-fail.wrong"),
            right: include_str!("examples/check-cannot-fail.right"),
        }),
    },
    FindingCode {
        code: "check-is-prose",
        title: "a check that is a sentence",
        text: "Only commands are run as checks. A sentence is shown to the worker and never run.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/check-is-prose.wrong"),
            right: include_str!("examples/check-is-prose.right"),
        }),
    },
    FindingCode {
        code: "check-leaves-tree",
        title: "a check that uses something outside of the repository",
        text: "Checks start in the root of a clone, on any machine: a home directory, another machine or `cd /home/…` is not the tree that is checked.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/check-leaves-tree.wrong"),
            right: include_str!("examples/check-leaves-tree.right"),
        }),
    },
    FindingCode {
        code: "checks-are-prose",
        title: "criteria that are sentences instead of commands",
        text: "Only commands are run as checks. The worker gets the sentences; the work is checked by the build, test and lint commands of the repository.",
        example: Some(CodeExample {
            file: ".tasker/tasks/T001.json",
            wrong: include_str!("examples/checks-are-prose.wrong"),
            right: include_str!("examples/checks-are-prose.right"),
        }),
    },
    FindingCode {
        code: "must-have-unclear",
        title: "a must-have that is not checked by a command",
        text: "An artifact is a path; a key link is a plain text in a file. A `pattern` that is a regular expression is not run: it is only shown to the worker. Use plain text, or a `grep` command in <verify>.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/must-have-unclear.wrong"),
            right: include_str!("examples/must-have-unclear.right"),
        }),
    },
    FindingCode {
        code: "unchecked",
        title: "a task without a check",
        text: "Only the worker's own claim would say that it is done. Add a command that fails until the work is done, or give a reason in `no_check`.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/unchecked.wrong"),
            right: include_str!("examples/unchecked.right"),
        }),
    },
    FindingCode {
        code: "vague-criterion",
        title: "a criterion that is too vague to verify",
        text: "`works correctly` cannot be verified. Name a value, a status, a file or a time.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/vague-criterion.wrong"),
            right: include_str!("examples/vague-criterion.right"),
        }),
    },
    FindingCode {
        code: "check-counts",
        title: "a check that prints a count",
        text: "`grep -c` exits with 1 if the count is 0, and with 0 otherwise, whatever number is expected. Compare the number with `test`.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/check-counts.wrong"),
            right: include_str!("examples/check-counts.right"),
        }),
    },
    FindingCode {
        code: "fails-when",
        title: "what <fails_when> means for a check",
        text: "It is prose for the worker. Only `non-zero exit` and a quoted text followed by `in output` are rules; exit code 0 always means that the check passed.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/fails-when.wrong"),
            right: include_str!("examples/fails-when.right"),
        }),
    },
    FindingCode {
        code: "empty-check",
        title: "a check that executes no test",
        text: "Found by `afresh lint --probe`. A test runner that executes nothing proves nothing, and is not a pass. Name tests that exist, or list the test files in the task that creates them.",
        example: None,
    },
    FindingCode {
        code: "flaky-check",
        title: "a check that fails and passes on the same tree",
        text: "Found by `afresh lint --probe --rerun N`, or by an earlier run. Fix it, or put it in quarantine with a reason and a day: `[[checks.quarantine]]`.",
        example: None,
    },
    FindingCode {
        code: "guard-fails",
        title: "a guard that fails before any work",
        text: "Found by `afresh lint --probe`. A check marked `guard = true` is meant to pass before and after the work.",
        example: None,
    },
    FindingCode {
        code: "red-baseline",
        title: "a check of every merge that does not pass before any work",
        text: "Found by `afresh lint --probe`. No task is blamed for what fails now, and no merge may add a failure; `on_red_base` under [checks] says whether a run asks, continues or stops.",
        example: None,
    },
    FindingCode {
        code: "unproved-task",
        title: "a task that no check can prove done",
        text: "Found by `afresh lint --probe`. Every check of the task passes before any work, executes no test, or cannot run. `vacuous` under [checks] says whether a run warns, asks or refuses.",
        example: None,
    },
    FindingCode {
        code: "unprobed-check",
        title: "a check that was not run before the work",
        text: "Found by `afresh lint --probe`. The time for all checks was over, or the workspace could not be prepared.",
        example: None,
    },
    FindingCode {
        code: "unrunnable-check",
        title: "a check that cannot run",
        text: "Found by `afresh lint --probe`. The command is written wrongly, or needs a program, a target or a file that is missing and that no task creates in time: none at all, or only one that depends on the task.",
        example: None,
    },
    FindingCode {
        code: "unused-quarantine",
        title: "a quarantine that fits no check",
        text: "Found by `afresh lint --probe`. The command of a `[[checks.quarantine]]` must be the same as that of the check, to the letter.",
        example: None,
    },
    FindingCode {
        code: "vacuous-check",
        title: "a check that passes before any work",
        text: "Found by `afresh lint --probe`. It passes whether or not the task is done. Test what the task adds, or mark the check `guard = true`.",
        example: None,
    },
];
