//! Attempts by hand: who may start one, and what ends it.

use crate::breaking::{Edit, Mutation};

pub(super) const ALL: &[Mutation] = &[
    Mutation {
        name: "work by hand is lost with the driver",
        promise: "ST-02: a person's workspace outlives the driver",
        edits: &[Edit {
            file: "afresh-core/src/decide/recovery.rs",
            text: "TaskStage::Running(work) if work.by_hand.is_some() => {}",
            instead: "",
        }],
    },
    Mutation {
        name: "an agent starts where people drive the run",
        promise: "ST-06: no agent starts in a run that is driven by hand",
        edits: &[Edit {
            file: "afresh-core/src/decide/scheduler.rs",
            text: "if self.run.holds_back_agents() {",
            instead: "if false {",
        }],
    },
    Mutation {
        name: "a person starts what an agent works beside",
        promise: "EX-01: two tasks that may write the same file never run at once",
        edits: &[Edit {
            file: "afresh-core/src/decide/by_hand.rs",
            text: "let other = plan.task(self.conflicting(at)?);",
            instead: "let other = plan.task(self.conflicting(at).filter(|_| false)?);",
        }],
    },
    Mutation {
        name: "a person is stopped with the agents",
        promise: "ST-06: a halt ends no work by hand",
        edits: &[Edit {
            file: "afresh-core/src/run/reviews.rs",
            text: "TaskStage::Starting(work) | TaskStage::Running(work) if work.by_hand.is_none() => {",
            instead: "TaskStage::Starting(work) | TaskStage::Running(work) => {",
        }],
    },
];
