//! Reviews by fresh agents.

use crate::breaking::{Edit, Mutation};

const REVIEWING: &str = "afresh-core/src/decide/reviewing.rs";

pub(super) const ALL: &[Mutation] = &[
    Mutation {
        name: "reviews: work lands without one",
        promise: "EX-08: nothing lands without the approval that the settings ask for",
        edits: &[Edit {
            file: REVIEWING,
            text: "if self.wants_review(at, harvest) {",
            instead: "if false && self.wants_review(at, harvest) {",
        }],
    },
    Mutation {
        name: "reviews: a late one counts",
        promise: "R2: a late answer of an old reviewer changes nothing",
        edits: &[Edit {
            file: REVIEWING,
            text: "number == Some(review.number)",
            instead: "number.is_some()",
        }],
    },
    Mutation {
        name: "reviews: one starts in a halted run",
        promise: "R7: after a halt nothing new starts",
        edits: &[Edit {
            file: REVIEWING,
            text: "if run.halt().is_some() || run.aborted().is_some() || run.budget_reached() {",
            instead: "if run.aborted().is_some() || run.budget_reached() {",
        }],
    },
    Mutation {
        name: "reviews: what they use is free",
        promise: "R14: usage is counted once per attempt and per review",
        edits: &[Edit {
            file: "afresh-core/src/run/task/mod.rs",
            text: "let reviewers = self.records.review_usages.values();",
            instead: "let reviewers = self.records.review_usages.values().skip(1);",
        }],
    },
    Mutation {
        name: "reviews: a halt does not stop them",
        promise: "R7: the second request ends everything",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/lifecycle.rs",
            text: "self.run.spenders().map(|worker| worker.attempt).collect();",
            instead: "self.run.spenders().map(|worker| worker.attempt).filter(|it| !self.has_reviewer(it)).collect();",
        }],
    },
];
