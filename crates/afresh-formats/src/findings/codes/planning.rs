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
    FindingCode {
        code: "check-needs-network",
        title: "a check that needs the network",
        text: "Checks run without a network, on any machine. Start a server of your own in the test, and install what is needed in `setup` of the configuration.",
        example: None,
    },
    FindingCode {
        code: "check-never-ends",
        title: "a check that does not end by itself",
        text: "A server or a watcher runs until it is stopped, so the check ends at its time limit. Start and stop it in a test.",
        example: None,
    },
    FindingCode {
        code: "check-tests-others",
        title: "checks that test only what another task made",
        text: "The files that the checks name belong to a task before this one, whose own checks already prove them. They pass before any work of this task. Check something that this task adds.",
        example: None,
    },
    FindingCode {
        code: "contradicting-actions",
        title: "a file that a task both creates and takes for existing",
        text: "Either the file is new, or it exists: correct the action, or the text.",
        example: None,
    },
    FindingCode {
        code: "contradicting-statements",
        title: "two statements of the specification that cannot both be met",
        text: "Two numbers for the same thing, or a demand that another statement forbids. No plan is right for both: a person corrects the specification, or takes one of them out of scope.",
        example: None,
    },
    FindingCode {
        code: "duplicate-statement",
        title: "two statements with the same id",
        text: "A task that names the id could mean either. A person gives one of them another id.",
        example: None,
    },
    FindingCode {
        code: "duplicate-task",
        title: "a task that plans the same work as another",
        text: "Both serve the same statement in almost the same words. Keep one, or say what the other adds.",
        example: None,
    },
    FindingCode {
        code: "later-phase",
        title: "a task that needs one of a later phase",
        text: "Phases group tasks for people: foundations, the steel thread, features. Correct the phases, or the dependency.",
        example: None,
    },
    FindingCode {
        code: "unchecked-references",
        title: "references that could not be checked",
        text: "Paths, scripts, modules, programs and symbols that are neither verified nor proved to be missing. They block nothing and prove nothing; the probe runs the checks.",
        example: None,
    },
    FindingCode {
        code: "ungrounded-check",
        title: "a check that needs something that does not exist",
        text: "A file, a script of package.json, a target of make, a package or test target of cargo, a module of Python, a package of Go, or a program: neither the repository has it, nor does a task up to this one create it.",
        example: None,
    },
    FindingCode {
        code: "ungrounded-symbol",
        title: "a function or type that does not exist",
        text: "The text says that it exists, and the file that it names does not have it. Name what exists, or plan to add it.",
        example: None,
    },
    FindingCode {
        code: "unordered-writers",
        title: "two tasks that write the same file in no order",
        text: "Neither waits for the other, so that the second one is based on a file that is about to change. Let one need the other, or separate their files.",
        example: None,
    },
    FindingCode {
        code: "unowned-file",
        title: "a file of the specification that no task writes",
        text: "The specification says to create, change or delete it. List it in `files` of a task.",
        example: None,
    },
];
