//! Hooks that hold an action back.

use crate::breaking::{Edit, Mutation};

pub(super) const ALL: &[Mutation] = &[
    Mutation {
        name: "a held-back worker keeps its comments",
        promise: "BE-11, BE-12: a worker that a hook held back has read nothing",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/hooks.rs",
            text: "self.tasks[at].take_back_comments(attempt);",
            instead: "",
        }],
    },
    Mutation {
        name: "a held-back merge loses its approval",
        promise: "BE-11, EX-08: what was approved is not reviewed again",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/hooks.rs",
            text: "Some(results) if matches!(answer, \"retry\" | \"skip-hook\") => {",
            instead: "Some(results) if answer.is_empty() => {",
        }],
    },
];
