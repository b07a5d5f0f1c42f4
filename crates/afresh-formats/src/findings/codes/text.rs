//! Codes about files that cannot be read, and empty plans.

use super::{CodeExample, FindingCode};

pub(super) const CODES: &[FindingCode] = &[
    FindingCode {
        code: "empty-plan",
        title: "nothing to do",
        text: "The plan has no tasks.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/empty-plan.wrong"),
            right: include_str!("examples/empty-plan.right"),
        }),
    },
    FindingCode {
        code: "frontmatter-invalid",
        title: "a frontmatter that is not valid YAML",
        text: "It was read line by line instead. Single quotes around the value usually fix it.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/frontmatter-invalid.wrong"),
            right: include_str!("examples/frontmatter-invalid.right"),
        }),
    },
    FindingCode {
        code: "more",
        title: "more findings",
        text: "Only the first findings are listed. Fix those, then lint again.",
        example: None,
    },
    FindingCode {
        code: "not-utf8",
        title: "a file that is not UTF-8 text",
        text: "Save the file as UTF-8.",
        example: None,
    },
    FindingCode {
        code: "several-plans",
        title: "several unfinished plans",
        text: "afresh does not guess which one to run. Name its directory or its tasks.md.",
        example: None,
    },
    FindingCode {
        code: "syntax",
        title: "a syntax error",
        text: "The position shows where reading stopped.",
        example: Some(CodeExample {
            file: ".taskmaster/tasks/tasks.json",
            wrong: include_str!("examples/syntax.wrong"),
            right: include_str!("examples/syntax.right"),
        }),
    },
    FindingCode {
        code: "too-large",
        title: "a file that is too large",
        text: "Split it into several plans.",
        example: None,
    },
    FindingCode {
        code: "unknown-field",
        title: "an unknown field",
        text: "It is ignored. If it resembles a known field it is an error, because a misspelt `checks` would silently mean no checks.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/unknown-field.wrong"),
            right: include_str!("examples/unknown-field.right"),
        }),
    },
    FindingCode {
        code: "unreadable",
        title: "a file that cannot be opened",
        text: "The message of the operating system says why.",
        example: None,
    },
    FindingCode {
        code: "version",
        title: "an unsupported version",
        text: "This version of afresh supports version 1 of the native format.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/version.wrong"),
            right: include_str!("examples/version.right"),
        }),
    },
    FindingCode {
        code: "wrong-type",
        title: "a value of the wrong type",
        text: "The message says what was expected and what was found.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/wrong-type.wrong"),
            right: include_str!("examples/wrong-type.right"),
        }),
    },
    FindingCode {
        code: "yaml-alias",
        title: "an alias in YAML",
        text: "A small text with aliases can expand to a very large one, so aliases are not supported.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/yaml-alias.wrong"),
            right: include_str!("examples/yaml-alias.right"),
        }),
    },
];
