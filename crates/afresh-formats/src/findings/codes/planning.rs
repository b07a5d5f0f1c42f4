//! Codes about plans that were made from a specification: `afresh plan validate`.

use super::FindingCode;

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "ambiguous-path",
        title: "a path that several files end with",
        text: "A worker would have to guess which one is meant. Write the whole path.",
        example: None,
    },
    FindingCode {
        code: "leaks-scope",
        title: "a task for something that is deferred or out of scope",
        text: "The specification puts the statement into a later phase or leaves it out. Remove it from the task; only a person changes the scope of a statement.",
        example: None,
    },
    FindingCode {
        code: "serves-nothing",
        title: "a task that serves no statement of the specification",
        text: "Work that nobody asked for is not planned. List the ids of the statements in `requirements`, or remove the task.",
        example: None,
    },
    FindingCode {
        code: "shrinks-statement",
        title: "a task that does less than was asked for",
        text: "Words such as \"simplified\", \"for now\" or \"stub\" make less of a statement than it says. Plan all of it; only a person defers a part.",
        example: None,
    },
    FindingCode {
        code: "steel-thread-apart",
        title: "a steel thread that is not one chain",
        text: "The steel thread is the first way through the whole program. Its tasks need each other, up to the one with the end-to-end check.",
        example: None,
    },
    FindingCode {
        code: "steel-thread-unchecked",
        title: "a steel thread without an end-to-end check",
        text: "Its last task needs a command with `red_first = true` that fails until the whole thread works.",
        example: None,
    },
    FindingCode {
        code: "task-too-large",
        title: "a task that fills too much of a worker's context",
        text: "Workers do worse the fuller their context is. The limit is `soft` under [context]. Divide the task, or let it list fewer and smaller files.",
        example: None,
    },
    FindingCode {
        code: "uncovered-statement",
        title: "a statement of the specification that no task serves",
        text: "It would silently not be built. Name its id in the `requirements` of the task that does it, or add a task.",
        example: None,
    },
    FindingCode {
        code: "ungrounded-path",
        title: "a path that does not exist",
        text: "The repository does not have it, and no task creates it, but a file of that name is elsewhere. Correct the path, or list it in `files` with `action = \"create\"`.",
        example: None,
    },
    FindingCode {
        code: "unknown-statement",
        title: "a task that serves something the specification does not state",
        text: "The ids are those of the specification, as listed in the plan's ledger.json.",
        example: None,
    },
];
