//! Artifacts of planning: what stages write, and updates of plans.

use super::FindingCode;

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "broad-command",
        title: "an acceptance test that runs more than itself",
        text: "A whole suite turns red with the tests of other tasks. Run exactly the files of the scenario.",
        example: None,
    },
    FindingCode {
        code: "changed-kept-task",
        title: "an update that changes what did not change",
        text: "The statements that the task serves are as they were, so it stays word for word. What is new belongs into a task of its own.",
        example: None,
    },
    FindingCode {
        code: "dropped-kept-task",
        title: "an update that drops what is still wanted",
        text: "The statements that the task serves are as they were. Keep the task.",
        example: None,
    },
    FindingCode {
        code: "file-without-owner",
        title: "a file of the physical map that no task writes",
        text: "It would silently not be made. Add it to the `files` of the task that writes it.",
        example: None,
    },
    FindingCode {
        code: "issue-without-place",
        title: "an issue that is about nothing",
        text: "Only an issue with a rule and a place blocks: name the task or the statement that it is about.",
        example: None,
    },
    FindingCode {
        code: "missing-acceptance-file",
        title: "an acceptance test without its text",
        text: "A task names a test in `acceptance`; its text belongs into the directory `acceptance` beside the plan.",
        example: None,
    },
    FindingCode {
        code: "no-evidence",
        title: "a verdict that passes over a task",
        text: "A verdict says for every task which words of the specification were compared with which words of the task.",
        example: None,
    },
    FindingCode {
        code: "other-tasks-statement",
        title: "an acceptance test in the wrong task",
        text: "The task of a scenario serves the statements that it tests. Let the task that does make it pass.",
        example: None,
    },
    FindingCode {
        code: "several-steel-threads",
        title: "more than one steel thread",
        text: "One flow is the first way through the whole program. Mark that one alone.",
        example: None,
    },
    FindingCode {
        code: "shared-test-file",
        title: "a test file of two tasks",
        text: "A test file lands with one task. Write one file for each.",
        example: None,
    },
    FindingCode {
        code: "two-actions",
        title: "a file that is created and changed",
        text: "The physical map gives one file different actions. It is created, modified or deleted.",
        example: None,
    },
    FindingCode {
        code: "unknown-task",
        title: "a task that does not exist",
        text: "A scenario or a verdict names it. Use the ids of the files in `tasks`, or of the plan.",
        example: None,
    },
    FindingCode {
        code: "unmapped-behavior",
        title: "a behavior without files",
        text: "The physical map says for every behavior of the capability map in which files it is.",
        example: None,
    },
    FindingCode {
        code: "unmarked-test-file",
        title: "an acceptance test that nobody would recognise",
        text: "The path of each acceptance test has `acceptance` in it, such as tests/acceptance/test_store.py.",
        example: None,
    },
    FindingCode {
        code: "untested-statement",
        title: "a statement without an acceptance test",
        text: "Write a scenario for it, or list it in `untestable` with the reason why no command can test it.",
        example: None,
    },
    FindingCode {
        code: "verdict-unlike-issues",
        title: "a verdict that its issues contradict",
        text: "BLOCKED needs an issue with severity blocker, READY has none, and with notes alone it is READY_WITH_NOTES.",
        example: None,
    },
    FindingCode {
        code: "wrong-form",
        title: "an artifact of planning in another form",
        text: "`afresh schema` prints the form of each artifact. Everything that differs is reported at once.",
        example: None,
    },
];
