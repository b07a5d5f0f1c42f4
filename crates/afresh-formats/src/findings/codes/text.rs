//! Codes about text that cannot be read, and plans that are none.

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
        title: "a frontmatter that is not YAML",
        text: "It was read line by line, so that nothing is lost; single quotes around the value usually mend it.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/frontmatter-invalid.wrong"),
            right: include_str!("examples/frontmatter-invalid.right"),
        }),
    },
    FindingCode {
        code: "more",
        title: "more of the same",
        text: "Only the first problems are listed; mend those, and look again.",
        example: None,
    },
    FindingCode {
        code: "not-utf8",
        title: "a file that is not text",
        text: "Plans are UTF-8.",
        example: None,
    },
    FindingCode {
        code: "several-plans",
        title: "several plans that are not finished",
        text: "Which one is meant is not guessed: name its directory or its tasks.md.",
        example: None,
    },
    FindingCode {
        code: "syntax",
        title: "text that cannot be read at all",
        text: "The place shows where reading ended.",
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
        title: "a field that means nothing here",
        text: "Where it is nearly a known field it is an error, because a misspelt `checks` must not silently mean none.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/unknown-field.wrong"),
            right: include_str!("examples/unknown-field.right"),
        }),
    },
    FindingCode {
        code: "unreadable",
        title: "a file that cannot be opened",
        text: "The system's own words say why.",
        example: None,
    },
    FindingCode {
        code: "version",
        title: "a version that is not known",
        text: "This program knows version 1 of the own format.",
        example: Some(CodeExample {
            file: "p.plan.toml",
            wrong: include_str!("examples/version.wrong"),
            right: include_str!("examples/version.right"),
        }),
    },
    FindingCode {
        code: "wrong-type",
        title: "a value of another kind than expected",
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
        text: "A small text with aliases can stand for a very large one, so they are not read.",
        example: Some(CodeExample {
            file: ".planning/phases/01-a/01-01-PLAN.md",
            wrong: include_str!("examples/yaml-alias.wrong"),
            right: include_str!("examples/yaml-alias.right"),
        }),
    },
];
